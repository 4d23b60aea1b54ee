# SPDX-License-Identifier: GPL-2.0-or-later
"""The PettingZoo agent-environment-cycle form: agents choose one after another, then all orders are carried out."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import AgentSelector

from civworld.edits import Edit
from civworld.envs.episode import EnvCheckpoint
from civworld.envs.menu import Action, Menu
from civworld.envs.parallel import FreecivParallelEnv
from civworld.envs.settings import EnvConfig
from civworld.errors import LifecycleError
from civworld.state import TableView
from civworld.world import World


@dataclass(frozen=True)
class AecCheckpoint:
    """An environment in the middle of a cycle.

    Attributes:
        env: the parallel environment underneath.
        cycle: whose turn it is, and what was chosen and observed so far.
    """

    env: EnvCheckpoint
    cycle: dict[str, Any]


class FreecivAECEnv(AECEnv[str, Any, Action]):  # type: ignore[misc]
    """The agents of `FreecivParallelEnv` in turn: each sees the world as it was before any of them acted."""

    def __init__(self, env: FreecivParallelEnv) -> None:
        super().__init__()
        self.env = env
        self.metadata = {**env.metadata, "is_parallelizable": True}
        self.render_mode = env.render_mode
        self.possible_agents = env.possible_agents
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, see `FreecivParallelEnv.observation_space`."""
        return self.env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Discrete:
        """The menu's numbers; commands and sequences of commands are accepted as well."""
        return self.env.action_space(agent)

    # ---- the cycle -----------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode, see `FreecivParallelEnv.reset`."""
        self._observations, self.infos = self.env.reset(seed, options)
        self.agents = [*self.env.agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._new_cycle()

    def _new_cycle(self) -> None:
        self._actions: dict[str, Action] = {}
        self._agent_selector = AgentSelector(self.env.agents)
        self.agent_selection = self._agent_selector.reset()

    def step(self, action: Action) -> None:
        """Note the selected agent's action; the last one carries all of them out.

        Raises:
            ArgumentError: it is no action; the agent can choose again.
            LifecycleError: there is no episode, or it is over.
        """
        if not self.agents:
            raise LifecycleError("there is no episode, or it is over: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.env.understand(agent, action)
        self._actions[agent] = action
        if self._agent_selector.is_last():
            self._carry_out()
        else:
            if self._agent_selector.is_first():
                self._clear_rewards()
            self.agent_selection = self._agent_selector.next()

    def _carry_out(self) -> None:
        actions, self._actions = self._actions, {}
        seen, self.rewards, self.terminations, self.truncations, self.infos = self.env.step(actions)
        self._observations = seen
        self._cumulative_rewards = {**self.rewards}
        self.agents = [*self.env.agents, *(agent for agent in seen if agent not in self.env.agents)]
        if self.env.agents:
            self._new_cycle()
        self._deads_step_first()

    def observe(self, agent: str) -> Any:
        """What an agent observed when the cycle began."""
        return self._observations[agent]

    def state(self) -> npt.NDArray[np.uint8]:
        """The map planes of a global view, shape as `FreecivParallelEnv.state` has it."""
        return self.env.state()

    def render(self) -> npt.NDArray[np.uint8] | str | None:
        """The world as the agents know it together, shape as `FreecivParallelEnv.render` has it."""
        return self.env.render()

    def close(self) -> None:
        """Give the world's memory back."""
        self.env.close()

    # ---- what agents see and can do ------------------------------------------------------------------------

    @property
    def config(self) -> EnvConfig:
        """What the environment is made from."""
        return self.env.config

    @property
    def fields(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the columns of the tables "players", "cities", "units" and "treaties" of an observation."""
        return self.env.fields

    @property
    def parts(self) -> Mapping[str, slice]:
        """Where the arrays lie in the vector of a flat layout; empty for the others."""
        return self.env.parts

    def menu(self, agent: str) -> Menu:
        """The orders behind the numbers of an agent's action space."""
        return self.env.menu(agent)

    def view(self, agent: str) -> TableView:
        """The tables behind an agent's observation."""
        return self.env.view(agent)

    def text(self, agent: str) -> str:
        """What an agent observes and what it has heard of, as text."""
        return self.env.text(agent)

    def action_mask(self, agent: str) -> npt.NDArray[np.int8]:
        """int8 (menu,): 1 for the numbers that an agent can choose now."""
        return self.env.action_mask(agent)

    # ---- the world -----------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The episode's world. Change it by `edit`, not directly."""
        return self.env.world

    def edit(self, edit: Edit) -> Self:
        """Change the world from outside its rules; the agents observe it at once."""
        self.env.edit(edit)
        self._observations = {agent: self.env.observe(agent) for agent in self._observations}
        return self

    def checkpoint(self) -> AecCheckpoint:
        """The environment at this moment, as an immutable value."""
        return AecCheckpoint(self.env.checkpoint(), copy.deepcopy(self._cycle()))

    def restore(self, checkpoint: AecCheckpoint) -> Self:
        """Go back (or over) to a checkpoint, exactly."""
        self.env.restore(checkpoint.env)
        self.__dict__.update(copy.deepcopy(checkpoint.cycle))
        return self

    def fork(self) -> Self:
        """An exact, independent copy of the environment in the middle of its cycle."""
        return copy.deepcopy(self)

    def __copy__(self) -> Self:
        """The same as a deep copy: two environments never share a world."""
        return copy.deepcopy(self)

    def _cycle(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "env"}
