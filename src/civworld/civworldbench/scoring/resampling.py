# SPDX-License-Identifier: GPL-2.0-or-later
"""Uncertainty: bootstrap over worlds and the permutation test of a correlation."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    FloatArray,
    IntArray,
    count,
    floats,
    generator,
    integers,
    number,
    same_shape,
)
from civworld.errors import ArgumentError

ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True)
class Interval:
    """A bootstrap percentile interval.

    Attributes:
        estimate: the statistic of the data, None where undefined.
        low: lower end, None with fewer than two worlds or no defined resample.
        high: upper end, None in the same cases.
        level: nominal coverage.
        n_worlds: worlds that were resampled.
        n_undefined: resamples whose statistic was undefined; the ends rest on the others.
    """

    estimate: float | None
    low: float | None
    high: float | None
    level: float
    n_worlds: int
    n_undefined: int


@dataclass(frozen=True)
class Correlation:
    """Result of `permutation_test`.

    Attributes:
        r: Pearson correlation, None where undefined.
        p_value: share of permutations at least as extreme, None where r is.
        n_permutations: permutations that were tried, 0 where r is undefined.
        exact: whether these were all permutations.
    """

    r: float | None
    p_value: float | None
    n_permutations: int
    exact: bool


def paired_bootstrap(
    score_a: ArrayLike,
    score_b: ArrayLike,
    rng: np.random.Generator,
    *,
    n_resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Gives a confidence interval of the mean difference of two forecasters over the same worlds.

    Formula: percentiles (1 -+ level)/2 of mean(a_w - b_w), worlds drawn with replacement.
    Range: that of the differences.
    Orientation: positive: a is above b.
    Properness: not a score.
    Reference: Efron and Tibshirani (1993), chapter 13; arXiv 2610.16450, figure 2.

    Args:
        score_a: one score per world, shape (n,).
        score_b: scores of the other forecaster on the same worlds, shape (n,).
        rng: a seeded numpy generator.
        n_resamples: draws, at least 1.
        level: nominal coverage in (0, 1).

    Returns:
        The interval; its ends are None with fewer than two worlds.

    Example:
        >>> found = paired_bootstrap([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], np.random.default_rng(0))
        >>> found.estimate, found.low, found.high
        (0.25, 0.25, 0.25)
    """
    where = "paired_bootstrap"
    a = floats(where, "score_a", score_a, ndim=1)
    b = floats(where, "score_b", score_b, ndim=1)
    same_shape(where, score_a=a, score_b=b)
    draws = count(where, "n_resamples", n_resamples, low=1)
    share = _open_unit(where, level)
    random = generator(where, rng)
    difference = a - b
    estimate = float(difference.mean()) if a.size else None
    if a.size < 2:
        return Interval(estimate, None, None, share, a.size, 0)
    means = [difference[random.integers(0, a.size, a.size)].mean() for _ in range(draws)]
    return _interval(estimate, np.array(means), share, a.size, 0)


def world_bootstrap(
    world: ArrayLike,
    statistic: Callable[[IntArray, IntArray], float | None],
    rng: np.random.Generator,
    *,
    n_resamples: int = 2_000,
    level: float = 0.95,
) -> Interval:
    """Gives a confidence interval of any statistic of a cell table, resampling whole worlds.

    The statistic gets row numbers into the caller's columns and a world key for each of them; a world that
    is drawn twice comes with two keys. For a paired comparison it takes the difference of two forecasters on
    the same rows. For a mean of per-world scores, `paired_bootstrap` gives the same much faster.

    Formula: percentiles (1 -+ level)/2 of statistic(cells of worlds drawn with replacement).
    Range: that of the statistic.
    Orientation: that of the statistic.
    Properness: not a score.
    Reference: Efron and Tibshirani (1993), chapter 13; arXiv 2610.16450, section 5 ("world bootstrap").

    Args:
        world: integer keys of the cells, shape (n,).
        statistic: (rows, world keys of these rows) -> number, or None where undefined.
        rng: a seeded numpy generator.
        n_resamples: draws, at least 1.
        level: nominal coverage in (0, 1).

    Returns:
        The interval; its ends are None with fewer than two worlds or when every resample is undefined.

    Example:
        >>> loss, ref = np.array([1.0, 1.0, 3.0]), np.array([2.0, 2.0, 6.0])
        >>> def skill(rows, world):
        ...     return 1 - float(loss[rows].sum() / ref[rows].sum())
        >>> found = world_bootstrap([0, 0, 1], skill, np.random.default_rng(0))
        >>> found.estimate, found.low, found.high, found.n_worlds
        (0.5, 0.5, 0.5, 2)
    """

    def one(rows: IntArray, keys: IntArray) -> tuple[float | None]:
        return (statistic(rows, keys),)

    return world_bootstraps(world, one, rng, n_resamples=n_resamples, level=level)[0]


def world_bootstraps(
    world: ArrayLike,
    statistics: Callable[[IntArray, IntArray], Sequence[float | None]],
    rng: np.random.Generator,
    *,
    n_resamples: int = 2_000,
    level: float = 0.95,
) -> tuple[Interval, ...]:
    """Gives confidence intervals of several statistics of a cell table over the same drawn worlds.

    Formula: that of `world_bootstrap` for each statistic; the draws are the same.
    Range: that of each statistic.
    Orientation: that of each statistic.
    Properness: not a score.
    Reference: as of `world_bootstrap`.

    Args:
        world: integer keys of the cells, shape (n,).
        statistics: (rows, world keys of these rows) -> one number, or None where undefined, for each statistic.
        rng: a seeded numpy generator.
        n_resamples: draws, at least 1.
        level: nominal coverage in (0, 1).

    Returns:
        An interval for each statistic.

    Example:
        >>> def two(rows, world):
        ...     return float(len(rows)), None
        >>> [found.estimate for found in world_bootstraps([0, 1], two, np.random.default_rng(0))]
        [2.0, None]
    """
    where = "world_bootstrap"
    keys = integers(where, "world", world)
    draws = count(where, "n_resamples", n_resamples, low=1)
    share = _open_unit(where, level)
    random = generator(where, rng)
    found, inverse = np.unique(keys, return_inverse=True)
    estimates = [_number_or_none(where, value) for value in statistics(np.arange(keys.size), keys)]
    if found.size < 2:
        return tuple(Interval(estimate, None, None, share, found.size, 0) for estimate in estimates)
    order = np.argsort(inverse, kind="stable").astype(np.int64)
    blocks = np.split(order, np.cumsum(np.bincount(inverse))[:-1])
    values: list[list[float]] = [[] for _ in estimates]
    for _ in range(draws):
        drawn = [blocks[k] for k in random.integers(0, found.size, found.size)]
        fresh = np.repeat(np.arange(found.size), [len(block) for block in drawn])
        for kept, value in zip(values, statistics(np.concatenate(drawn), fresh), strict=True):
            defined = _number_or_none(where, value)
            if defined is not None:
                kept.append(defined)
    return tuple(
        _interval(estimate, np.array(kept), share, found.size, draws - len(kept))
        for estimate, kept in zip(estimates, values, strict=True)
    )


def pearson_r(x: ArrayLike, y: ArrayLike) -> float | None:
    """Gives the Pearson correlation of two columns.

    Formula: sum (x_i - xbar)(y_i - ybar) / sqrt(sum (x_i - xbar)^2 sum (y_i - ybar)^2).
    Range: [-1, 1].
    Orientation: larger: stronger increasing association.
    Properness: not a score.
    Reference: Pearson (1895).

    Args:
        x: shape (n,).
        y: shape (n,).

    Returns:
        The correlation, or None for fewer than two rows or a constant column.

    Example:
        >>> round(pearson_r([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]), 12)
        0.5
    """
    a = floats("pearson_r", "x", x, ndim=1)
    b = floats("pearson_r", "y", y, ndim=1)
    same_shape("pearson_r", x=a, y=b)
    unit_a, unit_b = _unit(a), _unit(b)
    if unit_a is None or unit_b is None:
        return None
    return float(np.clip(unit_a @ unit_b, -1, 1))


def permutation_test(
    x: ArrayLike,
    y: ArrayLike,
    rng: np.random.Generator,
    *,
    n_permutations: int = 10_000,
    alternative: str = "two-sided",
) -> Correlation:
    """Gives the Pearson correlation with the p-value of a permutation test of no association.

    All n! permutations are used when there are no more than `n_permutations`; otherwise that many are drawn.

    Formula: p = (number of permutations with r at least as extreme) / n!, or (1 + number) / (1 + drawn).
    Range: p in (0, 1].
    Orientation: smaller p: stronger evidence of association.
    Properness: not a score.
    Reference: Pitman (1937); Phipson and Smyth (2010) for the drawn case.

    Args:
        x: shape (n,).
        y: shape (n,), matched with x.
        rng: a seeded numpy generator.
        n_permutations: permutations to try, at least 1.
        alternative: "two-sided", "greater" (positive association) or "less".

    Returns:
        The correlation and its p-value; both None where the correlation is undefined.

    Raises:
        ArgumentError: NaN, different lengths, no permutation, or an unknown alternative.

    Example:
        >>> found = permutation_test([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], np.random.default_rng(0))
        >>> round(found.r, 4), round(found.p_value, 4), found.n_permutations, found.exact
        (0.982, 0.3333, 6, True)
    """
    where = "permutation_test"
    if alternative not in ALTERNATIVES:
        raise ArgumentError(f"{where}: alternative is {alternative!r}; allowed: {', '.join(ALTERNATIVES)}")
    tries = count(where, "n_permutations", n_permutations, low=1)
    random = generator(where, rng)
    r = pearson_r(x, y)
    unit_x, unit_y = _unit(floats(where, "x", x, ndim=1)), _unit(floats(where, "y", y, ndim=1))
    if r is None or unit_x is None or unit_y is None:
        return Correlation(None, None, 0, False)
    exact = unit_x.size <= 20 and math.factorial(unit_x.size) <= tries
    permuted = np.array([unit_x @ column for column in _permutations(unit_y, random, None if exact else tries)])
    extreme = int((_extremity(permuted, alternative) >= _extremity(r, alternative) - 1e-12).sum())
    p_value = extreme / permuted.size if exact else (1 + extreme) / (1 + permuted.size)
    return Correlation(r, p_value, permuted.size, exact)


def _permutations(column: FloatArray, random: np.random.Generator, tries: int | None) -> Iterator[FloatArray]:
    """Yields all permutations, or `tries` drawn ones."""
    if tries is None:
        yield from (column[list(order)] for order in itertools.permutations(range(column.size)))
    else:
        yield from (random.permutation(column) for _ in range(tries))


def _extremity(r: float | FloatArray, alternative: str) -> FloatArray:
    values = np.asarray(r, dtype=np.float64)
    return np.asarray({"two-sided": np.abs(values), "greater": values, "less": -values}[alternative])


def _interval(estimate: float | None, values: FloatArray, share: float, n_worlds: int, n_undefined: int) -> Interval:
    if not values.size:
        return Interval(estimate, None, None, share, n_worlds, n_undefined)
    low, high = np.quantile(values, [(1 - share) / 2, (1 + share) / 2])
    return Interval(estimate, float(low), float(high), share, n_worlds, n_undefined)


def _unit(column: FloatArray) -> FloatArray | None:
    """Centres a column and scales it to length one; None for a constant column or fewer than two rows."""
    if column.size < 2 or (column == column[0]).all():
        return None
    scaled = column / np.abs(column).max()
    centred = scaled - scaled.mean()
    length = float(np.linalg.norm(centred))
    return centred / length if length > 0 else None


def _open_unit(where: str, level: float) -> float:
    share = number(where, "level", level, low=0, high=1)
    if share in (0.0, 1.0):
        raise ArgumentError(f"{where}: level is {share}; allowed: strictly between 0 and 1")
    return share


def _number_or_none(where: str, value: float | None) -> float | None:
    return None if value is None else number(where, "statistic", value)
