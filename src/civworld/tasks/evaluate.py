# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of a forecaster's answers to a query set: the seven metrics, with what the intervals are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

import numpy as np

from civworld import quantities, scoring
from civworld.errors import ArgumentError, UnknownNameError
from civworld.tasks.answers import Answer, Value, parse
from civworld.tasks.forecasts import FAMILIES, is_log, losses, sigma
from civworld.tasks.metrics import (
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
    Table,
    score_of,
)
from civworld.tasks.query import SETTINGS, Cell, Query, QuerySet, Target

METRICS = ("quantity", "event", "trait", "rules", "capture", "direction", "specificity")


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One forecaster's scores in one setting.

    Attributes:
        setting: which.
        worlds: ids of its worlds; a table's world key is the place in this list.
        raw: metric -> score before any adjustment, None where undefined; also `trait_gap60` (pairs whose values
            differ by 60 or more) and `capture_expected` (against expected instead of realized effects).
        tables: metric -> its cells.
        failures: name of a failure -> how often.
        asked: cells asked.
        answered: cells with a usable answer.
    """

    setting: str
    worlds: tuple[str, ...]
    raw: Mapping[str, float | None]
    tables: Mapping[str, Table] = field(repr=False)
    failures: Mapping[str, int]
    asked: int
    answered: int

    @property
    def coverage(self) -> float:
        """Share of the cells asked that have a usable answer."""
        return self.answered / self.asked if self.asked else 0.0


def evaluate(queries: QuerySet, answers: Mapping[str, str], setting: str, *, ablation: str = "") -> Evaluation:
    """Scores of answers to the queries of one setting.

    Args:
        queries: the set, with targets.
        answers: query id -> text; a query without one counts as unanswered.
        setting: `omni-id`, `ego` or `omni-ood`.
        ablation: which variant of the prompts.

    Raises:
        ArgumentError: an answer to a query that is not in the set, or no query in the setting.
    """
    if setting not in SETTINGS:
        raise UnknownNameError("setting", setting, SETTINGS)
    strange = sorted(set(answers) - set(queries.queries))
    if strange:
        raise ArgumentError(f"answers to {len(strange)} queries that are not in the set, for example {strange[:3]}")
    asked = [q for q in queries.queries.values() if q.setting == setting and q.ablation == ablation]
    if not asked:
        raise ArgumentError(f"no query in setting {setting!r} with ablation {ablation!r}")
    read = {q.id: parse(q, answers.get(q.id, "")) for q in asked}
    worlds = tuple(sorted({q.world for q in asked}))
    tables = _tables(queries, asked, read, worlds)
    counts: Counter[str] = Counter()
    for answer in read.values():
        counts.update(answer.counts)
    return Evaluation(
        setting,
        worlds,
        MappingProxyType({name: score_of(table) for name, table in tables.items()}),
        MappingProxyType(tables),
        MappingProxyType({name: n for name, n in sorted(counts.items()) if n}),
        sum(len(q.cells) for q in asked),
        sum(len(a.values) for a in read.values()),
    )


# ---- from answers to tables --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """One cell with all that its score needs."""

    query: Query
    cell: Cell
    target: Target
    value: Value | None
    world: int


def _tables(
    queries: QuerySet, asked: list[Query], read: Mapping[str, Answer], worlds: tuple[str, ...]
) -> dict[str, Table]:
    cells = [
        _Asked(q, cell, queries.targets[q.id][cell.id], read[q.id].values.get(cell.id), worlds.index(q.world))
        for q in asked
        for cell in q.cells
    ]
    plain = [c for c in cells if not c.query.arm]
    trait = _rankings([c for c in plain if c.cell.kind == "ranking"])
    effects = _effects(queries, [c for c in cells if c.query.arm == "real"], read)
    realized = _effect_table(effects)
    expected = _effect_table([e for e in effects if e.asked.target.expected is not None], expected=True)
    return {
        "quantity": _losses([c for c in plain if c.cell.kind == "quantiles"], queries.scales),
        "event": _gains([c for c in plain if c.cell.kind in ("probability", "distribution")]),
        "trait": trait,
        "trait_gap60": Rankings(trait.world, trait.question, trait.value, trait.rank, trait.missing, min_gap=60),
        "rules": _classes([c for c in plain if c.cell.kind == "class"]),
        "capture": realized,
        "capture_expected": expected,
        "direction": Signs(realized.world, realized.operator, realized.realized, realized.predicted, realized.missing),
        "specificity": _shifts(queries, effects, [c for c in cells if c.query.arm == "placebo"], read),
    }


def _floats(values: Iterator[float]) -> Floats:
    return np.fromiter(values, np.float64)


def _ints(values: Iterator[int]) -> Ints:
    return np.fromiter(values, np.int64)


def _missing(cells: list[_Asked]) -> Flags:
    return np.array([c.value is None for c in cells], bool)


def _worlds(cells: list[_Asked]) -> Ints:
    return _ints(c.world for c in cells)


def _losses(cells: list[_Asked], scales: Mapping[str, float]) -> Losses:
    outcome = _floats(c.target.number for c in cells)
    trend = _floats(c.target.baseline for c in cells)
    blank = (0.0,) * len(scoring.TAUS)
    given = np.array([c.value or blank for c in cells], np.float64).reshape(len(cells), len(scoring.TAUS))
    names = [c.cell.subject for c in cells]
    world = _worlds(cells)
    family = _ints(FAMILIES.index(quantities.get(name).family) for name in names)
    reference = losses(names, outcome, np.repeat(trend[:, None], len(scoring.TAUS), axis=1), scales)
    loss = losses(names, outcome, given, scales)
    if not cells:
        return Losses(world, family, loss, reference)
    group = world * len(FAMILIES) + family
    return Losses(world, family, scoring.penalised_loss(loss, reference, group, _missing(cells)), reference)


def _gains(cells: list[_Asked]) -> Gains:
    binary = [c for c in cells if c.cell.kind == "probability" and c.value is not None]
    return Gains(
        _worlds(cells),
        _floats(_gain(c) for c in cells),
        _floats(cast(float, c.value) for c in binary),
        _floats(c.target.number for c in binary),
    )


def _gain(c: _Asked) -> float:
    if c.cell.kind == "probability":
        y, ref = [int(c.target.number)], [c.target.baseline]
        reference = float(scoring.brier_score(y, ref)[0])
        own = scoring.MISSING_BRIER if c.value is None else float(scoring.brier_score(y, [cast(float, c.value)])[0])
        return reference - own
    place = c.cell.options.index
    outcome = [place(cast(str, c.target.value))]
    persistence = [[float(name == c.target.reference) for name in c.cell.options]]
    reference = float(scoring.multiclass_brier_score(outcome, persistence)[0])
    if c.value is None:
        return reference - scoring.MISSING_MULTICLASS_BRIER
    given = cast(dict[str, float], c.value)
    return reference - float(scoring.multiclass_brier_score(outcome, [[given[n] for n in c.cell.options]])[0])


def _rankings(cells: list[_Asked]) -> Rankings:
    rows = [(key, c, place) for key, c in enumerate(cells) for place in range(len(c.cell.options))]
    rank = (-float(cast(tuple[str, ...], c.value).index(c.cell.options[p])) if c.value else 0.0 for _, c, p in rows)
    return Rankings(
        _ints(c.world for _, c, _ in rows),
        _ints(key for key, _, _ in rows),
        _floats(cast(tuple[float, ...], c.target.value)[place] for _, c, place in rows),
        _floats(rank),
        np.array([c.value is None for _, c, _ in rows], bool),
    )


def _classes(cells: list[_Asked]) -> Classes:
    rules = sorted({c.cell.subject for c in cells})
    return Classes(
        _worlds(cells),
        _ints(rules.index(c.cell.subject) for c in cells),
        _ints(c.cell.options.index(cast(str, c.target.value)) for c in cells),
        _ints(c.cell.options.index(cast(str, c.value)) if c.value is not None else -1 for c in cells),
        _missing(cells),
    )


@dataclass(frozen=True)
class _Effect:
    """A cell of an edited branch with its realized and predicted effect; no prediction where unusable."""

    asked: _Asked
    realized: float
    predicted: float | None


def _effects(queries: QuerySet, cells: list[_Asked], read: Mapping[str, Answer]) -> list[_Effect]:
    return [_effect(queries, c, read) for c in cells]


def _effect(queries: QuerySet, c: _Asked, read: Mapping[str, Answer]) -> _Effect:
    control = c.query.control
    target = queries.targets[control][c.cell.id]
    scale, log = [sigma(c.cell.subject, queries.scales)], [is_log(c.cell.subject)]
    y, y_control = [c.target.number], [target.number]
    realized = float(scoring.realized_effect(y, y_control, scale, log)[0])
    own = read[control].values.get(c.cell.id) if control in read else None
    if c.value is None or own is None:
        return _Effect(c, realized, None)
    return _Effect(c, realized, float(scoring.predicted_effect(_quantiles(c.value), _quantiles(own), scale, log)[0]))


def _quantiles(value: Value) -> Floats:
    return np.array([value], np.float64)


def _effect_table(effects: list[_Effect], *, expected: bool = False) -> Effects:
    names = sorted({e.asked.query.operator for e in effects})
    truth = _floats(cast(float, e.asked.target.expected) if expected else e.realized for e in effects)
    missing = np.array([e.predicted is None for e in effects], bool)
    given = _floats(0.0 if e.predicted is None else e.predicted for e in effects)
    return Effects(
        _ints(e.asked.world for e in effects),
        _ints(names.index(e.asked.query.operator) for e in effects),
        truth,
        scoring.penalised_effect(truth, given, missing) if effects else given,
        missing,
    )


def _shifts(queries: QuerySet, real: list[_Effect], placebo_cells: list[_Asked], read: Mapping[str, Answer]) -> Shifts:
    def place(query: Query, cell: Cell) -> tuple[str, int, str, str]:
        return query.world, query.turn, query.operator, cell.id

    placebos = {place(e.asked.query, e.asked.cell): e for e in _effects(queries, placebo_cells, read)}
    pairs = [(e, placebos[key]) for e in real if (key := place(e.asked.query, e.asked.cell)) in placebos]
    return Shifts(
        _ints(e.asked.world for e, _ in pairs),
        _floats(e.predicted or 0.0 for e, _ in pairs),
        _floats(p.predicted or 0.0 for _, p in pairs),
        np.array([e.predicted is None for e, _ in pairs], bool),
        np.array([p.predicted is None for _, p in pairs], bool),
    )
