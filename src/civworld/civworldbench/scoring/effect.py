# SPDX-License-Identifier: GPL-2.0-or-later
"""Effects of edits: the difference between an edited branch and its unedited control, normalised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import FloatArray, flags, floats, quantiles, same_shape
from civworld.civworldbench.scoring.quantile import MEDIAN, TAUS, cell_scale, signed_log
from civworld.errors import ArgumentError


@dataclass(frozen=True, eq=False)
class ExpectedEffect:
    """Mean effect over paired repeats.

    Attributes:
        mean: shape (n,).
        standard_error: sample standard deviation over repeats / sqrt(repeats), shape (n,).
    """

    mean: FloatArray
    standard_error: FloatArray


def realized_effect(edited: ArrayLike, control: ArrayLike, scale: ArrayLike, log: ArrayLike) -> FloatArray:
    """Gives the effect of an edit between two outcomes.

    Formula: d = (phi(y_m) - phi(y_ctrl)) / sigma; phi the signed logarithm where `log`, else identity.
    Range: all reals, 0 for no effect.
    Reference: arXiv 2610.16450, section 4.1 (intervention prediction).

    Args:
        edited: outcomes y_m in the edited branch, shape (n,).
        control: outcomes in the control branch, shape (n,).
        scale: sigma > 0, shape (n,); must be 1 where `log`.
        log: booleans, shape (n,).

    Returns:
        Effects, shape (n,).

    Raises:
        ArgumentError: NaN, different lengths, a scale that is not positive or not 1 under the logarithm.

    Example:
        >>> realized_effect([12.0, 0.0], [9.0, 1.0], [2.0, 1.0], [False, True]).round(4).tolist()
        [1.5, -0.6931]
    """
    where = "realized_effect"
    after = floats(where, "edited", edited, ndim=1)
    before = floats(where, "control", control, ndim=1)
    return _difference(where, after, before, scale, log)


def predicted_effect(fct_edited: ArrayLike, fct_control: ArrayLike, scale: ArrayLike, log: ArrayLike) -> FloatArray:
    """Gives the effect that a forecaster's two medians imply, from its own answer for the control.

    Formula: (phi(q_{m,0.5}) - phi(q_{ctrl,0.5})) / sigma.
    Range: all reals, 0 for no effect.
    Reference: arXiv 2610.16450, section 4.1 (intervention prediction).

    Args:
        fct_edited: quantiles at `TAUS` under the edit, shape (n, 5).
        fct_control: quantiles at `TAUS` for the control, shape (n, 5).
        scale: sigma > 0, shape (n,); must be 1 where `log`.
        log: booleans, shape (n,).

    Returns:
        Predicted effects, shape (n,).

    Example:
        >>> predicted_effect([[8.0, 9.0, 12.0, 13.0, 14.0]], [[6.0, 8.0, 9.0, 10.0, 11.0]], [2.0], [False])
        array([1.5])
    """
    where = "predicted_effect"
    after = floats(where, "fct_edited", fct_edited, ndim=2)
    after = quantiles(where, "fct_edited", after, after.shape[:1], len(TAUS))
    before = quantiles(where, "fct_control", fct_control, after.shape[:1], len(TAUS))
    return _difference(where, after[:, MEDIAN], before[:, MEDIAN], scale, log)


def expected_effect(edited: ArrayLike, control: ArrayLike, scale: ArrayLike, log: ArrayLike) -> ExpectedEffect:
    """Gives the mean effect over repeated paired branches, with its standard error.

    Column k of both arrays comes from the same random seeds, so the standard error is that of the paired
    differences.

    Formula: mean and s / sqrt(K) of d_k = (phi(y_mk) - phi(y_ctrl,k)) / sigma, s with K - 1.
    Range: all reals; the standard error is >= 0.
    Reference: Student (1908); an extension of the single paired branch of arXiv 2610.16450, section 2.4.

    Args:
        edited: outcomes in the edited branches, shape (n, K), K >= 2.
        control: outcomes in the paired controls, shape (n, K).
        scale: sigma > 0, shape (n,); must be 1 where `log`.
        log: booleans, shape (n,).

    Returns:
        Mean and standard error, each of shape (n,).

    Raises:
        ArgumentError: NaN, different shapes, or fewer than two repeats.

    Example:
        >>> found = expected_effect([[3.0, 5.0]], [[1.0, 1.0]], [1.0], [False])
        >>> found.mean.tolist(), found.standard_error.round(12).tolist()
        ([3.0], [1.0])
    """
    where = "expected_effect"
    after = floats(where, "edited", edited, ndim=2)
    before = floats(where, "control", control, ndim=2)
    same_shape(where, edited=after, control=before)
    repeats = after.shape[1]
    if repeats < 2:
        raise ArgumentError(f"{where}: {repeats} repeats; allowed: at least 2")
    columns = [_difference(where, after[:, k], before[:, k], scale, log) for k in range(repeats)]
    effects = np.stack(columns, axis=1)
    return ExpectedEffect(effects.mean(axis=1), effects.std(axis=1, ddof=1) / np.sqrt(repeats))


def _difference(where: str, after: FloatArray, before: FloatArray, scale: ArrayLike, log: ArrayLike) -> FloatArray:
    same_shape(where, edited=after, control=before)
    logs = flags(where, "log", log, after.shape)
    sigma = cell_scale(where, scale, logs)
    raw = after - before
    return np.where(logs, signed_log(after) - signed_log(before), raw) / sigma
