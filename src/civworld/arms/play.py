# SPDX-License-Identifier: GPL-2.0-or-later
"""Playing one arm: edit, advance, measure, follow the edited fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from civworld import quantities
from civworld.edits import Edit
from civworld.edits.base import Place
from civworld.errors import EditRefused, EngineError
from civworld.quantities import Track
from civworld.state import StateView
from civworld.world import World


def each_turn(world: World, turns: int) -> Iterator[World]:
    """The world as it is, then in each of the next turns, which are played as they are asked for."""
    yield world
    for _ in range(turns):
        yield world.advance()


@dataclass(frozen=True)
class PlayArm:
    """The job of one arm; called with a fresh world it plays it out.

    Attributes:
        arm: name of the arm.
        seed: what to re-seed the world with, None for its own future.
        edits: what to apply first.
        refused: edits that the world must refuse, unchanged.
        turns: how many turns to play.
        watch: places to follow.
        rng: generator to re-seed, None for the world's own.
    """

    arm: str
    seed: int | None
    edits: tuple[Edit, ...]
    refused: tuple[Edit, ...]
    turns: int
    watch: tuple[Place, ...]
    rng: str | None = None

    def __call__(self, world: World) -> Track:
        """Play the arm in a fresh world of the decision point."""
        if self.seed is not None:
            world.reseed(self.seed, self.rng)
        for edit in self.refused:
            _must_refuse(world, edit)
        for edit in self.edits:
            world.apply(edit)
        turns, rows, digests, watched = [], [], [], []
        for now in each_turn(world, self.turns):
            view = now.state()
            turns.append(view.turn)
            rows.append(quantities.measure(view))
            digests.append(now.digest())
            watched.append(tuple(value_at(view, place) for place in self.watch))
        return Track.of_rows(turns, rows, self.seed, digests, arm=self.arm, watched=tuple(watched))


def _must_refuse(world: World, edit: Edit) -> None:
    """Raise unless the world refuses an edit and stays as it is."""
    before = world.digest()
    try:
        world.apply(edit)
    except EditRefused:
        if world.digest() == before:
            return
        raise EngineError(f"edit '{edit.name}' was refused but changed the world") from None
    raise EngineError(f"edit '{edit.name}' was to be a no-op and changed the world: {edit}")


def value_at(view: StateView, place: Place) -> Any:
    """The value of a field as a plain value, None where there is no such record."""
    table, row, name = place
    rows = view.table(table)
    if isinstance(row, tuple):
        found = rows[name][(rows["player"] == row[0]) & (rows["other"] == row[1])]
    else:
        key = next((k for k in ("id", "index", "player") if k in (rows.dtype.names or ())), None)
        found = rows[name] if key is None else rows[name][rows[key] == row]
    if not len(found):
        return None
    plain = found[0]
    return plain.decode() if isinstance(plain, bytes) else plain.tolist()
