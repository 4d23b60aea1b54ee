# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole table of edits: each does what it declares and nothing else, or is refused and nothing changed."""

import logging
from dataclasses import replace

import numpy as np
import pytest

import civworld
import edit_samples
from civworld.edits import (
    EDITS,
    AddBulbs,
    CitySize,
    CreateUnit,
    GrantAdvance,
    RenameCity,
    RevealMap,
    SetAttitude,
    SetGovernment,
    SetRates,
    SetResearch,
    SetRule,
    SetTechGoal,
    SetTrait,
    TransferCity,
)
from helpers import SMALL, played, with_dead_player

WORLDS = {
    "early": lambda: played(SMALL, 25).fork(),
    "late classic": lambda: played(replace(SMALL, ruleset="classic"), 81).fork(),
    "dead player": lambda: with_dead_player(played(SMALL, 61), 0),
}
# doing these twice is doing them once more
REPEATABLE = {"add_gold", "add_bulbs", "grow_city", "create_unit", "grant_advance", "revoke_advance"}


@pytest.fixture(scope="module", params=WORLDS)
def start(request):
    """A checkpoint of each kind of world."""
    with WORLDS[request.param]() as world:
        return world.checkpoint()


def test_every_edit_has_samples():
    assert edit_samples.WORKS.keys() == edit_samples.CANNOT.keys() == edit_samples.RANDOM.keys() == EDITS.keys()


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_what_it_declares_and_nothing_else(name, start):
    with start.fork() as world, start.fork() as twin:
        before = world.state()
        edit = edit_samples.works(name, before)
        expected, allowed = edit.expects(before), edit.may_change(before)
        world.apply(edit)
        twin.apply(edit)
        after = world.state()
        assert {place: after.value(*place) for place in expected} == expected
        changed = {(c.table, c.row, c.field) for c in before.changes(after)}
        assert changed & expected.keys()
        assert all(p in expected or any(c.covers(p) for c in allowed) for p in changed)
        assert complaints(world) == []
        assert world.advance(3).turn == before.turn + 3
        assert world.digest() == twin.advance(3).digest()


@pytest.mark.parametrize("name", EDITS)
def test_doing_it_twice_or_to_nothing_is_refused_and_changes_nothing(name, start):
    with start.fork() as world:
        edit = edit_samples.works(name, world.state())
        world.apply(edit)
        before = world.digest()
        repeated = [] if name in REPEATABLE else [edit]
        for wrong in (*repeated, *edit_samples.cannot(name, world.state())):
            with pytest.raises((civworld.EditRefused, civworld.ArgumentError), match=name.split("_")[0]):
                world.apply(wrong)
            world._cache.clear()
            assert world.digest() == before


def test_edits_reach_what_the_ai_acts_on(late):
    control, edited = late.fork(), late.fork()
    edited.apply(SetRule("sciencebox", 30))
    control.advance(10)
    edited.advance(10)
    assert edited.state().players["techs"].sum() > control.state().players["techs"].sum()


def test_what_is_held_stays_and_what_is_not_the_ai_may_undo(late):
    with late.fork() as held, late.fork() as loose:
        rates = edit_samples._rates(held.state())
        players = held.state().players
        advanced = int(players["id"][players["is_alive"] & (players["government"] != b"Despotism")][0])
        for world, sticky in ((held, True), (loose, False)):
            world.apply(SetRates(1, *rates, sticky)).apply(SetTechGoal(1, "Sanitation", sticky))
            world.apply(SetGovernment(advanced, "Despotism", anarchy=False, sticky=sticky))
            world.advance(6)
        row, free = held.state().player(1), loose.state().player(1)
        assert (row["tax"], row["luxury"], row["science"]) == rates
        assert row["tech_goal"] == b"Sanitation"
        assert free["tech_goal"] != b"Sanitation"
        assert held.state().player(advanced)["government"] == b"Despotism"
        assert loose.state().player(advanced)["government"] != b"Despotism"
        held.apply(SetRates(1, *rates, sticky=False))
        assert not held.state().row("hidden_players", 1)["rates_held"]


def test_held_research_is_learned_first(late):
    with late.fork() as world:
        chosen = edit_samples.works("set_research", world.state()).advance
        world.apply(SetResearch(1, chosen, sticky=True))
        for _ in range(40):
            if chosen in edit_samples._advances(world.state(), "known"):
                return
            assert world.state().player(1)["researching"].decode() == chosen
            world.advance(1)
        pytest.fail(f"{chosen} was not learned in 40 turns")


def test_a_revolution_takes_its_turns(late):
    with late.fork() as world:
        new = edit_samples._other_government(world.state())
        world.apply(SetGovernment(1, new, anarchy=True, sticky=True))
        row = world.state().player(1)
        assert (row["government"], row["target_government"]) == (b"Anarchy", new.encode())
        world.advance(int(row["revolution_finishes"]) - world.turn)
        assert world.state().player(1)["government"] == new.encode()


def test_a_granted_advance_leaves_bulbs_and_gives_no_other(late):
    with late.fork() as world:
        before = world.state()
        missing = [a["name"].decode() for a in before.rules.advances if a["exists"] and a["id"] > 0]
        known = edit_samples._advances(before, "known")
        for advance in [m for m in missing if m not in known][:12]:
            world.apply(GrantAdvance(1, advance, announce=False))
        after = world.state()
        assert after.player(1)["techs"] == before.player(1)["techs"] + 12
        assert after.player(1)["bulbs"] == before.player(1)["bulbs"]


def test_a_new_unit_has_the_id_that_was_announced(late):
    with late.fork() as world:
        edit = edit_samples.works("create_unit", world.state())
        unit = int(world.state().hidden.world["next_id"][0])
        world.apply(edit)
        assert world.state().unit(unit)["type_name"] == b"Warriors"


def test_units_inside_go_with_a_city(late):
    with late.fork() as world:
        city = world.state().cities[0]
        giver, taker = int(city["owner"]), 1 if city["owner"] != 1 else 2
        unit = int(world.state().hidden.world["next_id"][0])
        world.apply(CreateUnit(giver, "Warriors", int(city["tile"]), home=int(city["id"])))
        world.apply(TransferCity(int(city["id"]), taker))
        assert world.state().unit(unit)["owner"] == taker


def test_revealing_shows_a_neighbours_land_and_hiding_forgets_it(late):
    with late.fork() as world:
        world.apply(RevealMap(1, territory_of=2))
        tiles = world.state().tiles
        knows = world.state().bits(tiles["known"])[:, 1]
        assert knows[tiles["owner"] == 2].all()
        assert not knows.all()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: SetTrait(0, "brave", 3), civworld.UnknownNameError),
        (lambda: SetRule("gravity", 3), civworld.UnknownNameError),
        (lambda: RenameCity(3, ""), civworld.ArgumentError),
        (lambda: RenameCity(3, "x" * 80), civworld.ArgumentError),
        (lambda: AddBulbs(0, 1.5), civworld.ArgumentError),
        (lambda: AddBulbs("Zulu", 1), civworld.ArgumentError),
        (lambda: SetAttitude(0, 1, 2**40), civworld.ArgumentError),
        (lambda: CitySize(3, 0), civworld.ArgumentError),
        (lambda: GrantAdvance(0, None), civworld.ArgumentError),
        (lambda: GrantAdvance(0, "Pottery", 1), civworld.ArgumentError),
        (lambda: SetRates(0, 50, 50, 50), civworld.ArgumentError),
        (lambda: RevealMap(0, territory_of=1, tiles=(3,)), civworld.ArgumentError),
        (lambda: RevealMap(0, tiles=(-1,)), civworld.ArgumentError),
        (lambda: RevealMap(0, tiles="all"), civworld.ArgumentError),
    ],
)
def test_senseless_edits_cannot_be_made(make, error):
    with pytest.raises(error):
        make()


def test_a_recipe_holds_every_edit():
    world = played(SMALL, 25).fork()
    for name in EDITS:
        world.apply(edit_samples.works(name, world.state()))
        world.advance(1)
    assert civworld.replay(civworld.recipe(world)).digest() == world.digest()


# ---- many edits in a row --------------------------------------------------------------------------------


def complaints(world):
    """What the engine's own sanity checks say of a world; they run on a copy, because they repair."""
    with world.fork() as copy, copy._engine_call() as running:
        try:
            running.call("cw_world_sanity")
        except civworld.EngineError as error:
            return [str(error)]
    return []


def run_random_edits(count, seed, caplog):
    """Apply random edits with a turn now and then; the number of those that were not refused."""
    rng = np.random.default_rng(seed)
    applied = 0
    with played(SMALL, 61).fork() as world, caplog.at_level(logging.ERROR):
        for n in range(count):
            edit = edit_samples.random_edit(rng, world.state())
            before = world.digest()
            try:
                world.apply(edit)
                applied += 1
            except (civworld.EditRefused, civworld.ArgumentError) as error:
                assert "does not declare" not in str(error), (n, edit, error)
                assert "should be" not in str(error), (n, edit, error)
                world._cache.clear()
                assert world.digest() == before, (n, edit)
            assert complaints(world) == [], (n, edit)
            if n % 25 == 24:
                world.advance(1)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    return applied


def test_random_edits_leave_a_sane_world(caplog):
    assert run_random_edits(150, 1, caplog) > 50


@pytest.mark.slow
def test_a_thousand_random_edits_leave_a_sane_world(caplog):
    assert run_random_edits(1000, 2, caplog) > 350
