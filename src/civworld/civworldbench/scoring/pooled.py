# SPDX-License-Identifier: GPL-2.0-or-later
"""One index beside several external panels: association pooled over panels, tested by permuting models."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import FloatArray, IntArray, count, floats, generator, integers, same_shape
from civworld.civworldbench.scoring.resampling import ALTERNATIVES, Correlation
from civworld.errors import ArgumentError


def pooled_permutation_test(
    score: ArrayLike,
    model: ArrayLike,
    panel: ArrayLike,
    external: ArrayLike,
    rng: np.random.Generator,
    *,
    n_permutations: int = 10_000,
    alternative: str = "greater",
) -> Correlation:
    """Gives the correlation of models' scores with several panels together, and a p-value by permuting models.

    Scores and panel values are standardised within each panel and pooled. A permutation gives each model the score of
    another, in all panels at once, so that a model in several panels is no independent evidence in each.

    Formula: r of the pooled columns; p = (1 + number of permutations with r at least as extreme) / (1 + drawn).
    Range: r in [-1, 1], p in (0, 1].
    Orientation: smaller p: stronger evidence of association.
    Properness: not a score.
    Reference: Phipson and Smyth (2010); arXiv 2610.16450, section 5.1 (pooled model-level permutation test).

    Args:
        score: score of each model, shape (m,).
        model: model of each row, 0 to m - 1, shape (n,).
        panel: integer keys of the rows' panels, shape (n,).
        external: the panels' values, larger is better, shape (n,).
        rng: a seeded numpy generator.
        n_permutations: permutations to draw, at least 1.
        alternative: "greater" (positive association), "less" or "two-sided".

    Returns:
        The correlation and its p-value; both None where no panel has two models that differ in both columns.

    Raises:
        ArgumentError: NaN, different lengths, a model without a score, no permutation, or an unknown alternative.

    Example:
        >>> found = pooled_permutation_test(
        ...     [1.0, 2.0, 3.0, 4.0], [0, 1, 2, 3, 0, 1, 2, 3], [0] * 4 + [1] * 4, [1, 2, 3, 4, 5, 6, 7, 8],
        ...     np.random.default_rng(0), n_permutations=999
        ... )
        >>> round(found.r, 6), 0.02 < found.p_value < 0.07
        (1.0, True)
        >>> found.n_permutations
        999
    """
    where = "pooled_permutation_test"
    if alternative not in ALTERNATIVES:
        raise ArgumentError(f"{where}: alternative is {alternative!r}; allowed: {', '.join(ALTERNATIVES)}")
    own = floats(where, "score", score, ndim=1)
    row, key = integers(where, "model", model), integers(where, "panel", panel)
    other = floats(where, "external", external, ndim=1)
    same_shape(where, model=row, panel=key, external=other)
    if row.size and not 0 <= row.min() <= row.max() < own.size:
        raise ArgumentError(f"{where}: model holds {row.min()} to {row.max()}; allowed: 0 to {own.size - 1}")
    tries, random = count(where, "n_permutations", n_permutations, low=1), generator(where, rng)
    used = np.unique(row)
    target = _standardised(other, key)
    r = _pooled(own[row], target, key)
    if r is None:
        return Correlation(None, None, 0, False)
    extreme = 0
    for _ in range(tries):
        shuffled = own.copy()
        shuffled[used] = own[random.permutation(used)]
        drawn = _pooled(shuffled[row], target, key)
        extreme += drawn is not None and _extremity(drawn, alternative) >= _extremity(r, alternative) - 1e-12
    return Correlation(r, (1 + extreme) / (1 + tries), tries, False)


def _pooled(own: FloatArray, target: FloatArray, key: IntArray) -> float | None:
    mine = _standardised(own, key)
    length = float(np.sqrt((mine @ mine) * (target @ target)))
    return float(np.clip(mine @ target / length, -1, 1)) if length > 0 else None


def _standardised(values: FloatArray, key: IntArray) -> FloatArray:
    """Mean 0 and deviation 1 within each panel; 0 where a panel does not vary."""
    found = np.zeros_like(values)
    for one in np.unique(key):
        here = key == one
        spread = values[here].std()
        if spread > 0:
            found[here] = (values[here] - values[here].mean()) / spread
    return found


def _extremity(r: float, alternative: str) -> float:
    return {"two-sided": abs(r), "greater": r, "less": -r}[alternative]
