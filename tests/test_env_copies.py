# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of environments: copy, deepcopy and pickle give exact, independent ones; new ones share no random state."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import civworld

TINY = civworld.WorldConfig(seed=7, players=3, map_size=1)
SETTINGS = {"turns": 12, "orders_per_turn": 3}
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "fork": lambda env: env.fork(),
}


def single():
    return civworld.envs.FreecivEnv(TINY, **SETTINGS)


def step_single(env, action):
    return env.step(action)[:2]


def parallel():
    return civworld.parallel_env(TINY, **SETTINGS)


def step_parallel(env, action):
    seen, rewards, *_ = env.step({agent: action for agent in env.agents})
    return seen["player_1"], rewards["player_1"]


def cycle():
    return civworld.env(TINY, **SETTINGS)


def step_cycle(env, action):
    env.step(action)
    return env.last()[:2]


FORMS = {"single": (single, step_single), "parallel": (parallel, step_parallel), "cycle": (cycle, step_cycle)}


def same(one, other):
    (seen, reward), (expected, paid) = one, other
    return reward == paid and all(np.array_equal(seen[key], expected[key]) for key in expected)


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("form", FORMS)
def test_a_copy_goes_on_exactly_and_on_its_own(form, way):
    make, step = FORMS[form]
    env = make()
    env.reset(seed=3)
    step(env, 1)
    other = COPIES[way](env)
    before = env.world.digest()
    played = [step(other, action) for action in (2, 0, 1, 0, 0)]
    assert other.world.digest() != before == env.world.digest(), "the copy moved and the original did not"
    assert all(same(step(env, action), found) for action, found in zip((2, 0, 1, 0, 0), played, strict=True))
    assert env.world.digest() == other.world.digest() and env.world.turn >= 2
    env.reset(), other.reset()
    assert env.world.config.seed == other.world.config.seed != 7, "the same seeds are drawn later"


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("form", FORMS)
def test_copies_of_a_new_environment_draw_seeds_of_their_own(form, way):
    env = FORMS[form][0]()
    copies = [env, COPIES[way](env), COPIES[way](env)]
    seeds = []
    for one in copies:
        one.reset(), one.reset()
        seeds.append(one.world.config.seed)
    assert len(set(seeds)) == 3, seeds


@pytest.mark.parametrize("form", FORMS)
def test_an_episode_that_is_over_is_copied_too(form):
    make, step = FORMS[form]
    env = make()
    env.reset(seed=3)
    while env.world.turn <= SETTINGS["turns"]:
        step(env, 0)
    if form == "cycle":
        env.step(None), env.step(None)
    other = copy.deepcopy(env)
    assert other.world.digest() == env.world.digest()
    if form != "single":
        assert other.agents == env.agents == []
    other.reset(seed=4)
    assert other.world.turn == 1 and env.world.turn == 13


def test_spaces_and_wrapped_environments_are_copied():
    env = gymnasium.make("civworld/Freeciv-v0", config=TINY, **SETTINGS)
    env.reset(seed=3)
    env.action_space.seed(5)
    other = copy.deepcopy(env)
    assert [env.action_space.sample() for _ in range(9)] == [other.action_space.sample() for _ in range(9)]
    assert other.unwrapped.action_space is not env.unwrapped.action_space
    assert other.observation_space == env.observation_space
    env.step(0)
    assert (env.unwrapped.world.turn, other.unwrapped.world.turn) == (2, 1)
