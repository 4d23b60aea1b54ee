# SPDX-License-Identifier: GPL-2.0-or-later
"""The built-in AI carries out a plan where it speaks and chooses for itself elsewhere; violations are told."""

import pytest

import civworld
from civworld.plan import Plan, Violation
from helpers import SMALL, played

P = 1


def guards(view, city):
    units = view.units[(view.units["tile"] == city["tile"]) & (view.units["owner"] == city["owner"])]
    kinds = view.rules.unit_types
    strong = set(kinds["id"][kinds["defense"] > 0].tolist())
    return sum(1 for u in units if u["military"] and int(u["type"]) in strong)


def with_plan(turns, **words):
    world = played(SMALL, 61).fork()
    return world.set_plan(P, Plan(turns=turns, **words)).advance(turns)


def test_a_plan_sets_rates_goal_and_government():
    with with_plan(8, rates=(20, 20, 60), research_goal="Sanitation", government="Despotism") as world:
        row = world.state().player(P)
        assert (row["tax"], row["luxury"], row["science"]) == (20, 20, 60)
        assert row["tech_goal"] == b"Sanitation"
        assert row["government"] == b"Despotism"
        assert {v.topic for v in world.violations(P)} <= {"government"}


def test_rates_that_the_government_forbids_come_as_near_as_they_can_and_are_told():
    with with_plan(2, rates=(100, 0, 0)) as world:
        row = world.state().player(P)
        assert 60 <= row["tax"] < 100
        assert Violation(world.turn, "tax", -1, 100, int(row["tax"])) in world.violations(P)


def test_cities_build_what_is_planned_until_there_is_enough():
    with played(SMALL, 61).fork() as world:
        before = world.state()
        count = int((before.units["type_name"] == b"Workers")[before.units["owner"] == P].sum())
        world.set_plan(P, Plan(turns=25, production=(("Workers", count + 3),))).advance(25)
        after = world.state()
        assert int((after.units["type_name"] == b"Workers")[after.units["owner"] == P].sum()) >= count + 3


def test_only_planned_purchases_are_made():
    with played(SMALL, 61).fork() as world:
        gold = int(world.state().player(P)["gold"])
        left = {}
        for purchases in ((), ("Warriors",)):
            with world.fork() as arm:
                plan = Plan(turns=1, production=(("Warriors", 99),), purchases=purchases, reserve=gold // 2)
                left[purchases] = int(arm.set_plan(P, plan).advance(1).state().player(P)["gold"])
        assert gold // 2 <= left["Warriors",] < left[()]


def test_garrisons_fill_and_stay():
    with with_plan(30, garrison=2) as world:
        view = world.state()
        old = [c for c in view.cities if c["owner"] == P and c["turn_founded"] < 61]
        assert sum(guards(view, c) >= 2 for c in old) > len(old) / 2
        short = {int(c["id"]) for c in view.cities if c["owner"] == P and guards(view, c) < 2}
        told = {v.subject for v in world.violations(P) if v.turn == world.turn and v.topic == "garrison"}
        assert told == short


def test_war_is_declared_and_peace_is_kept():
    with played(SMALL, 61).fork() as world:
        met = [int(d["other"]) for d in world.state().diplomacy if d["player"] == P and d["state"] != b"Never met"]
        world.set_plan(P, Plan(turns=10, stance={met[0]: "war"})).advance(1)
        assert world.state().between(P, met[0])["state"] == b"War"
        world.advance(8)
        assert world.state().between(P, met[0])["state"] == b"War"


def test_a_stance_towards_strangers_is_told_as_unmet():
    with played(SMALL, 61).fork() as world:
        stranger = next(
            int(d["other"]) for d in world.state().diplomacy if d["player"] == P and d["state"] == b"Never met"
        )
        world.set_plan(P, Plan(turns=2, stance=((stranger, "war"),))).advance(1)
        assert Violation(world.turn, "stance", stranger, "war", "Never met") in world.violations(P)


def test_an_empty_plan_changes_nothing():
    with played(SMALL, 61).fork() as planned, played(SMALL, 61).fork() as free:
        planned.set_plan(P, Plan(turns=5)).advance(6)
        assert planned.digest() == free.advance(6).digest()
        assert planned.violations(P) == ()


def test_forks_and_recipes_carry_plans():
    plan = Plan(turns=9, rates=(60, 0, 40), production=(("Library", 5),), stance={0: "peace"}, purchases=())
    with civworld.World(SMALL) as world:
        world.advance(20).set_plan(P, plan).advance(3)
        with world.fork() as fork:
            assert fork.plan(P) == Plan(**{**plan.to_dict(), "turns": 6})
            assert fork.advance(4).digest() == world.advance(4).digest()
        world.set_plan(P, None)
        assert world.plan(P) is None
        world.advance(1)
        assert civworld.replay(civworld.recipe(world)).digest() == world.digest()


def test_a_plan_ends():
    with with_plan(3, rates=(60, 0, 40)) as world:
        assert world.plan(P) is None
        assert all(v.turn <= world.turn for v in world.violations(P))
        told = len(world.violations(P))
        world.advance(2)
        assert len(world.violations(P)) == told


@pytest.mark.parametrize(
    "words",
    [
        {"turns": 0},
        {"rates": (50, 50, 50)},
        {"rates": (50, 50)},
        {"rates": 3},
        {"stance": {1: "love"}},
        {"stance": {"Zulu": "war"}},
        {"production": (("Warriors", 0),)},
        {"production": ("Warriors",)},
        {"production": (("Warriors", 1),) * 17},
        {"purchases": "Warriors"},
        {"garrison": -1},
        {"reserve": 1.5},
        {"research_goal": 7},
    ],
)
def test_senseless_plans_cannot_be_made(words):
    with pytest.raises(civworld.ArgumentError):
        Plan(**words)


@pytest.mark.parametrize(
    ("player", "plan", "error"),
    [
        (99, Plan(), civworld.ArgumentError),
        (P, "win", civworld.ArgumentError),
        (P, Plan(government="Technocracy"), civworld.UnknownNameError),
        (P, Plan(production=(("Tricycle", 1),)), civworld.UnknownNameError),
        (P, Plan(stance={40: "war"}), civworld.UnknownNameError),
        (P, None, civworld.CommandRefused),
    ],
)
def test_plans_that_do_not_fit_the_world_are_refused(player, plan, error):
    with played(SMALL, 61).fork() as world:
        before = world.digest()
        with pytest.raises(error):
            world.set_plan(player, plan)
        assert world.digest() == before


def test_a_player_that_waits_for_orders_has_no_plan():
    with played(SMALL, 61).fork() as world:
        world.take_over(P)
        with pytest.raises(civworld.CommandRefused, match="not run by the built-in AI"):
            world.set_plan(P, Plan())
