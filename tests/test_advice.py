# SPDX-License-Identifier: GPL-2.0-or-later
"""What positions are worth, players that plan, and advisers that fork."""

import json
import random

import numpy as np
import pytest

import civworld
from civworld.advice import adviser, playing, policies, reading, rollouts
from helpers import played

TINY = civworld.WorldConfig(seed=5, players=3, map_size=1)


def start():
    return played(TINY, 21)


def test_a_value_is_the_mean_of_its_rollouts_and_leaves_the_position_alone():
    before = start().digest
    found = civworld.value(start(), 0, turns=3, seeds=(4, 9), budget=100)
    ends = []
    for seed in (4, 9):
        with start().fork() as world:
            world.reseed(seed)
            rows = world.advance(3).state().players
            rows = rows[rows["is_alive"] & ~rows["is_barbarian"]]
            ends.append(rows["score"][0] / rows["score"].sum())
    assert found.share == pytest.approx(np.mean(ends))
    assert found.share_error == pytest.approx(abs(ends[0] - ends[1]) / 2)
    assert found.rollouts == 2 and 0 <= found.lead <= 1 and 0 < found.lead_error < 1
    assert start().fork().digest() == before


def test_a_budget_leaves_seeds_out_and_one_that_is_too_small_is_refused():
    assert civworld.value(start(), 0, turns=2, seeds=9, budget=5).rollouts == 2
    with pytest.raises(civworld.ArgumentError, match="one rollout plays 2 turns"):
        civworld.value(start(), 0, turns=2, seeds=9, budget=1)
    with pytest.raises(civworld.ArgumentError):
        civworld.value(start(), 77)


def test_a_decision_loses_nothing_against_itself():
    (told,) = civworld.advice.judge([(start(), None)], 0, turns=2, seeds=2)
    assert (told.loss, told.best, told.turn) == (0.0, None, 21)


@pytest.mark.parametrize("name", policies.POLICIES)
def test_plans_of_every_policy_stand_and_survive_as_text(name):
    with start().fork() as world:
        for seed in range(20):
            plan = policies.policy(name)(world.view(0), np.random.default_rng(seed), 5)
            assert reading.read_plan(reading.plan_text(plan)) == plan
            assert reading.adopt(world, 0, reading.plan_text(plan)) is None


def texts(n):
    """Texts near plans: fields, values and characters exchanged."""
    draw = random.Random(8)
    names = [*civworld.Plan.__dataclass_fields__, "gold", ""]
    values = [None, 0, 1, -1, 16, 2**70, 1e400, 0.5, True, "", "Temple", "war", "x" * 50, [], {}, [[]], [1, 2, 3],
              [40, 0, 60], [["Temple", 2]], [[1, "war"]], [["Temple"]], [[99, "peace"]], {"1": "war"}, [None],
              ["Temple", 1], [["Nobody", 1]], "\ud800", "\0"]  # fmt: skip
    for _ in range(n):
        text = json.dumps({draw.choice(names): draw.choice(values) for _ in range(draw.randint(0, 4))})
        for _ in range(draw.choice((0, 0, 0, 1, 5))):
            at = draw.randrange(len(text) + 1)
            text = text[:at] + draw.choice('{}[]",:0a\\\n`') + text[at + draw.randint(0, 3) :]
        yield draw.choice(("", "", "```json\n")) + text if draw.random() < 0.98 else "[" * draw.randint(1, 30_000)


def storm(n):
    stood = refused = 0
    with start().fork() as world:
        for text in texts(n):
            before = world.digest() if refused % 50 == 0 else None
            told = reading.adopt(world, 1, text)
            if told is None:
                stood += 1
                continue
            refused += 1
            assert told
            assert before is None or world.digest() == before, text
    return stood, refused


def test_plan_texts_are_read_or_refused_never_an_exception():
    assert min(storm(300)) > 10


@pytest.mark.slow
def test_ten_thousand_plan_texts():
    assert min(storm(10_000)) > 100


def test_refusals_are_told_back_and_the_game_goes_on():
    seen = []

    def stubborn(seat):
        seen.append(list(seat.refusals))
        return "[]" if len(seat.refusals) < 2 else '{"garrison": 1}'

    with start().fork() as world:
        told = playing.play_game(world, 0, stubborn, turns=4, every=2)
    assert [c.turn for c in told] == [21, 23]
    assert [len(s) for s in seen] == [0, 1, 2] * 2
    assert all("JSON object" in r for c in told for r in c.refusals)
    assert json.loads(told[0].plan)["garrison"] == 1


def test_an_adviser_compares_plans_under_equal_luck():
    found = adviser.advise(start(), 0, turns=3, budget=8)
    assert (len(found.tried), found.rollouts, found.tried[0].gain) == (4, 8, 0.0)
    assert found.best.gain == max(t.gain for t in found.tried)
    assert found == adviser.advise(start(), 0, turns=3, budget=8)
    assert [adviser.spread(n) for n in (1, 4, 256)] == [(1, 1), (2, 2), (22, 11)]


def test_a_forking_player_plays_a_game():
    with start().fork() as world:
        actor = playing.last_line(playing.forking(budget=4, turns=2, knowledge="hidden-redrawn"))
        told = playing.play_game(world, 0, actor, turns=4, every=2)
        assert world.turn == 25
    assert len(told) == 2 and not any(c.refusals for c in told)


def test_what_a_player_knows_is_not_redrawn():
    with start().fork() as world:
        known = world.view(0)
        before = world.state()
        rollouts.redraw(world, 0, 3)
        after = world.state()
        assert world.view(0).players.tobytes() == known.players.tobytes()
        assert world.digest() != start().digest
        assert before.player(0)["gold"] == after.player(0)["gold"]
        assert before.cities.tobytes() == after.cities.tobytes()
