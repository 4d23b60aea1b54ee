# SPDX-License-Identifier: GPL-2.0-or-later
"""One episode: a world, the players that agents run, and where they stand within the turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.checkpoint import Checkpoint
from civworld.commands import Command, Outcome
from civworld.envs.menu import Choice, Menu, Refused, mask_of
from civworld.envs.rewards import Turn
from civworld.envs.settings import EnvConfig
from civworld.errors import ArgumentError, CommandRefused, UnknownNameError
from civworld.state import Table
from civworld.world import World


@dataclass
class Report:
    """What a step did for one player."""

    outcomes: list[Outcome] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    won: bool = False

    def told(self, infos: str) -> dict[str, Any]:
        """What was done and refused: as `objects`, or as their `numbers`."""
        if infos == "numbers":
            return {"outcomes": len(self.outcomes), "refused": len(self.refused)}
        return {"outcomes": self.outcomes, "refused": self.refused}


@dataclass(frozen=True)
class Standing:
    """Where an episode stands beside its world: a value.

    Attributes:
        playing: numbers of the players whose agents have not finished, ascending.
        ended: those of them that have ended their turn.
        step: steps taken in this turn.
        first_turn: the turn the episode began in.
        paid: records of `players` at the last payment of rewards.
    """

    playing: tuple[int, ...]
    ended: frozenset[int]
    step: int
    first_turn: int
    paid: Table


class Episode:
    """A running episode. Within a step, players act in the order of their numbers."""

    def __init__(self, config: EnvConfig, world: World, standing: Standing | None = None) -> None:
        self.config = config
        self.world = world
        self._menus: dict[int, Menu] = {}
        self._at = standing or Standing(tuple(range(config.agents)), frozenset(), 0, world.turn, self._players())

    # ---- where it stands ---------------------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        """Everything that is not in the world."""
        return self._at

    def menu(self, player: int) -> Menu:
        """What the player can choose from now; nothing but the end of the turn once its turn has ended."""
        if player not in self._menus:
            legal = self.world.legal(player) if self._may_order(player) else ()
            self._menus[player] = Menu(legal, self.config.menu)
        return self._menus[player]

    def mask(self, player: int) -> npt.NDArray[np.int8]:
        """The mask of the player's menu, without putting the menu together."""
        orders = self.world.count_legal(player) if self._may_order(player) else 0
        return mask_of(orders, self.config.menu)

    def _may_order(self, player: int) -> bool:
        return player in self._at.playing and player not in self._at.ended

    def forget_menus(self) -> None:
        """The world has changed from outside."""
        self._menus.clear()

    def _players(self) -> Table:
        return self.world.table("players")

    # ---- a step --------------------------------------------------------------------------------------------

    def play(self, choices: Mapping[int, Choice]) -> dict[int, Report]:
        """Carry out one choice of every playing player, and end the turn when all have or the budget is spent."""
        menus = {player: self.menu(player) for player in self._at.playing if choices[player].entry}
        reports = {player: Report() for player in self._at.playing}
        ended = set(self._at.ended)
        for player in self._at.playing:
            choice = choices[player]
            if player in ended:
                _refuse(reports[player], choice, "the agent has ended its turn")
                continue
            self._carry_out(player, choice, menus.get(player), reports[player])
            if choice.ends:
                ended.add(player)
        self._menus.clear()
        self._at = replace(self._at, ended=frozenset(ended), step=self._at.step + 1)
        if ended.issuperset(self._at.playing) or self._at.step >= self.config.orders_per_turn:
            self._end_turn(reports)
        return reports

    def _carry_out(self, player: int, choice: Choice, menu: Menu | None, report: Report) -> None:
        commands: Iterable[Command] = choice.commands
        if choice.entry and menu is not None:
            if choice.entry >= len(menu):
                report.refused.append(Refused(choice.entry, f"the menu has entries 0-{len(menu) - 1} now"))
                return
            commands = (menu[choice.entry].command,)
        for command in commands:
            try:
                report.outcomes.append(self.world.order(player, command))
            except CommandRefused as error:
                report.refused.append(Refused(command, error.reason))
            except (ArgumentError, UnknownNameError) as error:
                report.refused.append(Refused(command, str(error)))

    def _end_turn(self, reports: dict[int, Report]) -> None:
        self.world.advance()
        after, before = self._players(), self._at
        alive = {int(p["id"]) for p in after if p["is_alive"]}
        won = self._winners(after, alive)
        over = bool(won) or self.world.over
        late = self.world.turn - before.first_turn >= self.config.turns
        turn = Turn(before.paid, after, before.playing, won)
        for player, report in reports.items():
            report.reward = float(self.config.reward_of(turn, player))
            report.terminated = over or player not in alive
            report.truncated = late and not report.terminated
            report.won = player in won
        playing = tuple(p for p in before.playing if not (reports[p].terminated or reports[p].truncated))
        self._at = replace(before, playing=playing, ended=frozenset(), step=0, paid=after)

    def _winners(self, players: Table, alive: set[int]) -> frozenset[int]:
        """Who has won: the last team alive among civilizations, or whoever's spaceship has arrived."""
        arrived = {int(p["id"]) for p in players if p["spaceship"] == b"Arrived"}
        teams = {int(p["team"]) for p in players if p["is_alive"] and not p["is_barbarian"]}
        civilizations = sum(not p["is_barbarian"] for p in players)
        if len(teams) == 1 and civilizations > 1:
            return frozenset(arrived | {int(p["id"]) for p in players if p["is_alive"] and not p["is_barbarian"]})
        return frozenset(arrived & alive)


def _refuse(report: Report, choice: Choice, reason: str) -> None:
    if choice.entry:
        report.refused.append(Refused(choice.entry, reason))
    report.refused += [Refused(command, reason) for command in choice.commands]


@dataclass(frozen=True)
class EnvCheckpoint:
    """An environment in the middle of an episode, as an immutable value that restores exactly.

    Attributes:
        world: the world.
        config: the environment's settings.
        standing: where the episode stands beside its world.
        random: state of the generator that unseeded resets draw seeds from.
    """

    world: Checkpoint
    config: EnvConfig
    standing: Standing
    random: dict[str, Any]


def generator(state: dict[str, Any]) -> np.random.Generator:
    """A numpy generator in a saved state."""
    rng = np.random.Generator(np.random.PCG64(0))
    rng.bit_generator.state = state
    return rng
