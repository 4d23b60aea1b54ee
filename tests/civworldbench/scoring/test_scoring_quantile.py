# SPDX-License-Identifier: GPL-2.0-or-later
import math

import numpy as np
import pytest
import scoringrules as sr
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    MEDIAN,
    TAUS,
    LossKind,
    absolute_error,
    absolute_error_of_median,
    cell_loss,
    crps_quantile,
    mean_absolute_error,
    quantile_score,
    signed_log,
)
from civworld.errors import ArgumentError

value = st.floats(-1e6, 1e6)
five = st.lists(value, min_size=5, max_size=5)


def test_worked_pinball_loss():
    assert quantile_score(0.3, 0.5, 0.2) == pytest.approx(0.16)
    assert quantile_score(5, 3, 0.9) == pytest.approx(1.8)
    assert quantile_score(3, 3, 0.9) == 0


def test_worked_quantile_loss():
    # u = 4, 2, 1, -2, -4 -> rho = .4, .5, .5, .5, .4; 2/5 of 2.3
    assert crps_quantile(10, [6, 8, 9, 12, 14]) == pytest.approx(0.92)


def test_agrees_with_scoringrules():
    rng = np.random.default_rng(1)
    y, q = rng.normal(size=200), np.sort(rng.normal(size=(200, 5)), axis=1)
    for level in TAUS:
        np.testing.assert_allclose(quantile_score(y, q[:, 0], level), sr.quantile_score(y, q[:, 0], level))
    np.testing.assert_allclose(crps_quantile(y, q), sr.crps_quantile(y, q, np.array(TAUS)))


@pytest.mark.parametrize("level", TAUS)
def test_the_true_quantile_has_the_best_expected_loss(level):
    y = np.random.default_rng(2).exponential(size=200_000)
    best = -math.log(1 - level)
    losses = {shift: quantile_score(y, best + shift, level).mean() for shift in (-0.2, -0.05, 0, 0.05, 0.2)}
    assert min(losses, key=losses.get) == 0


def test_many_levels_approach_the_crps():
    levels = (np.arange(2000) + 0.5) / 2000
    members = np.random.default_rng(3).normal(size=4000)
    approx = crps_quantile(0.7, np.quantile(members, levels), levels)
    assert float(approx) == pytest.approx(float(sr.crps_ensemble(0.7, members)), abs=2e-3)


@given(value, value)
def test_a_point_forecast_scores_its_absolute_error(y, x):
    assert float(crps_quantile(y, [x] * 5)) == pytest.approx(float(absolute_error(y, x)), rel=1e-9, abs=1e-9)


@given(value, five)
def test_sorting_crossed_quantiles_never_hurts(y, q):
    assert crps_quantile(y, sorted(q)) <= crps_quantile(y, q) + 1e-6


@given(value, five, st.floats(0, 1e6))
def test_moving_all_quantiles_away_never_helps(y, q, shift):
    above = y + np.abs(np.array(q))
    assert crps_quantile(y, above) <= crps_quantile(y, above + shift) + 1e-6


@given(value, value)
def test_signed_log_is_odd_and_increasing(a, b):
    assert signed_log(-a) == -signed_log(a)
    assert (signed_log(a) <= signed_log(b)) == (a <= b) or math.isclose(a, b, abs_tol=1e-9)


def test_worked_cell_losses_of_each_kind():
    fct = [[6.0, 8.0, 9.0, 12.0, 14.0]] * 3
    found = cell_loss([10.0] * 3, fct, [2.0, 1.0, 1.0], list(LossKind))
    u = [math.log(11 / (1 + q)) for q in fct[0]]
    log_loss = 2 / 5 * sum(t * x if x >= 0 else (t - 1) * x for t, x in zip(TAUS, u, strict=True))
    assert found == pytest.approx([0.46, log_loss, 1.0])
    assert round(log_loss, 4) == 0.0863


def test_median_error_reads_the_median_alone():
    assert TAUS[MEDIAN] == 0.5
    assert absolute_error_of_median(3.0, [0.0, 1.0, 1.0, 2.0, 4.0]) == 2
    assert cell_loss([3.0], [[-9.0, -9.0, 1.0, 99.0, 99.0]], [5.0], [LossKind.MEDIAN_ERROR]).tolist() == [2.0]


def test_mean_absolute_error_of_nothing_is_undefined():
    assert mean_absolute_error([3.0, 5.0], [4.0, 2.5]) == 1.75
    assert mean_absolute_error([], []) is None


def test_an_oracle_has_no_loss():
    y = np.array([0.0, 7.0, -300.0])
    assert cell_loss(y, np.repeat(y[:, None], 5, axis=1), [3.0, 1.0, 1.0], [0, 2, 1]).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: quantile_score(np.nan, 0.0, 0.5), "obs holds nan"),
        (lambda: quantile_score([0.0, 1.0], [0.0, np.inf], 0.5), r"fct holds inf at index \(1,\)"),
        (lambda: quantile_score(0.0, 0.0, 1.0), "alpha holds 0 or 1"),
        (lambda: quantile_score(0.0, 0.0, 1.5), "alpha holds 1.5"),
        (lambda: quantile_score([0.0, 1.0], [0.0, 1.0, 2.0], 0.5), r"obs \(2,\), fct \(3,\)"),
        (lambda: quantile_score([[0.0], [1.0]], [0.0, 1.0], 0.5), "shapes differ"),
        (lambda: quantile_score("3", 0.0, 0.5), "dtype"),
        (lambda: quantile_score([None, 1.0], 0.0, 0.5), "dtype object"),
        (lambda: quantile_score([[1.0], [1.0, 2.0]], 0.0, 0.5), "ragged"),
        (lambda: quantile_score(np.ma.masked_less([1.0], 2), 0.0, 0.5), "masked"),
        (lambda: crps_quantile([1.0], [[1.0] * 4]), r"allowed: \(1, 5\)"),
        (lambda: crps_quantile([1.0], [[]], []), "alpha is empty"),
        (lambda: cell_loss([1.0], [[1.0] * 5], [0.0], [0]), "scale holds 0.0"),
        (lambda: cell_loss([1.0], [[1.0] * 5], [2.0], [LossKind.SIGNED_LOG]), "signed-log cell; allowed: 1"),
        (lambda: cell_loss([1.0], [[1.0] * 5], [1.0], [3]), r"kind holds \[3\]"),
        (lambda: cell_loss([1.0], [[1.0] * 5], [1.0], [0.0]), "allowed: integers"),
        (lambda: cell_loss([1.0], [[1.0] * 5], [1.0, 1.0], [0]), "shapes differ"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
