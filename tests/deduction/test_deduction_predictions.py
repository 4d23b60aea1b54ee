# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading and scoring predictions: worked numbers, rejected fields, and 10,000 fuzzed answers."""

import json
import random
from decimal import Decimal

import pytest

from civworld.world_agent.deduction import Tally, compare, load, parse, play, total
from civworld.world_agent.deduction.predictions import Prediction
from civworld.world_agent.deduction.scoring import equal
from civworld.world_agent.deduction.solvers import ScriptedSolver
from civworld.world_agent.deduction.tasks import KernelTask

WORLD = load("fishery").backend()


def read(text):
    return parse(text, WORLD.kind_of, WORLD.actions(), ["haul", "sale"])


def test_worked_numbers():
    prediction = Prediction({"a.x": 1, "a.y": 2, "a.z": 3})
    tally = compare(prediction, {"a.x": 1, "a.y": 2, "b.x": 5})
    assert tally == Tally(hits=2, false=1, missed=1) and round(tally.f1, 3) == 0.667
    assert compare(Prediction({}), {}).empty and compare(Prediction({}), {}).f1 == 1
    assert compare(Prediction({}), {"a.x": 1}).f1 == 0 and compare(prediction, {}).f1 == 0
    assert total([Tally(2, 1, 1), Tally(0, 0, 4)]).f1 == pytest.approx(4 / 10)


def test_values_are_compared_by_kind():
    assert equal(Decimal("2.0"), 2) and equal("2.50", Decimal("2.5")) and equal(2, Decimal("2.0"))
    assert not equal(True, 1) and not equal(1, True) and not equal("2", 2) and equal(None, None)


def test_a_good_answer():
    prediction = read('{"changes": {"bay.fish": 51.5, "market.price": "2.75", "sea.rough": true}, "fired": ["haul"]}')
    assert prediction.changes == {"bay.fish": Decimal("51.5"), "market.price": "2.75", "sea.rough": True}
    assert prediction.fired == {"haul"} and not prediction.rejected and not prediction.reports
    assert read('```json\n{"action": "salt_fish"}\n```').action == "salt_fish"


BAD = {
    "unknown path": '{"changes": {"bay.gold": 1}}',
    "unknown entity": '{"changes": {"lake.fish": 1}}',
    "repeated path": '{"changes": {"bay.fish": 1, "bay.fish": 1}}',
    "text for a number": '{"changes": {"bay.seals": "three"}}',
    "number for a bool": '{"changes": {"sea.rough": 1}}',
    "bool for a number": '{"changes": {"bay.seals": true}}',
    "null for a number": '{"changes": {"bay.seals": null}}',
    "a list": '{"changes": {"bay.seals": [1]}}',
    "an object": '{"changes": {"bay.seals": {"x": 1}}}',
}


@pytest.mark.parametrize("what", BAD)
def test_bad_fields_count_as_false_and_are_reported(what):
    prediction = read(BAD[what])
    assert prediction.rejected == 1 and len(prediction.reports) == 1
    tally = compare(prediction, {"bay.fish": 1})
    assert tally.false == 1 and tally.missed + tally.hits == 1


UNREADABLE = [
    "",
    "no",
    "[1]",
    "3",
    '"x"',
    "{",
    '{"changes": 3}',
    '{"x": NaN}',
    "{'a': 1}",
    "[" * 100_000,
    None,
    3,
    '{"a":' * 99_999,
    "9" * 5_000,
    "x" * 300_000,
    '{"changes": {}} and more',
]


@pytest.mark.parametrize("text", UNREADABLE, ids=lambda text: str(text)[:20])
def test_unreadable_answers_predict_nothing_and_are_reported(text):
    prediction = read(text)
    assert not prediction.changes and prediction.reports and prediction.action == "wait"


def test_unknown_actions_and_rules_are_reported():
    plan = '"plan": ["wait", "fly", 3], "fired": ["haul", "nothing", 3]'
    prediction = read('{"action": "fly", ' + plan + ', "more": 1, "action": "wait"}')
    assert prediction.action == "wait" and prediction.plan == ("wait", "wait", "wait")
    assert len(prediction.reports) == 7


def junk(rng, depth=0):
    simple = [
        None,
        True,
        False,
        0,
        -1,
        10**25,
        2.5,
        1e300,
        "",
        "x",
        "2.50",
        "wait",
        "salt_fish",
        "bay",
        "bank.fish",
        "é",
    ]
    if depth > 3 or rng.random() < 0.6:
        return rng.choice(simple)
    if rng.random() < 0.4:
        return [junk(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(["changes", "fired", "action", "plan", "x", "bay.fish"]): junk(rng, depth + 1) for _ in range(3)}


def fuzzed(rng, paths):
    fields = {rng.choice(paths) + rng.choice(["", "", "", "x", ".0"]): junk(rng) for _ in range(rng.randrange(6))}
    answer = {"changes": fields, "action": junk(rng), "plan": junk(rng), "fired": junk(rng)}
    for key in list(answer):
        if rng.random() < 0.2:
            answer[key] = junk(rng)
    text = json.dumps(answer)
    if rng.random() < 0.3:
        place = rng.randrange(len(text))
        text = (
            text[:place] + rng.choice(['"', "{", "}", ",", "\\", "\u0000", "é", ""]) + text[place + rng.randrange(3) :]
        )
    return text


def test_ten_thousand_fuzzed_answers():
    rng, before = random.Random(11), WORLD.world.digest()
    paths = list(WORLD.public_state())
    truth = dict(list(WORLD.public_state().items())[:5])
    read_well = 0
    for number in range(10_000):
        text = fuzzed(rng, paths)
        prediction = read(text)
        tally = compare(prediction, truth)
        assert 0 <= tally.f1 <= 1 and tally.hits + tally.missed == len(truth), (number, text)
        assert tally.hits + tally.false == len(prediction.changes) + prediction.rejected
        read_well += bool(prediction.changes)
    assert WORLD.world.digest() == before and read_well > 1_000


def test_an_episode_of_fuzzed_answers_scores_and_reports():
    rng, case = random.Random(12), load("railway")
    paths = list(case.backend().public_state())
    solver = ScriptedSolver(fuzzed(rng, paths) for _ in range(40))
    episode = play(KernelTask(case), "open", "m2", solver)
    assert episode.f1("interval") < 0.2 and episode.reports
