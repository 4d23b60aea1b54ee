# SPDX-License-Identifier: GPL-2.0-or-later
"""What libraries ask of environments: layouts of observations, plain infos, wrappers, seeds of any size."""

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils import TerminateIllegalWrapper

import civworld
from civworld import envs
from civworld.envs.layouts import LAYOUTS
from civworld.errors import ArgumentError, UnknownNameError

TINY = civworld.WorldConfig(seed=7, players=3, map_size=1)


def parallel(**settings):
    return civworld.parallel_env(TINY, **{"turns": 3, "orders_per_turn": 2, **settings})


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore")
def test_every_layout_passes_the_conformance_tests(layout):
    parallel_api_test(parallel(layout=layout), num_cycles=10)
    api_test(civworld.env(TINY, turns=3, orders_per_turn=2, layout=layout), num_cycles=20)


def test_every_layout_holds_the_same_numbers():
    made = {layout: parallel(layout=layout) for layout in LAYOUTS}
    seen, infos = {}, {}
    for layout, env in made.items():
        env.reset(seed=3)
        stepped = env.step({agent: 1 for agent in env.agents})
        seen[layout], infos[layout] = stepped[0]["player_0"], stepped[-1]["player_0"]
        space = env.observation_space("player_0")
        assert space.contains(seen[layout]), layout
    whole = seen["dict"]
    rest = {key: value for key, value in whole.items() if key != "action_mask"}
    assert all(np.array_equal(rest[key], value) for key, value in seen["masked_dict"]["observation"].items())
    assert seen["masked_dict"]["observation"].keys() == rest.keys()
    vector = seen["flat"]
    assert vector.dtype == np.float32 and vector.ndim == 1
    assert np.array_equal(seen["masked_flat"]["observation"], vector)
    parts = made["flat"].parts
    assert parts.keys() == rest.keys() and sum(part.stop - part.start for part in parts.values()) == len(vector)
    for key, part in parts.items():
        assert np.array_equal(vector[part], rest[key].ravel().astype(np.float32)), key
    masks = [whole["action_mask"], seen["masked_dict"]["action_mask"], seen["masked_flat"]["action_mask"],
             infos["flat"]["action_mask"]]  # fmt: skip
    assert all(np.array_equal(mask, masks[0]) for mask in masks) and masks[0][1]
    assert "action_mask" not in infos["dict"] and not made["dict"].parts


@pytest.mark.parametrize("map_size", [1, 4])
def test_planes_are_bounded_by_what_they_hold_and_so_are_no_pictures(map_size):
    """Libraries take three-dimensional bytes from 0 to 255 for a picture and put a picture's network before it."""
    env = civworld.parallel_env(civworld.WorldConfig(players=3, map_size=map_size))
    spaces = env.observation_space("player_0").spaces
    for name in ("map", "extras"):
        box = spaces[name]
        assert box.dtype == np.uint8 and len(box.shape) == 3 and not (box.high == 255).all(), name
    observations, _ = env.reset(seed=1)
    for _ in range(5):
        assert all(env.observation_space(a).contains(seen) for a, seen in observations.items())
        observations, *_ = env.step({agent: [] for agent in env.agents})
    extras = len(env.world.state().rules.extras)
    bits = np.unpackbits(spaces["extras"].high[:, 0, 0], bitorder="little")
    beyond = [bit for number, bit in enumerate(bits) if number >= extras and number % 8]
    assert bits[:extras].all() and beyond and not any(beyond)


def test_infos_of_numbers_hold_numbers_alone():
    env = parallel(infos="numbers", layout="flat")
    _, infos = env.reset(seed=3)
    *_, later = env.step({"player_0": 1, "player_1": env.config.menu - 1})
    for told in (infos, later):
        for info in told.values():
            assert all(np.asarray(value).dtype.kind in "iub" for value in info.values()), info
    assert (later["player_0"]["outcomes"], later["player_0"]["refused"]) == (1, 0)
    assert (later["player_1"]["outcomes"], later["player_1"]["refused"]) == (0, 1)


def test_layouts_and_infos_are_checked():
    for wrong in ({"layout": "image"}, {"infos": "words"}):
        with pytest.raises(UnknownNameError):
            parallel(**wrong)
    with pytest.raises(ArgumentError, match="text"):
        parallel(text=True, infos="numbers")


# ---- wrappers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["dict", "flat", "masked_flat"])
@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_wrapper_ends_the_game_at_an_illegal_action(layout):
    env = TerminateIllegalWrapper(civworld.env(TINY, turns=9, layout=layout), illegal_reward=-1)
    env.reset(seed=3)
    env.step(1)
    assert env.agent_selection == "player_1" and not any(env.terminations.values())
    env.step(env.unwrapped.config.menu - 1)
    ended = {}
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        ended[agent] = (reward, terminated)
        env.step(None)
    assert ended == {"player_0": (0, True), "player_1": (-1, True)} and not env.agents
    env.reset(seed=3)
    assert env.agents == ["player_0", "player_1"]


def test_an_agent_whose_action_is_none_at_all_chooses_again():
    env = civworld.env(TINY, turns=9)
    env.reset(seed=3)
    env.step(1)
    with pytest.raises(ArgumentError, match="player_1"):
        env.step("1")
    assert env.agent_selection == "player_1"
    env.step(0)
    assert env.agent_selection == "player_0" and env.world.turn == 1


# ---- seeds -------------------------------------------------------------------------------------------------


def worlds_of(many, steps):
    """The seeds of the worlds that each copy of a vector environment plays, in order."""
    seen = [[] for _ in many.envs]
    for _ in range(steps):
        for one, seeds in zip(many.envs, seen, strict=True):
            seed = one.unwrapped.world.config.seed
            if not seeds or seeds[-1] != seed:
                seeds.append(seed)
        many.step(np.zeros(len(many.envs), int))
    return seen


def vector(**settings):
    return gymnasium.make_vec("civworld/Freeciv-v0", num_envs=3, config=TINY, turns=1, orders_per_turn=1, **settings)


def test_copies_of_an_environment_play_different_worlds():
    many = vector()
    many.reset()
    first, *later = zip(*worlds_of(many, 8), strict=True)
    assert first == (7, 7, 7), "the first episode plays the config's world"
    assert len(later) >= 2 and all(len(set(seeds)) == 3 for seeds in later), later
    many.reset(seed=20)
    seeded = worlds_of(many, 8)
    assert [seeds[0] for seeds in seeded] == [20, 21, 22] and len({seed for seeds in seeded for seed in seeds}) >= 9
    again = vector()
    again.reset(seed=20)
    assert worlds_of(again, 8) == seeded, "a seed fixes all later episodes"


@pytest.mark.parametrize("seed", [2**31 - 3, 2**31 - 2, 2**32 - 1, 10**30, np.int64(2**40), np.uint32(5)])
def test_any_seed_that_numpy_takes_starts_an_episode(seed):
    env = parallel(agents=1)
    env.reset(seed=seed)
    lone = gymnasium.make("civworld/Freeciv-v0", config=TINY)
    lone.reset(seed=seed)
    assert env.world.config.seed == lone.unwrapped.world.config.seed == civworld.WorldConfig(seed=seed).seed
    assert type(env.world.config.seed) is int


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True])
def test_what_is_no_seed_is_refused_and_the_episode_goes_on(seed):
    env = parallel()
    env.reset(seed=3)
    for one in (env, civworld.env(TINY, turns=3)):
        with pytest.raises(ArgumentError, match="seed"):
            one.reset(seed=seed)
    env.step({agent: 0 for agent in env.agents})
    assert env.world.turn == 2 and envs.FreecivEnv(TINY).config.world == TINY
