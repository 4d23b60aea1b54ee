# SPDX-License-Identifier: GPL-2.0-or-later
"""Two small models with a penalty: a line through numbers, and probabilities of classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STEPS = 50
TOLERANCE = 1e-9


def ridge(x: Floats, y: Floats, penalty: float) -> Callable[[Floats], float]:
    """Ridge regression on standardised features; the mean is not penalised.

    Args:
        x: (n, k) features, n of 1 or more.
        y: (n,) numbers to tell.
        penalty: on the sum of squares of the weights, against the sum of squared errors.
    """
    centre, spread = _standard(x)
    z = (x - centre) / spread
    weights = np.linalg.solve(z.T @ z + penalty * np.eye(z.shape[1]), z.T @ (y - y.mean()))
    return lambda row: float((row - centre) / spread @ weights + y.mean())


def softmax(x: Floats, y: Ints, classes: int, penalty: float) -> Callable[[Floats], Floats]:
    """Multinomial logistic regression on standardised features, by Newton's method.

    With a count and an exposure as features it can tell classes whose counts are Poisson with rates of their own:
    log probabilities are then linear in both.

    Args:
        x: (n, k) features, n of 1 or more.
        y: (n,) classes, from 0 on.
        classes: how many there are.
        penalty: on half the sum of squares of the weights, constants among them, against the log-likelihood.

    Returns:
        Features (k,) -> probabilities (classes,).
    """
    centre, spread = _standard(x)
    z = np.column_stack([(x - centre) / spread, np.ones(len(x))])
    truth = np.eye(classes)[y]
    weights = np.zeros((classes, z.shape[1]))
    for _ in range(STEPS):
        p = _shares(z @ weights.T)
        slope = (p - truth).T @ z + penalty * weights
        spans = np.einsum("na,ab->nab", p, np.eye(classes)) - np.einsum("na,nb->nab", p, p)
        bend = np.einsum("nab,ni,nj->aibj", spans, z, z, optimize=True).reshape(weights.size, -1)
        step = np.linalg.solve(bend + penalty * np.eye(weights.size), slope.ravel()).reshape(weights.shape)
        weights -= step
        if np.abs(step).max() < TOLERANCE:
            break
    return lambda row: _shares(np.append((row - centre) / spread, 1.0) @ weights.T)


def _standard(x: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each feature; 1 for those that never vary."""
    spread = x.std(axis=0)
    return x.mean(axis=0), np.where(spread < 1e-12, 1.0, spread)


def _shares(logits: Floats) -> Floats:
    powers: Floats = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return shares
