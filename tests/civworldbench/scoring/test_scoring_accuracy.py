# SPDX-License-Identifier: GPL-2.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import (
    accuracy_by_parameter,
    adjusted_accuracy,
    classification_accuracy,
    ranking_accuracy,
)
from civworld.errors import ArgumentError

rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=20)


def test_worked_ranking():
    found = ranking_accuracy([10, 50, 90], [1.0, 3.0, 3.0], [0, 0, 0])
    assert found.accuracy == pytest.approx(2.5 / 3)
    assert (found.n_pairs, found.n_tied, found.n_missing) == (3, 1, 0)
    assert ranking_accuracy([10, 50, 90], [1.0, 3.0, 3.0], [0, 0, 0], min_gap=60).accuracy == 1.0


def test_pairs_need_one_group_and_different_values():
    found = ranking_accuracy([1, 2, 1, 1], [1, 2, 5, 9], [0, 0, 1, 1])
    assert (found.accuracy, found.n_pairs) == (1.0, 1)
    assert ranking_accuracy([1, 2], [1, 2], [0, 1]).accuracy is None
    assert ranking_accuracy([], [], []).accuracy is None


def test_the_gap_itself_counts():
    assert ranking_accuracy([10, 70], [1, 2], [0, 0], min_gap=60).n_pairs == 1
    assert ranking_accuracy([10, 69], [1, 2], [0, 0], min_gap=60).n_pairs == 0


def test_missing_answers_are_wrong():
    nan = float("nan")
    found = ranking_accuracy([1, 2, 3], [1, 2, nan], [0, 0, 0], missing=[False, False, True])
    assert (found.accuracy, found.n_missing) == (pytest.approx(1 / 3), 2)
    assert classification_accuracy([1, 1], [1, 1], [0, 0], missing=[False, True]) == 0.5


@given(rows)
def test_truth_is_one_reverse_is_zero_and_a_constant_is_chance(table):
    y, _, group = (np.array(column) for column in zip(*table, strict=True))
    perfect = ranking_accuracy(y, y, group)
    if perfect.n_pairs:
        assert perfect.accuracy == 1
        assert ranking_accuracy(y, -y, group).accuracy == 0
        assert ranking_accuracy(y, np.zeros(y.size), group).accuracy == 0.5
    else:
        assert perfect.accuracy is None


@given(rows, st.randoms(use_true_random=False))
def test_order_and_monotone_rescaling_do_not_matter(table, random):
    y, s, group = (np.array(column) for column in zip(*table, strict=True))
    order = list(range(y.size))
    random.shuffle(order)
    assert ranking_accuracy(y, s, group) == ranking_accuracy(y[order], s[order] ** 3 + 1, group[order])


def test_parameters_weigh_equally():
    # parameter 0: 3 of 3 right, parameter 1: 0 of 1
    assert classification_accuracy([0, 1, 2, 2], [0, 1, 2, 0], [0, 0, 0, 1]) == 0.5
    table = accuracy_by_parameter([0, 1, 2, 2], [0, 1, 0, 0], [4, 4, 4, 9])
    assert table.group.tolist() == [4, 9]
    assert table.score == pytest.approx([2 / 3, 0])
    assert classification_accuracy([], [], []) is None


def test_adjustment_keeps_the_ceiling_and_zeroes_the_baseline():
    assert adjusted_accuracy(0.625, 0.5, 0.75) == 0.375
    assert adjusted_accuracy(0.5, 0.5, 0.75) == 0
    assert adjusted_accuracy(0.75, 0.5, 0.75) == 0.75
    assert adjusted_accuracy(0.25, 0.5, 0.75) == -0.75
    assert adjusted_accuracy(0.6, 0.5, 0.5) is None
    assert adjusted_accuracy(0.6, 0.5, 0.4) is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_adjustment_keeps_the_order(a, b):
    if a < b:
        assert adjusted_accuracy(a, 1 / 3, 0.9) <= adjusted_accuracy(b, 1 / 3, 0.9)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ranking_accuracy([1, 2], [1, float("nan")], [0, 0]), "fct holds nan"),
        (lambda: ranking_accuracy([1, 2], [1, 2], [0, 0], min_gap=-1), "min_gap holds -1"),
        (lambda: ranking_accuracy([1, 2], [1, 2], [0]), "shapes differ"),
        (lambda: ranking_accuracy([1, 2], [1, 2], [0, 0], missing=[0, 1]), "allowed: booleans"),
        (lambda: ranking_accuracy([1, 2], [1, 2], [0, 0], missing=[True]), r"missing has shape \(1,\)"),
        (lambda: ranking_accuracy([1, 2], [1], [0, 0]), "allowed: equal lengths"),
        (lambda: classification_accuracy([1.0], [1], [0]), "allowed: integers"),
        (lambda: adjusted_accuracy(1.5, 0.5, 0.9), "accuracy holds 1.5"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
