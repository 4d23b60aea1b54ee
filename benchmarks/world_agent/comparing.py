# SPDX-License-Identifier: GPL-2.0-or-later
"""Solvers compared with each other: the joint table, paired tests over cases, drops, gaps and correlations.

A solver's score on a case is its mean over folds within each setting, then over the settings (tiers, or Open and
Naming); where a setting was not run there is no score. Solvers are compared on the cases that all of them have.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from statistics import correlation, fmean
from typing import Any, NamedTuple

import numpy as np
from tables import Row, average, pick, solvers, table

from civworld.world_agent.deduction import INFORMATION
from civworld.world_agent.maintenance import TIERS

DRAWS = 10_000
EXACT = 14
"""Up to so many cases every change of signs is tried."""
SEED = 20_250
Scores = dict[str, float]


class Measure(NamedTuple):
    """One number of a row, and the settings over which it is averaged."""

    name: str
    track: str
    setting: str
    settings: tuple[str, ...]
    value: Callable[[Row], float | None]


def _f1(kind: str) -> Callable[[Row], float | None]:
    return lambda row: row["f1"].get(kind)


MEASURES = (
    Measure("completion", "maintenance", "tier", tuple(TIERS), lambda row: row["completion"]),
    Measure("relation", "maintenance", "tier", tuple(TIERS), lambda row: row["relation"]),
    Measure("M1", "deduction", "information", INFORMATION, _f1("segment")),
    Measure("M2 interval", "deduction", "information", INFORMATION, _f1("interval")),
    Measure("lookahead", "deduction", "information", INFORMATION, _f1("lookahead")),
    Measure("counterfactual", "deduction", "information", INFORMATION, _f1("counterfactual")),
)


def case_of(row: Row) -> str:
    """The case that a row is about, in either track."""
    return str(row["case"] if "case" in row else row["task"])


def per_case(rows: Sequence[Row], measure: Measure, settings: Sequence[str] | None = None) -> Scores:
    """One solver's score on each case that it played in every setting."""
    wanted = measure.settings if settings is None else settings
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        value = measure.value(row)
        if value is not None and row[measure.setting] in wanted:
            found.setdefault(case_of(row), {}).setdefault(row[measure.setting], []).append(value)
    return {case: fmean(map(fmean, parts.values())) for case, parts in found.items() if len(parts) == len(wanted)}


def common(several: Mapping[str, Scores]) -> dict[str, Scores]:
    """The scores on the cases that every solver with any score has, solvers without scores left out."""
    scored = {name: scores for name, scores in several.items() if scores}
    shared = set.intersection(*(set(scores) for scores in scored.values())) if scored else set()
    return {name: {case: scores[case] for case in sorted(shared)} for name, scores in scored.items()}


def compared(data: Mapping[str, Sequence[Row]], measure: Measure) -> dict[str, Scores]:
    """Every solver's scores on the cases that all have."""
    rows = data[measure.track]
    return common({name: per_case(pick(rows, solver=name), measure) for name in solvers(rows)})


def joint_table(data: Mapping[str, Sequence[Row]]) -> str:
    """Both tracks in one table, averaged over tiers and over Open and Naming, on common cases."""
    columns = [compared(data, measure) for measure in MEASURES]
    body = []
    for name in dict.fromkeys(name for track in ("maintenance", "deduction") for name in solvers(data[track])):
        mine = pick([*data["maintenance"], *data["deduction"]], solver=name)
        harness = ", ".join(sorted({str(row.get("harness") or "none") for row in mine}))
        seeds, folds = ({row.get(key, 0) for row in mine} for key in ("seed", "fold"))
        scores = [average(column.get(name, {}).values()) for column in columns]
        body.append([name, harness, len(seeds), len(folds), *scores])
    cases = [len(next(iter(column.values()), {})) for column in columns]
    head = [f"{measure.name} ({count})" for measure, count in zip(MEASURES, cases, strict=True)]
    return table(["solver (cases in brackets)", "harness", "seeds", "folds", *head], body)


class Paired(NamedTuple):
    """A comparison of two solvers over common cases.

    Attributes:
        difference: mean of first minus second.
        low, high: 95 % interval of the mean over resampled cases.
        p: two-sided, of the test that turns the signs of the cases' differences.
    """

    cases: int
    difference: float
    low: float
    high: float
    p: float


def paired(first: Scores, second: Scores, seed: int = SEED) -> Paired:
    """Compares two solvers case by case: an exact sign-flip test up to `EXACT` cases, a drawn one beyond."""
    cases = sorted(set(first) & set(second))
    diffs = np.array([first[case] - second[case] for case in cases])
    count, rng = len(cases), np.random.default_rng(seed)
    if count <= EXACT:
        signs = np.array(list(itertools.product((1, -1), repeat=count)))
    else:
        signs = np.vstack([np.ones(count), rng.choice((1, -1), size=(DRAWS, count))])
    means = (signs * diffs).mean(axis=1)
    p = float((np.abs(means) >= abs(diffs.mean()) - 1e-12).mean())
    drawn = diffs[rng.integers(0, count, size=(DRAWS, count))].mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Paired(count, float(diffs.mean()), float(low), float(high), p)


def holm(values: Sequence[float]) -> list[float]:
    """P values adjusted for their number after Holm."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    out, least = [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, values[place] * (len(values) - rank)))
        out[place] = least
    return out


def paired_table(data: Mapping[str, Sequence[Row]]) -> str:
    """Every two solvers on every measure, neighbours in the ranking and all others."""
    body: list[list[Any]] = []
    for measure in MEASURES:
        scores = compared(data, measure)
        ranked = sorted(scores, key=lambda name: -fmean(scores[name].values()) if scores[name] else 0)
        pairs = [(a, b) for a, b in itertools.combinations(ranked, 2) if scores[a]]
        tests = [paired(scores[a], scores[b]) for a, b in pairs]
        for (a, b), test, adjusted in zip(pairs, tests, holm([one.p for one in tests]), strict=True):
            interval = f"{test.low:+.3f} to {test.high:+.3f}"
            body.append([measure.name, a, b, test.cases, test.difference, interval, test.p, adjusted])
    return table(["measure", "solver", "other", "cases", "difference", "95 % interval", "p", "p (Holm)"], body)


def drop_table(rows: Sequence[Row]) -> str:
    """The relative drop from the first round of the easy tier to the last round of the extreme one."""
    body, (easiest, *_, hardest) = [], TIERS
    for name in solvers(rows):
        line: list[Any] = [name]
        for score in ("completion", "relation"):
            first = average(row["by_round"][0][score] for row in pick(rows, solver=name, tier=easiest))
            last = average(row["by_round"][-1][score] for row in pick(rows, solver=name, tier=hardest))
            line += [first, last, 1 - last / first if first and last is not None else None]
        body.append(line)
    parts = [f"{score}, {what}" for score in ("completion", "relation") for what in ("first", "last", "drop")]
    return table(["solver", *parts], body)


def gap_table(rows: Sequence[Row]) -> str:
    """What Naming costs and what feedback gives back.

    The gap is Open minus Naming of M2 intervals. The recovered share is the part of M1's gap that M2 makes good in
    Naming: (M2 naming - M1 naming) / (M1 open - M1 naming).
    """
    m1, m2 = MEASURES[2], MEASURES[3]
    body = []
    for name in solvers(rows):
        mine = pick(rows, solver=name)
        scores = [average(per_case(mine, one, (told,)).values()) for one in (m1, m2) for told in INFORMATION]
        gap = recovered = None
        if None not in scores:
            o1, n1, o2, n2 = (float(one or 0) for one in scores)
            gap, recovered = o2 - n2, (n2 - n1) / (o1 - n1) if o1 > n1 else None
        body.append([name, *scores, gap, recovered])
    return table(["solver", "M1 open", "M1 naming", "M2 open", "M2 naming", "gap in M2", "recovered"], body)


def pearson(first: Scores, second: Scores) -> float | None:
    """Correlation over common cases; None for fewer than three, or where one side does not vary."""
    cases = sorted(set(first) & set(second))
    sides = [[scores[case] for case in cases] for scores in (first, second)]
    if len(cases) < 3 or any(max(side) - min(side) < 1e-9 for side in sides):
        return None
    return correlation(*sides)


def correlation_table(data: Mapping[str, Sequence[Row]]) -> str:
    """Whether the same cases are hard for different solvers, and for different questions about them.

    The first figure is the mean over pairs of solvers. The others correlate the cases' mean scores under two measures
    of one track; the tracks have no case in common.
    """
    scores = {measure.name: compared(data, measure) for measure in MEASURES}
    means = {
        name: {case: fmean(one[case] for one in several.values()) for case in next(iter(several.values()), {})}
        for name, several in scores.items()
    }
    body = []
    for measure in MEASURES:
        pairs = itertools.combinations(scores[measure.name].values(), 2)
        line: list[Any] = [measure.name, average(pearson(a, b) for a, b in pairs)]
        for other in MEASURES:
            same = other.track == measure.track and other is not measure
            line.append(pearson(means[measure.name], means[other.name]) if same else None)
        body.append(line)
    return table(["case difficulty", "between solvers", *(f"with {measure.name}" for measure in MEASURES)], body)
