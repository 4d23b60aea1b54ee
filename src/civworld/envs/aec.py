# SPDX-License-Identifier: GPL-2.0-or-later
"""The PettingZoo agent-environment-cycle form: agents choose one after another, then all orders are carried out."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from civworld.envs.episode import EnvCheckpoint
from civworld.envs.menu import Menu
from civworld.envs.observations import Observation
from civworld.envs.parallel import FreecivParallelEnv
from civworld.errors import LifecycleError
from civworld.state import TableView
from civworld.world import Edit, World


@dataclass(frozen=True)
class AecCheckpoint:
    """An environment in the middle of a cycle.

    Attributes:
        env: the parallel environment underneath.
        cycle: whose turn it is, and what was chosen and observed so far.
    """

    env: EnvCheckpoint
    cycle: dict[str, Any]


class FreecivAECEnv(parallel_to_aec_wrapper):  # type: ignore[misc]
    """The agents of `FreecivParallelEnv` in turn: each sees the world as it was before any of them acted."""

    env: FreecivParallelEnv
    _observations: dict[str, Observation]

    @property
    def world(self) -> World:
        """The episode's world. Change it by `edit`, not directly."""
        return self.env.world

    def step(self, action: Any) -> None:
        """Note the selected agent's action; the last one carries all of them out."""
        if not getattr(self, "agents", None):
            raise LifecycleError("there is no episode, or it is over: call reset() first")
        super().step(action)

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
        child = type(self)(type(self.env)(self.env.config, self.env.render_mode))
        return child.restore(self.checkpoint())

    def _cycle(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "env"}
