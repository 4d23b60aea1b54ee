# SPDX-License-Identifier: GPL-2.0-or-later
import numpy as np
import pytest
import scoringrules as sr
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    brier_gain,
    brier_score,
    expected_brier_score,
    expected_calibration_error,
    multiclass_brier_gain,
    multiclass_brier_score,
)
from civworld.errors import ArgumentError

probability = st.floats(0, 1)


def test_worked_values():
    assert brier_score(1, 0.2) == pytest.approx(0.64)
    assert brier_score([True, False], [1.0, 1.0]).tolist() == [0.0, 1.0]
    assert brier_gain(1, 0.75, 0.25) == 0.5
    assert expected_brier_score(0.25, 0.75) == 0.4375
    assert multiclass_brier_score([0, 2], [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0]]).tolist() == [0.375, 1.5]
    assert multiclass_brier_gain([1], [[0.5, 0.5]], [[1.0, 0.0]]).tolist() == [1.5]


def test_agrees_with_scoringrules():
    rng = np.random.default_rng(4)
    y, p = rng.integers(0, 2, 300), rng.random(300)
    np.testing.assert_allclose(brier_score(y, p), sr.brier_score(y, p))


@pytest.mark.parametrize("truth", [0.07, 0.5, 0.83])
def test_the_true_probability_has_the_best_expected_score(truth):
    y = np.random.default_rng(5).random(200_000) < truth
    scores = {shift: brier_score(y, truth + shift).mean() for shift in (-0.06, -0.02, 0, 0.02, 0.06)}
    assert min(scores, key=scores.get) == 0


def test_the_true_distribution_has_the_best_expected_multiclass_score():
    truth = np.array([0.2, 0.3, 0.5])
    y = np.random.default_rng(6).choice(3, size=100_000, p=truth)
    other = [np.array(p) for p in ([0.25, 0.25, 0.5], [0.2, 0.2, 0.6], [0.0, 0.0, 1.0], [1 / 3] * 3)]
    best = multiclass_brier_score(y, np.tile(truth, (y.size, 1))).mean()
    assert all(best < multiclass_brier_score(y, np.tile(p, (y.size, 1))).mean() for p in other)


@given(st.lists(st.booleans(), min_size=1, max_size=20), probability)
def test_expected_score_is_the_mean_over_futures(futures, p):
    mean = brier_score(futures, np.full(len(futures), p)).mean()
    assert float(expected_brier_score(np.mean(futures), p)) == pytest.approx(mean, abs=1e-12)


@given(st.booleans(), probability, probability)
def test_gain_is_zero_at_the_reference_and_bounded(y, p, ref):
    assert brier_gain(y, ref, ref) == 0
    assert -1 <= brier_gain(y, p, ref) <= 1
    assert brier_gain(y, float(y), ref) >= brier_gain(y, p, ref)


@given(st.booleans(), probability)
def test_two_classes_score_twice_the_binary_score(y, p):
    both = multiclass_brier_score([int(y)], [[1 - p, p]])
    assert both[0] == pytest.approx(2 * float(brier_score(y, p)), abs=1e-12)


def test_classes_that_cannot_happen_do_not_change_the_score():
    assert multiclass_brier_score([0], [[0.5, 0.5, 0.0, 0.0]]) == multiclass_brier_score([0], [[0.5, 0.5]])


def test_worked_calibration_error():
    # bin .5: |1 - 1.1| / 4; bin .8: |1 - .85| / 4; bin .9: |1 - .95| / 4
    found = expected_calibration_error([1, 0, 1, 1], [0.55, 0.55, 0.95, 0.85])
    assert found == pytest.approx(0.025 + 0.0375 + 0.0125)


def test_bins_are_closed_below_and_the_last_one_above():
    edges = np.arange(11) / 10
    assert expected_calibration_error(edges, edges) == pytest.approx(0)
    # 0.3 opens its bin, so it does not average out with 0.25
    assert expected_calibration_error([0.35, 0.2], [0.3, 0.25]) == pytest.approx(0.05)
    # 1 shares the last bin with 0.9: gaps of 0.1 and -0.1 cancel there
    assert expected_calibration_error([1.0, 0.9], [0.9, 1.0]) == pytest.approx(0)


def test_calibrated_forecasts_have_a_small_error_and_none_is_undefined():
    rng = np.random.default_rng(7)
    p = rng.random(100_000)
    assert expected_calibration_error(rng.random(p.size) < p, p) < 0.01
    assert expected_calibration_error([], []) is None


@given(st.lists(st.tuples(st.booleans(), probability), min_size=1, max_size=30), st.integers(1, 20))
def test_calibration_error_is_a_share(rows, bins):
    y, p = zip(*rows, strict=True)
    assert 0 <= expected_calibration_error(y, p, bins) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: brier_score(0.5, 0.5), "obs holds 0.5; allowed: 0 and 1"),
        (lambda: brier_score(1, 1.2), "fct holds 1.2; allowed: finite numbers from 0 to 1"),
        (lambda: brier_gain(1, 0.5, float("nan")), "ref holds nan"),
        (lambda: multiclass_brier_score([0], [[0.5, 0.4]]), "row 0 sums to 0.9"),
        (lambda: multiclass_brier_score([2], [[0.5, 0.5]]), "obs holds 2; allowed: 0 to 1"),
        (lambda: multiclass_brier_score([-1], [[0.5, 0.5]]), "obs holds -1"),
        (lambda: multiclass_brier_score([0, 1], [[0.5, 0.5]]), "2 outcomes for 1 rows"),
        (lambda: multiclass_brier_gain([0], [[0.5, 0.5]], [[0.5, 0.5, 0.0]]), "shapes differ"),
        (lambda: expected_calibration_error([1], [0.5], 0), "bins is 0"),
        (lambda: expected_calibration_error([1], [0.5, 0.5]), "shapes differ"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
