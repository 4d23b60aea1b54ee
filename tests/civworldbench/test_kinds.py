# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of kinds and metrics: every row does what it says, and the rows agree with each other."""

import json

import numpy as np
import pytest

from adding import forgotten
from civworld.civworldbench import scoring
from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking.kinds import KINDS, Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.reading import Failed
from civworld.civworldbench.evaluating.metrics import ALL, CEILINGS, METRICS
from civworld.errors import ArgumentError

OPTIONS = {
    "quantiles": (),
    "probability": (),
    "distribution": ("a", "b"),
    "ranking": ("a", "b", "c"),
    "class": ("x", "y"),
}
TARGETS = {
    "quantiles": Target(5.0, 3.0),
    "probability": Target(1.0, 0.25),
    "distribution": Target("b", "a"),
    "ranking": Target((1.0, 3.0, 2.0)),
    "class": Target("y"),
}
MEMBERS = {"quantiles": [1.0, 2.0, 6.0], "probability": [1.0, 0.0, 0.0], "distribution": ["a", "b", "b"]}


def test_every_kind_has_its_sample():
    assert OPTIONS.keys() == TARGETS.keys() == KINDS.keys(), forgotten("A kind of cell")


@pytest.mark.parametrize("name", KINDS)
def test_what_references_and_oracle_say_is_a_readable_answer(name):
    kind, options, target = KINDS[name], OPTIONS[name], TARGETS[name]
    for given in (kind.floor(options, target, np.random.default_rng(1)), kind.truth(options, target)):
        assert not isinstance(kind.read(options, json.loads(json.dumps(given))), Failed), given
    assert isinstance(kind.read(options, None), Failed)
    assert kind.schema(options)["type"] in ("array", "number", "object", "string")
    assert kind.form(options)
    cell = Cell("c", name, options)
    query = Query("q", "t-v1", "w", 1, "omni-id", "?", (cell,))
    assert parse(query, json.dumps({"answers": {"c": kind.truth(options, target)}})).failures == {}


@pytest.mark.parametrize("name", KINDS)
def test_folds_leave_out_the_future_that_they_are_scored_on(name):
    kind, options = KINDS[name], OPTIONS[name]
    if name not in MEMBERS:
        with pytest.raises(ArgumentError, match="about now"):
            kind.folds(options, [1, 2])
        return
    members = MEMBERS[name]
    for k, forecast in enumerate(kind.folds(options, members)):
        assert forecast == kind.pooled(options, members[:k] + members[k + 1 :])


def test_the_rankings_of_an_oracle_are_strongest_first():
    assert KINDS["ranking"].truth(("a", "b", "c"), TARGETS["ranking"]) == ["b", "c", "a"]


def test_metrics_of_the_index_are_those_of_its_levels():
    assert tuple(name for level in scoring.LEVELS.values() for name in level) == METRICS
    assert all(metric.ceiling in CEILINGS and metric.doc for metric in ALL.values())
