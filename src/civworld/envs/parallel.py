# SPDX-License-Identifier: GPL-2.0-or-later
"""The PettingZoo parallel environment."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from civworld.checkpoint import Checkpoint
from civworld.config import MAX_SEED, WorldConfig
from civworld.edits import Edit
from civworld.envs.episode import EnvCheckpoint, Episode, Report, generator
from civworld.envs.layouts import MASK, Layout
from civworld.envs.menu import Action, Choice, Menu
from civworld.envs.observations import Encoder, view_of
from civworld.envs.render import ansi, picture
from civworld.envs.settings import EnvConfig
from civworld.envs.window import Window
from civworld.errors import ArgumentError, CheckpointMismatch, LifecycleError, NoRoom, UnknownNameError
from civworld.state import TableView
from civworld.terms import agent_name, agent_player
from civworld.world import World

_PROBES = 20  # seeds to try where any will do: some have no room for the players
RENDER_MODES = ("human", "rgb_array", "ansi")

T = TypeVar("T")


class FreecivParallelEnv(ParallelEnv[str, Any, Action]):  # type: ignore[misc]
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

    `infos[agent]` holds `turn` (the turn now), `outcomes` (of the orders carried out), `refused` (both as counts with
    `infos="numbers"`), `won`, and `text` if asked for. An agent is terminated when its player dies or the game is
    won, truncated after `turns` turns; the world goes on without it. Civilizations born from civil war are run by
    the built-in AI.

    `reset(seed)` fixes everything that follows. Without one, the first episode plays the config's own seed (a random
    one if the environment was made without a config) and later ones draw theirs from `np_random`, which entropy seeds.

    Raises:
        UnknownNameError: there is no such render mode.
    """

    metadata = {"name": "civworld_freeciv_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": True}  # noqa: RUF012

    def __init__(self, config: EnvConfig, render_mode: str | None = None, *, seed: int | None = None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownNameError("render mode", render_mode, RENDER_MODES)
        self.config = config
        self.render_mode = render_mode
        self.possible_agents = [agent_name(n) for n in range(config.agents)]
        self.agents: list[str] = []
        self._random: np.random.Generator | None = None
        self._first_seed = seed
        self._episode: Episode | None = None
        self._window = Window("civworld") if render_mode == "human" else None
        self._encoder = _encoder(replace(config.world, seed=0), config.menu)
        self._layout = Layout(config.layout, self._encoder.space())
        self.observation_spaces = {agent: copy.deepcopy(self._layout.space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(config.menu) for agent in self.possible_agents}

    # ---- spaces ------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations, as `EnvConfig.layout` lays them out; `fields` names table columns."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The menu's numbers; commands and sequences of commands are accepted as well."""
        return self.action_spaces[agent]

    @property
    def fields(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the columns of the tables "players", "cities", "units" and "treaties" of an observation."""
        return self._encoder.fields

    @property
    def parts(self) -> Mapping[str, slice]:
        """Where the arrays lie in the vector of a flat layout; empty for the others."""
        return self._layout.parts

    @property
    def np_random(self) -> np.random.Generator:
        """What seeds of unseeded episodes are drawn from; seeded by `reset(seed)`, by entropy before that."""
        if self._random is None:
            self._random, _ = seeding.np_random()
        return self._random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._random = value

    # ---- episodes ----------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode.

        Args:
            seed: a whole number from 0 on, fixes the world and everything in it; `world.config.seed` tells the one
                within the engine's range that it stands for.
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
        world = self._new_world(seed) if start is None else self._taken_over(start, seed)
        if seed is not None:
            self.np_random, _ = seeding.np_random(int(seed))
        self._drop_episode()
        self._first_seed = None
        self._begin(Episode(self.config, world))
        self._show()
        reports = {player: Report() for player in self._live.standing.playing}
        return self._observations(reports), self._infos(reports)

    def _new_world(self, seed: int | None) -> World:
        if seed is not None:
            return World(self.config.world_of(seed))
        made: World = with_room(
            lambda drawn: World(self.config.world_of(drawn)), self._first_seed, lambda: self.np_random
        )
        return made

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
        self.agents = [agent_name(n) for n in episode.standing.playing]

    @property
    def has_episode(self) -> bool:
        """Whether there is a world: from the first `reset` on, until `close`."""
        return self._episode is not None

    @property
    def _live(self) -> Episode:
        if self._episode is None:
            raise LifecycleError("the environment has no episode: call reset() first")
        return self._episode

    def step(
        self, actions: Mapping[str, Action]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
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
        choices = {agent_player(agent): self.understand(agent, actions[agent]) for agent in self.agents}
        reports = episode.play(choices)
        self.agents = [agent_name(n) for n in episode.standing.playing]
        self._show()
        by_agent = {agent_name(n): report for n, report in reports.items()}
        return (
            self._observations(reports),
            {agent: report.reward for agent, report in by_agent.items()},
            {agent: report.terminated for agent, report in by_agent.items()},
            {agent: report.truncated for agent, report in by_agent.items()},
            self._infos(reports),
        )

    def understand(self, agent: str, action: Action) -> Choice:
        """An agent's action as it will be understood; nothing is done.

        Raises:
            ArgumentError: it is no action.
        """
        try:
            return Choice.read(action, self.config.menu)
        except ArgumentError as error:
            raise ArgumentError(f"step: {agent}: {error}") from None

    def _observations(self, reports: Mapping[int, Report]) -> dict[str, Any]:
        return {agent_name(n): self._observe(n) for n in reports}

    def _observe(self, player: int) -> Any:
        episode = self._live
        at = episode.standing
        view = view_of(episode.world, player, self.config.view)
        seen = self._encoder.encode(view, player, at.step, player in at.ended, episode.mask(player))
        return self._layout.lay_out(seen)

    def _infos(self, reports: Mapping[int, Report]) -> dict[str, dict[str, Any]]:
        episode = self._live
        infos: dict[str, dict[str, Any]] = {}
        for player, report in reports.items():
            info = {"turn": episode.world.turn, **report.told(self.config.infos), "won": report.won}
            if self._layout.mask_in_infos:
                info[MASK] = episode.mask(player)
            if self.config.text:
                info["text"] = self.text(agent_name(player))
            infos[agent_name(player)] = info
        return infos

    # ---- what agents see and can do ------------------------------------------------------------------------

    def observe(self, agent: str) -> Any:
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
        return agent_player(agent)

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
        _ = self._live
        return copy.deepcopy(self)

    # ---- looking on ------------------------------------------------------------------------------------------

    def render(self) -> npt.NDArray[np.uint8] | str | None:
        """The world as the agents know it together: a picture, uint8 (height, width, 3), or text.

        With `human` it is shown in a window, in every step without asking, and nothing is returned; copies and forks
        of the environment do not take the window over.

        A lone agent's picture and text show exactly what it knows. With several agents, what none of them sees now
        is dimmed and what none has ever seen is dark.
        """
        if self.render_mode is None:
            warnings.warn("render: the environment was made without a render mode", stacklevel=2)
            return None
        if self.render_mode == "ansi":
            world, players = self._live.world, range(self.config.agents)
            return "\n\n".join(ansi(view_of(world, n, self.config.view), n) for n in players)
        if self.render_mode == "rgb_array":
            return self._picture()
        self._show()
        return None

    def _picture(self) -> npt.NDArray[np.uint8]:
        return picture(self._live.world, range(self.config.agents), self.config.view)

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self._picture())

    def state(self) -> npt.NDArray[np.uint8]:
        """The map planes of a global view, uint8 (planes, ysize, xsize), as observed by player 0 without fog."""
        episode = self._live
        everything = self._encoder.encode(episode.world.state(), 0, episode.standing.step, False, np.zeros(0, np.int8))
        return everything["map"]

    # ---- copies ----------------------------------------------------------------------------------------------

    def __copy__(self) -> Self:
        """The same as a deep copy: two environments never share a world."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles hold: the settings and, in an episode, the checkpoint that they go on from.

        A new environment has drawn nothing yet, so that its copies each draw seeds of their own.
        """
        running = self.checkpoint() if self.has_episode else None
        return {**self.__dict__, "_episode": running, "_window": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """An exact, independent copy; what never changes is shared."""
        state = self.__getstate__()
        for value in (state["_episode"], self.config, self._encoder, self._layout):
            memo[id(value)] = value
        child = memo[id(self)] = object.__new__(type(self))
        child.__setstate__(copy.deepcopy(state, memo))
        return child

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Go on from the checkpoint, with a world of one's own."""
        running = state["_episode"]
        self.__dict__.update({**state, "_episode": None})
        if running is not None:
            self.restore(running)

    def close(self) -> None:
        """Give the world's memory back and take the window away; `reset` begins anew."""
        self._drop_episode()
        if self._window is not None:
            self._window.close()

    def _drop_episode(self) -> None:
        if self._episode is not None:
            self._episode.world.close()
        self._episode = None
        self.agents = []


@functools.lru_cache(maxsize=32)
def with_room(begin: Callable[[int], T], first: int | None, random: Callable[[], np.random.Generator]) -> T:
    """What begins with a seed, the first one given or drawn, whose map has room for the players.

    Args:
        begin: makes it from a seed.
        first: the seed to try first; None: drawn as well.
        random: what seeds are drawn from, asked for only when one is drawn.

    Raises:
        NoRoom: none of a few seeds has.
    """
    for left in reversed(range(_PROBES)):
        try:
            return begin(int(random().integers(MAX_SEED + 1)) if first is None else first)
        except NoRoom:
            if left == 0:
                raise
            first = None
    raise AssertionError("the last attempt returns or raises")


def _encoder(world: WorldConfig, menu: int) -> Encoder:
    """The encoder of an environment; maps of one config are of one size whatever the seed.

    Raises:
        NoRoom: no world of a few seeds has room for the players.
    """
    random = np.random.default_rng(0)
    with with_room(lambda seed: World(replace(world, seed=seed)), 0, lambda: random) as probe:
        start = probe.state()
        return Encoder(start.xsize, start.ysize, world.players, menu, len(start.rules.extras))
