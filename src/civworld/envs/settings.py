# SPDX-License-Identifier: GPL-2.0-or-later
"""What an environment is made from: one frozen, validated value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from civworld.checks import flag, named, whole
from civworld.config import WorldConfig
from civworld.envs.layouts import LAYOUTS
from civworld.envs.rewards import REWARDS, Reward
from civworld.errors import ArgumentError, UnknownNameError

VIEWS = ("fog", "omni")
INFOS = ("objects", "numbers")


@dataclass(frozen=True)
class EnvConfig:
    """Settings of an environment.

    Attributes:
        world: what each episode's world is made from; its seed is replaced by the episode's.
        agents: number of players run by agents: players 0 to agents - 1. The built-in AI runs the others.
        turns: turns after which an episode is truncated.
        orders_per_turn: steps a turn may last; the turn ends then, or when every agent has ended it.
        menu: size of the action space: entry 0 ends the turn, entries 1 to menu - 1 are legal orders.
        reward: a name of `civworld.envs.REWARDS`, or a function of a `civworld.envs.Turn` and a player number.
        view: `fog`: agents observe what their player knows; `omni`: everything, for research.
        text: put a text of what the agent observes into `infos[agent]["text"]`.
        layout: how an observation is laid out. `dict`: a dict of arrays that holds the action mask; `flat`: one
            float32 vector, the mask in `infos[agent]["action_mask"]`; `masked_dict` and `masked_flat`: those without
            the mask under "observation", the mask beside them under "action_mask".
        infos: `objects`: outcomes and refusals as values of this library; `numbers`: their counts, so that infos hold
            numbers and truth values alone.

    Raises:
        ArgumentError: a value is outside its range, or two of them exclude each other.
        UnknownNameError: a name is not in its table.
    """

    world: WorldConfig = field(default_factory=WorldConfig)
    agents: int = 2
    turns: int = 200
    orders_per_turn: int = 32
    menu: int = 512
    reward: str | Reward = "score"
    view: str = "fog"
    text: bool = False
    layout: str = "dict"
    infos: str = "objects"

    def __post_init__(self) -> None:
        if not isinstance(self.world, WorldConfig):
            raise ArgumentError(f"EnvConfig: world={self.world!r}: a WorldConfig is needed")
        ranges = (("agents", 1, self.world.players), ("turns", 1, 32000), ("orders_per_turn", 1, 10**6))
        for name, low, high in (*ranges, ("menu", 2, 10**5)):
            object.__setattr__(self, name, whole(f"EnvConfig: {name}", getattr(self, name), low, high))
        if not isinstance(self.reward, Callable) and self.reward not in REWARDS:  # type: ignore[arg-type]
            raise UnknownNameError("reward", self.reward, REWARDS)
        for kind, known in (("view", VIEWS), ("layout", LAYOUTS), ("infos", INFOS)):
            named(kind, getattr(self, kind), known)
        flag("EnvConfig: text", self.text)
        if self.text and self.infos == "numbers":
            raise ArgumentError(
                'EnvConfig: text=True with infos="numbers": a text is no number, infos="objects" has room'
            )

    def world_of(self, seed: int) -> WorldConfig:
        """The config of an episode's world; it maps seeds beyond the engine's range into it."""
        return replace(self.world, seed=seed, humans=tuple(range(self.agents)))

    @property
    def reward_of(self) -> Reward:
        """The function that pays the agents."""
        return REWARDS[self.reward] if isinstance(self.reward, str) else self.reward
