# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasters without a model of the game: the trend or a mix with persistence, spread as past errors were."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.civworldbench import scoring
from civworld.civworldbench.answering.predictors import Predictor, as_text, reference
from civworld.civworldbench.asking import quantity
from civworld.civworldbench.asking.forecasts import from_scale, losses, to_scale
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.corpus import Corpus

Floats = npt.NDArray[np.float64]

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of the trend that a mix may have; the rest is persistence."""


@dataclass(frozen=True)
class _Case:
    """A cell with its two point forecasts and its outcome, on the quantity's scale."""

    world: str
    trend: float
    last: float
    outcome: float


def trend_plus_noise(corpus: Corpus, queries: QuerySet) -> Predictor:
    """The trend, spread by the errors that the trend made in the other worlds; no effect for edits."""
    return _spread(corpus, queries, weights=(1.0,))


def ensemble(corpus: Corpus, queries: QuerySet) -> Predictor:
    """For each quantity and horizon the mix of trend and persistence that did best in the other worlds, spread
    by its errors there; no effect for edits."""
    return _spread(corpus, queries, weights=WEIGHTS)


def persistence(corpus: Corpus, queries: QuerySet) -> Predictor:
    """Nothing changes: the last value of every quantity, no gain; the floor's answers to everything else."""
    floor = reference(queries)

    def predict(query: Query) -> str:
        if query.cells[0].kind != "quantiles":
            return floor(query)
        last = {c.id: float(from_scale(c.subject, _last(corpus, query, c))) for c in query.cells}
        return as_text({c.id: [last[c.id]] * len(scoring.TAUS) for c in query.cells})

    return predict


def _spread(corpus: Corpus, queries: QuerySet, weights: tuple[float, ...]) -> Predictor:
    floor = reference(queries)
    cases = _cases(corpus, queries)
    fitted: dict[tuple[str, str, int], tuple[float, Floats]] = {}

    def predict(query: Query) -> str:
        if query.cells[0].kind != "quantiles":
            return floor(query)
        control = queries.queries[query.control or query.id]
        answer = {}
        for c in query.cells:
            key = (query.world, c.subject, _place(control, c))
            if key not in fitted:
                others = [case for case in cases[c.subject, _place(control, c)] if case.world != query.world]
                fitted[key] = _best(c.subject, others, weights, queries)
            weight, errors = fitted[key]
            trend = to_scale(c.subject, queries.targets[control.id][c.id].baseline)
            centre = weight * trend + (1 - weight) * _last(corpus, query, c)
            answer[c.id] = np.sort(from_scale(c.subject, centre + errors)).tolist()
        return as_text(answer)

    return predict


def _place(query: Query, cell: Cell) -> int:
    """Which of the query's horizons a cell has, from 0 on."""
    return sorted({c.horizon for c in query.cells}).index(cell.horizon)


def _last(corpus: Corpus, query: Query, cell: Cell) -> float:
    """Persistence on the quantity's scale: the level now, or no gain."""
    if quantities.get(cell.subject).as_gain:
        return 0.0
    return float(to_scale(cell.subject, corpus.track(query.world).value(cell.subject, query.turn, cell.civ)))


def _cases(corpus: Corpus, queries: QuerySet) -> dict[tuple[str, int], list[_Case]]:
    found = defaultdict(list)
    for query in queries.queries.values():
        if query.task != quantity.NAME:
            continue
        for c in query.cells:
            target = queries.targets[query.id][c.id]
            trend, outcome = (float(to_scale(c.subject, v)) for v in (target.baseline, target.number))
            found[c.subject, _place(query, c)].append(_Case(query.world, trend, _last(corpus, query, c), outcome))
    return found


def _best(name: str, cases: list[_Case], weights: tuple[float, ...], queries: QuerySet) -> tuple[float, Floats]:
    """The weight with the smallest loss over the cases, and the quantiles of its errors."""
    blank = np.zeros(len(scoring.TAUS))
    if not cases:
        return 1.0, blank
    trend, last, outcome = (np.array([getattr(c, k) for c in cases]) for k in ("trend", "last", "outcome"))
    mixes = []
    for weight in weights:
        centre = weight * trend + (1 - weight) * last
        errors = scoring.ensemble_quantiles(outcome - centre, scoring.TAUS)
        forecast = np.sort(from_scale(name, centre[:, None] + errors), axis=1)
        loss = losses([name] * len(cases), from_scale(name, outcome), forecast, queries.scales).mean()
        mixes.append((float(loss), weight, errors))
    _, weight, errors = min(mixes, key=lambda mix: mix[0])
    return weight, errors
