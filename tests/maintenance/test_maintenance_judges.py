# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges propose, programs decide: the model judge runs offline, and false bindings do not pass."""

import json
import re
from dataclasses import replace

import pytest

from civworld.errors import ArgumentError
from civworld.world_agent.maintenance import (
    Call,
    ModelJudge,
    RuleJudge,
    ScriptedModel,
    Step,
    Verdict,
    contract,
    do_nothing,
    judge_prompt,
    load,
    plan_of,
    run,
    score,
    solution,
)

CASE = load("lighthouse")


@pytest.fixture(scope="module")
def session():
    return run(CASE, "extreme", solution(CASE, "extreme"))


def verdicts(session):
    return [RuleJudge().judge(contract(CASE, b.round), b) for b in session.boundaries]


def as_text(verdict):
    data = {"events": verdict.events, "structures": verdict.structures, "violations": verdict.violations}
    return "Here is my answer:\n```json\n" + json.dumps(data) + "\n```"


class Fixed:
    """A judge that gives prepared verdicts."""

    def __init__(self, answers):
        self.answers = iter(answers)

    def judge(self, asked, boundary):
        return next(self.answers)


def test_the_model_judge_runs_offline_and_agrees_with_the_rule_judge(session):
    model = ScriptedModel([as_text(verdict) for verdict in verdicts(session)])
    result = score(session, ModelJudge(model))
    assert result == score(session, RuleJudge()) and result.completion == 1
    assert len(model.prompts) == CASE.rounds and "CONTRACT" in model.prompts[0]
    with pytest.raises(ArgumentError, match="no reply left"):
        model.generate("once more")


def test_the_prompt_shows_the_contract_but_not_the_relations_or_the_reference(session):
    prompt = judge_prompt(contract(CASE, 1), session.boundaries[0])
    assert "finn shows the flag" in prompt and "via" not in prompt.split("RECORDS")[0]


REPLIES = [
    "",
    "no json here",
    "{",
    "[]",
    '{"events": 3}',
    '{"events": {"flag": "x"}}',
    '{"structures": {"a": 1}}',
    "{" * 5000,
]


@pytest.mark.parametrize("reply", REPLIES, ids=lambda text: text[:20])
def test_unreadable_answers_bind_nothing_and_are_reported(session, reply):
    result = score(session, ModelJudge(ScriptedModel([reply] * CASE.rounds)))
    assert result.share(("E",)) == 0 and result.rejected


def rebind(session, event, indexes):
    answers = verdicts(session)
    number = CASE.event(event).round - 1
    answers[number] = replace(answers[number], events={**answers[number].events, event: indexes})
    return score(session, Fixed(answers))


def record(session, rule, kind="capability", number=0):
    return [r.index for r in session.boundaries[-1].checkpoint.records if r.rule == rule and r.kind == kind][number]


def test_invalid_bindings_are_rejected_whatever_the_judge_says(session):
    false = {
        "of another round": [record(session, "hoist")],
        "a completion, not a trigger": [record(session, "pump_oil", "done")],
        "a definition": [record(session, "pump_oil", "define_capability")],
        "another event's effects": [record(session, "show_flag")],
        "no such record": [10_000],
        "negative": [-1],
        "one true, one of another round": [record(session, "pump_oil"), record(session, "hoist")],
    }
    for what, indexes in false.items():
        result = rebind(session, "pump", indexes)
        assert "E pump" in result.lost() and any("pump" in line for line in result.rejected), what
    assert "E pump" not in rebind(session, "pump", [record(session, "pump_oil")]).lost()


def test_one_record_cannot_realize_two_events():
    case = load("border_court")
    session = run(case, "easy", solution(case, "easy"))
    answers = [RuleJudge().judge(contract(case, b.round), b) for b in session.boundaries]
    answers[3] = replace(answers[3], events={**answers[3].events, "sign_adela": answers[3].events["sign_corvin"]})
    assert "E sign_adela" in score(session, Fixed(answers)).lost()


def test_a_matching_final_state_alone_is_not_enough():
    """Setting the fields from outside instead of acting leaves every event unestablished."""
    steps = []
    for step in plan_of(CASE):
        event = CASE.event(step.event)
        pattern = event.done[0]
        if step.event == "light":
            steps.append(
                Step(
                    step.round,
                    step.at,
                    Call("alter_entity", {"entity": pattern.role, "fields": {"lit": True}}),
                )
            )
        else:
            steps.append(step)
    session = run(CASE, "easy", solution(CASE, "easy", steps))
    result = score(session, RuleJudge())
    assert session.requests[-1].ok and "E light" in result.lost()
    altered = next(r.index for r in session.world.events() if r.kind == "alter")
    answers = [RuleJudge().judge(contract(CASE, b.round), b) for b in session.boundaries]
    answers[2] = replace(answers[2], events={**answers[2].events, "light": [altered]})
    assert "E light" in score(session, Fixed(answers)).lost()


def test_structures_must_exist_and_be_used_and_false_violations_are_rejected(session):
    answers = verdicts(session)
    answers[0] = replace(
        answers[0],
        structures={**answers[0].structures, "capability:pump_oil": "magic", "entity:una": "rowan_2"},
        violations={"loose_hoist": [1]},
    )
    answers[1] = replace(answers[1], violations={"loose_hoist": [record(session, "steer")]})
    result = score(session, Fixed(answers))
    lost = {item for item in result.lost() if item.startswith(("A", "P"))}
    assert lost == {"A capability:pump_oil", "A entity:una"}
    assert sum("loose_hoist" in line for line in result.rejected) == 1


def test_an_empty_verdict_loses_everything_that_needs_a_binding():
    session = run(CASE, "hard", do_nothing(CASE))
    result = score(session, Fixed([Verdict()] * CASE.rounds))
    assert result.count(("E", "A"))[0] == 0 and result.relation == 0


KEYS = {
    "name",
    "fields",
    "entity",
    "type",
    "capability",
    "actor",
    "args",
    "params",
    "about",
    "do",
    "after",
    "then",
}


def renamed(case):
    """The reference at the extreme tier with every entity, type, field and capability called otherwise."""
    words = {
        *case.whats,
        *case.structures["types"],
        *(spec["name"] for spec in case.structures["capabilities"]),
    }
    words |= {field for fields in case.structures["types"].values() for field in fields}
    form = re.compile(r"(?<![\w'])(" + "|".join(sorted(words, key=len, reverse=True)) + r")(?![\w'])")

    def change(value, inside=""):
        if isinstance(value, dict):
            kept = KEYS if inside in ("", "capability") else set()
            return {k if k in kept else form.sub(r"my_\1", k): change(v, k) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [change(one, inside) for one in value]
        return form.sub(r"my_\1", value) if isinstance(value, str) and inside != "about" else value

    agent = solution(case, "extreme")
    agent.rounds = [[Call(call.tool, change(dict(call.args))) for call in calls] for calls in agent.rounds]
    return agent


@pytest.mark.parametrize("name", ["mill_village", "scriptorium", "rail_yard"])
def test_a_world_with_other_names_is_judged_by_what_it_does(name):
    case = load(name)
    plain = run(case, "extreme", solution(case, "extreme"))
    own = run(case, "extreme", renamed(case))
    assert all(request.ok for request in own.requests), [r.reason for r in own.requests if not r.ok][:3]
    assert not set(own.world.entities()) & set(plain.world.entities())
    answers = [RuleJudge().judge(contract(case, b.round), b) for b in plain.boundaries]
    answers = [replace(a, structures={key: f"my_{value}" for key, value in a.structures.items()}) for a in answers]
    result = score(own, Fixed(answers))
    assert result.completion == 1 and result.relation == 1, result.to_data()["failed"]
