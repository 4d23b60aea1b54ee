# SPDX-License-Identifier: GPL-2.0-or-later
"""Events: each kind defined once, agreeing with the differences of states, and changing nothing."""

import pytest

import civworld
import edit_samples
from civworld import commands, events
from civworld.errors import UnknownNameError
from civworld.events import Event
from event_witness import mismatches
from helpers import SMALL, played

# crowded, with the stock behaviour of first contact, so that there are wars and conquests early
CROWDED = civworld.WorldConfig(seed=25, players=7, map_size=1, patches=(), rng="stock")


def lua(world: civworld.World, script: str) -> None:
    """Let a script of the engine change the world in its command window."""
    with world._engine_call() as running:
        running.call("cw_world_command", f"lua cmd {script}".encode())
    world._cache.clear()


def disagreements(world: civworld.World, turns: int) -> list[str]:
    """What events and states disagree about, turn by turn from here."""
    found, before = [], world.state()
    for _ in range(turns):
        start = len(world.events())
        after = world.advance().state()
        found += mismatches(before, after, world.events()[start:])
        before = after
    return found


# ---- the table of kinds ---------------------------------------------------------------------------------


def test_each_kind_says_what_happened_and_names_fields_of_an_event():
    assert len(events.kinds()) > 25
    for name, kind in events.kinds().items():
        assert kind.name == name and kind.doc
        assert kind.fields.keys() <= set(Event._fields) - {"turn", "stage", "kind"}
        assert all(kind.fields.values())


def test_events_use_only_the_fields_of_their_kind(late):
    with late.fork() as world:
        log = world.events()
    for event in log:
        unused = set(Event._fields[3:]) - events.kinds()[event.kind].fields.keys()
        assert all(getattr(event, field) == Event._field_defaults[field] for field in unused), event


# ---- agreement with the state ------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [SMALL, CROWDED], ids=["small", "crowded"])
def test_events_and_state_differences_agree(config):
    with civworld.World(config) as world:
        assert disagreements(world, 60) == []
        kinds = {e.kind for e in world.events()}
    assert kinds >= {"city_founded", "advance_gained", "government_changed", "contact", "treaty"}
    if config is CROWDED:
        assert kinds >= {"ceasefire", "war_started", "armistice", "peace"}


def many_worlds(number: int) -> civworld.WorldConfig:
    """Worlds of several rulesets, sizes, levels and behaviours."""
    return civworld.WorldConfig(
        seed=1000 + number,
        players=3 + number % 5,
        map_size=1 + number % 3,
        ruleset=("civ2civ3", "classic", "civ2civ3", "civ1", "multiplayer")[number % 5],
        difficulty=("hard", "hard", "novice", "cheating")[number % 4],
        **({"patches": ()} if number % 2 else {}),
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_events_and_state_differences_agree_in_many_worlds(number):
    with civworld.World(many_worlds(number)) as world:
        assert disagreements(world, 150) == []


def witnessed(world: civworld.World, script: str) -> list[str]:
    """Kinds of the events of a script; events and states must agree about it."""
    before, start = world.state(), len(world.events())
    lua(world, script)
    new = world.events()[start:]
    assert mismatches(before, world.state(), new) == []
    assert all(e.stage == "window" and e.turn == world.turn for e in new)
    return [e.kind for e in new]


def test_a_civil_war_is_told_with_all_its_consequences(late):
    with late.fork() as world:
        kinds = witnessed(world, "edit.civil_war(find.player(0), 100)")
        assert kinds[0] == "civil_war" and kinds.count("civil_war") == 1
        assert {"advance_gained", "revolution_started", "city_transferred", "embassy_lost"} <= set(kinds)
        causes = {e.cause for e in world.events() if e.turn == 61 and e.stage == "window"}
        assert {"inherited", "civil_war"} <= causes
        assert disagreements(world, 3) == []
        assert events.select(world.events(since=61), "government_restored", player=0)


def test_a_death_is_told_with_all_its_consequences(early):
    with early.fork() as world:
        kinds = witnessed(
            world,
            "local p = find.player(1) for u in p:units_iterate() do edit.unit_kill(u, 'retired', nil) end "
            "for c in p:cities_iterate() do edit.remove_city(c) end",
        )
        assert set(kinds) >= {"unit_lost", "city_destroyed"}
        assert disagreements(world, 1) == []
        assert events.select(world.events(since=11), "player_died", player=1)


def test_causes_of_advances_and_losses(early):
    with early.fork() as world:
        witnessed(world, "edit.give_tech(find.player(0), find.tech_type('Alphabet'), -1, false, 'hut')")
        gained = events.select(world.events(since=11), "advance_gained")
        assert [(e.player, e.name, e.cause) for e in gained] == [(0, "Alphabet", "hut")]
        witnessed(world, "edit.unit_kill(find.player(0):units_iterate()(), 'executed', find.player(2))")
        lost = world.events()[-1]
        assert (lost.kind, lost.player, lost.other, lost.cause) == ("unit_lost", 0, 2, "executed")


@pytest.mark.parametrize("name", civworld.edits.EDITS)
def test_what_an_edit_does_is_told_as_it_is(name, late):
    with late.fork() as world:
        before, start = world.state(), len(world.events())
        world.apply(edit_samples.works(name, before))
        assert mismatches(before, world.state(), world.events()[start:]) == []


def test_a_revolution_is_told_from_anarchy_to_the_next_government(late):
    with late.fork() as world, late.fork() as other:
        held = bytes(world.state().player(0)["government"]).decode()
        for lived, target in ((world, "Despotism"), (other, held)):
            lived.take_over(0)
            lived.order(0, commands.Government("Despotism"))
            if target == held:
                lived.order(0, commands.Government(held))
            assert disagreements(lived, 6) == []
        kinds = ("revolution_started", "government_changed", "government_restored")
        told = events.select(world.events(since=61), *kinds, player=0)
        assert [(e.kind, e.name, e.former) for e in told[:2]] == [
            ("revolution_started", "Despotism", held),
            ("government_changed", "Despotism", held),
        ]
        assert told[0].stage == "window"
        told = events.select(other.events(since=61), *kinds, player=0)
        assert [(e.kind, e.name, e.former) for e in told[:2]] == [
            ("revolution_started", "Despotism", held),
            ("government_restored", held, "Anarchy"),
        ]


def test_a_space_race_is_told():
    config = civworld.WorldConfig(seed=3, players=3, map_size=1, ruleset="classic", patches=(), rng="stock")
    with civworld.World(config) as world:
        capital = int(world.advance(20).state().player(0)["capital"])
        lua(
            world,
            "local p = find.player(0) for i = 1, 200 do local t = find.tech_type(i) "
            "if t and not p:knows_tech(t) then edit.give_tech(p, t, -1, false, 'granted') end end",
        )
        for building in ("Factory", "Apollo Program"):
            lua(world, f"edit.create_building(find.city(find.player(0), {capital}), find.building_type('{building}'))")
        with world._engine_call() as running:
            running.call("cw_world_command", b"set victories SPACERACE")
        world.apply(civworld.edits.AddGold(player=0, amount=30_000))
        world.take_over(0)
        for part, count in (("Space Structural", 20), ("Space Component", 2), ("Space Module", 3)):
            world.order(0, commands.Produce(capital, part))
            for _ in range(count):
                world.order(0, commands.Buy(capital))
                assert disagreements(world, 1) == []
        world.order(0, commands.Produce(capital, "Coinage"))
        world.advance().order(0, commands.SpaceshipLaunch())
        kinds = ("spaceship_started", "spaceship_launched", "spaceship_arrived", "spaceship_lost")
        told = [(e.kind, e.player, e.stage) for e in events.select(world.events(), *kinds)]
        assert told == [("spaceship_started", 0, "end_phase"), ("spaceship_launched", 0, "window")]


def test_a_winner_is_told_once(early):
    with early.fork() as world:
        lua(world, "edit.player_victory(find.player(2))")
        won = events.select(world.advance(3).events(), "victory")
        assert [(e.turn, e.player) for e in won] == [(12, 2)]


# ---- traps of meaning ----------------------------------------------------------------------------------------


def test_the_root_advance_and_the_palace_are_no_events(late):
    with late.fork() as world:
        view, log = world.state(), world.events()
    assert all(e.number not in (-1, 0) and e.name for e in events.select(log, "advance_gained", "advance_lost"))
    wonders = set(view.wonders["id"].tolist())
    assert view.rules.id("buildings", "Palace") not in wonders
    assert all(e.number in wonders for e in events.select(log, "wonder_built", "wonder_lost"))


def test_anarchy_is_no_government_change(late):
    with late.fork() as world:
        changed = events.select(world.events(), "government_changed")
        assert changed and all("Anarchy" not in (e.name, e.former) and e.name != e.former for e in changed)


# ---- the log as part of a world ---------------------------------------------------------------------------------


def test_log_is_carried_by_forks_restores_and_files(late, tmp_path):
    late.save(tmp_path / "world.cw")
    with late.fork() as world, late.fork() as other:
        log = world.events()
        assert log and other.events() == log
        world.advance(2)
        assert world.events()[: len(log)] == log and len(world.events()) > len(log)
        assert other.events() == log
        assert world.restore(late).events() == log
        with civworld.Checkpoint.load(tmp_path / "world.cw").fork() as loaded:
            assert loaded.events() == log


def test_reading_is_cached_and_changes_no_digest(early):
    with early.fork() as world:
        before = world.digest()
        assert world.events() is world.events()
        world._cache.clear()
        world.events()
        assert world.digest() == before


def test_recording_changes_no_digest():
    with civworld.World(SMALL) as told, events.recording_off():
        silent = civworld.World(SMALL)
        assert silent.advance(60).digest() == played(SMALL, 61).digest
        assert silent.events() == ()
        silent.close()
        assert told.events()
    with played(SMALL, 61).fork() as again:
        assert len(again.events()) > 100


def test_since_is_what_lies_between_two_windows(late):
    with late.fork() as world:
        everything = world.events()
        lua(world, "edit.give_tech(find.player(0), nil, -1, false, 'hut')")
        world.advance(2)
        later = world.events(since=61)
        assert everything + later == world.events()
        assert later[0].stage == "window" and later[0].turn == 61
        assert world.events(since=world.turn) == ()


def test_unknown_kinds_are_refused(early):
    with early.fork() as world, pytest.raises(UnknownNameError, match="city_founded"):
        events.select(world.events(), "city_foundet")
