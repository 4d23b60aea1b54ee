# SPDX-License-Identifier: GPL-2.0-or-later
"""The PettingZoo parallel environment."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from civworld.checkpoint import Checkpoint
from civworld.config import MAX_SEED, WorldConfig
from civworld.envs.episode import EnvCheckpoint, Episode, Report, generator
from civworld.envs.menu import Action, Choice, Menu
from civworld.envs.observations import Encoder, Observation, view_of
from civworld.envs.render import ansi, picture
from civworld.envs.settings import EnvConfig
from civworld.errors import ArgumentError, CheckpointMismatch, EngineFatal, LifecycleError, UnknownNameError
from civworld.state import TableView
from civworld.world import Edit, World

_PROBES = 5  # worlds to try for the size of the map: some seeds have no room for the players
RENDER_MODES = ("rgb_array", "ansi")


class FreecivParallelEnv(ParallelEnv[str, Observation, Action]):  # type: ignore[misc]
    """Several agents play one Freeciv world; the built-in AI runs the other civilizations.

    Agents are named `player_0`, `player_1`, ... after the players they run. In a step every agent gives one action:

    - a number: entry of its menu (`menu(agent)`), 0 ends its turn. The action mask tells which entries there are;
    - a `civworld.commands` value: that order, whether the menu holds it or not;
    - a sequence of such values: its orders for the whole turn, which then ends for the agent;
    - None: nothing now, for example to wait for another agent's answer.

    Orders are executed player by player, in the order of their numbers, each by the engine's own rules. The turn
    ends when every agent has ended it, or after `orders_per_turn` steps; rewards are paid then. So with sequences
    (or `orders_per_turn=1`) one step is one turn. An order that is not possible changes nothing and is told in
    `infos[agent]["refused"]`; what is no action at all raises and nothing is done.

    `infos[agent]` holds `turn` (the turn now), `outcomes` (of the orders carried out), `refused`, `won`, and `text`
    if asked for. An agent is terminated when its player dies or the game is won, truncated after `turns` turns;
    the world goes on without it. Civilizations born from civil war are run by the built-in AI.

    `reset(seed)` fixes everything. Without a seed, the first episode plays the config's own seed (a random one if
    the environment was made without a config), later ones draw theirs from `np_random`.
    """

    metadata = {"name": "civworld_freeciv_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, config: EnvConfig, render_mode: str | None = None, *, seed: int | None = None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownNameError("render mode", render_mode, RENDER_MODES)
        self.config = config
        self.render_mode = render_mode
        self.possible_agents = [f"player_{n}" for n in range(config.agents)]
        self.agents: list[str] = []
        self.np_random, _ = seeding.np_random(seed)
        self._first_seed = seed
        self._episode: Episode | None = None
        self._encoder = _encoder(replace(config.world, seed=0), config.menu)
        self.observation_spaces = {agent: self._encoder.space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(config.menu) for agent in self.possible_agents}

    # ---- spaces ------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of an agent's observations; `fields` names the columns of its tables."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The menu's numbers; commands and sequences of commands are accepted as well."""
        return self.action_spaces[agent]

    @property
    def fields(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the columns of the tables "players", "cities", "units" and "treaties" of an observation."""
        return self._encoder.fields

    # ---- episodes ----------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode.

        Args:
            seed: 0..2147483645, fixes the world and everything in it.
            options: `start`: a `Checkpoint` to begin from instead of a new world; the agents take over their players,
                and a seed then gives it another future. A warning tells of others.

        Returns:
            Observations and infos of all agents.

        Raises:
            CheckpointMismatch: the start is of a world of another size than the config's, or of another engine build.
        """
        options = dict(options or {})
        start = options.pop("start", None)
        if options:
            warnings.warn(f"reset: options {sorted(options)} are not known", stacklevel=2)
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        world = self._new_world(seed) if start is None else self._taken_over(start, seed)
        self.close()
        self._begin(Episode(self.config, world))
        reports = {player: Report() for player in self._live.standing.playing}
        return self._observations(reports), self._infos(reports)

    def _new_world(self, seed: int | None) -> World:
        if seed is None:
            seed = self._first_seed if self._first_seed is not None else int(self.np_random.integers(MAX_SEED + 1))
        self._first_seed = None
        return World(self.config.world_of(seed))

    def _taken_over(self, start: Checkpoint, seed: int | None) -> World:
        if not isinstance(start, Checkpoint):
            raise ArgumentError(f"reset: start={start!r}: a Checkpoint is needed")
        found, wanted = start.config, self.config.world
        for name in ("ruleset", "players", "map_size"):
            if getattr(found, name) != getattr(wanted, name):
                raise CheckpointMismatch(
                    f"reset: the start has {name}={getattr(found, name)!r}, the config {getattr(wanted, name)!r}",
                    field=name,
                )
        world = World.from_checkpoint(start)
        for player in range(self.config.agents):
            if world.state().player(player)["is_ai"]:
                world.take_over(player)
        if seed is not None:
            world.reseed(seed)
        return world

    def _begin(self, episode: Episode) -> None:
        self._episode = episode
        self.agents = [f"player_{n}" for n in episode.standing.playing]

    @property
    def _live(self) -> Episode:
        if self._episode is None:
            raise LifecycleError("the environment has no episode: call reset() first")
        return self._episode

    def step(
        self, actions: Mapping[str, Action]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Carry out one action of every agent, see the class.

        Args:
            actions: one for each of `agents`.

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were in `agents` before.

        Raises:
            ArgumentError: an agent's action is missing or is no action, or a name is not an agent's; nothing is done.
            LifecycleError: there is no episode, or it is over.
        """
        episode = self._live
        if not self.agents:
            raise LifecycleError("the episode is over: call reset() first")
        if set(actions) != set(self.agents):
            raise ArgumentError(f"step: actions of {sorted(actions)} were given, those of {self.agents} are needed")
        choices = {}
        for agent in self.agents:
            try:
                choices[_number(agent)] = Choice.read(actions[agent], self.config.menu)
            except ArgumentError as error:
                raise ArgumentError(f"step: {agent}: {error}") from None
        reports = episode.play(choices)
        self.agents = [f"player_{n}" for n in episode.standing.playing]
        by_agent = {f"player_{n}": report for n, report in reports.items()}
        return (
            self._observations(reports),
            {agent: report.reward for agent, report in by_agent.items()},
            {agent: report.terminated for agent, report in by_agent.items()},
            {agent: report.truncated for agent, report in by_agent.items()},
            self._infos(reports),
        )

    def _observations(self, reports: Mapping[int, Report]) -> dict[str, Observation]:
        return {f"player_{n}": self._observe(n) for n in reports}

    def _observe(self, player: int) -> Observation:
        episode = self._live
        at = episode.standing
        view = view_of(episode.world, player, self.config.view)
        return self._encoder.encode(view, player, at.step, player in at.ended, episode.mask(player))

    def _infos(self, reports: Mapping[int, Report]) -> dict[str, dict[str, Any]]:
        episode = self._live
        infos: dict[str, dict[str, Any]] = {}
        for player, report in reports.items():
            info = {"turn": episode.world.turn, "outcomes": report.outcomes, "refused": report.refused}
            infos[f"player_{player}"] = {**info, "won": report.won}
            if self.config.text:
                infos[f"player_{player}"]["text"] = self.text(f"player_{player}")
        return infos

    # ---- what agents see and can do ------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """What an agent observes now; also after `edit` or `restore`."""
        return self._observe(self._player(agent))

    def view(self, agent: str) -> TableView:
        """The tables behind an agent's observation."""
        return view_of(self._live.world, self._player(agent), self.config.view)

    def menu(self, agent: str) -> Menu:
        """The orders behind the numbers of an agent's action space, each with a readable text."""
        return self._live.menu(self._player(agent))

    def text(self, agent: str) -> str:
        """What an agent observes and what it has heard of, as text, see `World.report`."""
        player = self._player(agent)
        return self._live.world.report(player if self.config.view == "fog" else "omni")

    def action_mask(self, agent: str) -> npt.NDArray[np.int8]:
        """int8 (menu,): 1 for the numbers that an agent can choose now."""
        return self._live.mask(self._player(agent))

    def _player(self, agent: str) -> int:
        if agent not in self.possible_agents:
            raise UnknownNameError("agent", agent, self.possible_agents)
        return _number(agent)

    # ---- the world -----------------------------------------------------------------------------------------

    @property
    def world(self) -> World:
        """The episode's world. Change it by `edit`, not directly."""
        return self._live.world

    def edit(self, edit: Edit) -> Self:
        """Change the world from outside its rules, see `World.apply`; `observe` shows the agents' new observations."""
        self._live.world.apply(edit)
        self._live.forget_menus()
        return self

    def checkpoint(self) -> EnvCheckpoint:
        """The environment at this moment, as an immutable value."""
        episode = self._live
        state: dict[str, Any] = dict(self.np_random.bit_generator.state)
        return EnvCheckpoint(episode.world.checkpoint(), self.config, episode.standing, state)

    def restore(self, checkpoint: EnvCheckpoint) -> Self:
        """Go back (or over) to a checkpoint, exactly.

        Raises:
            CheckpointMismatch: the checkpoint is of an environment with other settings or of another engine build.
        """
        if checkpoint.config != self.config:
            raise CheckpointMismatch(
                f"checkpoint of an environment with {checkpoint.config}, this one has {self.config}", field="config"
            )
        if self._episode is None:
            world = World.from_checkpoint(checkpoint.world)
        else:
            world = self._episode.world.restore(checkpoint.world)
        self.np_random = generator(checkpoint.random)
        self._first_seed = None
        self._begin(Episode(self.config, world, checkpoint.standing))
        return self

    def fork(self) -> Self:
        """An exact, independent copy of the environment in the middle of its episode."""
        child = type(self)(self.config, self.render_mode)
        return child.restore(self.checkpoint())

    # ---- looking on ------------------------------------------------------------------------------------------

    def render(self) -> npt.NDArray[np.uint8] | str | None:
        """The world as the agents know it together: a picture, uint8 (height, width, 3), or text.

        A lone agent's picture and text show exactly what it knows. With several agents, what none of them sees now
        is dimmed and what none has ever seen is dark.
        """
        if self.render_mode is None:
            warnings.warn("render: the environment was made without a render mode", stacklevel=2)
            return None
        world, players = self._live.world, range(self.config.agents)
        if self.render_mode == "ansi":
            return "\n\n".join(ansi(view_of(world, n, self.config.view), n) for n in players)
        return picture(world, players, self.config.view)

    def state(self) -> npt.NDArray[np.uint8]:
        """The map planes of a global view, uint8 (planes, ysize, xsize), as observed by player 0 without fog."""
        episode = self._live
        everything = self._encoder.encode(episode.world.state(), 0, episode.standing.step, False, np.zeros(0, np.int8))
        return everything["map"]

    def close(self) -> None:
        """Give the world's memory back; `reset` begins anew."""
        if self._episode is not None:
            self._episode.world.close()
        self._episode = None
        self.agents = []


def _number(agent: str) -> int:
    return int(agent.removeprefix("player_"))


@functools.lru_cache(maxsize=32)
def _encoder(world: WorldConfig, menu: int) -> Encoder:
    """The encoder of an environment; maps of one config are of one size whatever the seed.

    Raises:
        EngineFatal: no world of a few seeds has room for the players.
    """
    for seed in range(_PROBES):
        try:
            with World(replace(world, seed=seed)) as probe:
                return Encoder(probe.state().xsize, probe.state().ysize, world.players, menu)
        except EngineFatal as error:
            failure = error
    raise failure
