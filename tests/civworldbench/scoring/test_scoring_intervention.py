# SPDX-License-Identifier: GPL-2.0-or-later
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    capture,
    capture_by_operator,
    direction,
    expected_effect,
    penalised_effect,
    penalised_loss,
    penalised_score,
    predicted_effect,
    quantity_score,
    realized_effect,
    specificity,
)
from civworld.errors import ArgumentError

NAN = float("nan")
effects = st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.integers(0, 3)), min_size=1, max_size=30)


def columns(table):
    d, dhat, operator = zip(*table, strict=True)
    return np.array(d), np.array(dhat), np.array(operator)


def test_worked_effects():
    found = realized_effect([12.0, 0.0], [9.0, 1.0], [2.0, 1.0], [False, True])
    assert found == pytest.approx([1.5, -math.log(2)])
    after, before = [[8.0, 9.0, 12.0, 13.0, 14.0]], [[6.0, 8.0, 9.0, 10.0, 11.0]]
    assert predicted_effect(after, before, [2.0], [False]).tolist() == [1.5]
    assert predicted_effect(after, before, [1.0], [True]) == pytest.approx([math.log(13 / 10)])


def test_expected_effect_uses_paired_differences():
    found = expected_effect([[3.0, 5.0], [101.0, 1.0]], [[1.0, 1.0], [100.0, 0.0]], [1.0, 2.0], [False, False])
    assert found.mean.tolist() == [3.0, 0.5]
    assert found.standard_error == pytest.approx([1.0, 0.0])


def test_worked_capture():
    # 1 - (.5 + 1 + 0) / (1 + 2 + 1); the unmoved cell is not eligible
    table = capture_by_operator([1.0, -2.0, 1.0, 0.0], [0.5, -1.0, 1.0, 9.0], [5, 5, 5, 5])
    assert (table.group.tolist(), table.score.tolist(), table.count.tolist()) == ([5], [0.625], [3])


def test_capture_averages_operators_with_three_moved_cells():
    d = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 8.0, 0.0, 8.0]
    dhat = [1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0, 8.0, 0.0, 8.0]
    operator = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    assert capture(d, dhat, operator) == 0.0  # 1 and clip(1 - 28/8) = -1; operator 2 moved two cells only
    assert capture(d, dhat, operator, min_cells=2) == pytest.approx(1 / 3)
    assert capture([0.0] * 5, [1.0] * 5, [0] * 5) is None
    assert capture([], [], []) is None


@given(effects)
def test_capture_of_exact_none_and_bounds(table):
    d, dhat, operator = columns(table)
    exact = capture(d, d, operator)
    if exact is None:
        assert capture(d, dhat, operator) is None
    else:
        assert exact == 1
        assert capture(d, np.zeros_like(d), operator) == 0
        assert -1 <= capture(d, dhat, operator) <= 1
        assert capture(d, -d, operator) == -1


@given(effects, st.randoms(use_true_random=False))
def test_order_of_cells_does_not_matter(table, random):
    d, dhat, operator = columns(table)
    order = list(range(d.size))
    random.shuffle(order)
    before, after = capture(d, dhat, operator), capture(d[order], dhat[order], operator[order])
    assert before == after or before == pytest.approx(after, abs=1e-9)
    assert direction(d, dhat, operator).accuracy == direction(d[order], dhat[order], operator[order]).accuracy


@given(effects, st.floats(0, 1), st.floats(0, 1))
def test_capture_rises_towards_the_truth(table, a, b):
    d, _, operator = columns(table)
    low, high = sorted([a, b])
    if capture(d, d, operator) is not None:
        assert capture(d, low * d, operator) <= capture(d, high * d, operator) + 1e-9


def test_worked_direction():
    found = direction([1.0, -2.0, 1.0, 3.0], [0.5, 1.0, 0.0, 2.0], [0, 0, 0, 1])
    assert found.by_operator.score.tolist() == [0.5, 1.0]
    assert found.accuracy == (3 * 0.5 + 1 * 1.0) / 4
    assert (found.n_moved, found.n_scored, found.n_missing, found.coverage) == (4, 3, 0, 0.75)


def test_a_missing_direction_is_wrong():
    missing = [False, True, False]
    found = direction([1.0, 1.0, 0.0], [1.0, NAN, 1.0], [0, 0, 0], missing=missing)
    assert (found.accuracy, found.n_missing, found.n_scored) == (0.5, 1, 2)
    charged = penalised_effect([1.0, 1.0, 0.0], [1.0, NAN, 1.0], missing)
    assert direction([1.0, 1.0, 0.0], charged, [0, 0, 0]).accuracy == 0.5


def test_no_response_at_all_is_undefined_and_shows():
    found = direction([1.0, -1.0], [0.0, 0.0], [0, 0])
    assert (found.accuracy, found.coverage, found.n_moved) == (None, 0.0, 2)
    nothing = direction([0.0], [1.0], [0])
    assert (nothing.accuracy, nothing.coverage) == (None, None)
    assert direction([1.0, 1.0], [1.0, 1.0], [0, 0], min_cells=3).accuracy is None


@given(effects)
def test_direction_of_truth_and_of_its_opposite(table):
    d, dhat, operator = columns(table)
    if d.any():
        assert direction(d, d, operator).accuracy == pytest.approx(1)
        assert direction(d, -d, operator).accuracy == 0
    found = direction(d, dhat, operator).accuracy
    assert found is None or 0 <= found <= 1 + 1e-12


def test_worked_specificity():
    found = specificity([2.0, -2.0], [0.5, 0.5])
    assert (found.score, found.mean_real, found.mean_placebo) == (0.75, 2.0, 0.5)
    assert specificity([0.1], [9.0]).score == -1
    assert specificity([3.0, -1.0], [0.0, 0.0]).score == 1


def test_specificity_needs_a_response_and_complete_pairs():
    assert specificity([0.0], [1.0]).score is None
    assert specificity([], []).coverage is None
    found = specificity([4.0, NAN, 1.0], [1.0, 9.0, NAN], missing_real=[False, True, False],
                        missing_placebo=[False, False, True])  # fmt: skip
    assert (found.score, found.n_valid, found.coverage) == (0.75, 1, pytest.approx(1 / 3))
    nobody = specificity([NAN], [1.0], missing_real=[True])
    assert (nobody.score, nobody.mean_real, nobody.coverage) == (None, None, 0.0)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=20), st.floats(0, 3))
def test_specificity_of_equal_shifts_is_zero(shifts, factor):
    real = np.array(shifts)
    if np.abs(real).mean() > 1e-6:
        assert specificity(real, real).score == 0
        assert specificity(real, -real).score == 0
        assert specificity(real, factor * real).score == pytest.approx(max(-1, 1 - factor), abs=1e-9)


def test_missing_answers_are_charged():
    loss = penalised_loss([0.5, NAN, NAN], [1.0, 1.0, 4.0], [0, 0, 0], [False, True, True])
    assert loss.tolist() == [0.5, 4.0, 4.0]
    assert penalised_loss([NAN, 0.0], [9.0, 1.0], [0, 1], [True, False]).tolist() == [18.0, 0.0]
    assert penalised_score([0.04, NAN], [False, True], 1.0).tolist() == [0.04, 1.0]
    effect = penalised_effect([1.0, -2.0], [0.5, NAN], [False, True])
    assert effect.tolist() == [0.5, 2.0]
    assert abs(effect[1] - -2.0) == 2 * 2.0


@given(st.lists(st.floats(0.01, 1e3), min_size=1, max_size=20))
def test_answering_nothing_is_the_worst_skill(reference):
    ref, keys = np.array(reference), np.zeros(len(reference), dtype=int)
    charged = penalised_loss(np.full(ref.size, NAN), ref, keys, np.ones(ref.size, dtype=bool))
    assert (charged >= ref).all()
    assert quantity_score(charged, ref, keys, keys) == pytest.approx(-1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: realized_effect([1.0], [NAN], [1.0], [False]), "control holds nan"),
        (lambda: realized_effect([1.0], [1.0], [2.0], [True]), "signed-log cell; allowed: 1"),
        (lambda: realized_effect([1.0], [1.0, 2.0], [1.0], [False]), "shapes differ"),
        (lambda: predicted_effect([[1.0] * 4], [[1.0] * 5], [1.0], [False]), r"allowed: \(1, 5\)"),
        (lambda: expected_effect([[1.0]], [[1.0]], [1.0], [False]), "1 repeats; allowed: at least 2"),
        (lambda: capture([1.0], [NAN], [0]), "fct holds nan"),
        (lambda: capture([1.0], [1.0], [0], min_cells=0), "min_cells is 0"),
        (lambda: direction([1.0], [NAN], [0]), "fct holds nan"),
        (lambda: direction([1.0], [1.0], [0], missing=[1]), "allowed: booleans"),
        (lambda: direction([[1.0], [1.0, 2.0]], [1.0], [0]), "ragged"),
        (lambda: specificity([1.0], [1.0, 2.0]), "shapes differ"),
        (lambda: specificity([[1.0]], [[1.0]]), "2 dimensions"),
        (lambda: realized_effect([1.0], [1.0], [1.0], None), "log has dtype object"),
        (lambda: penalised_loss([NAN], [1.0], [0], [False]), "loss holds nan"),
        (lambda: penalised_loss([-1.0], [1.0], [0], [False]), "loss holds -1"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
