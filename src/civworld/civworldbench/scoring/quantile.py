# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses of quantile and point forecasts: pinball loss, its mean over levels, and normalised cell losses."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    LIMIT,
    BoolArray,
    FloatArray,
    floats,
    integers,
    quantiles,
    same_shape,
    same_shape_or_scalar,
)
from civworld.errors import ArgumentError

TAUS: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The five levels of a quantile forecast, in the order of its last axis."""

MEDIAN = TAUS.index(0.5)
"""Position of the median on the last axis of a quantile forecast."""


class LossKind(IntEnum):
    """How a cell is scored.

    PLAIN: quantile loss over the scale. SIGNED_LOG: quantile loss of the signed logarithms, scale 1.
    MEDIAN_ERROR: absolute error of the median, for small counts; the scale is not used.
    """

    PLAIN = 0
    SIGNED_LOG = 1
    MEDIAN_ERROR = 2


def quantile_score(obs: ArrayLike, fct: ArrayLike, alpha: ArrayLike) -> FloatArray:
    """Gives the pinball loss of a forecast quantile.

    Formula: rho_a(y - q) with rho_a(u) = (a - 1[u < 0]) u.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: consistent for the alpha-quantile (its expectation is smallest there).
    Reference: Koenker and Bassett (1978); Gneiting and Raftery (2007), section 6.

    Args:
        obs: outcomes y, any shape or a single number.
        fct: forecasts q of the quantile, same shape or a single number.
        alpha: level in (0, 1), same shape or a single number.

    Returns:
        The loss of each cell; an array without dimensions for three single numbers.

    Raises:
        ArgumentError: NaN or infinity, a level outside (0, 1), or different shapes.

    Example:
        >>> float(quantile_score(0.3, 0.5, 0.2).round(12))
        0.16
        >>> float(quantile_score(5.0, 3.0, 0.9))
        1.8
    """
    y = floats("quantile_score", "obs", obs)
    q = floats("quantile_score", "fct", fct)
    level = _levels("quantile_score", alpha)
    same_shape_or_scalar("quantile_score", obs=y, fct=q, alpha=level)
    return np.asarray(_pinball(y, q, level))


def crps_quantile(obs: ArrayLike, fct: ArrayLike, alpha: ArrayLike = TAUS) -> FloatArray:
    """Gives the quantile loss QL, which approximates the CRPS from a few quantiles ("pinball CRPS").

    Each level is scored on its own, so quantiles that cross are allowed; sorting them never raises the loss.
    For a point forecast repeated at levels that lie symmetrically around 1/2 the loss is |y - q|.

    Formula: QL = (2/|T|) sum_{a in T} rho_a(y - q_a).
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: proper; consistent for the vector of quantiles.
    Reference: arXiv 2610.16450, equation (1), without the transform; Gneiting and Raftery (2007).

    Args:
        obs: outcomes, shape (...).
        fct: quantiles, shape (..., len(alpha)).
        alpha: levels in (0, 1), shape (t,); the five levels `TAUS` unless given.

    Returns:
        The loss of each cell, shape (...).

    Raises:
        ArgumentError: NaN or infinity, a level outside (0, 1), no level, or shapes that do not match.

    Example:
        >>> float(crps_quantile(10.0, [6.0, 8.0, 9.0, 12.0, 14.0]).round(12))
        0.92
        >>> float(crps_quantile(10.0, [7.0] * 5).round(12))
        3.0
    """
    y = floats("crps_quantile", "obs", obs)
    level = _levels("crps_quantile", alpha, ndim=1)
    if not level.size:
        raise ArgumentError("crps_quantile: alpha is empty; allowed: at least one level")
    q = quantiles("crps_quantile", "fct", fct, y.shape, level.size)
    return _ql(y, q, level)


def signed_log(x: ArrayLike) -> FloatArray:
    """Gives the transform phi that quantities over several orders of magnitude are scored in.

    Formula: phi(x) = sign(x) log(1 + |x|), natural logarithm.
    Range: all reals; odd, increasing, phi(0) = 0.
    Reference: arXiv 2610.16450, equation (1).

    Args:
        x: values, any shape.

    Returns:
        The transformed values, same shape.

    Example:
        >>> signed_log([0.0, 1.0, -1.0]).round(4).tolist()
        [0.0, 0.6931, -0.6931]
    """
    values = floats("signed_log", "x", x)
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)))


def absolute_error(obs: ArrayLike, fct: ArrayLike) -> FloatArray:
    """Gives the absolute error of a point forecast.

    Formula: |y - x|.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: consistent for the median.
    Reference: Gneiting (2011), Making and evaluating point forecasts.

    Args:
        obs: outcomes, any shape or a single number.
        fct: point forecasts, same shape or a single number.

    Returns:
        The error of each cell.

    Example:
        >>> absolute_error([3.0, 5.0], [4.0, 2.5]).tolist()
        [1.0, 2.5]
    """
    y = floats("absolute_error", "obs", obs)
    x = floats("absolute_error", "fct", fct)
    same_shape_or_scalar("absolute_error", obs=y, fct=x)
    return np.asarray(np.abs(y - x))


def mean_absolute_error(obs: ArrayLike, fct: ArrayLike) -> float | None:
    """Gives the mean absolute error (MAE) of point forecasts, None when there are none.

    Formula: (1/n) sum_i |y_i - x_i|.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: consistent for the median.
    Reference: Gneiting (2011), Making and evaluating point forecasts.

    Args:
        obs: outcomes, shape (n,).
        fct: point forecasts, shape (n,).

    Returns:
        The mean, or None for n = 0.

    Example:
        >>> mean_absolute_error([3.0, 5.0], [4.0, 2.5])
        1.75
    """
    error = absolute_error(floats("mean_absolute_error", "obs", obs, ndim=1), fct)
    return float(error.mean()) if error.size else None


def absolute_error_of_median(obs: ArrayLike, fct: ArrayLike) -> FloatArray:
    """Gives the absolute error of the median of a five-quantile forecast, used for small counts.

    Formula: |y - q_0.5|.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: consistent for the median; the other four quantiles are not scored.
    Reference: arXiv 2610.16450, section 4.1 ("the absolute error of the predicted median").

    Args:
        obs: outcomes, shape (...).
        fct: quantiles at `TAUS`, shape (..., 5).

    Returns:
        The error of each cell, shape (...).

    Example:
        >>> float(absolute_error_of_median(3.0, [0.0, 1.0, 1.0, 2.0, 4.0]))
        2.0
    """
    y = floats("absolute_error_of_median", "obs", obs)
    q = quantiles("absolute_error_of_median", "fct", fct, y.shape, len(TAUS))
    return np.asarray(np.abs(y - q[..., MEDIAN]))


def cell_loss(obs: ArrayLike, fct: ArrayLike, scale: ArrayLike, kind: ArrayLike) -> FloatArray:
    """Gives the normalised loss of each quantity cell.

    Formula: QL(phi(q), phi(y)) / sigma, or |y - q_0.5| for MEDIAN_ERROR cells.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: proper for each cell, since phi is increasing and sigma is fixed in advance.
    Reference: arXiv 2610.16450, equation (1) and the text below it.

    Args:
        obs: outcomes in their own unit, shape (n,).
        fct: quantiles at `TAUS` in that unit, shape (n, 5).
        scale: sigma > 0 of the cell's quantity, shape (n,); must be 1 for SIGNED_LOG cells.
        kind: `LossKind` values, shape (n,).

    Returns:
        Losses, shape (n,).

    Raises:
        ArgumentError: NaN, shapes, an unknown kind, or a scale that is not positive (not 1 under the log).

    Example:
        >>> fct = [[6.0, 8.0, 9.0, 12.0, 14.0]] * 3
        >>> kinds = [LossKind.PLAIN, LossKind.SIGNED_LOG, LossKind.MEDIAN_ERROR]
        >>> cell_loss([10.0] * 3, fct, [2.0, 1.0, 1.0], kinds).round(4).tolist()
        [0.46, 0.0863, 1.0]
    """
    y = floats("cell_loss", "obs", obs, ndim=1)
    kinds = integers("cell_loss", "kind", kind)
    q = quantiles("cell_loss", "fct", fct, y.shape, len(TAUS))
    same_shape("cell_loss", obs=y, kind=kinds)
    if not np.isin(kinds, list(LossKind)).all():
        unknown = sorted(set(kinds.tolist()) - set(LossKind))
        raise ArgumentError(f"cell_loss: kind holds {unknown}; allowed: {[int(k) for k in LossKind]}")
    log = kinds == LossKind.SIGNED_LOG
    sigma = cell_scale("cell_loss", scale, log)
    y_phi = np.where(log, signed_log(y), y)
    q_phi = np.where(log[:, None], signed_log(q), q)
    loss = _ql(y_phi, q_phi, np.asarray(TAUS)) / sigma
    return np.where(kinds == LossKind.MEDIAN_ERROR, absolute_error_of_median(y, q), loss)


def cell_scale(where: str, scale: ArrayLike, log: BoolArray) -> FloatArray:
    """Checks the scale column of a cell table: positive, and 1 where the values are in logarithms."""
    sigma = floats(where, "scale", scale, ndim=log.ndim, low=1 / LIMIT)
    same_shape(where, scale=sigma, log=log)
    if (sigma[log] != 1).any():
        wrong = sigma[log][sigma[log] != 1][0]
        raise ArgumentError(f"{where}: scale holds {wrong} for a signed-log cell; allowed: 1")
    return sigma


def _pinball(y: FloatArray, q: FloatArray, level: FloatArray) -> FloatArray:
    error = y - q
    return np.where(error < 0, (level - 1) * error, level * error)


def _ql(y: FloatArray, q: FloatArray, level: FloatArray) -> FloatArray:
    return np.asarray(2.0 * _pinball(y[..., None], q, level).mean(axis=-1))


def _levels(where: str, alpha: ArrayLike, *, ndim: int | None = None) -> FloatArray:
    level = floats(where, "alpha", alpha, ndim=ndim, low=0, high=1)
    if ((level == 0) | (level == 1)).any():
        raise ArgumentError(f"{where}: alpha holds 0 or 1; allowed: levels strictly between 0 and 1")
    return level
