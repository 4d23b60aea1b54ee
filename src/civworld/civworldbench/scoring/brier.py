# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of event probabilities: Brier, multiclass Brier, gain over a reference, calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    BoolArray,
    FloatArray,
    IntArray,
    count,
    floats,
    integers,
    optional_flags,
    same_shape,
    same_shape_or_scalar,
)
from civworld.civworldbench.scoring.penalty import MISSING_BRIER, MISSING_MULTICLASS_BRIER
from civworld.errors import ArgumentError

SUM_TOLERANCE = 1e-6
"""How far the probabilities of a distribution may be from summing to one."""


def brier_score(obs: ArrayLike, fct: ArrayLike) -> FloatArray:
    """Gives the Brier score of a probability of a yes/no event.

    Formula: (p - y)^2.
    Range: [0, 1].
    Orientation: smaller is better.
    Properness: strictly proper.
    Reference: Brier (1950); arXiv 2610.16450, section 4.1.

    Args:
        obs: outcomes, 0 or 1 (or booleans), any shape or a single number.
        fct: probabilities of 1, same shape or a single number.

    Returns:
        The score of each cell.

    Raises:
        ArgumentError: an outcome other than 0 and 1, a probability outside [0, 1], or different shapes.

    Example:
        >>> float(brier_score(1, 0.2).round(12))
        0.64
    """
    y = _outcomes("brier_score", obs)
    p = floats("brier_score", "fct", fct, low=0, high=1)
    same_shape_or_scalar("brier_score", obs=y, fct=p)
    return np.asarray((p - y) ** 2)


def expected_brier_score(frequency: ArrayLike, fct: ArrayLike) -> FloatArray:
    """Gives the mean Brier score over repeated futures in which the event had the given frequency.

    Formula: f (p - 1)^2 + (1 - f) p^2 = (p - f)^2 + f (1 - f).
    Range: [0, 1]; at best f (1 - f).
    Orientation: smaller is better.
    Properness: strictly proper.
    Reference: Murphy (1973), reliability and uncertainty terms of one forecast value.

    Args:
        frequency: share of futures in which the event occurs, any shape or a single number.
        fct: probabilities, same shape or a single number.

    Returns:
        The expected score of each cell.

    Example:
        >>> float(expected_brier_score(0.25, 0.75).round(12))
        0.4375
    """
    f = floats("expected_brier_score", "frequency", frequency, low=0, high=1)
    p = floats("expected_brier_score", "fct", fct, low=0, high=1)
    same_shape_or_scalar("expected_brier_score", frequency=f, fct=p)
    return np.asarray((p - f) ** 2 + f * (1 - f))


def multiclass_brier_score(obs: ArrayLike, fct: ArrayLike) -> FloatArray:
    """Gives the Brier score of a distribution over classes.

    Questions with fewer classes than the widest one may be filled with classes of probability 0.

    Formula: sum_j (p_j - 1[y = j])^2.
    Range: [0, 2].
    Orientation: smaller is better.
    Properness: strictly proper.
    Reference: Brier (1950); arXiv 2610.16450, section 4.1 (leader items).

    Args:
        obs: index of the class that occurred, shape (n,).
        fct: probabilities, shape (n, classes), each row summing to 1 within 1e-6.

    Returns:
        The score of each row, shape (n,).

    Raises:
        ArgumentError: a class index or probability out of range, a row that does not sum to 1, or shapes.

    Example:
        >>> multiclass_brier_score([0, 2], [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]).tolist()
        [0.375, 1.5]
    """
    return _multiclass("multiclass_brier_score", obs, _distributions("multiclass_brier_score", "fct", fct))


def brier_gain(obs: ArrayLike, fct: ArrayLike, ref: ArrayLike, *, missing: ArrayLike | None = None) -> FloatArray:
    """Gives how much the Brier score improves on a reference probability.

    Formula: G = (p_ref - y)^2 - (p - y)^2.
    Range: [-1, 1]; 0 for the reference itself.
    Orientation: larger is better.
    Properness: strictly proper, the reference being fixed.
    Reference: Murphy (1988); arXiv 2610.16450, section 4.1.

    Args:
        obs: outcomes, 0 or 1, any shape or a single number.
        fct: probabilities of 1, same shape or a single number.
        ref: reference probabilities, for example supplied base rates, same shape or a single number.
        missing: booleans, true where there is no usable answer, which costs the worst Brier score there is; same
            shape as `ref`. `fct` must still hold numbers in range there.

    Returns:
        The gain of each cell.

    Example:
        >>> float(brier_gain(1, 0.75, 0.25))
        0.5
        >>> brier_gain([1], [0.75], [0.25], missing=[True]).tolist()
        [-0.4375]
    """
    y = _outcomes("brier_gain", obs)
    p = floats("brier_gain", "fct", fct, low=0, high=1)
    r = floats("brier_gain", "ref", ref, low=0, high=1)
    same_shape_or_scalar("brier_gain", obs=y, fct=p, ref=r)
    absent = optional_flags("brier_gain", "missing", missing, r.shape)
    return np.asarray((r - y) ** 2 - np.where(absent, MISSING_BRIER, (p - y) ** 2))


def multiclass_brier_gain(
    obs: ArrayLike, fct: ArrayLike, ref: ArrayLike, *, missing: ArrayLike | None = None
) -> FloatArray:
    """Gives how much the multiclass Brier score improves on a reference distribution.

    Formula: G = sum_j (r_j - 1[y = j])^2 - sum_j (p_j - 1[y = j])^2.
    Range: [-2, 2]; 0 for the reference itself.
    Orientation: larger is better.
    Properness: strictly proper, the reference being fixed.
    Reference: Murphy (1988); arXiv 2610.16450, section 4.1 (persistence of the leader as reference).

    Args:
        obs: index of the class that occurred, shape (n,).
        fct: probabilities, shape (n, classes).
        ref: reference probabilities, same shape.
        missing: booleans, true where there is no usable answer, which costs the worst score there is, shape (n,).
            `fct` must still hold distributions there.

    Returns:
        The gain of each row, shape (n,).

    Example:
        >>> multiclass_brier_gain([1], [[0.5, 0.5]], [[1.0, 0.0]]).tolist()
        [1.5]
    """
    where = "multiclass_brier_gain"
    p, r = _distributions(where, "fct", fct), _distributions(where, "ref", ref)
    same_shape(where, fct=p, ref=r)
    absent = optional_flags(where, "missing", missing, r.shape[:1])
    return _multiclass(where, obs, r) - np.where(absent, MISSING_MULTICLASS_BRIER, _multiclass(where, obs, p))


def expected_calibration_error(obs: ArrayLike, fct: ArrayLike, bins: int = 10) -> float | None:
    """Gives the expected calibration error (ECE) over equally wide bins of probability.

    Bin k holds k/bins <= p < (k+1)/bins; the last one also holds p = 1. Empty bins do not count.

    Formula: sum_k (n_k / n) |mean of y in bin k - mean of p in bin k|.
    Range: [0, 1].
    Orientation: smaller is better.
    Properness: not proper: a constant forecast at the base rate has error 0. Read it beside the Brier score.
    Reference: Naeini, Cooper and Hauskrecht (2015).

    Args:
        obs: outcomes 0 or 1, or frequencies over repeated futures in [0, 1], shape (n,).
        fct: probabilities, shape (n,).
        bins: number of bins, at least 1.

    Returns:
        The error, or None for n = 0.

    Example:
        >>> round(expected_calibration_error([1, 0, 1, 1], [0.55, 0.55, 0.95, 0.85]), 12)
        0.075
    """
    where = "expected_calibration_error"
    y = floats(where, "obs", obs, ndim=1, low=0, high=1)
    p = floats(where, "fct", fct, ndim=1, low=0, high=1)
    same_shape(where, obs=y, fct=p)
    bins = count(where, "bins", bins, low=1)
    if not y.size:
        return None
    index = np.minimum((p * bins).astype(np.int64), bins - 1)
    gap = np.bincount(index, weights=y - p, minlength=bins)
    return float(np.abs(gap).sum() / y.size)


def _outcomes(where: str, obs: ArrayLike) -> FloatArray:
    y = floats(where, "obs", obs, low=0, high=1)
    between: BoolArray = (y != 0) & (y != 1)
    if between.any():
        raise ArgumentError(f"{where}: obs holds {y[between][0]}; allowed: 0 and 1")
    return y


def _multiclass(where: str, obs: ArrayLike, p: FloatArray) -> FloatArray:
    y = _classes(where, obs, p)
    hit = np.zeros_like(p)
    hit[np.arange(y.size), y] = 1.0
    return np.asarray(((p - hit) ** 2).sum(axis=1))


def _distributions(where: str, name: str, fct: ArrayLike) -> FloatArray:
    p = floats(where, name, fct, ndim=2, low=0, high=1)
    off = np.abs(p.sum(axis=1) - 1) > SUM_TOLERANCE
    if off.any():
        row = int(np.argmax(off))
        raise ArgumentError(f"{where}: {name} row {row} sums to {p[row].sum()}; allowed: 1 within 1e-6")
    return p


def _classes(where: str, obs: ArrayLike, p: FloatArray) -> IntArray:
    y = integers(where, "obs", obs)
    if y.size != p.shape[0]:
        raise ArgumentError(f"{where}: {y.size} outcomes for {p.shape[0]} rows; allowed: equal lengths")
    wrong = (y < 0) | (y >= p.shape[1])
    if wrong.any():
        raise ArgumentError(f"{where}: obs holds {y[wrong][0]}; allowed: 0 to {p.shape[1] - 1}")
    return y
