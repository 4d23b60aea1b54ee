# SPDX-License-Identifier: GPL-2.0-or-later
"""What each single cell of an evaluation got: the answer, what came true, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.asking.reading import Value
from civworld.civworldbench.evaluating.cells import Asked, Cells, loss_of
from civworld.civworldbench.scoring import ranking_accuracy

Place = tuple[str, str]
"""Id of a query, id of a cell."""


@dataclass(frozen=True)
class Judged:
    """One cell answered by one forecaster.

    Attributes:
        value: the answer; None without a usable one.
        failure: why there is none, empty else.
        score: Quantity, and cells on the way: 1 - loss over the trend's, 0 for both without loss; Event: Brier gain;
            Trait: share of pairs in the right order; Rules: 1 or 0; edited branches: predicted effect in sigmas. None
            where undefined.
        best: edited branches: the realized effect in sigmas; None else.
    """

    value: Value | None
    failure: str
    score: float | None
    best: float | None = None


def judge(queries: QuerySet, answers: Mapping[str, str]) -> dict[Place, Judged]:
    """Every cell of a query set, as a forecaster's answers to it stand.

    Args:
        queries: the set, of one setting and variant.
        answers: query id -> text; those to other queries are not looked at.
    """
    asked = list(queries.queries.values())
    read = {query.id: parse(query, answers.get(query.id, "")) for query in asked}
    worlds = sorted({query.world for query in asked})
    cells = Cells.of(queries, asked, read, worlds)
    scores: dict[Place, float | None] = {}
    levels = [*cells.plain("quantiles"), *cells.way("", "real", "placebo")]
    table = loss_of(levels, queries.scales)
    for c, loss, reference in zip(levels, table.loss, table.reference, strict=True):
        scores[_place(c)] = 1 - float(loss / reference) if reference > 0 else (0.0 if loss == 0 else None)
    for c in cells.plain("probability", "distribution"):
        scores[_place(c)] = c.gain
    for c in cells.plain("ranking"):
        scores[_place(c)] = _ranked(c)
    for c in cells.plain("class"):
        scores[_place(c)] = float(c.value == c.target.value)
    best = {}
    for effect in (*cells.real, *cells.placebo):
        scores[_place(effect.asked)], best[_place(effect.asked)] = effect.predicted, effect.realized
    return {
        place: Judged(c.value, read[place[0]].failures.get(place[1], ""), scores[place], best.get(place))
        for c in cells.asked
        for place in (_place(c),)
    }


def _place(c: Asked) -> Place:
    return c.query.id, c.cell.id


def _ranked(c: Asked) -> float | None:
    """Share of pairs in the right order."""
    values = np.array(c.target.numbers, np.float64)
    rank = np.array([0.0 if c.value is None else -float(c.order.index(name)) for name in c.cell.options])
    group = np.zeros(len(values), np.int64)
    return ranking_accuracy(values, rank, group, missing=np.full(len(values), c.value is None)).accuracy
