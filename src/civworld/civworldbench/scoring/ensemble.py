# SPDX-License-Identifier: GPL-2.0-or-later
"""Ensembles of simulated futures: their CRPS, their quantiles, and each member against the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import FloatArray, floats
from civworld.civworldbench.scoring.quantile import TAUS
from civworld.errors import ArgumentError

ESTIMATORS = ("nrg", "fair")
METHODS = ("hazen", "linear", "weibull", "median_unbiased", "normal_unbiased", "inverted_cdf")


def crps_ensemble(obs: ArrayLike, fct: ArrayLike, *, estimator: str = "nrg") -> FloatArray:
    """Gives the continuous ranked probability score of an ensemble forecast.

    Formula: (1/m) sum_i |x_i - y| - (1/2) G, where G is the mean of |x_i - x_j| over all m^2 pairs for
        "nrg" and over the m (m - 1) pairs of different members for "fair".
    Range: [0, inf) for "nrg"; "fair" can be negative.
    Orientation: smaller is better.
    Properness: "nrg" is strictly proper for the empirical distribution; "fair" does not depend on the
        ensemble size in expectation, so it compares ensembles of different sizes.
    Reference: Gneiting and Raftery (2007), section 4.2; Ferro (2014) for "fair".

    Args:
        obs: outcomes, shape (...).
        fct: members, shape (..., m); m >= 1, or >= 2 for "fair".
        estimator: "nrg" or "fair".

    Returns:
        The score of each cell, shape (...).

    Raises:
        ArgumentError: NaN, shapes that do not match, too few members, or an unknown estimator.

    Example:
        >>> float(crps_ensemble(2.0, [0.0, 4.0])), float(crps_ensemble(2.0, [0.0, 4.0], estimator="fair"))
        (1.0, 0.0)
    """
    where = "crps_ensemble"
    if estimator not in ESTIMATORS:
        raise ArgumentError(f"{where}: estimator is {estimator!r}; allowed: {', '.join(ESTIMATORS)}")
    y = floats(where, "obs", obs)
    x = np.sort(_members(where, "fct", fct, at_least=2 if estimator == "fair" else 1), axis=-1)
    if x.shape[:-1] != y.shape:
        raise ArgumentError(f"{where}: fct has shape {x.shape}, obs {y.shape}; allowed: obs shape + (m,)")
    m = x.shape[-1]
    error = x - y[..., None]
    rank = 2.0 * np.arange(1, m + 1) - m - 1
    spread = (error * rank).sum(axis=-1)  # = sum over pairs i < j of x_(j) - x_(i), without cancellation
    if estimator == "fair":
        return np.asarray(np.abs(error).mean(axis=-1) - spread / (m * (m - 1)))
    return np.asarray(np.maximum(np.abs(error).mean(axis=-1) - spread / (m * m), 0.0))


def ensemble_quantiles(fct: ArrayLike, alpha: ArrayLike = TAUS, *, method: str = "hazen") -> FloatArray:
    """Gives quantiles of an ensemble, so that it can be scored like a quantile forecast.

    The default places member i of m at level (i - 1/2) / m. These are the levels at which an ensemble has
    its best expected quantile loss; numpy's own default puts the extreme members at 0 and 1 and makes small
    ensembles too narrow.

    Formula: linear interpolation of the sorted members at the plotting positions of `method`.
    Range: between the smallest and the largest member; not decreasing in alpha.
    Reference: Hyndman and Fan (1996), definition 5 (Hazen); Bröcker (2012) for the positions.

    Args:
        fct: members, shape (..., m), m >= 1.
        alpha: levels in [0, 1], shape (t,).
        method: a method of `numpy.quantile`: hazen, linear, weibull, median_unbiased, normal_unbiased or
            inverted_cdf.

    Returns:
        Quantiles, shape (..., t).

    Raises:
        ArgumentError: no member, NaN, a level outside [0, 1], or an unknown method.

    Example:
        >>> ensemble_quantiles([4.0, 1.0, 3.0, 2.0], [0.125, 0.5, 0.75]).tolist()
        [1.0, 2.5, 3.5]
    """
    where = "ensemble_quantiles"
    if method not in METHODS:
        raise ArgumentError(f"{where}: method is {method!r}; allowed: {', '.join(METHODS)}")
    x = _members(where, "fct", fct, at_least=1)
    level = floats(where, "alpha", alpha, ndim=1, low=0, high=1)
    result = np.quantile(x, level, axis=-1, method=method)  # type: ignore[call-overload]
    return np.moveaxis(np.asarray(result, dtype=np.float64), 0, -1)


def leave_one_out(members: ArrayLike) -> FloatArray:
    """Gives, for each member of an ensemble, the ensemble of all others.

    Formula: row k holds x_1, ..., x_{k-1}, x_{k+1}, ..., x_K.
    Range: that of the members.
    Reference: Stone (1974), cross-validatory choice.

    Args:
        members: shape (..., K), K >= 2.

    Returns:
        The others, shape (..., K, K - 1), in their order.

    Example:
        >>> leave_one_out([1.0, 2.0, 3.0]).tolist()
        [[2.0, 3.0], [1.0, 3.0], [1.0, 2.0]]
    """
    x = _members("leave_one_out", "members", members, at_least=2)
    k = x.shape[-1]
    others = np.array([[j for j in range(k) if j != i] for i in range(k)])
    return np.asarray(x[..., others])


def leave_one_out_mean(members: ArrayLike) -> FloatArray:
    """Gives, for each member, the mean of all others: the ceiling forecast of an effect or of an event.

    For 0/1 members this is the frequency of the event in the other futures. For classes, pass one-hot
    members of shape (..., classes, K).

    Formula: (1/(K-1)) sum_{j != k} x_j.
    Range: between the smallest and the largest member.
    Reference: Stone (1974); empirical ceilings as in arXiv 2610.16450, section 4.2.

    Args:
        members: shape (..., K), K >= 2.

    Returns:
        The means, shape (..., K).

    Example:
        >>> leave_one_out_mean([1.0, 0.0, 0.0]).tolist()
        [0.0, 0.5, 0.5]
    """
    return np.asarray(leave_one_out(members).mean(axis=-1))


def leave_one_out_quantiles(members: ArrayLike, alpha: ArrayLike = TAUS, *, method: str = "hazen") -> FloatArray:
    """Gives, for each member, quantiles of all others: the ceiling forecast of a quantity.

    Formula: `ensemble_quantiles` of x_j, j != k.
    Range: between the smallest and the largest member.
    Reference: Stone (1974); empirical ceilings as in arXiv 2610.16450, section 4.2.

    Args:
        members: shape (..., K), K >= 2.
        alpha: levels in [0, 1], shape (t,).
        method: as in `ensemble_quantiles`.

    Returns:
        Quantiles, shape (..., K, t); score row k against member k.

    Example:
        >>> leave_one_out_quantiles([1.0, 2.0, 6.0], [0.5]).tolist()
        [[4.0], [3.5], [1.5]]
    """
    return ensemble_quantiles(leave_one_out(members), alpha, method=method)


def _members(where: str, name: str, value: ArrayLike, *, at_least: int) -> FloatArray:
    x = floats(where, name, value)
    if x.ndim == 0 or x.shape[-1] < at_least:
        raise ArgumentError(f"{where}: {name} has shape {x.shape}; allowed: at least {at_least} members")
    return x
