# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of predicted effects: Capture (size), Direction (sign), Specificity (against placebos)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    BoolArray,
    FloatArray,
    IntArray,
    answers,
    count,
    floats,
    integers,
    optional_flags,
    rows_of,
    same_shape,
)
from civworld.civworldbench.scoring.tables import GroupScores

MIN_CELLS = 3
"""Eligible cells that an operator needs before its Capture counts."""


@dataclass(frozen=True, eq=False)
class Direction:
    """Result of `direction`.

    Attributes:
        accuracy: weighted accuracy, None when nothing was scored.
        by_operator: accuracy per operator; `count` is the weight, its number of moved cells.
        n_moved: cells whose realized effect is not zero, in operators that count.
        n_scored: cells among them with a non-zero response or a missing one.
        n_missing: cells among them that are missing (wrong).
        coverage: n_scored / n_moved, None for no moved cell. Low: many "no effect" answers were not scored.
    """

    accuracy: float | None
    by_operator: GroupScores
    n_moved: int
    n_scored: int
    n_missing: int
    coverage: float | None


@dataclass(frozen=True)
class Specificity:
    """Result of `specificity`.

    Attributes:
        score: the score, None without a valid pair or when no real edit got a response.
        mean_real: mean absolute predicted effect under real edits, None without a valid pair.
        mean_placebo: the same under placebos.
        n_valid: pairs in which both answers are usable.
        coverage: n_valid / number of pairs, None for no pair.
    """

    score: float | None
    mean_real: float | None
    mean_placebo: float | None
    n_valid: int
    coverage: float | None


def capture_by_operator(
    obs: ArrayLike, fct: ArrayLike, operator: ArrayLike, *, min_cells: int = MIN_CELLS
) -> GroupScores:
    """Gives how much of the realized effects is predicted, for each operator.

    Formula: C_o = clip_[-1,1](1 - sum_c |dhat_c - d_c| / sum_c |d_c|), sums over cells with d_c != 0.
    Range: [-1, 1]; exact prediction 1, "no effect" 0.
    Orientation: larger is better.
    Properness: not proper: errors are divided by realized sizes. The numerator alone is consistent for the
        median effect of each cell.
    Reference: arXiv 2610.16450, equation (3).

    Args:
        obs: realized effects d, shape (n,).
        fct: predicted effects dhat, shape (n,).
        operator: integer keys, shape (n,).
        min_cells: cells with non-zero realized effect that an operator needs, at least 1.

    Returns:
        One row per operator with enough cells; `count` is the number of these cells.

    Example:
        >>> table = capture_by_operator([1.0, -2.0, 1.0, 0.0], [0.5, -1.0, 1.0, 9.0], [0, 0, 0, 0])
        >>> table.score.tolist(), table.count.tolist()
        ([0.625], [3])
    """
    realized, predicted, keys, found, counts = _moved("capture_by_operator", obs, fct, operator, min_cells)
    at = np.searchsorted(found, keys)
    error = np.bincount(at, weights=np.abs(predicted - realized), minlength=found.size)
    size = np.bincount(at, weights=np.abs(realized), minlength=found.size)
    with np.errstate(over="ignore"):
        score = np.clip(1 - error / size, -1, 1)
    return GroupScores(found, score, counts)


def capture(obs: ArrayLike, fct: ArrayLike, operator: ArrayLike, *, min_cells: int = MIN_CELLS) -> float | None:
    """Gives how much of the realized effects is predicted, averaged equally over operators.

    Formula: mean over operators with at least `min_cells` moved cells of the clipped C_o (equation 3).
    Range: [-1, 1]; exact prediction 1, "no effect" 0.
    Orientation: larger is better.
    Properness: as `capture_by_operator`.
    Reference: arXiv 2610.16450, equation (3) and the text below it.

    Args:
        obs: realized effects d, shape (n,).
        fct: predicted effects dhat, shape (n,).
        operator: integer keys, shape (n,).
        min_cells: cells with non-zero realized effect that an operator needs, at least 1.

    Returns:
        The score, or None when no operator has enough cells.

    Example:
        >>> capture([1.0, -2.0, 1.0], [0.5, -1.0, 1.0], [0, 0, 0])
        0.625
        >>> capture([1.0, -2.0], [1.0, -2.0], [0, 0]) is None
        True
    """
    table = capture_by_operator(obs, fct, operator, min_cells=min_cells)
    return float(table.score.mean()) if table.score.size else None


def direction(
    obs: ArrayLike,
    fct: ArrayLike,
    operator: ArrayLike,
    *,
    missing: ArrayLike | None = None,
    min_cells: int = 1,
) -> Direction:
    """Gives how often a predicted effect has the sign of the realized one.

    Only cells with non-zero realized effect count. Among them a predicted effect of exactly 0 is no response
    and is left out; a missing answer is wrong. An operator without any scored cell has no weight.

    Formula: sum_o n_o a_o / sum_o n_o, n_o the moved cells of operator o, a_o the share of its scored cells
        with sign(dhat_c) = sign(d_c).
    Range: [0, 1]; chance 1/2.
    Orientation: larger is better.
    Properness: not a score of probabilities; maximised by the more probable sign. Read with `coverage`.
    Reference: arXiv 2610.16450, section 4.1 (Direction).

    Args:
        obs: realized effects d, shape (n,).
        fct: predicted effects dhat, shape (n,); not read where missing.
        operator: integer keys, shape (n,).
        missing: booleans, true where there is no usable answer, shape (n,).
        min_cells: moved cells that an operator needs, at least 1.

    Returns:
        The accuracy with its parts.

    Example:
        >>> found = direction([1.0, -2.0, 1.0, 3.0], [0.5, 1.0, 0.0, 2.0], [0, 0, 0, 1])
        >>> found.by_operator.score.tolist(), found.by_operator.count.tolist(), found.accuracy
        ([0.5, 1.0], [3, 1], 0.625)
    """
    where = "direction"
    absent = optional_flags(where, "missing", missing, rows_of(where, "obs", obs))
    response = answers(where, "fct", fct, absent)
    response = np.where(absent, -np.sign(floats(where, "obs", obs, ndim=1)), response)
    realized, predicted, keys, found, counts = _moved(where, obs, response, operator, min_cells)
    answered = predicted != 0
    at = np.searchsorted(found, keys)
    right = np.bincount(at[np.sign(predicted) == np.sign(realized)], minlength=found.size)
    scored = np.bincount(at[answered], minlength=found.size)
    some = scored > 0
    table = GroupScores(found[some], right[some] / scored[some], counts[some])
    weight = int(table.count.sum())
    accuracy = float((table.score * table.count).sum() / weight) if weight else None
    n_moved, n_scored = int(counts.sum()), int(scored.sum())
    lost = int((absent & (np.asarray(obs) != 0) & np.isin(np.asarray(operator), found)).sum())
    return Direction(accuracy, table, n_moved, n_scored, lost, n_scored / n_moved if n_moved else None)


def specificity(
    real: ArrayLike,
    placebo: ArrayLike,
    *,
    missing_real: ArrayLike | None = None,
    missing_placebo: ArrayLike | None = None,
) -> Specificity:
    """Gives how much stronger predicted effects are under real edits than under their matched placebos.

    A pair counts when both of its answers are usable, so both means rest on the same cells; cells whose true
    outcome did not change are included. It measures selectivity, not correctness.

    Formula: clip_[-1,1](1 - mean |dhat_placebo| / mean |dhat_real|), over valid pairs of all operators.
    Range: [-1, 1]; no response to placebos 1, equal responses 0.
    Orientation: larger is better.
    Properness: not proper: the outcome does not enter. Read it beside Capture.
    Reference: arXiv 2610.16450, equation (4). Counting only complete pairs is this library's decision.

    Args:
        real: predicted effects under real edits, shape (n,); not read where missing.
        placebo: predicted effects under the matched placebos, same order, shape (n,).
        missing_real: booleans, true where the real-edit answer or its control is unusable, shape (n,).
        missing_placebo: the same for the placebo, shape (n,).

    Returns:
        The score with its parts.

    Example:
        >>> specificity([2.0, -2.0], [0.5, 0.5])
        Specificity(score=0.75, mean_real=2.0, mean_placebo=0.5, n_valid=2, coverage=1.0)
    """
    where = "specificity"
    absent_real = optional_flags(where, "missing_real", missing_real, rows_of(where, "real", real))
    absent_placebo = optional_flags(where, "missing_placebo", missing_placebo, rows_of(where, "placebo", placebo))
    shift = answers(where, "real", real, absent_real)
    nominal = answers(where, "placebo", placebo, absent_placebo)
    same_shape(where, real=shift, placebo=nominal)
    valid: BoolArray = ~(absent_real | absent_placebo)
    n_valid = int(valid.sum())
    coverage = n_valid / valid.size if valid.size else None
    if not n_valid:
        return Specificity(None, None, None, 0, coverage)
    mean_real = float(np.abs(shift[valid]).mean())
    mean_placebo = float(np.abs(nominal[valid]).mean())
    score = float(np.clip(1 - mean_placebo / mean_real, -1, 1)) if mean_real > 0 else None
    return Specificity(score, mean_real, mean_placebo, n_valid, coverage)


def _moved(
    where: str, obs: ArrayLike, fct: ArrayLike, operator: ArrayLike, min_cells: int
) -> tuple[FloatArray, FloatArray, IntArray, IntArray, IntArray]:
    """Gives the cells with non-zero realized effect of operators with enough of them, and these operators."""
    realized = floats(where, "obs", obs, ndim=1)
    predicted = floats(where, "fct", fct, ndim=1)
    keys = integers(where, "operator", operator)
    same_shape(where, obs=realized, fct=predicted, operator=keys)
    needed = count(where, "min_cells", min_cells, low=1)
    found, counts = np.unique(keys[realized != 0], return_counts=True)
    found, counts = found[counts >= needed], counts[counts >= needed]
    rows = (realized != 0) & np.isin(keys, found)
    return realized[rows], predicted[rows], keys[rows], found, counts.astype(np.int64)
