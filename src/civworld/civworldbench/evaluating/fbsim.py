# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of `fbsim-v0`, as its peer reports them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.cells import Cells


def evaluate(queries: QuerySet, answers: Mapping[str, str]) -> dict[str, float | None]:
    """Scores as the peer reports them.

    Returns:
        `brier` (a missing answer costs 1), `ece` (10 bins, answered ones), `dense_brier` (expected Brier score under
        the dense truth, where there is one), `crps` (pinball, own units), `mae` (of the median), the last two over
        answered cells, and `coverage`. None where nothing was answered.
    """
    binary: list[tuple[int, float | None, float | None]] = []
    numbers: list[tuple[float, tuple[float, ...]]] = []
    asked = answered = 0
    wanted = queries.queries
    read = {name: parse(query, answers.get(name, "")) for name, query in wanted.items()}
    worlds = sorted({query.world for query in wanted.values()})
    for c in Cells.of(queries, wanted.values(), read, worlds).asked:
        asked, answered = asked + 1, answered + (c.value is not None)
        if c.cell.kind == "probability":
            binary.append((int(c.target.number), None if c.value is None else c.probability, c.target.expected))
        elif c.value is not None:
            numbers.append((c.target.number, c.numbers))
    pairs = [(y, p) for y, p, _ in binary if p is not None]
    brier = [float(scoring.brier_score(y, p)) if p is not None else scoring.MISSING_BRIER for y, p, _ in binary]
    frequent = [(dense, p) for _, p, dense in binary if dense is not None and p is not None]
    outcomes, quantiles = np.array([v for v, _ in numbers]), np.array([q for _, q in numbers])
    return {
        "brier": float(np.mean(brier)) if brier else None,
        "ece": scoring.expected_calibration_error([y for y, _ in pairs], [p for _, p in pairs]),
        "dense_brier": float(np.mean(scoring.expected_brier_score(*zip(*frequent, strict=True)))) if frequent else None,
        "crps": float(np.mean(scoring.crps_quantile(outcomes, quantiles))) if numbers else None,
        "mae": float(np.mean(scoring.absolute_error_of_median(outcomes, quantiles))) if numbers else None,
        "coverage": answered / asked if asked else None,
    }
