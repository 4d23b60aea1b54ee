# SPDX-License-Identifier: GPL-2.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from civworld.civworldbench.scoring import family_skills, group_means, mean_score, quantity_score, world_skills
from civworld.errors import ArgumentError

reference = st.just(0.0) | st.floats(1e-9, 1e6)
cell = st.tuples(st.floats(0, 1e6), reference, st.integers(-3, 3), st.integers(0, 5))
tables = st.lists(cell, min_size=1, max_size=40)


def columns(table):
    loss, ref, world, family = zip(*table, strict=True)
    return np.array(loss), np.array(ref), np.array(world), np.array(family)


def test_worked_table():
    loss = [1.0, 2.0, 5.0, 1.0, 3.0]
    ref = [2.0, 4.0, 1.0, 0.0, 4.0]
    world, family = [0, 0, 0, 1, 2], [0, 0, 1, 0, 3]
    skills = family_skills(loss, ref, world, family)
    assert skills.world.tolist() == [0, 0, 2]
    assert skills.family.tolist() == [0, 1, 3]
    assert skills.skill.tolist() == [0.5, -1.0, 0.25]  # the middle one is 1 - 5 clipped
    worlds = world_skills(loss, ref, world, family)
    assert worlds.group.tolist() == [0, 2]
    assert worlds.score.tolist() == [-0.25, 0.25]
    assert worlds.count.tolist() == [2, 1]
    assert quantity_score(loss, ref, world, family) == 0.0  # world 1 has no reference loss and does not count


def test_families_weigh_equally_whatever_their_cells():
    # family 0: 100 cells of skill 0; family 1: one cell of skill 1
    loss, ref = [1.0] * 100 + [0.0], [1.0] * 101
    assert quantity_score(loss, ref, [0] * 101, [0] * 100 + [1]) == 0.5


def test_nothing_to_score_is_undefined():
    assert quantity_score([], [], [], []) is None
    assert quantity_score([3.0], [0.0], [0], [0]) is None
    assert mean_score([]) is None


@given(tables)
def test_oracle_is_one_and_reference_is_zero(table):
    _, ref, world, family = columns(table)
    if ref.any():
        assert quantity_score(np.zeros_like(ref), ref, world, family) == 1
        assert quantity_score(ref, ref, world, family) == 0
    else:
        assert quantity_score(ref, ref, world, family) is None


@given(tables, st.randoms(use_true_random=False))
def test_order_of_cells_does_not_matter(table, random):
    loss, ref, world, family = columns(table)
    order = list(range(loss.size))
    random.shuffle(order)
    before = quantity_score(loss, ref, world, family)
    after = quantity_score(loss[order], ref[order], world[order], family[order])
    assert (before is None) == (after is None)
    assert before is None or before == pytest.approx(after, abs=1e-9)


@given(tables, st.integers(0, 39), st.floats(0, 1e6))
def test_bounded_and_never_better_for_more_loss(table, at, more):
    loss, ref, world, family = columns(table)
    before = quantity_score(loss, ref, world, family)
    loss[at % loss.size] += more
    after = quantity_score(loss, ref, world, family)
    if before is not None:
        assert -1 <= after <= before + 1e-12 <= 1 + 1e-12


@given(tables)
def test_matches_a_plain_loop(table):
    loss, ref, world, family = columns(table)
    scores = []
    for w in set(world.tolist()):
        skills = []
        for f in set(family.tolist()):
            rows = (world == w) & (family == f)
            if ref[rows].sum() > 0:
                skills.append(max(-1.0, min(1.0, 1 - loss[rows].sum() / ref[rows].sum())))
        if skills:
            scores.append(sum(skills) / len(skills))
    expected = sum(scores) / len(scores) if scores else None
    found = quantity_score(loss, ref, world, family)
    assert found == expected or found == pytest.approx(expected, abs=1e-9)


def test_group_means_keep_any_key():
    means = group_means([1.0, 0.0, 0.5], [7, 7, -3])
    assert means.group.tolist() == [-3, 7]
    assert means.score.tolist() == [0.5, 0.5]
    assert means.count.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([-1.0], [1.0], [0], [0]), "loss holds -1.0"),
        (([1.0], [float("nan")], [0], [0]), "loss_ref holds nan"),
        (([1.0], [1.0], [0.5], [0]), "world has dtype float64"),
        (([1.0, 1.0], [1.0], [0], [0]), "shapes differ"),
        (([[1.0]], [1.0], [0], [0]), "2 dimensions"),
    ],
)
def test_bad_tables_are_refused(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        quantity_score(*arguments)
