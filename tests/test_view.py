# SPDX-License-Identifier: GPL-2.0-or-later
"""A player's view: true where the player looks, old where it looked, and silent about everything else."""

import pickle
import random

import numpy as np
import pytest

import civworld
from civworld.errors import ArgumentError
from civworld.view import PlayerView
from helpers import SMALL, in_new_process, played, with_dead_player

LEVELS = {"own only": 3, "known with an embassy": 2, "known with contact": 1}


def lua(world, script):
    """Run a script in the engine, past the rules of the game."""
    with world._engine_call() as running:
        running.call("cw_world_command", f"lua cmd {script}".encode())
    world._cache.clear()
    return world


def level_of(doc):
    return next((level for note, level in LEVELS.items() if doc.endswith(note)), 0)


@pytest.fixture(scope="module")
def mid():
    return played(SMALL, 61)


@pytest.fixture
def world(mid):
    with mid.fork() as live:
        yield live


# ---- what is in sight is true ------------------------------------------------------------------------------


@pytest.mark.parametrize("viewer", range(4))
def test_tiles_in_sight_are_as_they_are_and_others_as_they_were(world, viewer):
    state, view = world.state(), world.view(viewer)
    ever = (state.tiles["known"] >> np.uint64(viewer)) & np.uint64(1) != 0
    now = (state.tiles["seen"] >> np.uint64(viewer)) & np.uint64(1) != 0
    assert np.array_equal(view.tiles["known"], np.where(now & ever, 2, np.where(ever, 1, 0)))
    assert 0 < now.sum() < ever.sum() < len(ever), "the moment shows all three kinds of tiles"
    for field in ("terrain", "owner", "extras_owner", "city", "worked", "extras"):
        assert np.array_equal(view.tiles[field][now], state.tiles[field][now]), field
    unknown = view.tiles[~ever]
    for field in ("terrain", "resource", "owner", "extras_owner", "age"):
        assert (unknown[field] == -1).all(), field
    assert not unknown["city"].any() and not unknown["units"].any() and not unknown["extras"].any()
    assert (view.tiles["age"][now] == 0).all() and (view.tiles["age"][ever & ~now] > 0).any()


@pytest.mark.parametrize("viewer", range(4))
def test_units_are_all_ones_own_and_those_in_sight(world, viewer):
    state, view = world.state(), world.view(viewer)
    own = state.units[state.units["owner"] == viewer]
    assert view.own_units["id"].tolist() == own["id"].tolist()
    for field in own.dtype.names:
        assert np.array_equal(view.own_units[field], own[field]), field
    others = view.units[~view.units["full"]]
    assert (view.tiles["known"][others["tile"]] == 2).all()
    docs = {f.name: f.doc for f in PlayerView.fields("units")}
    for unit in others:
        true = state.unit(int(unit["id"]))
        for field in true.dtype.names:
            if level_of(docs[field]) == 0 and field != "activity":
                assert unit[field] == true[field], field
        assert unit["moves_left"] == unit["homecity"] == -1


def test_a_unit_is_seen_when_it_comes_and_forgotten_when_it_goes(world):
    view = world.view(0)
    other = next(int(p["id"]) for p in view.players if p["id"] != 0)
    seen = view.tiles[(view.tiles["known"] == 2) & (view.tiles["units"] == 0) & (view.tiles["city"] == 0)]
    land = world.state().tiles["continent"][seen["index"]] > 0
    tile = int(seen["index"][land][0])
    place = f"edit.create_unit(find.player({other}), find.tile({tile}), find.unit_type('Explorer'), 0, nil, 0)"
    lua(world, place)
    new = world.view(0)
    stranger = new.units[new.units["tile"] == tile]
    assert stranger["owner"].tolist() == [other] and stranger["type_name"].tolist() == [b"Explorer"]
    assert new.tiles["units"][tile] == 1 and view.tiles["units"][tile] == 0
    lua(world, f"edit.unit_kill(find.unit(nil, {int(stranger['id'][0])}), 'retired', nil)")
    assert world.view(0) == view


def test_cities_of_others_are_remembered_with_their_age(world):
    state, view = world.state(), world.view(0)
    assert view.own_cities["id"].tolist() == state.cities["id"][state.cities["owner"] == 0].tolist()
    for city in view.own_cities:
        true = state.city(int(city["id"]))
        assert all(np.array_equal(city[field], true[field]) for field in true.dtype.names)
    remembered = view.cities[~view.cities["full"]]
    assert len(remembered) and (remembered["age"] > 0).any()
    for city in remembered:
        assert city["food_stock"] == city["shields"] == city["units_supported"] == -1 and city["production"] == b""
        assert city["age"] == view.tiles["age"][city["tile"]] and view.tiles["city"][city["tile"]] == city["id"]
        assert city["size"] >= 1 and city["name"] and 0 <= city["owner"] < 4


def test_what_is_known_of_others_hangs_on_contact_and_embassies(world):
    state = world.state()
    docs = {f.name: f.doc for f in PlayerView.fields("players")}
    found = set()
    for viewer in range(4):
        view = world.view(viewer)
        for player in view.players:
            other = int(player["id"])
            true = state.player(other)
            level = 3
            if other != viewer:
                met, embassy = (state.between(viewer, other)[f] for f in ("contact_turns_left", "has_embassy"))
                level = 2 if embassy else int(met > 0)
            assert player["level"] == level
            found.add(level)
            for field in true.dtype.names:
                if level_of(docs[field]) <= level:
                    assert np.array_equal(player[field], true[field]), (field, other)
                elif true.dtype[field].kind == "i":
                    assert player[field] == -1, (field, other)
                else:
                    assert player[field] in (b"", False), (field, other)
            research = view.row("research", other)
            assert (research["techs"] == true["techs"]) == (level >= 2)
            assert research["tech_goal"] == -1 or level == 3
        for pair in view.diplomacy:
            known = viewer in (pair["player"], pair["other"]) or view.player(int(pair["player"]))["level"] > 0
            true_state = state.between(int(pair["player"]), int(pair["other"]))["state"]
            assert pair["state"] == (true_state if known else b"")
    assert found >= {0, 1, 3}


# ---- what is out of sight changes nothing ------------------------------------------------------------------


def hidden_tiles(world, viewer):
    """Tiles so far from everything the viewer sees that nothing on them can come into its sight."""
    state, view = world.state(), world.view(viewer)
    wide, high = state.xsize, state.ysize

    def place(tile):  # column and row as stored; rows of isometric maps are half a tile apart, so twice as many count
        return tile % wide, tile // wide

    seen = {place(int(index)) for index in view.tiles["index"][view.tiles["known"] == 2]}
    near = {((x + i) % wide, (y + j) % high) for x, y in seen for i in range(-4, 5) for j in range(-8, 9)}
    return {int(index) for index in state.tiles["index"] if place(int(index)) not in near}


def hidden_changes(world, viewer, draw):
    """Changes the viewer cannot see: (what, function that makes it)."""
    state, view, far = world.state(), world.view(viewer), hidden_tiles(world, viewer)
    others = [int(p["id"]) for p in view.players if p["id"] != viewer and p["is_alive"] and not p["is_barbarian"]]
    strangers = [p for p in others if view.player(p)["level"] == 0]
    unmet = [p for p in others if view.player(p)["level"] < 2]
    edits = civworld.edits
    a, b = draw.sample(range(4), 2)
    yield "trait", lambda: world.apply(edits.SetTrait(player=a, trait="aggressive", value=draw.randrange(300, 900)))
    yield "attitude", lambda: world.apply(edits.SetAttitude(player=a, other=b, value=draw.randrange(-999, -1)))
    if strangers:
        yield "gold", lambda: world.apply(edits.AddGold(player=draw.choice(strangers), amount=draw.randrange(1, 999)))
    if unmet:
        yield "bulbs", lambda: world.apply(edits.AddBulbs(player=draw.choice(unmet), amount=draw.randrange(1, 99)))
        yield "tech", lambda: lua(world, f"edit.give_tech(find.player({draw.choice(unmet)}), nil, 0, false, 'hut')")
    units = [u for u in state.units if u["tile"] in far and u["owner"] in others]
    if units:
        unit = draw.choice(units)
        who, tile = int(unit["owner"]), int(unit["tile"])
        new = f"edit.create_unit(find.player({who}), find.tile({tile}), find.unit_type('Workers'), 0, nil, 0)"
        yield "new unit", lambda: lua(world, new)
        yield "dead unit", lambda: lua(world, f"edit.unit_kill(find.unit(nil, {int(unit['id'])}), 'retired', nil)")
    cities = [c for c in state.cities if c["tile"] in far and c["owner"] in others and c["capital"] != b"Primary"]
    if cities:
        city = draw.choice(cities)
        yield "name", lambda: world.apply(edits.RenameCity(city=int(city["id"]), new_name=f"Far {draw.random():.6f}"))
        yield "fallen city", lambda: lua(world, f"edit.remove_city(find.city(nil, {int(city['id'])}))")
    empty = sorted(far & set(state.tiles["index"][(state.tiles["city"] == 0) & (state.tiles["units"] == 0)].tolist()))
    if empty:
        tile = draw.choice(empty)
        yield "extra", lambda: lua(world, f"edit.create_extra(find.tile({tile}), 'Pollution')")


@pytest.mark.parametrize("viewer", range(4))
def test_changes_out_of_sight_never_change_a_view_or_what_is_legal(mid, viewer):
    draw = random.Random(viewer)
    made = set()
    with mid.fork() as world:
        world.take_over(viewer)
        for _ in range(12):
            before, digest, legal = world.view(viewer), world.digest(), world.legal(viewer)
            what, change = draw.choice(list(hidden_changes(world, viewer, draw)))
            try:
                change()
            except civworld.RefusedError:
                continue
            if world.digest() == digest:
                continue
            made.add(what)
            shown = list(before.changes(world.view(viewer)))
            assert not shown, (what, shown[:5])
            assert world.legal(viewer) == legal, what
    assert len(made) >= 4, made


def test_the_same_changes_show_to_whom_they_concern(world):
    """The property above is not empty: views do follow what their player knows."""
    before = [world.view(p) for p in range(4)]
    world.apply(civworld.edits.AddGold(player=2, amount=77))
    changed = [world.view(p) != before[p] for p in range(4)]
    assert changed == [bool(view.player(2)["level"] >= 1) for view in before]


# ---- a view is a value -------------------------------------------------------------------------------------


def test_views_never_change_the_world_and_are_the_same_anywhere(mid):
    with mid.fork() as watched, mid.fork() as plain:
        for _ in range(3):
            for player in range(4):
                watched.view(player)
            assert watched.checkpoint().digest == plain.digest()
            assert watched.view(1) == plain.view(1)
            watched.advance()
            plain.advance()
    code = (
        "import hashlib, civworld\n"
        "world = civworld.World(civworld.WorldConfig(**args[0])).advance(9)\n"
        "view = world.view(2)\n"
        "print(json.dumps(hashlib.sha256(b''.join(view.table(t).tobytes() for t in view.tables)).hexdigest()))"
    )
    assert in_new_process(code, SMALL.to_dict()) == in_new_process(code, SMALL.to_dict())


def test_a_view_is_read_only_and_has_no_hidden_tables(world):
    view = world.view(3)
    assert view.viewer == 3 and view.me["id"] == 3 and view.turn == world.turn
    assert pickle.loads(pickle.dumps(view)) == view
    assert view != world.view(2)
    with pytest.raises(ValueError):
        view.players["gold"][0] = 1
    with pytest.raises(AttributeError):
        view.viewer = 2
    assert not hasattr(view, "hidden") and not [name for name in view.tables if name.startswith("hidden")]
    assert "gold" in PlayerView.describe("players") and "cost" in PlayerView.describe("rules_advances")
    world.advance()
    assert view.turn == world.turn - 1


def test_the_dead_still_have_a_view(mid):
    with with_dead_player(mid, 1) as world:
        view = world.view(1)
        assert not view.me["is_alive"] and not len(view.own_units) and not len(view.own_cities)


@pytest.mark.parametrize("player", [-1, 400, True, None, "1", 1.0])
def test_a_view_of_nobody_is_refused(world, player):
    digest = world.digest()
    with pytest.raises(ArgumentError):
        world.view(player)
    assert world.digest() == digest
