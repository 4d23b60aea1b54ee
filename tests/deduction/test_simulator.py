# SPDX-License-Identifier: GPL-2.0-or-later
"""Code that runs the open rules predicts everything; without rules it has nothing; counterfactuals differ enough."""

import pytest

from civworld.world_agent.deduction import DIFFERENCE, KernelTask, Oracle, RuleSimulator, load, names, play


@pytest.mark.parametrize("name", names())
def test_a_simulator_of_the_open_rules_is_never_wrong(name):
    task = KernelTask(load(name))
    episode = play(task, "open", "m1", RuleSimulator())
    assert episode.f1("segment") == 1 and episode.fired_f1 == 1 and episode.reports == []
    naming = play(task, "naming", "m1", RuleSimulator())
    assert naming.f1("segment") == 0


@pytest.mark.parametrize("name", names())
def test_counterfactuals_are_asked_where_at_least_five_fields_differ(name):
    episode = play(KernelTask(load(name)), "open", "m2", Oracle())
    asked = [answer.tally for answer in episode.answers if answer.kind == "counterfactual"]
    assert all(tally.hits >= DIFFERENCE for tally in asked)
    assert len(asked) >= 2


def test_a_case_says_how_many_segments_it_has():
    case = load("examples/world_agent_cases/beehive.toml")
    task = KernelTask(case)
    assert f"{case.segments} successive segments" in task.prompt("open", "m1")
    assert len(play(task, "open", "m1", Oracle()).curve("segment")) == case.segments == 6
    assert len(play(task, "open", "m2", Oracle()).curve("interval")) == case.segments
