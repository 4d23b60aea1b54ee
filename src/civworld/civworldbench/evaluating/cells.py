# SPDX-License-Identifier: GPL-2.0-or-later
"""From answers to tables: every cell asked with all that its score needs, and the table of each metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from civworld import quantities
from civworld.civworldbench import scoring
from civworld.civworldbench.answering.answers import Answer
from civworld.civworldbench.asking.forecasts import FAMILIES, is_log, losses, sigma
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.asking.reading import Value
from civworld.civworldbench.evaluating.tables import (
    Classes,
    Effects,
    Flags,
    Floats,
    Gains,
    Ints,
    Losses,
    Rankings,
    Shifts,
    Signs,
    Supports,
)
from civworld.errors import ArgumentError

WIDE_GAP = 60
"""Difference of traits from which pairs count in the second figure of Trait."""


@dataclass(frozen=True)
class Asked:
    """One cell with all that its score needs; `value` is None without a usable answer."""

    query: Query
    cell: Cell
    target: Target
    value: Value | None
    world: int

    @property
    def numbers(self) -> tuple[float, ...]:
        """The quantiles given."""
        if not isinstance(self.value, tuple):
            raise self._other("quantiles")
        return tuple(float(value) for value in self.value)

    @property
    def order(self) -> tuple[str, ...]:
        """The ranking given."""
        if not isinstance(self.value, tuple):
            raise self._other("a ranking")
        return tuple(str(name) for name in self.value)

    @property
    def probability(self) -> float:
        """The probability given."""
        if not isinstance(self.value, float):
            raise self._other("a probability")
        return self.value

    @property
    def shares(self) -> list[float]:
        """The distribution given, in the order of the options."""
        if not isinstance(self.value, dict):
            raise self._other("a distribution")
        return [self.value[name] for name in self.cell.options]

    @property
    def choice(self) -> int:
        """Place of the class given among the options."""
        if not isinstance(self.value, str):
            raise self._other("a class")
        return self.cell.options.index(self.value)

    @property
    def gain(self) -> float:
        """Brier gain over the base rate, or over the leader of now; that of a failure without a usable answer."""
        missing = [self.value is None]
        if self.cell.kind == "probability":
            given = [0.0 if self.value is None else self.probability]
            return float(scoring.brier_gain([self.target.number], given, [self.target.baseline], missing=missing)[0])
        options = self.cell.options
        leads = [[float(name == self.target.reference) for name in options]]
        shares = [leads[0] if self.value is None else self.shares]
        truth = [options.index(self.target.name)]
        return float(scoring.multiclass_brier_gain(truth, shares, leads, missing=missing)[0])

    def _other(self, wanted: str) -> ArgumentError:
        return ArgumentError(f"cell {self.cell.id} of kind {self.cell.kind}: {self.value!r} is not {wanted}")


@dataclass(frozen=True)
class Effect:
    """A cell of an edited branch with its realized and predicted effect; no prediction where unusable."""

    asked: Asked
    realized: float
    predicted: float | None


@dataclass(frozen=True)
class Cells:
    """All cells of one evaluation.

    Attributes:
        queries: the set, for scales and the targets of controls.
        read: query id -> its answer as far as it could be read.
        asked: the cells.
    """

    queries: QuerySet
    read: Mapping[str, Answer]
    asked: Sequence[Asked]

    @classmethod
    def of(cls, queries: QuerySet, asked: Iterable[Query], read: Mapping[str, Answer], worlds: Sequence[str]) -> Cells:
        """The cells of the queries asked; a cell's world is its place in `worlds`."""
        place = {world: k for k, world in enumerate(worlds)}
        found = [
            Asked(q, cell, queries.targets[q.id][cell.id], read[q.id].values.get(cell.id), place[q.world])
            for q in asked
            for cell in q.cells
        ]
        return cls(queries, read, found)

    def plain(self, *kinds: str) -> list[Asked]:
        """Final cells of these kinds about the world as it is."""
        return [c for c in self.ends if not c.query.arm and c.cell.kind in kinds]

    @cached_property
    def ends(self) -> list[Asked]:
        """The final cells."""
        return [c for c in self.asked if not c.cell.intermediate]

    def way(self, *arms: str) -> list[Asked]:
        """The intermediate cells of these arms, "" for the world as it is."""
        return [c for c in self.asked if c.cell.intermediate and c.query.arm in arms]

    @cached_property
    def real(self) -> list[Effect]:
        """Effects of edits."""
        return [self._effect(c) for c in self.ends if c.query.arm == "real"]

    @cached_property
    def placebo(self) -> list[Effect]:
        """Effects of placebos."""
        return [self._effect(c) for c in self.ends if c.query.arm == "placebo"]

    def _effect(self, c: Asked) -> Effect:
        """What an edit did, and what the answers to it and to its control say that it did."""
        control = c.query.control
        scale, log = [sigma(c.cell.subject, self.queries.scales)], [is_log(c.cell.subject)]
        y, y_control = [c.target.number], [self.queries.targets[control][c.cell.id].number]
        realized = float(scoring.realized_effect(y, y_control, scale, log)[0])
        own = self.read[control].values.get(c.cell.id) if control in self.read else None
        if c.value is None or not isinstance(own, tuple):
            return Effect(c, realized, None)
        base = np.array([own], np.float64)
        return Effect(c, realized, float(scoring.predicted_effect([c.numbers], base, scale, log)[0]))


# ---- one table per metric ------------------------------------------------------------------------------------


def loss_table(cells: Cells) -> Losses:
    """Quantity: losses of the answers and of the trend."""
    return loss_of(cells.plain("quantiles"), cells.queries.scales)


def way_table(cells: Cells) -> Losses:
    """Process quality: the same, of the intermediate cells."""
    return loss_of(cells.way(""), cells.queries.scales)


def edited_way_table(cells: Cells) -> Losses:
    """Process quality of interventions: intermediate cells after real edits."""
    return loss_of(cells.way("real"), cells.queries.scales)


def support_table(cells: Cells) -> Supports:
    """Forecasts at the end beside those on the way to them: same query, civilization and quantity, earlier turns.

    A pair counts where the trend errs on both, so that there is something to exceed.
    """
    ends = [c for c in cells.ends if c.cell.kind == "quantiles" and c.query.arm in ("", "real")]
    way = cells.way("", "real")
    at_end, before = (loss_of(part, cells.queries.scales) for part in (ends, way))
    found: dict[tuple[str, int, str], list[int]] = {}
    for row, c in enumerate(way):
        found.setdefault((c.query.id, c.cell.civ, c.cell.subject), []).append(row)
    rows = []
    for row, c in enumerate(ends):
        near = found.get((c.query.id, c.cell.civ, c.cell.subject), ())
        earlier = [k for k in near if way[k].cell.horizon < c.cell.horizon]
        loss, trend = before.loss[earlier].sum(), before.reference[earlier].sum()
        if at_end.reference[row] > 0 and trend > 0:
            rows.append((c.world, at_end.loss[row] < at_end.reference[row], loss < trend))
    world, above, supported = zip(*rows, strict=True) if rows else ((), (), ())
    return Supports(_ints(world), np.array(above, bool), np.array(supported, bool))


def loss_of(found: Sequence[Asked], scales: Mapping[str, float]) -> Losses:
    """Losses of the answers to some cells of quantities, and of the trend."""
    outcome = _floats(c.target.number for c in found)
    trend = _floats(c.target.baseline for c in found)
    blank = (0.0,) * len(scoring.TAUS)
    given = np.array([blank if c.value is None else c.numbers for c in found], np.float64)
    given = given.reshape(len(found), len(scoring.TAUS))
    names = [c.cell.subject for c in found]
    world = _worlds(found)
    family = _ints(FAMILIES.index(quantities.get(name).family) for name in names)
    reference = losses(names, outcome, np.repeat(trend[:, None], len(scoring.TAUS), axis=1), scales)
    loss = losses(names, outcome, given, scales)
    if found:
        group = world * len(FAMILIES) + family
        loss = scoring.penalised_loss(loss, reference, group, _missing(found))
    return Losses(world, family, loss, reference)


def gain_table(cells: Cells) -> Gains:
    """Event: Brier gains over base rates and over the leader of now."""
    found = cells.plain("probability", "distribution")
    binary = [c for c in found if c.cell.kind == "probability" and c.value is not None]
    return Gains(
        _worlds(found),
        _floats(c.gain for c in found),
        _floats(c.probability for c in binary),
        _floats(c.target.number for c in binary),
    )


def ranking_table(cells: Cells) -> Rankings:
    """Trait: hidden values and places in the answers."""
    found = cells.plain("ranking")
    rows = [(key, c, place) for key, c in enumerate(found) for place in range(len(c.cell.options))]
    rank = (0.0 if c.value is None else -float(c.order.index(c.cell.options[place])) for _, c, place in rows)
    return Rankings(
        _ints(c.world for _, c, _ in rows),
        _ints(key for key, _, _ in rows),
        _floats(c.target.numbers[place] for _, c, place in rows),
        _floats(rank),
        np.array([c.value is None for _, c, _ in rows], bool),
    )


def wide_ranking_table(cells: Cells) -> Rankings:
    """The same, of pairs that lie far apart."""
    t = ranking_table(cells)
    return Rankings(t.world, t.question, t.value, t.rank, t.missing, min_gap=WIDE_GAP)


def class_table(cells: Cells) -> Classes:
    """Rules: true and answered classes."""
    found = cells.plain("class")
    rules = sorted({c.cell.subject for c in found})
    return Classes(
        _worlds(found),
        _ints(rules.index(c.cell.subject) for c in found),
        _ints(c.cell.options.index(c.target.name) for c in found),
        _ints(-1 if c.value is None else c.choice for c in found),
        _missing(found),
    )


def effect_table(cells: Cells) -> Effects:
    """Capture: effects against what the world itself did."""
    return _effects([(e, e.realized) for e in cells.real])


def expected_effect_table(cells: Cells) -> Effects:
    """Capture against the mean over paired rollouts, where there are some."""
    return _effects([(e, e.asked.target.expected) for e in cells.real if e.asked.target.expected is not None])


def sign_table(cells: Cells) -> Signs:
    """Direction: the same cells, judged by sign."""
    t = effect_table(cells)
    return Signs(t.world, t.operator, t.realized, t.predicted, t.missing, t.names)


def wide_sign_table(cells: Cells) -> Signs:
    """The same, of effects beyond one sigma."""
    t = sign_table(cells)
    wide = np.abs(t.realized) > 1
    return Signs(t.world[wide], t.operator[wide], t.realized[wide], t.predicted[wide], t.missing[wide], t.names)


def shift_table(cells: Cells) -> Shifts:
    """Specificity: effects of edits beside those of their placebos."""

    def place(c: Asked) -> tuple[str, int, str, str]:
        return c.query.world, c.query.turn, c.query.operator, c.cell.id

    placebos = {place(e.asked): e for e in cells.placebo}
    pairs = [(e, placebos[place(e.asked)]) for e in cells.real if place(e.asked) in placebos]
    return Shifts(
        _ints(e.asked.world for e, _ in pairs),
        _floats(e.predicted or 0.0 for e, _ in pairs),
        _floats(p.predicted or 0.0 for _, p in pairs),
        np.array([e.predicted is None for e, _ in pairs], bool),
        np.array([p.predicted is None for _, p in pairs], bool),
    )


def _effects(found: Sequence[tuple[Effect, float | None]]) -> Effects:
    names = sorted({e.asked.query.operator for e, _ in found})
    truth = _floats(value for _, value in found if value is not None)
    missing = np.array([e.predicted is None for e, _ in found], bool)
    given = _floats(0.0 if e.predicted is None else e.predicted for e, _ in found)
    return Effects(
        _ints(e.asked.world for e, _ in found),
        _ints(names.index(e.asked.query.operator) for e, _ in found),
        truth,
        scoring.penalised_effect(truth, given, missing) if found else given,
        missing,
        tuple(names),
    )


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _missing(cells: Sequence[Asked]) -> Flags:
    return np.array([c.value is None for c in cells], bool)


def _worlds(cells: Sequence[Asked]) -> Ints:
    return _ints(c.world for c in cells)
