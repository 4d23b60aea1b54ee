# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever way a unit or city comes into other hands, what it was told ends."""

import json

import pytest

import civworld
from civworld import edits
from civworld.commands import AutoWorker, Goto, Patrol, Rally
from civworld.errors import CommandRefused
from helpers import SMALL, in_new_process, played
from order_storm import lua
from random_lives import Life


@pytest.fixture
def led():
    """A world at turn 41 whose player 0 waits for orders."""
    with played(SMALL, 41).fork() as world:
        yield world.take_over(0)


def travellers(world: civworld.World, player: int) -> set[int]:
    """Units of a player that have orders."""
    units = world.state().units
    return set(units["id"][units["has_orders"] & (units["owner"] == player)].tolist())


def send_all(world: civworld.World, player: int) -> set[int]:
    """Put every unit of a player on a way of some kind; those that are on it."""
    view = world.state()
    far = view.cities["tile"][view.cities["owner"] != player].tolist()
    for i, unit in enumerate(view.units["id"][view.units["owner"] == player].tolist()):
        for order in (Goto(unit, far[i % len(far)]), Patrol(unit, far[0]), AutoWorker(unit)):
            try:
                world.order(player, order)
                break
            except CommandRefused:
                continue
    return travellers(world, player)


def test_release_ends_journeys_patrols_agents_and_rally_points(led):
    view = led.state()
    cities = view.cities[view.cities["owner"] == 0]
    tiles = cities["tile"].tolist()
    for city, tile in zip(cities["id"].tolist(), [*tiles[1:], tiles[0]], strict=True):
        led.order(0, Rally(city, tile, persistent=True, unit_type="Warriors"))
    assert send_all(led, 0)
    led.release(0)
    led.advance(12)
    assert not travellers(led, 0)
    led.take_over(0)
    for city in led.state().cities["id"][led.state().cities["owner"] == 0].tolist():
        with pytest.raises(CommandRefused):
            led.order(0, Rally(city, -1))  # there is none left to end


def test_a_city_that_is_given_away_takes_units_along_without_their_orders(led):
    busy = send_all(led, 0)
    view = led.state()
    home = {int(u["id"]): int(u["homecity"]) for u in view.units if int(u["id"]) in busy}
    city = max(set(home.values()) - {0}, key=list(home.values()).count)
    led.apply(edits.TransferCity(city, 1))
    units = led.state().units
    moved = set(units["id"][units["owner"] == 1].tolist()) & {u for u, h in home.items() if h == city}
    assert moved, "the city supports units on their way"
    assert not travellers(led, 1)
    led.advance(5)


def test_rebels_of_a_civil_war_take_units_without_their_orders(late):
    with late.fork() as world:
        busy = send_all(world.take_over(0), 0)
        lua(world, "edit.civil_war(find.player(0), 100)")
        units = world.state().units
        rebels = {int(u["owner"]) for u in units if int(u["id"]) in busy} - {0}
        assert len(rebels) == 1, "the rebels have some of the units"
        assert not travellers(world, rebels.pop())
        world.advance(5)


def test_units_that_come_to_an_agent_can_be_sent_and_given_back():
    """What the built-in AI had in mind with them is over, or it would assert that they have no orders."""
    with played(SMALL, 41).fork() as world:
        world.take_over(0)
        for city in world.state().cities["id"][world.state().cities["owner"] == 1].tolist()[:3]:
            world.apply(edits.TransferCity(city, 0))
        assert len(send_all(world, 0)) > 5
        world.advance(5)
        world.release(0).advance(5)


def lives(seeds: range, last_turn: int) -> list[dict[str, object]]:
    return [Life(seed).run(last_turn) for seed in seeds]


REPLAY = """
import civworld
for recipe in json.load(open(args[0])):
    civworld.replay(recipe).close()
print(json.dumps(civworld.__name__))
"""


def check_replays(recipes: list[dict[str, object]], path) -> None:
    path.write_text(json.dumps(recipes))
    assert in_new_process(REPLAY, str(path)) == "civworld"


def test_random_lives_end_well_and_replay_in_another_process(tmp_path):
    recipes = lives(range(4), 50)
    told = {step[0] for recipe in recipes for step in recipe["steps"]}
    assert told >= {"advance", "take_over", "release", "order", "edit", "plan"}
    check_replays(recipes, tmp_path / "recipes.json")


def test_random_lives_with_civil_wars_end_well():
    for seed in range(100, 102):
        Life(seed, civil_wars=True).run(50)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(20))
def test_twenty_times_twenty_lives_to_turn_150_replay_in_another_process(batch, tmp_path):
    check_replays(lives(range(1000 + 20 * batch, 1020 + 20 * batch), 150), tmp_path / "recipes.json")


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_ten_times_ten_lives_with_civil_wars_to_turn_150_end_well(batch):
    for seed in range(2000 + 10 * batch, 2010 + 10 * batch):
        Life(seed, civil_wars=True).run(150)
