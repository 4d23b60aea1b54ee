# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds as PettingZoo and Gymnasium environments."""

from __future__ import annotations

from typing import Any

import gymnasium

from civworld.config import WorldConfig
from civworld.envs.aec import AecCheckpoint, FreecivAECEnv
from civworld.envs.episode import EnvCheckpoint
from civworld.envs.menu import END_TURN, Action, Menu, Refused
from civworld.envs.observations import GLOBALS, PLANES, Observation
from civworld.envs.parallel import FreecivParallelEnv
from civworld.envs.rewards import REWARDS, Turn, reward
from civworld.envs.settings import EnvConfig
from civworld.envs.single import FreecivEnv

__all__ = [
    "END_TURN",
    "GLOBALS",
    "PLANES",
    "REWARDS",
    "Action",
    "AecCheckpoint",
    "EnvCheckpoint",
    "EnvConfig",
    "FreecivAECEnv",
    "FreecivEnv",
    "FreecivParallelEnv",
    "Menu",
    "Observation",
    "Refused",
    "Turn",
    "env",
    "parallel_env",
    "reward",
]

GYMNASIUM_ID = "civworld/Freeciv-v0"


def parallel_env(
    config: WorldConfig | None = None, agents: int = 2, render_mode: str | None = None, **settings: Any
) -> FreecivParallelEnv:
    """The PettingZoo parallel environment, see `FreecivParallelEnv`.

    Args:
        config: what worlds are made from; without it the first episode's seed is random as well.
        agents: number of players that agents run.
        render_mode: `human` (a window, extra `window`), `rgb_array` or `ansi`.
        settings: further fields of `EnvConfig`.
    """
    made = EnvConfig(config or WorldConfig(), agents=agents, **settings)
    return FreecivParallelEnv(made, render_mode, seed=None if config is None else config.seed)


def env(
    config: WorldConfig | None = None, agents: int = 2, render_mode: str | None = None, **settings: Any
) -> FreecivAECEnv:
    """The same as a PettingZoo AEC environment."""
    return FreecivAECEnv(parallel_env(config, agents, render_mode, **settings))


if GYMNASIUM_ID not in gymnasium.registry:
    gymnasium.register(GYMNASIUM_ID, entry_point="civworld.envs.single:FreecivEnv")
