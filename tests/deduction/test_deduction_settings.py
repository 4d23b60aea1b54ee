# SPDX-License-Identifier: GPL-2.0-or-later
"""The four settings: oracle and baselines, what prompts disclose, and references by independent replay."""

import contextlib
import json
import re

import pytest

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.deduction import (
    BASELINES,
    INFORMATION,
    KINDS,
    LOOKAHEAD,
    MODES,
    SEGMENTS,
    KernelTask,
    Oracle,
    ScriptedSolver,
    answer_text,
    changes,
    disclosed,
    load,
    mean,
    names,
    play,
    prompt,
)
from civworld.world_agent.deduction.agreement import spec_numbers
from civworld.world_agent.deduction.case import NUMBER_WORDS

CASES = names()
M2_KINDS = ("interval", "lookahead", "counterfactual")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("name", CASES)
def test_the_oracle_scores_one(name, information, mode):
    episode = play(KernelTask(load(name)), information, mode, Oracle())
    kinds = M2_KINDS if mode == "m2" else ("segment",)
    assert {kind: episode.f1(kind) for kind in kinds} == dict.fromkeys(kinds, 1.0)
    assert episode.fired_f1 == (1.0 if mode == "m1" else None) and not episode.reports
    assert len(episode.curve(kinds[0])) == load(name).segments and not any(episode.empty(kind) for kind in kinds)
    assert (episode.outcome is None) == (mode == "m1")


@pytest.mark.parametrize("baseline", ["nothing_changes", "repeat_last"])
def test_baselines_stay_below_one_half(baseline):
    for mode in MODES:
        episodes = [play(KernelTask(load(name)), "open", mode, BASELINES[baseline]()) for name in CASES]
        for kind in KINDS:
            scores = [episode.f1(kind) for episode in episodes if episode.f1(kind) is not None]
            assert not scores or mean(scores) < 0.5
        if mode == "m1" and baseline == "repeat_last":
            assert mean(episode.f1("segment") for episode in episodes) > 0


@pytest.mark.parametrize("name", CASES)
def test_naming_discloses_no_number_and_open_does(name):
    case = load(name)
    for mode in MODES:
        naming, opened = disclosed(case, "naming", mode), disclosed(case, "open", mode)
        assert not NUMBER_WORDS.search(naming), NUMBER_WORDS.search(naming)
        assert re.search(r"\d", opened)
        tail = [prompt(case, information, mode).split("STATE at time 0")[1] for information in INFORMATION]
        assert tail[0] == tail[1], "paired conditions must share initial state and protocol"
        for rule in case.spec["processes"]:
            assert rule["about"] in naming
    for rule in case.spec["processes"]:
        if spec_numbers(rule):
            assert json.dumps(rule, default=str, ensure_ascii=False) in disclosed(case, "open", "m1")
    for entry in case.menu.values():
        assert f'"name": "{entry["do"]}"' in disclosed(case, "open", "m2")


class Recorder(Oracle):
    """An oracle that keeps what it was asked and what it answered."""

    def __init__(self):
        self.asked = []

    def answer_knowing(self, query, refer):
        text = super().answer_knowing(query, refer)
        self.asked.append((query, json.loads(text)))
        return text


def replay(case, actions, units):
    """A world made anew and driven through actions by time, one unit after the other."""
    backend = case.backend()
    for time in range(units):
        if time in actions:
            with contextlib.suppress(RefusedError):
                backend.apply(actions[time])
        backend.advance(1)
    return backend.public_state()


@pytest.mark.parametrize("name", CASES)
def test_every_reference_equals_an_independent_replay(name):
    case, recorder = load(name), Recorder()
    play(KernelTask(case), "open", "m2", recorder)
    done, counterfactuals = {}, 0
    for query, answer in recorder.asked:
        if query.kind == "interval":
            before = replay(case, done, query.start)
            done[query.start] = answer["action"]
            truth = changes(before, replay(case, done, query.start + query.units))
        elif query.kind == "lookahead":
            steps = {query.start + n * case.interval: action for n, action in enumerate(answer["plan"])}
            assert query.units == LOOKAHEAD and len(steps) == LOOKAHEAD // case.interval
            truth = changes(replay(case, done, query.start), replay(case, {**done, **steps}, query.start + LOOKAHEAD))
        else:
            counterfactuals += 1
            found = re.search(r"At time (\d+) you chose (\w+)\. Had you chosen (\w+) instead", query.text)
            time, chosen, other = int(found[1]), found[2], found[3]
            assert done[time] == chosen != other and time + query.units == query.start
            truth = changes(replay(case, done, query.start), replay(case, {**done, time: other}, query.start))
        assert json.loads(answer_text(truth))["changes"] == answer["changes"], (query.kind, query.start)
    assert counterfactuals == 3


@pytest.mark.parametrize("name", CASES[:3])
def test_a_text_solver_gets_feedback_in_m2_and_none_in_m1(name):
    case = load(name)
    solver = ScriptedSolver(['{"changes": {}}'] * SEGMENTS)
    episode = play(KernelTask(case), "naming", "m1", solver)
    assert episode.f1("segment") == 0 and len(solver.asked) == SEGMENTS + 1
    assert all(re.fullmatch(r"Segment \d: from time \d+ to time \d+\.", text) for text in solver.asked[1:])
    action = next(iter(case.menu))
    solver = ScriptedSolver([json.dumps({"action": action, "changes": {}})] * 20)
    episode = play(KernelTask(case), "open", "m2", solver)
    assert sum("this changed: {" in text for text in solver.asked) >= SEGMENTS - 1
    assert [a.action for a in episode.answers if a.kind == "interval"] == [action] * SEGMENTS
    assert 0 <= episode.outcome <= 1 and 0 <= episode.upkeep <= 1
    with pytest.raises(ArgumentError, match="no reply left"):
        play(KernelTask(case), "open", "m2", ScriptedSolver([]))


def test_unknown_settings_are_refused():
    with pytest.raises(UnknownNameError):
        play(KernelTask(load("harbour")), "open", "m3", Oracle())
    with pytest.raises(UnknownNameError):
        play(KernelTask(load("harbour")), "secret", "m1", Oracle())
