# SPDX-License-Identifier: GPL-2.0-or-later
"""Cell tables: columns of equal length with integer group keys, and what remains after averaging.

A cell is one row. Every function of the package takes the columns it needs as arrays of equal length; keys
(world, family, operator, ...) are any integers. An average over nothing is None, never 0 or 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import FloatArray, IntArray, floats, integers, same_shape


@dataclass(frozen=True, eq=False)
class GroupScores:
    """One score per group, groups in ascending order; a group whose score is undefined has no row.

    Attributes:
        group: the keys, shape (g,).
        score: the score of each group, shape (g,).
        count: how many cells each score rests on, shape (g,).
    """

    group: IntArray
    score: FloatArray
    count: IntArray


def mean_score(score: ArrayLike) -> float | None:
    """Gives the mean of cell scores, None when there are none.

    Formula: (1/n) sum_i s_i.
    Range: that of the score.
    Reference: arXiv 2610.16450, section 4.1 ("Event averages Brier gain").

    Args:
        score: cell scores, shape (n,).

    Returns:
        The mean, or None for n = 0.

    Example:
        >>> mean_score([0.25, 0.75, -0.25])
        0.25
        >>> mean_score([]) is None
        True
    """
    values = floats("mean_score", "score", score, ndim=1)
    return float(values.mean()) if values.size else None


def group_means(score: ArrayLike, group: ArrayLike) -> GroupScores:
    """Gives the mean score of each group, for example of each world before a bootstrap over worlds.

    Formula: s_g = (1/n_g) sum_{i in g} s_i.
    Range: that of the score.
    Reference: arXiv 2610.16450, section 4.1.

    Args:
        score: cell scores, shape (n,).
        group: integer keys, shape (n,).

    Returns:
        One row per key that occurs.

    Example:
        >>> means = group_means([1.0, 0.0, 0.5], [7, 7, 3])
        >>> means.group.tolist(), means.score.tolist(), means.count.tolist()
        ([3, 7], [0.5, 0.5], [1, 2])
    """
    values = floats("group_means", "score", score, ndim=1)
    keys = integers("group_means", "group", group)
    same_shape("group_means", score=values, group=keys)
    found, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, weights=values, minlength=found.size)
    return GroupScores(found, sums / counts, counts.astype(np.int64))
