# SPDX-License-Identifier: GPL-2.0-or-later
"""The Gymnasium environment: one learner among civilizations that the built-in AI runs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self

import gymnasium
import numpy as np
import numpy.typing as npt

from civworld.config import WorldConfig
from civworld.edits import Edit
from civworld.envs.episode import EnvCheckpoint
from civworld.envs.menu import Action, Menu
from civworld.envs.parallel import RENDER_MODES, FreecivParallelEnv, with_room
from civworld.envs.settings import EnvConfig
from civworld.state import TableView
from civworld.world import World

_ME = "player_0"


class FreecivEnv(gymnasium.Env[Any, Action]):
    """`civworld/Freeciv-v0`: the agent runs player 0, see `FreecivParallelEnv` for actions and turns.

    Args:
        config: what worlds are made from; their seeds come from `reset`.
        render_mode: `human` (a window, extra `window`), `rgb_array` or `ansi`.
        settings: further fields of `EnvConfig`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(self, config: WorldConfig | None = None, render_mode: str | None = None, **settings: Any) -> None:
        env_config = EnvConfig(config or WorldConfig(), agents=1, **settings)
        self._env = FreecivParallelEnv(env_config, render_mode)
        self._config_seed = None if config is None else config.seed
        self.render_mode = render_mode
        self.observation_space: Any = self._env.observation_space(_ME)
        self.action_space: Any = self._env.action_space(_ME)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, see `FreecivParallelEnv.reset`; without a seed, the first plays the config's own."""
        if seed is None and "start" not in (options or {}):
            observations, infos = with_room(
                lambda drawn: self._env.reset(drawn, options), self._config_seed, lambda: self.np_random
            )
        else:
            observations, infos = self._env.reset(seed, options)
        self._config_seed = None
        super().reset(seed=None if seed is None else int(seed))
        return observations[_ME], infos[_ME]

    def step(self, action: Action) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out an action: a menu entry, a command, a sequence of commands for the whole turn, or None."""
        observations, rewards, terminations, truncations, infos = self._env.step({_ME: action})
        return observations[_ME], rewards[_ME], terminations[_ME], truncations[_ME], infos[_ME]

    # ---- what the agent sees and can do --------------------------------------------------------------------

    @property
    def config(self) -> EnvConfig:
        """What the environment is made from."""
        return self._env.config

    @property
    def fields(self) -> Any:
        """Names of the columns of the tables "players", "cities", "units" and "treaties" of an observation."""
        return self._env.fields

    @property
    def parts(self) -> Mapping[str, slice]:
        """Where the arrays lie in the vector of a flat layout; empty for the others."""
        return self._env.parts

    def menu(self) -> Menu:
        """The orders behind the numbers of the action space, each with a readable text."""
        return self._env.menu(_ME)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool (menu,): the numbers that can be chosen now; the name is the one that masked-policy libraries call."""
        return self._env.action_mask(_ME).astype(np.bool_)

    def observe(self) -> Any:
        """What the agent observes now; also after `edit` or `restore`."""
        return self._env.observe(_ME)

    def view(self) -> TableView:
        """The tables behind the observation."""
        return self._env.view(_ME)

    def text(self) -> str:
        """What the agent observes and what it has heard of, as text."""
        return self._env.text(_ME)

    # ---- the world -----------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The episode's world. Change it by `edit`, not directly."""
        return self._env.world

    def edit(self, edit: Edit) -> Self:
        """Change the world from outside its rules, see `World.apply`."""
        self._env.edit(edit)
        return self

    def checkpoint(self) -> EnvCheckpoint:
        """The environment at this moment, as an immutable value."""
        self._env.np_random = self.np_random
        return self._env.checkpoint()

    def restore(self, checkpoint: EnvCheckpoint) -> Self:
        """Go back (or over) to a checkpoint, exactly."""
        self._env.restore(checkpoint)
        self.np_random = self._env.np_random
        self._config_seed = None
        return self

    def fork(self) -> Self:
        """An exact, independent copy of the environment in the middle of its episode."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles hold; within an episode they draw the same seeds as this environment later."""
        if self._env.has_episode:
            _ = self.np_random
        return self.__dict__

    def __copy__(self) -> Self:
        """The same as a deep copy: two environments never share a world."""
        return copy.deepcopy(self)

    def render(self) -> Any:
        """What the agent knows: a picture, uint8 (height, width, 3), or text."""
        return self._env.render()

    def close(self) -> None:
        """Give the world's memory back."""
        self._env.close()
