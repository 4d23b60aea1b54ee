# SPDX-License-Identifier: GPL-2.0-or-later
"""What a config changes about how civilizations behave: patches, traits, teams and rules."""

from dataclasses import replace

import msgpack
import numpy as np
import pytest

import civworld
from adding import forgotten
from civworld.config import PATCHES, RULES, TRAITS
from helpers import SMALL, played

# small and quick to fill, so that characters show after 70 turns
TINY = civworld.WorldConfig(seed=1, players=3, map_size=1)
STRONG = ((250, 250, 250, 250),) * 3


def begun(config):
    """Everything about the config's world at turn 1."""
    with played(config, 1).fork() as world:
        return world.state()


def traits_of(config):
    hidden = begun(config).hidden.players
    return [tuple(int(row[t]) for t in TRAITS) for row in hidden[: config.players]]


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"patches": ("agression",)}, civworld.UnknownNameError, ["agression", "aggression"]),
        ({"patches": "trade"}, civworld.ArgumentError, ["'trade'", "tuple"]),
        ({"patches": None}, civworld.ArgumentError, ["None", "wars_end"]),
        ({"traits": (0, 50)}, civworld.ArgumentError, ["traits=0", "1 to 1000"]),
        ({"traits": (60, 50)}, civworld.ArgumentError, ["(60, 50)", "low, high"]),
        ({"traits": ((50, 50, 50, 50),) * 3}, civworld.ArgumentError, ["6 times", "expansionist"]),
        ({"traits": ((50, 50, 50),) * 6}, civworld.ArgumentError, ["6 times"]),
        ({"traits": ((50, 50, 50, 1001),) * 6}, civworld.ArgumentError, ["traits=1001"]),
        ({"traits": ((50, 50, 50, True),) * 6}, civworld.ArgumentError, ["traits=True"]),
        ({"traits": 50}, civworld.ArgumentError, ["traits=50", "pair"]),
        ({"teams": 0}, civworld.ArgumentError, ["teams=0", "1 to 6"]),
        ({"teams": 7}, civworld.ArgumentError, ["teams=7"]),
        ({"disasters": 1001}, civworld.ArgumentError, ["disasters=1001", "0 to 1000"]),
        ({"foodbox": 0}, civworld.ArgumentError, ["foodbox=0", "1 to 10000"]),
        ({"sciencebox": 1.5}, civworld.ArgumentError, ["sciencebox=1.5"]),
    ],
)
def test_config_is_checked(kwargs, error, words):
    with pytest.raises(error) as caught:
        civworld.WorldConfig(**kwargs)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_patches_are_a_set_of_names_in_one_order():
    assert civworld.WorldConfig().patches == PATCHES
    backwards = civworld.WorldConfig(patches=[*reversed(PATCHES), PATCHES[0]])
    assert backwards == civworld.WorldConfig()


@pytest.mark.parametrize("traits", [None, (20, 80), ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (250, 1, 1000, 50))])
def test_configs_survive_plain_formats(traits):
    config = replace(SMALL, traits=traits, patches=("trade",), teams=2, disasters=5, foodbox=90, sciencebox=300)
    assert civworld.WorldConfig.from_dict(msgpack.unpackb(msgpack.packb(config.to_dict()))) == config


def test_traits_are_the_engines_own_unless_told():
    assert traits_of(SMALL) == [(50,) * 4] * 4
    rows = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (250, 1, 1000, 50))
    assert tuple(traits_of(replace(SMALL, traits=rows))) == rows


def test_drawn_traits_depend_on_seed_and_player_alone():
    config = replace(SMALL, traits=(20, 80))
    drawn = config.starting_traits()
    assert traits_of(config) == list(drawn)
    assert all(20 <= value <= 80 for row in drawn for value in row)
    assert replace(config, players=3).starting_traits() == drawn[:3]
    assert replace(config, seed=8).starting_traits() != drawn
    many = np.array([replace(config, seed=seed).starting_traits() for seed in range(500)])
    assert many.min() == 20 and many.max() == 80
    assert np.abs(many.mean(axis=0) - 50).max() < 5 * np.sqrt((61**2 - 1) / 12 / 500)


def test_teams_share_their_fate():
    players = begun(replace(SMALL, teams=2)).players
    assert players["team"][:4].tolist() == [0, 0, 1, 1]
    pairs = begun(replace(SMALL, teams=2)).diplomacy
    states = {(int(r["player"]), int(r["other"])): r["state"].decode() for r in pairs}
    assert states[0, 1] == states[2, 3] == "Team" and states[0, 2] != "Team"


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_set(rule):
    assert begun(replace(SMALL, **{rule: 70})).hidden.world[rule].tolist() == [70]


def test_the_engine_knows_every_rule_and_no_other():
    unknown = pytest.raises(civworld.ArgumentError, match="unknown rule 'rain'")
    with played(SMALL, 1).fork() as world, world._engine_call() as running, unknown as refused:
        running.call("cw_edit_set_rule", b"rain", 1)
    known = str(refused.value).partition("known: ")[2].rstrip(")").split()
    assert known == list(RULES), forgotten("A setting")


def test_the_engine_knows_every_patch_and_no_other():
    digests = {played(replace(SMALL, patches=patches), 1).digest for patches in [(), *((name,) for name in PATCHES)]}
    assert len(digests) == len(PATCHES) + 1
    with civworld.World(SMALL) as world, pytest.raises(civworld.LifecycleError), world._engine_call() as running:
        running.call("cw_world_behaviour", b"trade")


def pair_states(view):
    """(player, other) -> state of diplomacy between civilizations."""
    barbarians = set(view.players["id"][view.players["is_barbarian"]].tolist())
    rows = ((int(r["player"]), int(r["other"]), r["state"].decode()) for r in view.diplomacy)
    return {(a, b): state for a, b, state in rows if a < b and not {a, b} & barbarians}


def histories(config, turns):
    """(player, other) -> the states of diplomacy the pair went through, as seen at each turn."""
    seen = {}
    with civworld.World(config) as world:
        for _ in range(turns):
            for pair, state in pair_states(world.advance().state()).items():
                states = seen.setdefault(pair, ["Never met"])
                if states[-1] != state:
                    states.append(state)
    return seen


@pytest.mark.parametrize("name", PATCHES)
def test_each_patch_changes_the_course_of_a_world(name):
    """Compared is what everybody can see; that without patches all is stock is what test_stock shows."""
    others = tuple(p for p in PATCHES if p != name)
    starts = [played(replace(TINY, patches=patches, traits=STRONG), 81) for patches in (PATCHES, others)]
    with starts[0].fork() as a, starts[1].fork() as b:
        changes = a.state().changes(b.state())
    assert [c for c in changes if not c[0].startswith("hidden_")]


def test_first_contact_is_at_peace():
    with_patch, without = (histories(replace(TINY, patches=p), 20) for p in (("first_contact_peace",), ()))
    assert {states[1] for states in with_patch.values()} == {"Peace"}
    assert {states[1] for states in without.values()} == {"War"}


def test_wars_end_in_peace_and_not_in_war_again():
    with_patch, without = (histories(replace(TINY, patches=p), 70) for p in (("wars_end",), ()))
    for states in with_patch.values():
        assert states[:5] == ["Never met", "War", "Cease-fire", "Armistice", "Peace"]
        assert "War" not in states[2:]
    assert any("War" in states[2:] for states in without.values())


@pytest.mark.parametrize(
    ("trait", "table", "field"),
    [
        ("expansionist", "players", "cities"),
        ("trader", "players", "trade_output"),
        ("builder", "cities", "improvements"),
    ],
)
def test_a_trait_moves_what_it_names_and_stops_nothing(trait, table, field):
    totals = []
    for value in (1, 250):
        row = tuple(value if name == trait else 50 for name in TRAITS)
        with played(replace(TINY, traits=(row,) * 3), 81).fork() as world:
            view = world.state()
            totals.append(int(getattr(view, table)[field].sum()))
            assert view.players["cities"][:3].min() >= 3 and view.cities["improvements"].sum() > 0
    assert totals[1] > totals[0]


def test_the_aggressive_make_war_and_the_meek_do_not():
    wars = []
    for value in (1, 250):
        row = tuple(value if name == "aggressive" else 50 for name in TRAITS)
        states = histories(replace(TINY, traits=(row,) * 3), 90)
        wars.append(sum(s.count("War") for s in states.values()))
    assert wars[0] == 0 < wars[1]


def test_gold_is_spent_and_not_hoarded():
    """300 gold given at turn 41, ten turns later: most of it has been paid for something, or hardly any."""
    left = {}
    for name in ("spending", None):
        config = replace(TINY, patches=tuple(p for p in PATCHES if p != "spending" or name))
        with played(config, 41).fork() as control, played(config, 41).fork() as rich:
            rich.apply(civworld.edits.AddGold(0, 300))
            left[name] = [int(world.advance(10).state().player(0)["gold"]) for world in (rich, control)]
    assert left["spending"][0] - left["spending"][1] < 150
    assert left[None][0] - left[None][1] >= 250


def drained(turn):
    """A world of TINY at a turn, every treasury emptied."""
    world = played(TINY, turn).fork()
    for player in range(TINY.players):
        gold = int(world.state().player(player)["gold"])
        if gold:
            world.apply(civworld.edits.AddGold(player, -gold))
    return world


def test_taxes_cover_the_whole_upkeep():
    """Four turns after all treasuries were emptied, nobody loses gold while taxes could be higher."""
    with drained(81) as world:
        rows = world.advance(4).state().players[: TINY.players]
    losing = (rows["expected_income"] < 0) & (rows["tax"] < 60)
    assert not losing.any(), rows[["expected_income", "tax"]]


def test_units_are_paid_when_all_cities_have_brought_their_gold():
    """Nobody's gold runs out whose cities bring more than the units cost, in whatever order cities come."""
    with drained(61) as world:
        view = world.state()
        rows = view.players[: TINY.players]
        assert rows["gold"].max() == 0 and rows["expected_income"].min() > 0 and view.cities["gold"].min() >= 0
        assert all(view.units["upkeep_gold"][view.units["owner"] == p].sum() > 0 for p in range(TINY.players))
        assert world.advance().state().table("hidden_players")["auctioned"].sum() == 0


def test_cities_make_coins_before_buildings_are_sold():
    """Emptied treasuries: some city makes coins, and nobody sells a building in ten turns."""
    with drained(101) as world:
        sold = int(world.state().table("hidden_players")["sold"].sum())
        coining = []
        for _ in range(10):
            view = world.advance().state()
            coining.append(int((view.cities["production"] == b"Coinage").sum()))
        assert max(coining) > 0, coining
        assert int(view.table("hidden_players")["sold"].sum()) == sold


def test_governments_last():
    """Changes of government in 100 turns, by civilization."""
    changes = {}
    for name in ("government", None):
        config = replace(TINY, patches=tuple(p for p in PATCHES if p != "government" or name))
        with played(config, 101).fork() as world:
            kinds = [e.player for e in world.events() if e.kind == "government_changed"]
        changes[name] = [kinds.count(player) for player in range(config.players)]
    assert max(changes["government"]) <= 2 and sum(changes["government"]) > 0, changes
    assert max(changes[None]) >= 6, changes
