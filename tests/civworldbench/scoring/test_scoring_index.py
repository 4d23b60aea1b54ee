# SPDX-License-Identifier: GPL-2.0-or-later
import pytest
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import LEVELS, completion, composite_index, level_completion
from civworld.errors import ArgumentError, UnknownNameError

SETTINGS = ("omni-id", "ego", "omni-ood")
METRICS = [metric for metrics in LEVELS.values() for metric in metrics]


def everywhere(value):
    return {setting: dict.fromkeys(METRICS, value) for setting in SETTINGS}


def test_completion_arithmetic():
    assert completion(-0.5, -1.0, 0.0) == 0.5
    assert completion(0.34, 0.0, 0.68) == pytest.approx(0.5)
    assert completion(-0.34, 0.0, 0.68) == pytest.approx(-0.5)  # not clipped
    assert completion(1.36, 0.0, 0.68) == pytest.approx(2.0)
    assert completion(0.5, 0.5, 0.5) is None
    assert completion(0.5, 0.5, 0.4) is None


def test_worked_index():
    one = {"quantity": 1.0, "event": 0.0, "trait": 0.5, "rules": 1.0, "capture": 0.0, "direction": 0.25,
           "specificity": 0.5}  # fmt: skip
    # levels .5, .75, .25
    assert [level_completion(one, level) for level in LEVELS] == [0.5, 0.75, 0.25]
    assert composite_index(dict.fromkeys(SETTINGS, one)) == 50.0
    table = {**everywhere(0.0), "ego": one}
    assert composite_index(table) == pytest.approx(50 / 3)
    assert composite_index({"ego": one}) == 50.0


def test_floor_is_zero_and_ceiling_is_a_hundred():
    assert composite_index(everywhere(0.0)) == 0
    assert composite_index(everywhere(1.0)) == 100


@pytest.mark.parametrize(("metric", "weight"), [("quantity", 2), ("rules", 2), ("capture", 3), ("direction", 3)])
def test_weight_of_one_metric(metric, weight):
    table = everywhere(0.0)
    table["omni-ood"][metric] = 1.0
    assert composite_index(table) == pytest.approx(100 / 9 / weight)


@given(st.sampled_from(SETTINGS), st.sampled_from(METRICS), st.floats(-2, 2), st.floats(0, 2))
def test_better_metrics_never_lower_the_index(setting, metric, start, gain):
    table = everywhere(start)
    before = composite_index(table)
    table[setting][metric] += gain
    assert composite_index(table) >= before - 1e-9


def test_an_undefined_metric_leaves_the_index_undefined():
    table = everywhere(0.5)
    table["ego"]["specificity"] = None
    assert level_completion(table["ego"], 3) is None
    assert level_completion(table["ego"], 1) == 0.5
    assert composite_index(table) is None
    assert composite_index({"omni-id": table["omni-id"]}) == pytest.approx(50)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: completion(float("nan"), 0, 1), ArgumentError, "score holds nan"),
        (lambda: level_completion({"capture": 1.0}, 3), ArgumentError, "no direction, specificity"),
        (lambda: level_completion({"captures": 1.0}, 3), UnknownNameError, "did you mean 'capture'"),
        (lambda: level_completion({}, 4), ArgumentError, "allowed: 1, 2, 3"),
        (lambda: composite_index({**everywhere(1.0), "omni": {}}), ArgumentError, "no quantity, event"),
        (lambda: composite_index({}), ArgumentError, "one or more"),
        (lambda: composite_index(everywhere(float("nan"))), ArgumentError, "completions holds nan"),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
