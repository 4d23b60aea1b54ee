# SPDX-License-Identifier: GPL-2.0-or-later
"""Accuracies of rankings and of classes, and their adjustment by a baseline and a ceiling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    BoolArray,
    FloatArray,
    answers,
    floats,
    integers,
    number,
    optional_flags,
    same_shape,
)
from civworld.civworldbench.scoring.tables import GroupScores, group_means


@dataclass(frozen=True)
class PairAccuracy:
    """Result of `ranking_accuracy`.

    Attributes:
        accuracy: share of pairs in the right order, None without pairs.
        n_pairs: pairs that count.
        n_tied: pairs among them whose predictions are equal (half right).
        n_missing: pairs among them with a missing prediction (wrong).
    """

    accuracy: float | None
    n_pairs: int
    n_tied: int
    n_missing: int


def ranking_accuracy(
    obs: ArrayLike,
    fct: ArrayLike,
    group: ArrayLike,
    *,
    min_gap: float = 0.0,
    missing: ArrayLike | None = None,
) -> PairAccuracy:
    """Gives the share of pairs that a predicted ranking puts in the true order.

    Pairs are formed within a group (one question) and pooled over groups. Pairs with equal true values do
    not count. Equal predictions count one half, so that "all equal" scores like chance. A pair with a
    missing prediction is wrong.

    Formula: (1/|P|) sum_{(i,j) in P} (1[s_i > s_j] + 1/2 1[s_i = s_j]), P = {same group, y_i > y_j,
        y_i - y_j >= min_gap}.
    Range: [0, 1]; chance 1/2.
    Orientation: larger is better.
    Properness: not a score of probabilities; maximised by the true ranking.
    Reference: arXiv 2610.16450, section 4.1 (Trait); Kendall (1938). Ties are this library's decision.

    Args:
        obs: true values, shape (n,).
        fct: predicted values, larger = ranked higher, shape (n,); not read where missing.
        group: integer keys of the questions, shape (n,).
        min_gap: smallest difference of true values that counts, >= 0.
        missing: booleans, true where there is no usable prediction, shape (n,).

    Returns:
        The accuracy with the numbers of pairs.

    Example:
        >>> ranking_accuracy([10, 50, 90], [1.0, 3.0, 3.0], [0, 0, 0])
        PairAccuracy(accuracy=0.8333333333333334, n_pairs=3, n_tied=1, n_missing=0)
        >>> ranking_accuracy([10, 50, 90], [1.0, 3.0, 3.0], [0, 0, 0], min_gap=60).accuracy
        1.0
    """
    where = "ranking_accuracy"
    y = floats(where, "obs", obs, ndim=1)
    absent = optional_flags(where, "missing", missing, y.shape)
    s = answers(where, "fct", fct, absent)
    keys = integers(where, "group", group)
    same_shape(where, obs=y, fct=s, group=keys)
    gap = number(where, "min_gap", min_gap, low=0)
    right = pairs = tied = lost = 0
    for key in np.unique(keys):
        rows = keys == key
        found = _count_pairs(y[rows], s[rows], absent[rows], gap)
        right, pairs, tied, lost = (a + b for a, b in zip((right, pairs, tied, lost), found, strict=True))
    accuracy = (right + tied / 2) / pairs if pairs else None
    return PairAccuracy(accuracy, pairs, tied, lost)


def classification_accuracy(
    obs: ArrayLike, fct: ArrayLike, parameter: ArrayLike, *, missing: ArrayLike | None = None
) -> float | None:
    """Gives the accuracy of predicted classes, averaged equally over parameters.

    Formula: (1/|K|) sum_k (1/n_k) sum_{i in k} 1[x_i = y_i].
    Range: [0, 1].
    Orientation: larger is better.
    Properness: proper (naming the most probable class is optimal), not strictly.
    Reference: arXiv 2610.16450, section 4.1 (Rules).

    Args:
        obs: true classes, integers, shape (n,).
        fct: predicted classes, integers, shape (n,); not read where missing.
        parameter: integer keys of the parameters asked, shape (n,).
        missing: booleans, true where there is no usable answer (wrong), shape (n,).

    Returns:
        The accuracy, or None for n = 0.

    Example:
        >>> classification_accuracy([0, 1, 2, 2], [0, 1, 2, 0], [0, 0, 0, 1])
        0.5
    """
    table = accuracy_by_parameter(obs, fct, parameter, missing=missing)
    return float(table.score.mean()) if table.score.size else None


def accuracy_by_parameter(
    obs: ArrayLike, fct: ArrayLike, parameter: ArrayLike, *, missing: ArrayLike | None = None
) -> GroupScores:
    """Gives the accuracy of predicted classes for each parameter.

    Formula: (1/n_k) sum_{i in k} 1[x_i = y_i].
    Range: [0, 1].
    Orientation: larger is better.
    Properness: proper (naming the most probable class is optimal), not strictly.
    Reference: arXiv 2610.16450, section 4.1 (Rules).

    Args:
        obs: true classes, integers, shape (n,).
        fct: predicted classes, integers, shape (n,); not read where missing.
        parameter: integer keys, shape (n,).
        missing: booleans, true where there is no usable answer (wrong), shape (n,).

    Returns:
        One row per parameter that was asked.

    Example:
        >>> accuracy_by_parameter([0, 1, 2, 2], [0, 1, 0, 0], [4, 4, 4, 9]).score.round(4).tolist()
        [0.6667, 0.0]
    """
    where = "accuracy_by_parameter"
    y = integers(where, "obs", obs)
    x = integers(where, "fct", fct)
    absent = optional_flags(where, "missing", missing, y.shape)
    same_shape(where, obs=y, fct=x)
    return group_means(((x == y) & ~absent).astype(np.float64), parameter)


def adjusted_accuracy(accuracy: float, baseline: float, ceiling: float) -> float | None:
    """Gives an accuracy on a scale where the baseline is 0 and the ceiling keeps its value.

    Formula: S_adj = c (a - b) / (c - b).
    Range: not clipped; 0 at a = b, c at a = c, negative below the baseline.
    Orientation: larger is better.
    Properness: as the accuracy, of which it is an increasing function.
    Reference: arXiv 2610.16450, section 4.1 (reference adjustment).

    Args:
        accuracy: raw accuracy a in [0, 1].
        baseline: b in [0, 1], for example chance.
        ceiling: reference ceiling c in [0, 1].

    Returns:
        The adjusted accuracy, or None when the ceiling does not lie above the baseline.

    Example:
        >>> adjusted_accuracy(0.625, 0.5, 0.75)
        0.375
        >>> adjusted_accuracy(0.625, 0.5, 0.5) is None
        True
    """
    a = number("adjusted_accuracy", "accuracy", accuracy, low=0, high=1)
    b = number("adjusted_accuracy", "baseline", baseline, low=0, high=1)
    c = number("adjusted_accuracy", "ceiling", ceiling, low=0, high=1)
    return c * ((a - b) / (c - b)) if c > b else None


def _count_pairs(y: FloatArray, s: FloatArray, absent: BoolArray, gap: float) -> tuple[int, int, int, int]:
    """Counts (right, all, tied, lost) ordered pairs with y_i > y_j of one question."""
    difference = y[:, None] - y[None, :]
    pair = (difference > 0) & (difference >= gap)
    lost = pair & (absent[:, None] | absent[None, :])
    seen = pair & ~lost
    predicted = s[:, None] - s[None, :]
    return (
        int((seen & (predicted > 0)).sum()),
        int(pair.sum()),
        int((seen & (predicted == 0)).sum()),
        int(lost.sum()),
    )
