# SPDX-License-Identifier: GPL-2.0-or-later
"""Suites are the same whenever they are made, and keep to their definition."""

from collections import Counter
from dataclasses import dataclass, replace

import pytest

import civworld
from civworld import arms, corpus, events, quantities
from civworld.config import PATCHES
from civworld.corpus import declared, describe, schema
from civworld.corpus.jobs import plan
from civworld.corpus.storage import checksum, json_bytes
from civworld.corpus.suites import BEHAVIOURS, OPERATORS, decision_points
from civworld.errors import UnknownNameError
from civworld.events import Event

# a change of a suite needs a new version and a new line here
DEFINITIONS = {
    "tiny-v1": "45244217117844806e29f49bc96ad76f",
    "tiny-v2": "ed538e493f531fa3f96943121ade9cb0",
    "tiny-practice-v1": "0f0ae3c63964801800bf73108f629460",
    "tiny-practice-v2": "55a808f70c969bf03f008d029bb835da",
    "tiny-generalization-v1": "8f90b93ef752373455c07c123b0fea08",
    "tiny-generalization-v2": "29de226e65504f105b78f02470a0d394",
    "basic-v1": "42a46bcfc0586b84c5ee380fb16a7bf2",
    "basic-v2": "bc5a24e1523e182169c5a871da65c5f1",
    "generalization-v1": "5d6a3656fd0f3f6cfc77288c82b99f21",
    "generalization-v2": "8205ea015e52610de892a37088b40b51",
}


@pytest.mark.parametrize("version", BEHAVIOURS)
@pytest.mark.parametrize("name", corpus.SUITES)
def test_a_suite_is_the_same_every_time(name, version):
    suite = corpus.suite(name, version)
    assert suite == corpus.suite(suite.id) == corpus.Suite.from_dict(suite.to_dict())
    assert checksum(json_bytes(suite.to_dict())) == DEFINITIONS[suite.id]
    assert len({w.config.seed for w in suite.worlds}) == len(suite.worlds)
    assert suite.operators == (() if name in corpus.PRACTICE.values() else OPERATORS)
    assert set(OPERATORS) <= set(arms.OPERATORS)


def test_what_is_registered_later_changes_no_corpus(monkeypatch):
    @dataclass(frozen=True)
    class Later(civworld.WorldConfig):
        later: int | None = None

    registered = {**quantities.table(), "later": quantities.get("score")}
    monkeypatch.setattr(quantities, "table", lambda: registered)
    assert schema.tables.__wrapped__() == schema.tables()
    assert set(declared.AMOUNTS) < set(registered) and set(declared.KINDS) <= set(events.kinds())
    log = [Event(5, "window", kind) for kind in ("war_started", "later", "purchase")]
    assert schema.kept_events(log) == log[:1]
    assert Later(seed=7).to_dict() == civworld.WorldConfig(seed=7).to_dict()
    assert Later(seed=7, later=3).to_dict()["later"] == 3


def test_the_newest_version_is_made_unless_told_and_differs_in_behaviours_alone():
    for name in corpus.SUITES:
        first, newest = corpus.suite(name, 1), corpus.suite(name)
        assert newest.version == max(BEHAVIOURS) and {w.config.patches for w in newest.worlds} == {PATCHES}
        assert first.worlds == tuple(replace(w, config=replace(w.config, patches=BEHAVIOURS[1])) for w in newest.worlds)


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
    for unknown in (lambda: corpus.suite("tiny", 99), lambda: corpus.suite("tiny-v0")):
        with pytest.raises(civworld.ArgumentError, match="version"):
            unknown()
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


def test_the_large_suites_try_one_operator_a_point_in_every_order():
    for name in ("basic", "generalization"):
        suite = corpus.suite(name)
        arms_jobs = [job for spec in suite.worlds for job in plan(suite, spec)[1] if job.kind == "arms"]
        assert len(arms_jobs) == 4 * len(suite.worlds)
        assert all(set(job.candidates) == set(OPERATORS) for job in arms_jobs)
        first = Counter(job.candidates[0] for job in arms_jobs)
        assert set(first) == set(OPERATORS)
        assert max(first.values()) < 2 * min(first.values())
        assert suite.one_operator and not corpus.suite(name, 1).one_operator
        every = corpus.suite(name, operators="all")
        assert sum(job.kind == "arms" for job in plan(every, every.worlds[0])[1]) == 4 * 11
        assert corpus.Suite.from_dict(suite.to_dict()) == suite != every
    with pytest.raises(UnknownNameError, match="'some'"):
        corpus.suite("basic", operators="some")


def test_the_published_counts_of_the_two_large_suites():
    """Table 1 of arXiv 2610.16450: 475 worlds, 1,900 decision points, 7,104 arms at 1,776 eligible points."""
    both = [describe.planned(corpus.suite(name)) for name in ("basic", "generalization")]
    assert sum(found["worlds"] for found in both) == 475
    assert sum(found["decision_points"] for found in both) == 1900
    assert sum(found["arms_at_most"] for found in both) == 4 * 1900 >= 7104
    assert both[1]["ruleset"]["classic"] == 128
    assert both[1]["teams"]["teams"] == 60
    text = describe.to_markdown({"basic": both[0], "generalization": both[1]})
    assert "| decision points | 1,200 | 700 |" in text
    assert "| ruleset: classic | 0 | 128 |" in text
