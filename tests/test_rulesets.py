# SPDX-License-Identifier: GPL-2.0-or-later
"""Every ruleset: its defaults make worlds, its limits are told, and what fails gives the engine's reason."""

import contextlib

import pytest

import civworld
from civworld._engine import Space, engine
from civworld.boot import booted
from civworld.config import MAX_PLAYERS, NATIONS, RULESETS

# one of few such seeds: too little land for so many
CROWDED = civworld.WorldConfig(seed=19, ruleset="alien", players=7, map_size=1)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_defaults_of_a_ruleset_make_worlds(ruleset):
    for seed in range(4):
        with civworld.World(civworld.WorldConfig(seed=seed, ruleset=ruleset)) as world:
            players = world.state().players
            assert int((players["is_alive"] & ~players["is_barbarian"]).sum()) == 6


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_defaults_of_a_ruleset_make_worlds_for_99_of_100_seeds(ruleset):
    failed = 0
    for seed in range(100):
        try:
            civworld.World(civworld.WorldConfig(seed=seed * 7919, ruleset=ruleset)).close()
        except civworld.EngineFatal:
            failed += 1
    assert failed <= 1


@pytest.mark.parametrize("ruleset", RULESETS)
def test_as_many_civilizations_as_there_are_nations_and_no_more(ruleset):
    most = NATIONS.get(ruleset, MAX_PLAYERS)
    with civworld.World(civworld.WorldConfig(seed=1, ruleset=ruleset, players=most, map_size=20)) as world:
        players = world.state().players
        assert int((players["is_alive"] & ~players["is_barbarian"]).sum()) == most
    with pytest.raises(civworld.ArgumentError, match=f"{most + 1}.*{most}"):
        civworld.WorldConfig(seed=1, ruleset=ruleset, players=most + 1, map_size=20)


def test_the_engine_refuses_to_start_with_fewer_civilizations_than_asked():
    with contextlib.closing(Space(booted(CROWDED))) as space:
        running = space.mount()
        for line in ("set minplayers 0", "set aifill 20"):
            running.call("cw_world_command", line.encode())
        with pytest.raises(civworld.ArgumentError, match=r"20 civilizations.*room for 7.*nations"):
            running.call("cw_world_start", 0)


def test_a_map_without_room_says_so():
    with pytest.raises(
        civworld.NoRoom, match=r"no room for 7 players on the map of seed 19 \(22 x 44 tiles\)"
    ) as caught:
        civworld.World(CROWDED)
    assert isinstance(caught.value, civworld.EngineFatal)
    assert caught.value.seed == 19 and caught.value.where == "server/srv_main.c"


def test_a_reset_without_seed_draws_another_seed_where_there_is_no_room():
    env = civworld.parallel_env(CROWDED, agents=1, turns=5)
    env.reset()
    with pytest.raises(civworld.NoRoom):
        env.reset(seed=19)
    env.close()


def test_an_engine_that_exits_gives_the_reason_from_its_log():
    with (
        contextlib.closing(Space(engine().pristine)) as space,
        pytest.raises(civworld.EngineFatal, match=r"exit\(1\).*nonesuch"),
    ):
        space.mount().call("cw_world_boot", b"nonesuch", 1)
