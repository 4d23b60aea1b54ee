# SPDX-License-Identifier: GPL-2.0-or-later
"""What is scored is what was told: nothing unsaid counts, other models of the same world count, gaming does not."""

from dataclasses import replace
from pathlib import Path

import pytest
from gaming import STRATEGIES
from remodel import STYLES, remodelled

from civworld.errors import ArgumentError
from civworld.world_agent import maintenance
from civworld.world_agent.maintenance import TIERS, RuleJudge, filling, load, names, read, run, score, told, untold

CASES = names()
FAST, FULL = 3, 100
GAIN = 0.02


@pytest.mark.parametrize("name", CASES)
def test_every_demanded_value_has_its_words_in_the_text(name):
    case = load(name)
    assert untold(case) == []
    known = list(told(case))
    assert {one.what for one in known} == {"actor", "entity", "value", "time", "at the same time", "order"}
    assert len(known) > 50


RETOLD = {
    "a number": ("two loaves each", "some loaves each", "feed_ada: value ada.fed + 2"),
    "an actor": ("bo loads six", "somebody loads six", "load: actor bo"),
    "an entity": ("cyn opens the sluice of the mill", "cyn does it", "sluice: entity mill"),
    "a time": ("Within two hours after she is done bo", "Then bo", "TM reap load 0..2"),
    "what happens meanwhile": ("While ada is reaping, cyn", "Then cyn", "CC reap sluice"),
}


@pytest.mark.parametrize("what", RETOLD)
def test_what_the_text_does_not_tell_is_found(what):
    old, new, finding = RETOLD[what]
    case = load("mill_village")
    narrative = tuple(" ".join(text.split()) for text in case.narrative)
    assert old in " ".join(narrative)
    retold = replace(
        case,
        narrative=tuple(text.replace(old, new) for text in narrative),
        events=tuple(replace(event, says=event.says.replace(old, new)) for event in case.events),
    )
    assert any(finding in line for line in untold(retold)), untold(retold)


def text_of(name):
    return (Path(maintenance.__file__).parent / "cases" / f"{name}.toml").read_text("utf-8")


def check_fillings(name, seeds):
    case = load(name)
    for tier in TIERS:
        for seed in seeds:
            result = score(run(case, tier, filling(case, tier, seed)), RuleJudge())
            assert (result.completion, result.relation) == (1, 1), f"{tier} seed {seed}: {result.to_data()['failed']}"


@pytest.mark.parametrize("name", CASES)
def test_doing_what_is_told_and_drawing_the_rest_scores_one(name):
    check_fillings(name, range(FAST))


def test_fillings_differ_in_actors_times_and_arguments():
    case = load("orbital_habitat")
    agents = [filling(case, "easy", seed) for seed in range(6)]
    triggers = [[c.args for calls in a.rounds for c in calls if c.tool == "trigger"] for a in agents]
    assert len({str(one) for one in triggers}) == len(agents)
    amounts = {one["args"]["n"] for several in triggers for one in several if one["capability"] == "run_machine"}
    actors = {one["actor"] for several in triggers for one in several if one["capability"] == "unload"}
    assert len(amounts) > 2 and len(actors) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_hundred_fillings_score_one(name):
    check_fillings(name, range(FULL))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CASES)
def test_other_models_of_the_same_world_score_as_well(name, style):
    case = load(name)
    session = run(case, "extreme", remodelled(case, STYLES[style]))
    assert all(request.ok for request in session.requests), [r.reason for r in session.requests if not r.ok][:2]
    result = score(session, RuleJudge())
    assert result.completion >= 0.95 and result.relation >= 0.95, result.to_data()["failed"]


@pytest.mark.parametrize("tier", ["hard", "extreme"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_gaming_gains_nothing(strategy, tier):
    make, base = STRATEGIES[strategy]
    gains = {"completion": 0.0, "relation": 0.0, "A": 0.0, "P": 0.0, "E": 0.0, "CA": 0.0}
    for name in CASES:
        case = load(name)
        mine, other = (score(run(case, tier, one(case, tier)), RuleJudge()) for one in (make, base))
        for part in gains:
            pair = [getattr(r, part) if len(part) > 2 else r.share((part,)) or 0.0 for r in (mine, other)]
            gains[part] += (pair[0] - pair[1]) / len(CASES)
    assert max(gains.values()) <= GAIN, gains


REFUSED = {
    "a role that nobody bears": ('never = "bakehouse.fire = true"', 'never = "bakery.fire = true"', "bakery"),
    "a field that is none": ('never = "bakehouse.fire = true"', 'never = "bakehouse.fir = true"', "fir"),
    "a state that rises": ('while = ["mill.sluice = false"]', 'while = ["mill.sluice +"]', "only ="),
    "a scope beyond the rounds": ("until = 4\nnever", "until = 9\nnever", "until 9"),
    "an unknown key": ("lasts = 3", "lats = 3", "lats"),
    "no conditions": ('done = ["mill.sluice = true"]', "done = []", "done"),
    "a path that the cause does not bring about": ("via longfield.grain", "via longfield.gold", "longfield.gold"),
    "a circle of needs": ('says = "ada begins', 'needs = ["grind"], says = "ada begins', "later round|circle"),
    "words that are not in the text": ('says = "ada begins', 'says = "adam begins', "does not say"),
    "an actor who cannot": ('do = "reap", by = "ada"', 'do = "reap", by = "bess"', "bess is no person"),
    "an unknown event": ("CC reap sluice", "CC reap sluices", "sluices"),
    "a missing key": ('genre = "village economy"\n', "", "genre is missing"),
    "a link of two": ('["field", "ford", 2]', '["field", "ford"]', "links"),
    "an empty range": ("TM reap load 0..2", "TM reap load 2..0", "empty"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_case_that_contradicts_itself_is_refused_by_name(what):
    old, new, message = REFUSED[what]
    text = text_of("mill_village")
    assert old in text
    with pytest.raises(ArgumentError, match=message) as refused:
        read("mill_village", text.replace(old, new, 1))
    assert "mill_village" in str(refused.value)
