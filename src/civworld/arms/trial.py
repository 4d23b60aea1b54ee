# SPDX-License-Identifier: GPL-2.0-or-later
"""The result of an experiment: four arms, what the edit did, whether it lasted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.arms.operator import Intervention
from civworld.checks import named
from civworld.display import html_page, html_table
from civworld.edits import Edit
from civworld.edits.base import Place
from civworld.quantities import Track

GONE = 0.1
"""An edited amount counts as undone when a tenth of the difference to the control is left."""
AMOUNTS = frozenset({"gold", "bulbs", "size", "love"})
"""Watched fields that are amounts; all others are back when they equal the control's."""


@dataclass(frozen=True)
class Undone:
    """An edited field that no longer differs from the control: it went back, or the control caught up.

    Attributes:
        place: table, record and field.
        turn: first turn at which it was back; from there on it stayed so until the end.
        by: player number of whoever holds the field: the owner of a treasury or of research, the new owner of a
            city, the holder of an attitude. None where nobody does, as with a rule of the world.
        value: its value then, in the real arm.
    """

    place: Place
    turn: int
    by: int | None
    value: Any


@dataclass(frozen=True)
class Effect:
    """What an edit did to one quantity of one civilization at one turn.

    Attributes:
        quantity: name of the quantity.
        player: player number.
        turn: turn of the world.
        realized: real minus control in the world's own future.
        placebo: placebo minus control in the world's own future.
        expected: mean of real minus control over the paired seeds; None without seeds.
        standard_error: its standard error; None with fewer than two seeds.
    """

    quantity: str
    player: int
    turn: int
    realized: int
    placebo: int
    expected: float | None
    standard_error: float | None


@dataclass(frozen=True)
class Trial:
    """One operator at one decision point, played out.

    Attributes:
        plan: the edits and what they are meant to do.
        start: digest of the checkpoint.
        control: the world's own future, unedited.
        recheck: the same, played a second time.
        real: the world's future after the real edits.
        placebo: the same after the placebo edits.
        paired: (control, real) under each further seed.
        placebos: the placebo arm under each of these seeds, where it was asked for.
    """

    plan: Intervention
    start: str
    control: Track
    recheck: Track
    real: Track
    placebo: Track
    paired: tuple[tuple[Track, Track], ...] = ()
    placebos: tuple[Track, ...] = ()

    def recheck_differs(self) -> int | None:
        """First turn at which the recheck is not the control, None when it is everywhere (as it must be)."""
        return self._differs(self.recheck)

    def placebo_differs(self) -> int | None:
        """First turn at which any quantity of another civilization differs between placebo and control."""
        mine = self.plan.player
        turns = self.control.turns.tolist()
        for i, turn in enumerate(turns):
            a, b = (t.values[i][t.players != mine] for t in (self.control, self.placebo))
            if not np.array_equal(a, b):
                return int(turn)
        return None

    def _differs(self, other: Track) -> int | None:
        pairs = zip(self.control.turns.tolist(), self.control.digests, other.digests, strict=True)
        return next((turn for turn, a, b in pairs if a != b), None)

    # ---- effects -----------------------------------------------------------------------------------------

    def players(self) -> tuple[int, ...]:
        """The civilizations the operator is about: its player, and the other one where it changes two."""
        return (self.plan.player,) if self.plan.other is None else (self.plan.player, self.plan.other)

    def effects(self) -> Iterator[Effect]:
        """Effects on every target quantity of every civilization concerned, at every turn."""
        for quantity in self.plan.targets:
            for player in self.players():
                yield from self._effects(quantity, player)

    def _effects(self, quantity: str, player: int) -> Iterator[Effect]:
        base = self.control.of(quantity, player)
        realized = self.real.of(quantity, player) - base
        placebo = self.placebo.of(quantity, player) - base
        mean, error = self.expected(quantity, player)
        for i, turn in enumerate(self.control.turns.tolist()):
            expected = None if mean is None else float(mean[i])
            spread = None if error is None else float(error[i])
            yield Effect(quantity, player, turn, int(realized[i]), int(placebo[i]), expected, spread)

    def shifts(self, quantity: str, player: int, arm: str = "real") -> npt.NDArray[np.int64]:
        """What an arm did under each paired seed: it minus control, int64 (seeds, turns).

        Args:
            quantity: name of the quantity.
            player: player number.
            arm: `real` or `placebo`; no row for a placebo that was not played under the seeds.

        Raises:
            UnknownNameError: there is no such arm.
        """
        named("arm", arm, ("real", "placebo"))
        edited = [real for _, real in self.paired] if arm == "real" else self.placebos
        pairs = zip((control for control, _ in self.paired), edited, strict=False)
        rows = [other.of(quantity, player) - control.of(quantity, player) for control, other in pairs]
        return np.array(rows, np.int64).reshape(-1, len(self.control.turns))

    def expected(
        self, quantity: str, player: int, arm: str = "real"
    ) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.float64] | None]:
        """Mean of an arm minus control over the paired seeds and its standard error, float64 (turns,) each.

        The mean is None without seeds, the error with fewer than two. Arguments and errors are those of `shifts`.
        """
        shifts = self.shifts(quantity, player, arm)
        if not len(shifts):
            return None, None
        if len(shifts) < 2:
            return shifts.mean(0), None
        return shifts.mean(0), shifts.std(0, ddof=1) / np.sqrt(len(shifts))

    # ---- lasting -----------------------------------------------------------------------------------------

    def undone(self) -> tuple[Undone, ...]:
        """Watched fields that went back to what they are in the control, with when and by whom."""
        found = (self._undone(i, place) for i, place in enumerate(self.plan.watched))
        return tuple(item for item in found if item is not None)

    def _undone(self, column: int, place: Place) -> Undone | None:
        control = [row[column] for row in self.control.watched]
        real = [row[column] for row in self.real.watched]
        amount = place[2] in AMOUNTS
        back = [_is_back(a, b, control[0], real[0], amount) for a, b in zip(control, real, strict=True)]
        if back[0] or not back[-1]:
            return None
        first = len(back) - 1
        while first > 0 and back[first - 1]:
            first -= 1
        return Undone(place, int(self.control.turns[first]), _holder(place, real[first]), real[first])

    # ---- keeping -----------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        first, last = self.control.turns[[0, -1]].tolist()
        about = f"{self.plan.operator}, players {list(self.players())}"
        return f"<Trial of {about}, turns {first}-{last}, {len(self.paired)} pairs>"

    def _repr_html_(self) -> str:
        last = [e for e in self.effects() if e.turn == self.control.turns[-1]]
        rows = [[e.quantity, e.player, e.realized, e.placebo, e.expected, e.standard_error] for e in last]
        names = ("quantity", "player", "real - control", "placebo - control", "expected", "standard error")
        return html_page(repr(self), html_table(names, rows, f"effects at turn {self.control.turns[-1]}"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        plan = {name: getattr(self.plan, name) for name in ("operator", "variant", "player", "other")}
        for name in ("real", "placebo", "refused"):
            plan[name] = [edit.to_dict() for edit in getattr(self.plan, name)]
        plan["targets"] = list(self.plan.targets)
        plan["expected"] = dict(self.plan.expected)
        plan["watched"] = [
            [table, list(row) if isinstance(row, tuple) else row, f] for table, row, f in self.plan.watched
        ]
        arms = {name: getattr(self, name).to_dict() for name in ("control", "recheck", "real", "placebo")}
        paired = [[control.to_dict(), real.to_dict()] for control, real in self.paired]
        placebos = [placebo.to_dict() for placebo in self.placebos]
        return {"plan": plan, "start": self.start, **arms, "paired": paired, "placebos": placebos}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Trial:
        """The trial that `to_dict` described, perhaps after a trip through JSON."""
        plan = dict(data["plan"])
        for name in ("real", "placebo", "refused"):
            plan[name] = tuple(Edit.from_dict(item) for item in plan[name])
        plan["targets"] = tuple(plan["targets"])
        plan["watched"] = tuple((t, tuple(row) if isinstance(row, list) else row, f) for t, row, f in plan["watched"])
        arms = {name: Track.from_dict(data[name]) for name in ("control", "recheck", "real", "placebo")}
        paired = tuple((Track.from_dict(a), Track.from_dict(b)) for a, b in data["paired"])
        placebos = tuple(Track.from_dict(a) for a in data.get("placebos", ()))
        return cls(Intervention(**plan), data["start"], **arms, paired=paired, placebos=placebos)


def _is_back(control: Any, real: Any, control_start: Any, real_start: Any, amount: bool) -> bool:
    """Whether a field is back: equal to the control, or with a tenth of the edit left where it is an amount."""
    if amount and control is not None and real is not None:
        gap, first = real - control, real_start - control_start
        return bool(gap == 0 or (gap < 0) != (first < 0) or abs(gap) <= GONE * abs(first))
    return bool(control == real)


def _holder(place: Place, value: Any) -> int | None:
    table, row, name = place
    if table == "cities" and name == "owner":
        return value if isinstance(value, int) else None
    if isinstance(row, tuple):
        return row[0]
    return row if table in ("players", "hidden_players") else None
