# SPDX-License-Identifier: GPL-2.0-or-later
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    capture,
    paired_bootstrap,
    pearson_r,
    permutation_test,
    quantity_score,
    world_bootstrap,
    world_skills,
)
from civworld.errors import ArgumentError


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_constant_difference_has_no_width():
    found = paired_bootstrap([0.5, 0.75, 1.0], [0.25, 0.5, 0.75], rng())
    assert (found.estimate, found.low, found.high) == (0.25, 0.25, 0.25)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    random = rng(13)
    hits = 0
    for _ in range(300):
        world = random.normal(size=40)  # shared by both forecasters: pairing removes it
        a, b = world + 0.3 + 0.5 * random.normal(size=40), world
        found = paired_bootstrap(a, b, random, n_resamples=400)
        hits += found.low <= 0.3 <= found.high
    assert 0.88 <= hits / 300 <= 0.99


def test_pairing_narrows_the_interval():
    random = rng(14)
    world = random.normal(size=60)
    a, b = world + 0.1, world + 0.05 * random.normal(size=60)
    paired = paired_bootstrap(a, b, rng(1), n_resamples=500)
    broken = paired_bootstrap(a, b[::-1], rng(1), n_resamples=500)
    assert paired.high - paired.low < 0.2 * (broken.high - broken.low)


def test_the_same_seed_gives_the_same_interval():
    a, b = rng(15).normal(size=(2, 30))
    assert paired_bootstrap(a, b, rng(3)) == paired_bootstrap(a, b, rng(3))


def test_one_world_has_no_interval():
    found = paired_bootstrap([0.5], [0.25], rng())
    assert (found.estimate, found.low, found.high, found.n_worlds) == (0.25, None, None, 1)
    nothing = paired_bootstrap([], [], rng())
    assert (nothing.estimate, nothing.low) == (None, None)
    assert world_bootstrap([4, 4], lambda rows, world: 1.0, rng()).low is None


def test_cells_of_a_world_stay_together_and_copies_get_their_own_key():
    keys = np.array([5, 9, 5, 7, 9, 9])
    sizes = {5: 2, 7: 1, 9: 3}

    def check(rows, world):
        for fresh in np.unique(world):
            found = keys[rows[world == fresh]]
            assert len(set(found.tolist())) == 1
            assert found.size == sizes[int(found[0])]
        assert np.unique(world).size == 3
        return float(rows.size)

    found = world_bootstrap(keys, check, rng(16), n_resamples=200)
    assert (found.estimate, found.n_worlds) == (6.0, 3)
    assert 3 <= found.low < found.high <= 9


def test_cell_and_world_bootstraps_agree_on_the_aggregate_skill():
    random = rng(17)
    loss, ref = random.random(400), random.random(400)
    world, family = np.repeat(np.arange(25), 16), np.tile(np.arange(4), 100)

    def statistic(rows, fresh):
        return quantity_score(loss[rows], ref[rows], fresh, family[rows])

    by_cell = world_bootstrap(world, statistic, rng(18), n_resamples=300)
    scores = world_skills(loss, ref, world, family).score
    by_world = paired_bootstrap(scores, np.zeros(25), rng(18), n_resamples=300)
    assert by_cell.estimate == pytest.approx(by_world.estimate)
    assert (by_cell.low, by_cell.high) == pytest.approx((by_world.low, by_world.high))


def test_undefined_resamples_are_counted():
    d, operator, world = np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(4, dtype=int), np.array([0, 0, 0, 1])

    def statistic(rows, fresh):
        return capture(d[rows], d[rows], operator[rows])

    found = world_bootstrap(world, statistic, rng(19), n_resamples=400)
    assert (found.estimate, found.low, found.high) == (1.0, 1.0, 1.0)
    assert 60 < found.n_undefined < 140  # world 1 twice: a quarter of the draws
    never = world_bootstrap(world, lambda rows, fresh: None, rng(19), n_resamples=5)
    assert (never.estimate, never.low, never.n_undefined) == (None, None, 5)


def test_pearson_agrees_with_numpy_and_the_worked_value():
    assert pearson_r([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]) == pytest.approx(0.5)
    x, y = rng(20).normal(size=(2, 50))
    assert pearson_r(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert pearson_r([1.0, 1.0], [1.0, 2.0]) is None
    assert pearson_r([0.1] * 3, [1.0, 2.0, 3.0]) is None
    assert pearson_r([1.0], [1.0]) is None


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20),
       st.floats(0.1, 10), st.floats(-10, 10))  # fmt: skip
def test_pearson_ignores_scale_and_stays_bounded(rows, factor, shift):
    x, y = np.array(rows, dtype=float).T
    r = pearson_r(x, y)
    if r is not None:
        assert -1 <= r <= 1
        assert pearson_r(factor * x + shift, y) == pytest.approx(r, abs=1e-6)
        assert pearson_r(y, x) == pytest.approx(r, abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_small_panels_use_every_permutation(alternative):
    x, y = rng(21).normal(size=(2, 5))
    found = permutation_test(x, y, rng(), alternative=alternative)
    every = np.array([np.corrcoef(x, y[list(p)])[0, 1] for p in itertools.permutations(range(5))])
    expected = {
        "two-sided": np.abs(every) >= abs(found.r) - 1e-9,
        "greater": every >= found.r - 1e-9,
        "less": every <= found.r + 1e-9,
    }[alternative]
    assert found.exact and found.n_permutations == 120
    assert found.p_value == pytest.approx(expected.mean())


def test_worked_permutation_test():
    found = permutation_test([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], rng())
    assert (round(found.r, 4), found.p_value) == (0.982, pytest.approx(2 / 6))


def test_drawn_permutations_never_give_zero_and_keep_their_level():
    x = np.arange(30.0)
    assert permutation_test(x, x, rng(22), n_permutations=99).p_value == pytest.approx(0.01)
    random = rng(23)
    pvalues = [permutation_test(*random.normal(size=(2, 10)), random, n_permutations=99).p_value for _ in range(300)]
    assert np.mean(np.array(pvalues) <= 0.1) == pytest.approx(0.1, abs=0.05)


def test_no_correlation_no_p_value():
    found = permutation_test([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], rng())
    assert (found.r, found.p_value, found.n_permutations) == (None, None, 0)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: paired_bootstrap([1.0], [1.0, 2.0], rng()), "shapes differ"),
        (lambda: paired_bootstrap([1.0, 2.0], [1.0, 2.0], 0), "rng is int"),
        (lambda: paired_bootstrap([1.0, 2.0], [1.0, 2.0], rng(), level=1.0), "strictly between"),
        (lambda: paired_bootstrap([1.0, 2.0], [1.0, 2.0], rng(), n_resamples=0), "n_resamples is 0"),
        (lambda: world_bootstrap([0, 1], lambda rows, world: float("nan"), rng()), "statistic holds nan"),
        (lambda: pearson_r([1.0, np.nan], [1.0, 2.0]), "x holds nan"),
        (lambda: permutation_test([1.0], [1.0], rng(), alternative="both"), "allowed: two-sided"),
        (lambda: permutation_test([1.0], [1.0], None), "rng is NoneType"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
