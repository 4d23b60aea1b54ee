# SPDX-License-Identifier: GPL-2.0-or-later
"""Libraries that people train with, each playing some steps; `make clients` installs and runs them all.

Where a library is missing, its tests are skipped and say so.
"""

import copy

import gymnasium
import numpy as np
import pytest

import civworld

TINY = civworld.WorldConfig(seed=7, players=3, map_size=1)
SHORT = {"turns": 3, "orders_per_turn": 2}
BIG_SEED = 2**32 - 1

pytestmark = pytest.mark.filterwarnings("ignore")


def parallel(**settings):
    return civworld.parallel_env(TINY, **SHORT, **settings)


def single(**settings):
    return gymnasium.make("civworld/Freeciv-v0", config=TINY, **SHORT, **settings)


# ---- Stable-Baselines3 -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("layout", "policy"), [("dict", "MultiInputPolicy"), ("flat", "MlpPolicy")])
def test_stable_baselines3_learns_from_dicts_and_vectors(layout, policy):
    sb3 = pytest.importorskip("stable_baselines3", reason="the extra [clients] is not installed")
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.torch_layers import NatureCNN

    made = {"config": TINY, "layout": layout, **SHORT}
    many = make_vec_env("civworld/Freeciv-v0", n_envs=2, seed=BIG_SEED, env_kwargs=made)
    model = sb3.PPO(policy, many, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
    assert not any(isinstance(part, NatureCNN) for part in model.policy.modules()), "a map is no picture"
    before = copy.deepcopy(model.policy.state_dict())
    model.learn(16)
    assert any(not np.array_equal(before[key], now) for key, now in model.policy.state_dict().items())
    many.close()


@pytest.mark.parametrize("layout", ["dict", "flat"])
def test_sb3_contrib_chooses_by_the_mask(layout):
    contrib = pytest.importorskip("sb3_contrib", reason="the extra [clients] is not installed")
    env = single(layout=layout)
    policy = "MultiInputPolicy" if layout == "dict" else "MlpPolicy"
    model = contrib.MaskablePPO(policy, env, n_steps=8, batch_size=8, n_epochs=1, device="cpu").learn(16)
    seen, _ = env.reset(seed=BIG_SEED)
    for _ in range(6):
        masks = env.unwrapped.action_masks()
        action, _ = model.predict(seen, action_masks=masks)
        assert masks[action]
        seen, _, _, over, info = env.step(action)
        assert not info["refused"]
        if over:
            seen, _ = env.reset()
    env.close()


# ---- TorchRL -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["dict", "flat", "masked_flat"])
@pytest.mark.parametrize("form", [civworld.parallel_env, civworld.env])
def test_torchrl_rolls_out_both_pettingzoo_forms(form, layout):
    pytest.importorskip("torchrl", reason="the extra [clients] is not installed")
    from torchrl.envs import check_env_specs
    from torchrl.envs.libs.pettingzoo import PettingZooWrapper

    env = form(TINY, layout=layout, infos="numbers", **SHORT)
    wrapped = PettingZooWrapper(env, use_mask=True, categorical_actions=True)
    for seed in (0, BIG_SEED):
        wrapped.set_seed(seed)
        rolled = wrapped.rollout(6)
        group = rolled["player" if form is civworld.parallel_env else "player_0"]
        assert len(rolled) >= 4 and set(group["info"].keys()) >= {"turn", "outcomes", "refused", "won"}
    check_env_specs(wrapped)
    wrapped.close()


def test_torchrl_rolls_out_the_gymnasium_form():
    pytest.importorskip("torchrl", reason="the extra [clients] is not installed")
    from torchrl.envs import GymWrapper

    wrapped = GymWrapper(single(layout="flat", infos="numbers"))
    wrapped.set_seed(0)
    assert wrapped.rollout(4)["observation"].shape[0] == 4
    wrapped.close()


# ---- tianshou, RLlib, SuperSuit --------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["masked_dict", "masked_flat"])
def test_tianshou_finds_observation_and_mask(layout):
    pytest.importorskip("tianshou", reason="the extra [clients] is not installed")
    from tianshou.env import PettingZooEnv

    env = PettingZooEnv(civworld.env(TINY, layout=layout, **SHORT))
    seen, _ = env.reset(seed=BIG_SEED)
    for turn in range(4):
        assert seen["agent_id"] == f"player_{turn % 2}" and seen["mask"][0] and not seen["mask"][-1]
        seen, _, _, _, info = env.step(np.flatnonzero(seen["mask"])[-1])
    assert info["outcomes"] and not info["refused"]
    env.close()


@pytest.mark.parametrize("layout", ["dict", "masked_flat", "flat"])
def test_rllib_wraps_the_parallel_form(layout):
    pytest.importorskip("ray.rllib", reason="the extra [clients] is not installed")
    from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv

    env = ParallelPettingZooEnv(parallel(layout=layout))
    seen, _ = env.reset(seed=BIG_SEED)
    for _ in range(3):
        assert all(env.get_observation_space(agent).contains(one) for agent, one in seen.items())
        seen, _, ended, truncated, _ = env.step(dict.fromkeys(seen, 0))
    assert truncated["__all__"] and not any(ended.values())


def test_supersuit_puts_copies_side_by_side():
    supersuit = pytest.importorskip("supersuit", reason="the extra [clients] is not installed")
    pytest.importorskip("stable_baselines3")
    agents = supersuit.pettingzoo_env_to_vec_env_v1(parallel(layout="flat", infos="numbers"))
    many = supersuit.concat_vec_envs_v1(agents, 2, base_class="stable_baselines3")
    seen = many.reset()
    for _ in range(20):
        seen, rewards, *_ = many.step(np.zeros(4, np.int64))
    assert seen.shape[0] == rewards.shape[0] == 4
    assert not np.array_equal(seen[0], seen[2]), "copies go on in worlds of their own"
    many.close()
