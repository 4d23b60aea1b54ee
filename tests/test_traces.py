# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing moves a treasury, culture or score without a trace: an event says what did, or a rule of the game."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

import civworld
from civworld import commands, edits, events
from civworld.events import Event
from civworld.report.narrative import narrative
from civworld.state import StateView
from helpers import SMALL, played
from order_storm import lua

# what disorder, celebration and the AI's work on its cities may add to or take from the income that was expected
GOLD_STEP = 20
# culture and score that a turn may add beyond what the turn before did
CULTURE_STEP, SCORE_STEP = 25, 10
# events after which the culture of a civilization may be another: cities change hands, or what gives culture does
CULTURAL = ("city_captured", "city_transferred", "city_destroyed", "civil_war", "wonder_built", "wonder_lost",
            "government_changed", "government_restored", "revolution_started")  # fmt: skip
# events after which a score no longer fits its civilization: it is told at the end of a turn, AIs attack after that
TAKEN = ("city_captured", "city_transferred", "city_destroyed", "civil_war")


def moved(log: list[Event], player: int) -> int:
    """Gold that events brought to a player."""
    gold = 0
    for e in log:
        if e.kind == "purchase":
            gold -= e.number * (e.player == player)
        elif e.kind == "gold_moved":
            gold += e.number * ((e.player == player) - (e.other == player))
        elif e.kind == "treaty" and e.cause == "Gold":
            gold += e.number * ((e.other == player) - (e.player == player))
    return gold


def rewards(view: StateView, log: list[Event], player: int) -> int:
    """Culture that achievements of a turn gave to a player."""
    worth = dict(zip(view.achievements["id"].tolist(), view.achievements["culture"].tolist(), strict=True))
    return sum(worth[e.number] for e in events.select(log, "achievement") if e.player == player)


def points(view: StateView, player: int) -> int:
    """The civilization score by the engine's rule (server/score.c), from what the state shows; ships aside."""
    p = view.player(player)
    return int(p["citizens"] + 2 * p["techs"] + 5 * p["wonders"] + p["units_built"] // 10 + p["units_killed"] // 3
               + p["culture"] // 50 + 5 * p["future_tech"])  # fmt: skip


def coinage(view: StateView, player: int) -> tuple[int, int]:
    """What the expected income counts for cities that make coins: shields that gathered, which an event tells when they
    become gold, and those of this turn. A city may turn to something else at the end of the turn."""
    mine = view.cities[(view.cities["owner"] == player) & (view.cities["production"] == b"Coinage")]
    return int(mine["shield_stock"].sum()), int(mine["shields"].clip(min=0).sum())


def expected(view: StateView, player: int) -> tuple[int, int]:
    """The income of a player without what events tell: with no city that makes coins in the end, and with all."""
    income = int(view.player(player)["expected_income"])
    gathered, shields = coinage(view, player)
    return income - gathered - shields, income - gathered


@dataclass
class TurnBefore:
    """What the turn before did: culture that each player won, and whose cities changed hands after scores were told."""

    culture: Counter[int] = field(default_factory=Counter)
    taken: set[int] = field(default_factory=set)


def unexplained(before: StateView, after: StateView, log: list[Event], last: TurnBefore) -> Iterator[str]:
    """Changes from one command window to the next that neither events nor rules explain."""
    known = set(before.players["id"].tolist())
    late = events.select([e for e in log if e.stage == "begin_phase"], *TAKEN)
    for row in after.players[after.players["is_alive"] & ~after.players["is_barbarian"]]:
        p = int(row["id"])
        if p not in known:
            continue  # rebels
        old, mine = before.player(p), [e for e in log if e.about(p)]
        name = f"turn {after.turn} player {p}"
        gold = int(row["gold"]) - int(old["gold"]) - moved(log, p)
        income = [*expected(before, p), *expected(after, p)]
        if not min(income) - GOLD_STEP <= gold <= max(income) + GOLD_STEP and not events.select(mine, "civil_war"):
            yield f"{name}: gold moved by {gold}, expected {income}: {mine}"
        step = int(row["culture"]) - int(old["culture"]) - rewards(after, mine, p)
        if abs(step - last.culture[p]) > CULTURE_STEP and not events.select(mine, *CULTURAL):
            yield f"{name}: culture moved by {step}, before by {last.culture[p]}: {mine}"
        last.culture[p] = step
        gain = int(row["score"]) - int(old["score"])
        lags = p in last.taken or any(e.about(p) for e in late)
        if abs(gain) > SCORE_STEP and abs(gain - points(after, p) + points(before, p)) > SCORE_STEP and not lags:
            yield f"{name}: score moved by {gain}, by the rule {points(after, p) - points(before, p)}: {mine}"
    last.taken = {p for p in known if any(e.about(p) for e in late)}


def check(config: civworld.WorldConfig, turns: int) -> Counter[str]:
    """Play, find nothing unexplained; the kinds of events there were."""
    last = TurnBefore()
    found: list[str] = []
    with civworld.World(config) as world:
        before = world.state()
        for _ in range(turns):
            start = len(world.events())
            after = world.advance().state()
            found += unexplained(before, after, list(world.events()[start:]), last)
            before = after
        assert found == []
        return Counter(f"{e.kind} {e.cause}".strip() for e in world.events())


def test_every_jump_of_gold_culture_and_score_has_a_trace():
    kinds = check(civworld.WorldConfig(seed=1, players=5, map_size=2), 80)
    assert kinds["achievement first"] >= 1 and kinds["achievement later"] >= 1
    assert kinds["gold_moved coinage"] >= 1 and kinds["gold_moved script"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_every_jump_in_twenty_worlds_of_a_hundred_turns_has_a_trace(seed):
    check(civworld.WorldConfig(seed=seed, players=4 + seed % 4, map_size=2 + seed % 2), 100)


# ---- achievements ------------------------------------------------------------------------------------------


def test_an_achievement_is_an_event_a_field_a_line_and_what_moved_culture():
    with civworld.World(civworld.WorldConfig(seed=1, players=5, map_size=2)) as world:
        world.advance(60)
        log, view = world.events(), world.state()
        gained = events.select(log, "achievement")
        assert gained
        for e in gained:
            row = view.achievements[view.achievements["id"] == e.number][0]
            assert row["name"].decode() == e.name and view.bits(row["players"])[e.player]
            assert (int(row["first"]) == e.player) == (e.cause == "first")
        told = {(e.number, e.player) for e in gained}
        for row in view.achievements:
            assert {p for p, has in enumerate(view.bits(row["players"])) if has} == {
                p for number, p in told if number == int(row["id"])
            }
        first = next(e for e in gained if e.cause == "first")
        nation = view.player(first.player)["nation"].decode()
        assert f"The {nation} reach the achievement {first.name} as the first" in narrative(log, {first.player: nation})


# ---- gold ----------------------------------------------------------------------------------------------------


def test_a_purchase_by_order_is_told_with_its_price():
    with played(SMALL, 61).fork() as world:
        world.take_over(0)
        world.apply(edits.AddGold(0, 500))
        order = next(o.command for o in world.legal(0) if o.kind == "buy")
        city = world.state().cities[world.state().cities["id"] == order.city][0]
        gold = int(world.state().player(0)["gold"])
        price = world.order(0, order).value
        (told,) = events.select(world.events(since=61), "purchase")
        assert (told.player, told.city, told.number, told.stage) == (0, order.city, price, "window")
        assert told.former == city["name"].decode() and told.name == city["production"].decode()
        assert gold - int(world.state().player(0)["gold"]) == price > 0
        world.advance()
        assert f"{told.name} in {told.former} (T61, {price} gold)" in world.report()


def test_a_purchase_by_plan_is_told():
    with played(SMALL, 61).fork() as world:
        plan = civworld.Plan(turns=1, production=(("Warriors", 99),), purchases=("Warriors",))
        world.set_plan(1, plan).advance()
        bought = events.select(world.events(since=61), "purchase", player=1)
        assert bought and {e.name for e in bought} == {"Warriors"}


def test_gold_that_a_script_gives_or_takes_is_told(early):
    with early.fork() as world:
        gold = int(world.state().player(0)["gold"])
        lua(world, "edit.change_gold(find.player(0), 70) edit.change_gold(find.player(0), -100000)")
        told = [(e.player, e.other, e.number, e.cause) for e in events.select(world.events(since=11), "gold_moved")]
        assert told == [(0, -1, 70, "script"), (-1, 0, gold + 70, "script")]


# ---- spaceships ------------------------------------------------------------------------------------------------


def test_a_spaceship_flies_to_its_goal_where_the_rules_offer_that_victory():
    config = civworld.WorldConfig(
        seed=3, players=3, map_size=1, ruleset="classic", patches=(), rng="stock", victories=("spacerace",)
    )
    with civworld.World(config) as world:
        capital = int(world.advance(20).state().player(0)["capital"])
        lua(
            world,
            "local p = find.player(0) for i = 1, 200 do local t = find.tech_type(i) "
            "if t and not p:knows_tech(t) then edit.give_tech(p, t, -1, false, 'granted') end end",
        )
        for building in ("Factory", "Apollo Program"):
            lua(world, f"edit.create_building(find.city(find.player(0), {capital}), find.building_type('{building}'))")
        world.apply(edits.AddGold(player=0, amount=30_000))
        world.take_over(0)
        for part, count in (("Space Structural", 20), ("Space Component", 2), ("Space Module", 3)):
            world.order(0, commands.Produce(capital, part))
            for _ in range(count):
                world.order(0, commands.Buy(capital))
                world.advance()
        world.order(0, commands.Produce(capital, "Coinage"))
        world.advance().order(0, commands.SpaceshipLaunch())
        for _ in range(60):
            if world.over:
                break
            world.advance()
        assert world.over and world.state().player(0)["spaceship"] == b"Arrived"
        told = [e.kind for e in world.events() if e.kind.startswith("spaceship") or e.kind == "victory"]
        assert told == ["spaceship_started", "spaceship_launched", "spaceship_arrived", "victory"]
        world.advance()  # the world goes on


def test_no_spaceship_part_can_be_built_where_the_rules_do_not_offer_that_victory(late):
    with late.fork() as world:
        world.take_over(0)
        lua(world, "for i = 1, 88 do edit.give_tech(find.player(0), nil, 0, false, 'x') end")
        parts = {"Space Structural", "Space Component", "Space Module"}
        assert not any(o.kind == "produce" and o.command.item in parts for o in world.legal(0))


def test_victories_are_named_and_old_configs_are_written_as_they_were():
    assert "victories" not in SMALL.to_dict()
    won = civworld.WorldConfig(victories=["culture", "spacerace"])
    assert won.victories == ("spacerace", "culture") and civworld.WorldConfig.from_dict(won.to_dict()) == won
    assert 'set victories "SPACERACE|CULTURE"' in won.console_lines()
    with pytest.raises(civworld.UnknownNameError, match="spacerace"):
        civworld.WorldConfig(victories=("spacerac",))
