# SPDX-License-Identifier: GPL-2.0-or-later
"""What a corpus gives: stretches of quantities, the arms of an operator, what is public and what is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.config import WorldConfig
from civworld.corpus.declared import AMOUNTS
from civworld.corpus.schema import Rows
from civworld.errors import ArgumentError
from civworld.quantities import Track


@dataclass(frozen=True)
class WorldInfo:
    """What everyone may know about a world; see the table `worlds`."""

    id: str
    map_class: str
    ruleset: str
    difficulty: str
    players: int
    map_size: int
    xsize: int
    ysize: int
    topology: int
    teams: int
    budget: int
    last_turn: int


@dataclass(frozen=True, eq=False)
class ArmSet:
    """An operator at a decision point, with its arms from t1 to t1 + D.

    Attributes:
        operator: its name.
        variant: form of the operator, empty if it is not eligible.
        eligible: whether it could be used on a civilization there; if not, no arm is there.
        player: player number of the civilization it is about, -1 none.
        other: player number of a second civilization that it changes, -1 none.
        targets: names of the quantities it is meant to move.
        expected: target -> 1 or -1, where the rules leave one direction.
        undone: edited fields that went back to what they are in the control: `field`, `turn`, `by` (player or None).
        control: the mainline's track.
        recheck_digest: digest of the mainline played once more, at the last turn.
        real: the track after the real edits.
        placebo: the track after the placebo edits.
        pairs: (control, real) under each common seed.
        reason: why it is not eligible: "nobody" is, or the world "refused" an edit; else empty.
    """

    operator: str
    variant: str
    eligible: bool
    player: int
    other: int
    targets: tuple[str, ...]
    expected: dict[str, int]
    undone: tuple[dict[str, Any], ...]
    control: Track
    recheck_digest: str = ""
    real: Track | None = None
    placebo: Track | None = None
    pairs: tuple[tuple[Track, Track], ...] = ()
    reason: str = ""

    def __repr__(self) -> str:
        if not self.eligible:
            return f"<ArmSet {self.operator}: {self.reason or 'not eligible'}>"
        who = [self.player] if self.other < 0 else [self.player, self.other]
        first, last = self.control.turns[[0, -1]].tolist()
        about = f"{self.operator} ({self.variant}) of players {who}"
        return f"<ArmSet {about}, turns {first}-{last}, {len(self.pairs)} pairs>"

    def realized(self, quantity: str, turn: int, player: int | None = None) -> int:
        """Real minus control in the world's own future; for the operator's own player unless another is given."""
        return _shift(self.control, self._played(self.real), quantity, turn, self._whose(player))

    def placebo_shift(self, quantity: str, turn: int, player: int | None = None) -> int:
        """Placebo minus control."""
        return _shift(self.control, self._played(self.placebo), quantity, turn, self._whose(player))

    def shifts(self, quantity: str, turn: int, player: int | None = None) -> tuple[int, ...]:
        """Real minus control under each common seed; their mean is the expected effect."""
        return tuple(_shift(a, b, quantity, turn, self._whose(player)) for a, b in self.pairs)

    def _whose(self, player: int | None) -> int:
        return self.player if player is None else player

    def _played(self, track: Track | None) -> Track:
        if track is None:
            raise ArgumentError(f"operator {self.operator!r}: not eligible ({self.reason}), no arm was played")
        return track


def _shift(control: Track, arm: Track, quantity: str, turn: int, player: int) -> int:
    return arm.value(quantity, turn, player) - control.value(quantity, turn, player)


@dataclass(frozen=True, eq=False)
class Hidden:
    """What no forecaster may see of a world.

    Attributes:
        config: what the world was made from, seeds, traits and world rules among it.
        civs: character and plans of each civilization, one row per turn and player; see the table `hidden_civs`.
        pairs: attitudes and war plans, one row per turn, player and other; see the table `hidden_pairs`.
        rules: world rules and seeds, one row per turn; see the table `hidden_rules`.
        edits: the edits of every arm; see the table `hidden_edits`.
    """

    config: WorldConfig
    civs: Rows
    pairs: Rows
    rules: Rows
    edits: Rows


def track(rows: Rows, seed: int | None, digests: dict[int, str]) -> Track:
    """Rows of one world, one per turn and civilization, as a track; `digests` holds that of its last turn."""
    turns, at = np.unique(rows["turn"], return_inverse=True)
    players, column = np.unique(rows["player"], return_inverse=True)
    values = np.zeros((len(turns), len(players)), [(name, "<i8") for name in AMOUNTS])
    for name in AMOUNTS:
        values[name][at, column] = rows[name]
    return Track(turns.astype(np.int64), players.astype(np.int32), values, seed, (digests[int(turns[-1])],))


def stretch(track: Track, first: int, last: int, digests: dict[int, str]) -> Track:
    """Some turns of a mainline."""
    start = int(track.turns[0])
    rows = slice(first - start, last - start + 1)
    return Track(track.turns[rows], track.players, track.values[rows], None, (digests[last],))


def arm_tracks(rows: Rows, ends: Rows) -> dict[tuple[str, int | None], Track]:
    """Tracks of an operator's arms, by arm and seed."""
    found = {}
    for end in ends[ends["arm"] != "recheck"]:
        arm, seed = str(end["arm"]), int(end["seed"])
        mine = rows[(rows["arm"] == arm) & (rows["seed"] == seed)]
        own = None if seed < 0 else seed
        found[arm, own] = track(mine, own, {int(end["turn"]): str(end["digest"])})
    return found
