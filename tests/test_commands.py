# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders: what a player may do works, what it may not is refused with a reason and changes nothing."""

import contextlib
import dataclasses
import json
import random

import pytest

import civworld
from adding import forgotten
from civworld import commands as c
from civworld.errors import ArgumentError, CivworldError, CommandRefused
from helpers import SMALL, played, with_dead_player
from order_storm import lua, rich

HUMAN = dataclasses.replace(SMALL, humans=(0,))


SANDBOX = dataclasses.replace(SMALL, ruleset="sandbox")


@pytest.fixture
def opening():
    with played(HUMAN, 1).fork() as world:
        yield world


def own(table, player=0, **equal):
    rows = table[table["owner"] == player]
    for field, value in equal.items():
        rows = rows[rows[field] == value]
    return [int(i) for i in rows["id"]]


def test_what_is_listed_as_legal_can_be_done():
    with played(SMALL, 40).fork() as start:
        start.take_over(0)
        checkpoint, digest = start.checkpoint(), start.digest()
        listed = start.legal(0)
        assert start.digest() == digest, "listing changes nothing"
        assert len({legal.text for legal in listed}) == len(listed)
        for legal in random.Random(1).sample(listed, 60):
            with checkpoint.fork() as world:
                assert world.order(0, legal.command).result in c.results(), legal
                assert world.digest() != digest or legal.probability < 1, legal


def test_a_refusal_says_why_and_changes_nothing(opening):
    digest = opening.digest()
    workers = own(opening.state().units, type_name=b"Workers")[0]
    with pytest.raises(CommandRefused) as refused:
        opening.order(0, c.Fortify(workers))
    assert "Fortify" in refused.value.reason
    assert opening.digest() == digest
    assert opening.checkpoint().steps == ()


def test_orders_are_part_of_the_recipe(opening):
    settlers = own(opening.state().units, type_name=b"Settlers")[0]
    opening.order(0, c.FoundCity(settlers, "Firstville"))
    opening.advance(3)
    opening.release(0).advance(1)
    recipe = json.loads(json.dumps(civworld.recipe(opening)))
    with civworld.replay(recipe) as again:
        assert again.digest() == opening.digest()
        assert own(again.state().cities, name=b"Firstville")


@pytest.mark.parametrize(
    "values",
    [
        {"command": "move", "unit": float("nan"), "tile": 1},
        {"command": "move", "unit": True, "tile": 1},
        {"command": "move", "unit": 2**40, "tile": 1},
        {"command": "move", "unit": 1.0, "tile": 1},
        {"command": "move", "unit": 1},
        {"command": "no_such"},
        {"command": "produce", "city": 1, "item": None},
        {"command": "produce", "city": 1, "item": "a\0b"},
        {"command": "propose", "player": 1, "clauses": []},
        {"command": "propose", "player": 1, "clauses": [[0, "Gold", 1.5]]},
        {"command": "propose", "player": 1, "clauses": [[0, "Slaves", 1]]},
        {},
    ],
)
def test_malformed_commands_are_named(values):
    with pytest.raises(ArgumentError):
        c.command_from_dict(values)


@pytest.mark.parametrize("player", [-1, 4, 99, True, 1.0, None])
def test_only_players_that_exist_can_be_given_orders(opening, player):
    digest = opening.digest()
    for call in (lambda: opening.order(player, c.Research("Alphabet")), lambda: opening.take_over(player)):
        with pytest.raises(ArgumentError):
            call()
    assert opening.digest() == digest


def test_ai_run_players_take_no_orders(opening):
    with pytest.raises(CommandRefused, match="built-in AI"):
        opening.order(1, c.Research("Alphabet"))
    assert opening.legal(1) == ()
    with pytest.raises(CivworldError):
        opening.take_over(0)


# ---- the whole table -----------------------------------------------------------------------------------------


def listed(world, kind, player=0):
    return [legal.command for legal in world.legal(player) if legal.kind == kind]


def city_of(world):
    return own(world.state().cities)[0]


def unit_of(world, kind=b"Settlers"):
    return own(world.state().units, type_name=kind)[0]


def first_move(world, which=0):
    return listed(world, "move")[which]


def accepted(world, commands):
    """The first of the commands that works."""
    for command in commands:
        with world.fork() as attempt:
            try:
                if attempt.order(0, command).ok:
                    return command
            except CommandRefused:
                continue
    raise AssertionError("none of them works")


def journey(cls):
    return lambda world: accepted(world, [cls(step.unit, step.tile) for step in listed(world, "move")])


def after(kind, then):
    """A command that is lawful once another one has been given."""

    def lawful(world):
        command = listed(world, kind)[0]
        world.order(0, command)
        return then(command)

    return lawful


def specialist(world):
    lawful = listed(world, "specialist")
    if not lawful:
        world.order(0, listed(world, "leave_tile")[0])
        lawful = listed(world, "specialist")
    return lawful[0]


def on_the_table(then):
    """A command about a treaty that player 1 has proposed."""

    def lawful(world):
        meet(world)
        world.order(1, c.Propose(0, (c.Clause(1, "Gold", 1),)))
        return then

    return lawful


def meet(world):
    """Let players 0 and 1 talk: an embassy is enough."""
    both = world.state().diplomacy
    row = both[(both["player"] == 0) & (both["other"] == 1)][0]
    if row["contact_turns_left"] == 0 and not row["has_embassy"]:
        world.apply(civworld.edits.GiveEmbassy(player=0, other=1))


def shared_vision(world):
    meet(world)
    world.order(0, c.Propose(1, (c.Clause(0, "Vision"),)))
    assert world.order(1, c.AcceptTreaty(0)).result == "agreed"
    return c.EndVision(1)


def propose(world):
    meet(world)
    return c.Propose(1, (c.Clause(0, "Gold", 7), c.Clause(1, "Map")))


def cancel_pact(world):
    meet(world)
    return listed(world, "cancel_pact")[0]


def upgrade(world):
    units = world.state().units
    kinds = sorted({kind.decode() for kind in units[units["owner"] == 0]["type_name"].tolist()})
    return accepted(world, [c.UpgradeAll(kind) for kind in kinds])


def auto_worker(world):
    workers = unit_of(world, b"Workers")
    with contextlib.suppress(CommandRefused):
        world.order(0, c.Stop(workers))
    return c.AutoWorker(workers)


def rally(world):
    return accepted(world, [c.Rally(t.city, t.tile, True, "Warriors") for t in listed(world, "leave_tile")])


def space_age(world):
    """A city that can build spaceship parts, and the gold to do so."""
    city = city_of(world)
    with world._engine_call() as running:
        running.call("cw_world_command", b"set victories spacerace")
    lua(world, "for i = 1, 88 do edit.give_tech(find.player(0), nil, 0, false, 'x') end")
    lua(world, "edit.change_gold(find.player(0), 90000)")
    for building in ("Library", "University", "Research Lab", "Factory", "Apollo Program"):
        lua(
            world,
            f"local b, c = find.building_type('{building}'), find.city(nil, {city}) "
            "if not c:has_building(b) then edit.create_building(c, b) end",
        )
    return city


def build_part(world, city, part):
    with contextlib.suppress(CommandRefused):  # it produces such parts already
        world.order(0, c.Produce(city, part))
    world.order(0, c.Buy(city))
    world.advance()


def place_part(world):
    build_part(world, space_age(world), "Space Structural")
    return c.SpaceshipPlace("structural", 0)


def launch(world):
    city = space_age(world)
    for part in ["Space Structural"] * 26 + ["Space Component"] * 2 + ["Space Module"] * 3:
        build_part(world, city, part)
    world.order(0, c.SpaceshipPlace("solar panels", 1))  # parts are placed for you a turn later only
    return listed(world, "spaceship_launch")[0]


# per command: a case that works, and one that is refused, each made for the world it is given in
CASES = {
    "unit_action": (lambda w: accepted(w, listed(w, "unit_action")), lambda w: c.Fortify(unit_of(w, b"Workers"))),
    "move": (first_move, lambda w: c.Move(first_move(w).unit, 0)),
    "goto": (journey(c.Goto), lambda w: c.Goto(first_move(w).unit, -1)),
    "patrol": (journey(c.Patrol), lambda w: c.Patrol(first_move(w).unit, 10**6)),
    "explore": (lambda w: listed(w, "explore")[0], lambda w: c.Explore(0)),
    "auto_worker": (auto_worker, lambda w: c.AutoWorker(unit_of(w, b"Warriors"))),
    "sentry": (lambda w: listed(w, "sentry")[0], lambda w: c.Sentry(city_of(w))),
    "stop": (after("sentry", lambda s: c.Stop(s.unit)), lambda w: c.Stop(2**31 - 1)),
    "upgrade_all": (upgrade, lambda w: c.UpgradeAll("Nuclear")),
    "produce": (lambda w: listed(w, "produce")[0], lambda w: c.Produce(city_of(w), "Space Module")),
    "worklist": (lambda w: c.Worklist(city_of(w), ("Coinage",)), lambda w: c.Worklist(city_of(w), ("Palace",) * 0)),
    "buy": (lambda w: listed(w, "buy")[0], lambda w: c.Buy(0)),
    "sell": (lambda w: listed(w, "sell")[0], lambda w: c.Sell(city_of(w), "Palace")),
    "specialist": (specialist, lambda w: c.Specialist(city_of(w), "elvis", "elvis")),
    "work_tile": (after("leave_tile", lambda t: c.WorkTile(t.city, t.tile)), lambda w: c.WorkTile(city_of(w), -1)),
    "leave_tile": (lambda w: listed(w, "leave_tile")[0], lambda w: c.LeaveTile(city_of(w), 0)),
    "arrange": (after("leave_tile", lambda t: c.Arrange(t.city)), lambda w: c.Arrange(unit_of(w))),
    "rally": (rally, lambda w: c.Rally(city_of(w), -1)),
    "rename_city": (lambda w: c.RenameCity(city_of(w), "Elsewhere"), lambda w: c.RenameCity(city_of(w), "")),
    "city_options": (lambda w: c.CityOptions(city_of(w), disband=True), lambda w: c.CityOptions(1)),
    "research": (lambda w: listed(w, "research")[0], lambda w: c.Research("Alphabet")),
    "goal": (lambda w: listed(w, "goal")[0], lambda w: c.Goal("Alphabet")),
    "rates": (lambda w: listed(w, "rates")[0], lambda w: c.Rates(100, 10, -10)),
    "government": (lambda w: listed(w, "government")[0], lambda w: c.Government("Anarchy")),
    "policy": (lambda w: listed(w, "policy")[0], lambda w: c.Policy("Personal Freedom", 99)),
    "spaceship_launch": (launch, lambda w: c.SpaceshipLaunch()),
    "spaceship_place": (place_part, lambda w: c.SpaceshipPlace("fuel", 1)),
    "propose": (propose, lambda w: c.Propose(1, (c.Clause(0, "City", city_of(w)), c.Clause(0, "Gold", -1)))),
    "accept_treaty": (on_the_table(c.AcceptTreaty(1)), lambda w: c.AcceptTreaty(1)),
    "cancel_treaty": (on_the_table(c.CancelTreaty(1)), lambda w: c.CancelTreaty(1)),
    "cancel_pact": (cancel_pact, lambda w: c.CancelPact(0)),
    "end_vision": (shared_vision, lambda w: c.EndVision(1)),
}


def test_every_command_has_its_cases():
    assert CASES.keys() == c.COMMANDS.keys(), forgotten("A command")


@pytest.mark.parametrize("name", CASES)
def test_every_command_works_where_lawful_and_says_why_where_not(name):
    config = SANDBOX if name == "policy" else SMALL
    lawful, unlawful = CASES[name]
    with rich(config, 40).fork() as world:
        digest, command = world.digest(), unlawful(world)
        assert command.name == name
        with pytest.raises(CommandRefused) as refused:
            world.order(0, command)
        assert len(refused.value.reason) > 10
        assert world.digest() == digest, "a refusal changes nothing"
        command = lawful(world)
        assert c.command_from_dict(json.loads(json.dumps(command.to_dict()))) == command
        digest = world.digest()
        outcome = world.order(0, command)
        assert outcome.ok, outcome
        assert world.digest() != digest, "a lawful order changes something"
        world.advance()


def test_no_order_reaches_what_is_not_the_players_own():
    with rich(SMALL, 40).fork() as world:
        digest = world.digest()
        state = world.state()
        units, cities = own(state.units, 1), own(state.cities, 1)
        for command in (c.Move(units[0], 5), c.Goto(units[0], 5), c.Stop(units[0]), c.Disband(units[0])):
            with pytest.raises(CommandRefused, match=f"no unit {units[0]}"):
                world.order(0, command)
        for command in (c.Buy(cities[0]), c.Produce(cities[0], "Coinage"), c.RenameCity(cities[0], "Mine")):
            with pytest.raises(CommandRefused, match=f"no city {cities[0]}"):
                world.order(0, command)
        assert world.digest() == digest


def test_the_dead_take_no_orders():
    with with_dead_player(played(SMALL, 20), 2) as world:
        digest = world.digest()
        assert world.legal(2) == ()
        for call in (lambda: world.take_over(2), lambda: world.order(2, c.Goal("Currency"))):
            with pytest.raises(CommandRefused, match="dead"):
                call()
        assert world.digest() == digest


def test_the_built_in_ai_answers_proposals_by_its_own_judgement():
    with rich(SMALL, 40).fork() as world:
        world.release(1)
        meet(world)
        gold = [world.state().player(p)["gold"] for p in (0, 1)]
        assert world.order(0, c.Propose(1, (c.Clause(0, "Gold", 100),))).result == "agreed"
        assert [world.state().player(p)["gold"] for p in (0, 1)] == [gold[0] - 100, gold[1] + 100]
        greedy = world.order(0, c.Propose(1, (c.Clause(1, "Gold", gold[1]),)))
        assert greedy.result == "declined" and not greedy.ok
        assert not listed(world, "accept_treaty"), "nothing stays on the table"


def test_a_journey_goes_on_at_turn_changes_and_ends_with_what_was_asked():
    with rich(SMALL, 40).fork() as world:
        state = world.state()
        settlers = unit_of(world)
        start = int(state.units[state.units["id"] == settlers]["tile"][0])
        x, y = int(state.tiles[start]["x"]), int(state.tiles[start]["y"])
        near = state.tiles[(abs(state.tiles["x"] - x) <= 4) & (abs(state.tiles["y"] - y) <= 4)]
        founded = 0
        for tile in near[::-1]["index"].tolist():
            with world.fork() as attempt:
                try:
                    attempt.order(0, c.Goto(settlers, tile, "Found City"))
                except CommandRefused:
                    continue
                attempt.advance(5)
                cities = attempt.state().cities
                founded += int(((cities["tile"] == tile) & (cities["owner"] == 0)).any())
                if founded:
                    break
        assert founded


def test_taken_over_players_wait_and_released_ones_go_on():
    with played(SMALL, 20).fork() as world:
        world.take_over(0)
        assert world.taken_over(0) and not world.taken_over(1)
        cities = len(own(world.state().cities))
        world.advance(15)
        assert len(own(world.state().cities)) == cities, "nobody founds cities for it"
        world.release(0)
        assert not world.taken_over(0)
        world.advance(40)
        assert len(own(world.state().cities)) > cities


@pytest.mark.parametrize("player", range(4))
def test_the_list_depends_on_nothing_that_the_player_cannot_see(player):
    with rich(SMALL, 40).fork() as world:
        before = [(legal.text, legal.command, legal.bounds) for legal in world.legal(player)]
        units, seen = world.state().units, set(world.view(player).units["id"].tolist())
        unseen = [u for u in units["id"].tolist() if u not in seen]
        assert len(unseen) > 5
        for unit in unseen:
            lua(world, f"local u = find.unit(nil, {unit}) if u then edit.unit_kill(u, 'retired', nil) end")
        assert not set(unseen) & set(world.state().units["id"].tolist())
        assert [(legal.text, legal.command, legal.bounds) for legal in world.legal(player)] == before
