# SPDX-License-Identifier: GPL-2.0-or-later
"""A branch of a world, played out: the quantities of its civilizations turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.errors import ArgumentError, UnknownNameError
from civworld.quantities.base import get, stack, table


@dataclass(frozen=True, eq=False)
class Track:
    """Quantities of all civilizations over a stretch of turns: of a mainline, a future or an arm.

    Attributes:
        turns: int64 (n,), one after the other; an arm's first row is right after its edits.
        players: player numbers, int32 (m,), ascending; whoever appears later has zeros before.
        values: structured (n, m), an int64 per quantity.
        seed: what the world was re-seeded with at the first turn, None if it was not.
        digests: digests of the world at the last turns: at each turn where it was just played, at the last one alone
            where a corpus tells of it.
        arm: control, recheck, real or placebo; empty for what is no arm.
        watched: value of each watched place at each turn, None where the record is gone; n tuples, or none.
    """

    turns: npt.NDArray[np.int64]
    players: npt.NDArray[np.int32]
    values: npt.NDArray[Any]
    seed: int | None
    digests: tuple[str, ...]
    arm: str = ""
    watched: tuple[tuple[Any, ...], ...] = ()

    @classmethod
    def of_rows(
        cls,
        turns: Sequence[int],
        rows: Sequence[npt.NDArray[Any]],
        seed: int | None,
        digests: Sequence[str],
        **more: Any,
    ) -> Track:
        """The track of what `measure` gave at each turn."""
        stacked = stack(rows)
        values = np.empty(stacked.shape, [(name, "<i8") for name in table()])
        for name in table():
            values[name] = stacked[name]
        return cls(np.array(turns, np.int64), stacked["player"][0].copy(), values, seed, tuple(digests), **more)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Track) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        arm = f" {self.arm}" if self.arm else ""
        first, last = self.turns[[0, -1]].tolist()
        about = f"{len(self.players)} players, turns {first}-{last}, seed {self.seed}"
        return f"<Track{arm} of {about}, digest {self.digest[:8]}>"

    @property
    def digest(self) -> str:
        """Digest of the world at the last turn."""
        return self.digests[-1]

    def of(self, quantity: str, player: int | None = None) -> npt.NDArray[np.int64]:
        """One quantity, int64 (n, m); of one civilization int64 (n,), zeros for one that never existed."""
        get(quantity)
        found: npt.NDArray[np.int64] = self.values[quantity]
        if player is None:
            return found
        mine = self.players == player
        return found[:, mine.argmax()] if mine.any() else np.zeros(len(self.turns), np.int64)

    def at(self, turn: int) -> npt.NDArray[Any]:
        """All quantities at a turn, structured (m,); ArgumentError when the turn is not part of it."""
        row = turn - int(self.turns[0])
        if not 0 <= row < len(self.turns):
            raise ArgumentError(f"turn {turn!r}: turns {self.turns[0]}-{self.turns[-1]} are there")
        found: npt.NDArray[Any] = self.values[row]
        return found

    def value(self, quantity: str, turn: int, player: int) -> int:
        """One number; UnknownNameError when there is no such civilization."""
        column = np.flatnonzero(self.players == player)
        if not len(column):
            raise UnknownNameError("player", player, map(str, self.players))
        get(quantity)
        return int(self.at(turn)[quantity][column[0]])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "turns": self.turns.tolist(),
            "players": self.players.tolist(),
            "quantities": {name: self.values[name].tolist() for name in self.values.dtype.names or ()},
            "seed": self.seed,
            "digests": list(self.digests),
            "arm": self.arm,
            "watched": [list(values) for values in self.watched],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Track:
        """The track that `to_dict` described."""
        columns, players = data["quantities"], np.array(data["players"], np.int32)
        values = np.empty((len(data["turns"]), len(players)), [(name, "<i8") for name in columns])
        for name, column in columns.items():
            values[name] = column
        watched = tuple(tuple(values) for values in data["watched"])
        turns = np.array(data["turns"], np.int64)
        return cls(turns, players, values, data["seed"], tuple(data["digests"]), data["arm"], watched)
