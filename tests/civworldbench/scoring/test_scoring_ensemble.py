# SPDX-License-Identifier: GPL-2.0-or-later
import numpy as np
import pytest
import scoringrules as sr
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    TAUS,
    absolute_error,
    brier_score,
    crps_ensemble,
    crps_quantile,
    ensemble_quantiles,
    leave_one_out,
    leave_one_out_mean,
    leave_one_out_quantiles,
)
from civworld.errors import ArgumentError

members = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12)


def test_worked_crps():
    # |0-2|, |4-2| average 2; pair differences 0, 4, 4, 0 average 2 (fair: 4)
    assert crps_ensemble(2.0, [0.0, 4.0]) == 1.0
    assert crps_ensemble(2.0, [0.0, 4.0], estimator="fair") == 0.0


@pytest.mark.parametrize("estimator", ["nrg", "fair"])
def test_crps_agrees_with_scoringrules(estimator):
    rng = np.random.default_rng(8)
    y, x = rng.normal(size=(30, 4)), rng.normal(size=(30, 4, 9))
    np.testing.assert_allclose(crps_ensemble(y, x, estimator=estimator), sr.crps_ensemble(y, x, estimator=estimator))


def test_the_true_distribution_has_the_best_expected_crps():
    rng = np.random.default_rng(9)
    y = rng.normal(size=4000)
    scores = {}
    for shift, width in [(0, 1), (0.3, 1), (0, 0.6), (0, 1.6)]:
        x = shift + width * rng.normal(size=(4000, 40))
        scores[shift, width] = crps_ensemble(y, x, estimator="fair").mean()
    assert min(scores, key=scores.get) == (0, 1)


def test_the_fair_estimator_does_not_reward_size():
    rng = np.random.default_rng(10)
    y = rng.normal(size=40_000)
    small = crps_ensemble(y, rng.normal(size=(40_000, 3)), estimator="fair").mean()
    large = crps_ensemble(y, rng.normal(size=(40_000, 30)), estimator="fair").mean()
    assert small == pytest.approx(large, abs=0.01)


@given(st.floats(-1e6, 1e6), members)
def test_crps_lies_between_zero_and_the_mean_error(y, x):
    assert -1e-6 <= crps_ensemble(y, x) <= absolute_error(np.full(len(x), y), x).mean() + 1e-6
    assert crps_ensemble(y, x) == crps_ensemble(y, x[::-1])
    assert crps_ensemble(y, [y] * len(x)) == 0


def test_worked_quantiles():
    assert ensemble_quantiles([4.0, 1.0, 3.0, 2.0], [0.125, 0.5, 0.75]).tolist() == [1.0, 2.5, 3.5]
    assert ensemble_quantiles([7.0]).tolist() == [7.0] * 5
    assert ensemble_quantiles(np.zeros((3, 2, 8))).shape == (3, 2, len(TAUS))


def test_default_positions_beat_the_usual_ones_for_small_ensembles():
    rng = np.random.default_rng(11)
    y, x = rng.normal(size=40_000), rng.normal(size=(40_000, 7))
    loss = {m: crps_quantile(y, ensemble_quantiles(x, method=m)).mean() for m in ("hazen", "linear", "weibull")}
    assert min(loss, key=loss.get) == "hazen"


@given(members, st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_quantiles_stay_inside_and_do_not_cross(x, levels):
    found = ensemble_quantiles(x, sorted(levels))
    assert min(x) <= found.min() and found.max() <= max(x)
    assert (np.diff(found) >= -1e-9 * (1 + np.abs(x).max())).all()


def test_each_member_is_left_out_once():
    assert leave_one_out([1.0, 2.0, 3.0]).tolist() == [[2.0, 3.0], [1.0, 3.0], [1.0, 2.0]]
    assert leave_one_out(np.zeros((5, 8))).shape == (5, 8, 7)
    assert leave_one_out_mean([1.0, 0.0, 0.0]).tolist() == [0.0, 0.5, 0.5]
    assert leave_one_out_quantiles([1.0, 2.0, 6.0], [0.5]).tolist() == [[4.0], [3.5], [1.5]]


def test_one_hot_members_give_frequencies_that_sum_to_one():
    one_hot = np.eye(3)[[0, 2, 2, 1]].T
    assert leave_one_out_mean(one_hot).sum(axis=0) == pytest.approx([1.0] * 4)


def test_ceilings_beat_a_forecast_that_ignores_the_state():
    rng = np.random.default_rng(12)
    level = rng.normal(scale=3, size=2000)
    futures = level[:, None] + rng.normal(size=(2000, 8))
    ceiling = crps_quantile(futures, leave_one_out_quantiles(futures)).mean()
    blind = crps_quantile(futures, np.broadcast_to(np.quantile(futures, TAUS), (2000, 8, 5))).mean()
    assert ceiling < 0.6 * blind
    p = rng.random(2000)
    events = (rng.random((2000, 8)) < p[:, None]).astype(float)
    assert brier_score(events, leave_one_out_mean(events)).mean() < 0.25


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: crps_ensemble([1.0], [1.0, 2.0]), r"allowed: obs shape \+ \(m,\)"),
        (lambda: crps_ensemble(1.0, [1.0], estimator="fair"), "at least 2 members"),
        (lambda: crps_ensemble(1.0, [1.0], estimator="pwm"), "allowed: nrg, fair"),
        (lambda: crps_ensemble(1.0, []), "at least 1 members"),
        (lambda: crps_ensemble(1.0, [np.nan]), "fct holds nan"),
        (lambda: ensemble_quantiles([1.0], [1.1]), "alpha holds 1.1"),
        (lambda: ensemble_quantiles([1.0], method="nearest"), "allowed: hazen"),
        (lambda: leave_one_out([1.0]), "at least 2 members"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
