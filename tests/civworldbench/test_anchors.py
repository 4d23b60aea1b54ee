# SPDX-License-Identifier: GPL-2.0-or-later
"""The selection of anchors, on the two large suites as if they were built."""

from collections import Counter
from types import SimpleNamespace

import pytest

from civworld import corpus
from civworld.civworldbench.asking.anchors import PUBLISHED, SUBSET, select, subset
from civworld.civworldbench.asking.intervene import OPERATORS
from civworld.errors import ArgumentError


class Built:
    """What a selection asks of a corpus, from the suite alone; two of three operators are eligible."""

    def __init__(self, name):
        self.definition = corpus.suite(name)
        self.suite, self.worlds = name, tuple(w.id for w in self.definition.worlds)

    def world(self, name):
        spec = self.definition.world(name)
        return SimpleNamespace(map_class=spec.map_class, budget=spec.budget, ruleset=spec.config.ruleset)

    def decision_points(self, name):
        return self.definition.world(name).points

    def arms(self, name, turn):
        return {o: SimpleNamespace(eligible=(turn + k) % 3 > 0) for k, o in enumerate(OPERATORS)}


BOTH = [Built("basic"), Built("generalization")]


def test_the_published_selection_has_190_worlds_by_their_share():
    found = select(BOTH)
    assert len(found) == PUBLISHED == 190
    assert len({a.world for a in found}) == 190
    assert Counter(a.suite for a in found) == {"basic": 120, "generalization": 70}
    classes = Counter(BOTH[0].world(a.world).map_class for a in found if a.suite == "basic")
    assert set(classes.values()) == {40}
    classic = sum(BOTH[1].world(a.world).ruleset == "classic" for a in found if a.suite == "generalization")
    assert abs(classic - 70 * 128 / 175) < 2


def test_times_and_operators_take_turns():
    found = select(BOTH)
    place = {w.id: [p.turn for p in w.points] for b in BOTH for w in b.definition.worlds}
    times = Counter(place[a.world].index(a.turn) for a in found)
    assert max(times.values()) - min(times.values()) <= 1
    operators = Counter(a.operator for a in found)
    assert set(operators) == set(OPERATORS)
    assert max(operators.values()) - min(operators.values()) <= 4


def test_a_selection_repeats_and_depends_on_its_seed():
    assert select(BOTH) == select(BOTH)
    assert select(BOTH, seed=2) != select(BOTH)


def test_the_subset_is_part_of_it_and_holds_every_operator():
    found = select(BOTH)
    few = subset(found)
    assert len(few) == SUBSET == 30
    assert set(few) <= set(found)
    assert {a.operator for a in few} == set(OPERATORS)
    assert {a.suite for a in few} == {"basic", "generalization"}


@pytest.mark.parametrize("count", [0, 476])
def test_more_anchors_than_worlds_are_refused(count):
    with pytest.raises(ArgumentError, match="475 worlds"):
        select(BOTH, count)
    with pytest.raises(ArgumentError, match="190 anchors"):
        subset(select(BOTH), 191)
