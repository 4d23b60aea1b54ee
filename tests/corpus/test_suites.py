# SPDX-License-Identifier: GPL-2.0-or-later
"""Suites are the same whenever they are made, and keep to their definition."""

from collections import Counter

import pytest

import civworld
from civworld import arms, corpus
from civworld.corpus.storage import checksum, json_bytes
from civworld.corpus.suites import decision_points

# a change of a suite needs a new version and a new line here
DEFINITIONS = {
    "tiny": "1cca4f1f9f42e08c1708d5ec94ccec4f",
    "tiny-practice": "54998b619260f94f879b750e0b829f96",
    "basic": "71795a3c044b371d8b24176f9657263f",
    "generalization": "0f371f74331038bdb03d11a3948389d4",
}


def definition(suite: corpus.Suite) -> str:
    """Hash of what the suite itself decides; which behaviours there are is the engine build's to say."""
    told = suite.to_dict()
    for world in told["worlds"]:
        del world["config"]["patches"]
    return checksum(json_bytes(told))


@pytest.mark.parametrize("name", corpus.SUITES)
def test_a_suite_is_the_same_every_time(name):
    suite = corpus.suite(name)
    assert suite == corpus.suite(name) == corpus.Suite.from_dict(suite.to_dict())
    assert definition(suite) == DEFINITIONS[name]
    assert len({w.config.seed for w in suite.worlds}) == len(suite.worlds)
    assert set(suite.operators) == (set() if name in corpus.PRACTICE.values() else set(arms.OPERATORS))


def test_decision_points_lie_where_frames_exist():
    for suite in map(corpus.suite, corpus.SUITES):
        for world in suite.worlds:
            assert len(world.points) == 4 and world.points[-1].turn == world.budget
            for p in world.points:
                assert p.frames[0] >= 1 and p.spacing == (40 if p.turn >= 81 else 20)
                assert p.turn + p.horizons[-1] <= world.last_turn
    assert [p.turn for p in decision_points(120)] == [48, 72, 96, 120]
    assert [p.turn for p in decision_points(200)] == [80, 120, 160, 200]
    assert [p.turn for p in decision_points(60)] == [41, 47, 54, 60]


def test_practice_worlds_are_drawn_like_those_asked_about_and_are_others():
    for asked, practice in ((corpus.suite(a), corpus.suite(p)) for a, p in corpus.PRACTICE.items()):
        assert not {w.config.seed for w in asked.worlds} & {w.config.seed for w in practice.worlds}
        shapes = {(w.map_class, w.budget, w.points, w.config.map_size, w.config.traits) for w in asked.worlds}
        assert shapes == {
            (w.map_class, w.budget, w.points, w.config.map_size, w.config.traits) for w in practice.worlds
        }
        assert {w.config.players for w in asked.worlds} <= {w.config.players for w in practice.worlds}
        assert (practice.futures, practice.pairs, practice.operators) == (0, 0, ())


def test_basic_has_its_classes_and_knobs():
    worlds = corpus.suite("basic").worlds
    assert Counter(w.map_class for w in worlds) == {"small": 100, "medium": 100, "large": 100}
    sizes = {(w.map_class, w.config.map_size, w.budget) for w in worlds}
    assert sizes == {("small", 1, 120), ("medium", 3, 160), ("large", 6, 200)}
    players = {c: {w.config.players for w in worlds if w.map_class == c} for c in ("small", "medium", "large")}
    assert players == {"small": {3, 4}, "medium": {5, 6, 7}, "large": {8, 9, 10}}
    for rule, values in (("disasters", {0, 10, 60}), ("foodbox", {60, 100, 160}), ("sciencebox", {60, 100, 160})):
        counts = Counter(getattr(w.config, rule) for w in worlds)
        assert set(counts) == values and min(counts.values()) > 75
    assert {w.config.ruleset for w in worlds} == {"civ2civ3"} and {w.config.traits for w in worlds} == {(10, 150)}


def test_generalization_has_its_variety():
    worlds = corpus.suite("generalization").worlds
    assert len(worlds) == 175
    rulesets = Counter(w.config.ruleset for w in worlds)
    assert rulesets["classic"] == 128 and len(rulesets) == 6
    assert sum(w.config.teams == 2 for w in worlds) == 60
    assert len({w.config.difficulty for w in worlds}) == 5
    assert {w.config.players for w in worlds} == set(range(3, 11))
    assert {w.config.map_size for w in worlds} >= {1, 2, 5, 10}


def test_bad_definitions_are_refused():
    with pytest.raises(civworld.UnknownNameError, match="tiny"):
        corpus.suite("tinny")
    with pytest.raises(civworld.ArgumentError, match="version"):
        corpus.suite("tiny", 99)
    world = corpus.suite("tiny").worlds[0]
    for bad in (
        lambda: corpus.Suite("x", 1, (world, world)),
        lambda: corpus.Suite("x", 1, (world,), futures=2, pairs=3),
        lambda: corpus.WorldSpec("x", world.config, "small", 60, ()),
        lambda: corpus.WorldSpec("x", world.config, "small", 60, (corpus.DecisionPoint(30, 20),)),
        lambda: decision_points(42),
    ):
        with pytest.raises(civworld.ArgumentError):
            bad()
