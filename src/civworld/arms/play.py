# SPDX-License-Identifier: GPL-2.0-or-later
"""Playing one arm: edit, advance, measure, follow the edited fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.edits import Edit
from civworld.edits.base import Place
from civworld.errors import EditRefused, EngineError
from civworld.state import StateView
from civworld.world import World


@dataclass(frozen=True, eq=False)
class Trajectory:
    """One arm, played out.

    Attributes:
        arm: control, recheck, real or placebo.
        seed: what the world was re-seeded with, None for its own future.
        turns: turn of each row, int64 (n,); the first row is right after the edits.
        values: quantities, structured (n, civilizations), see `civworld.quantities.measure`.
        digests: digest of the world at each turn.
        watched: value of each watched place at each turn, None where the record is gone; n tuples.
    """

    arm: str
    seed: int | None
    turns: npt.NDArray[np.int64]
    values: npt.NDArray[Any]
    digests: tuple[str, ...]
    watched: tuple[tuple[Any, ...], ...]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Trajectory)
            and (self.arm, self.seed, self.digests, self.watched)
            == (other.arm, other.seed, other.digests, other.watched)
            and np.array_equal(self.turns, other.turns)
            and np.array_equal(self.values, other.values)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Trajectory {self.arm}, turns {self.turns[0]}-{self.turns[-1]}, seed {self.seed}>"

    def of(self, quantity: str, player: int) -> npt.NDArray[np.int64]:
        """A civilization's quantity at each turn, int64 (n,); 0 before it existed."""
        found = self.values[quantity][self.values["player"] == player]
        series: npt.NDArray[np.int64] = found if len(found) else np.zeros(len(self.turns), np.int64)
        return series

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "arm": self.arm,
            "seed": self.seed,
            "turns": self.turns.tolist(),
            "quantities": {name: self.values[name].tolist() for name in self.values.dtype.names or ()},
            "digests": list(self.digests),
            "watched": [list(values) for values in self.watched],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Trajectory:
        """The trajectory that `to_dict` described."""
        columns = data["quantities"]
        shape = np.shape(columns["player"])
        values = np.empty(shape, [(name, "<i4" if name == "player" else "<i8") for name in columns])
        for name, column in columns.items():
            values[name] = column
        watched = tuple(tuple(values) for values in data["watched"])
        turns = np.array(data["turns"], np.int64)
        return cls(data["arm"], data["seed"], turns, values, tuple(data["digests"]), watched)


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
    """

    arm: str
    seed: int | None
    edits: tuple[Edit, ...]
    refused: tuple[Edit, ...]
    turns: int
    watch: tuple[Place, ...]

    def __call__(self, world: World) -> Trajectory:
        """Play the arm in a fresh world of the decision point."""
        if self.seed is not None:
            world.reseed(self.seed)
        for edit in self.refused:
            _must_refuse(world, edit)
        for edit in self.edits:
            world.apply(edit)
        turns, rows, digests, watched = [], [], [], []
        for step in range(self.turns + 1):
            view = world.advance(1 if step else 0).state()
            turns.append(view.turn)
            rows.append(quantities.measure(view))
            digests.append(world.digest())
            watched.append(tuple(value_at(view, place) for place in self.watch))
        return Trajectory(
            self.arm, self.seed, np.array(turns, np.int64), quantities.stack(rows), tuple(digests), tuple(watched)
        )


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
