# SPDX-License-Identifier: GPL-2.0-or-later
"""A game of one world and several seats: each player knows what its civilization knows, and turns end together."""

from __future__ import annotations

import dataclasses
import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from civworld.checkpoint import Checkpoint
from civworld.checks import player_number
from civworld.commands import Command, command_from_dict
from civworld.errors import ArgumentError, CivworldError, CommandRefused
from civworld.mcp import looks
from civworld.plan import Plan
from civworld.report.layout import peoples
from civworld.report.narrative import known_to, narrative
from civworld.world import World


class Game:
    """One world that players share.

    Every change is on disk before it is told, so that a crash of a client or of this process loses nothing that was
    answered. The file is a checkpoint: `civworld.recipe(civworld.Checkpoint.load(path))` is the whole game as data.

    Args:
        world: the world; it belongs to the game from now on.
        players: numbers of the civilizations that have a seat; the built-in AI plays the others.
        path: where the game is kept after every change; nowhere when not given.
        last_turn: the game is over when this turn begins; never when not given.
        seconds: how long a turn waits for the others after the first player has ended it; for ever when not given.

    Raises:
        ArgumentError: no players, one twice, or one that the world does not have.
    """

    def __init__(
        self,
        world: World,
        players: Sequence[int],
        path: str | os.PathLike[str] | None = None,
        *,
        last_turn: int | None = None,
        seconds: float | None = None,
    ) -> None:
        self.players = tuple(player_number("game", p) for p in players)
        if not self.players or len(set(self.players)) != len(self.players):
            raise ArgumentError(f"game: players={list(players)}: one seat or more, none twice")
        self._world = world
        self._path = None if path is None else Path(path)
        self._last_turn = last_turn
        self._seconds = seconds
        self._changed = threading.Condition()
        self._ended: dict[int, float] = {}  # player -> when it ended this turn
        for player in self.players:
            if not world.taken_over(player) and world.plan(player) is None:
                world.take_over(player)
        self._save()

    @classmethod
    def resume(cls, path: str | os.PathLike[str], players: Sequence[int], **options: Any) -> Game:
        """The game that a file holds, exactly where it was.

        Raises:
            CheckpointCorrupt, CheckpointMismatch: the file is no whole checkpoint of this build.
        """
        return cls(Checkpoint.load(path).fork(), players, path, **options)

    # ---- looking -------------------------------------------------------------------------------------------

    @property
    def turn(self) -> int:
        """The turn whose orders are being given."""
        return self._world.turn

    @property
    def over(self) -> bool:
        """Whether the last turn has come, or the engine has ended the game."""
        return self._world.over or (self._last_turn is not None and self.turn >= self._last_turn)

    def know(self, player: int, section: str, page: int = 1) -> str:
        """What a player knows: a page of one section, see `looks.SECTIONS`."""
        return looks.page(looks.section(self._world.view(self._seat(player)), section), page)

    def around(self, player: int, x: int, y: int, page: int = 1) -> str:
        """What a player knows of the tiles around a place."""
        return looks.page(looks.around(self._world.view(self._seat(player)), x, y), page)

    def may(self, player: int, about: int = 0, kind: str = "", page: int = 1) -> str:
        """Orders that a player may give now, each with the object that `order` takes, by page.

        Args:
            player: who asks.
            about: id of a unit or city, or number of another player; 0 for all.
            kind: name of a command; empty for all.
            page: which page.
        """
        found = [
            row for row in self._world.legal(self._seat(player)) if about in (0, row.actor) and kind in ("", row.kind)
        ]
        return looks.page((f"{row.text} -> {_short(row.command)}" for row in found), page)

    def why_not(self, player: int, order: dict[str, Any]) -> str:
        """Whether an order would be taken now, or why not; tried in a fork that is dropped, so nothing happens."""
        with self._world.fork() as trial:
            try:
                trial.order(self._seat(player), command_from_dict(order))
            except CivworldError as error:
                return f"no: {error}"
        return "yes"

    # ---- doing ---------------------------------------------------------------------------------------------

    def order(self, player: int, orders: Sequence[dict[str, Any]]) -> list[str]:
        """Carry out orders one after another; what came of each. A refused one changes nothing and stops none."""
        with self._changed:
            self._may_act(player)
            told = [self._order(player, values) for values in orders]
            self._save()
        return told

    def _order(self, player: int, values: dict[str, Any]) -> str:
        try:
            outcome = self._world.order(player, command_from_dict(values))
        except CommandRefused as error:
            return f"refused: {error.reason}"
        except CivworldError as error:
            return f"refused: {error}"
        return f"{outcome.result}{f': {outcome.text}' if outcome.text else ''}"

    def plan(self, player: int, values: dict[str, Any] | None) -> str:
        """Leave a civilization to the built-in AI under a plan, or take it back with None.

        Raises:
            ArgumentError: the plan is malformed; nothing has changed.
        """
        with self._changed:
            self._may_act(player)
            if values is None:
                if not self._world.taken_over(player):
                    self._world.take_over(player)
                told = "you give the orders again"
            else:
                plan = Plan.from_dict(values)
                self._tried(lambda world: _leave_to(world, player, plan))
                told = f"the built-in AI carries out the plan for {plan.turns} turns"
            self._save()
        return told

    def _tried(self, deed: Callable[[World], object]) -> None:
        """Do several things to the world, or none of them."""
        before = self._world.checkpoint()
        try:
            deed(self._world)
        except CivworldError:
            self._world.restore(before)
            raise

    def end_turn(self, player: int) -> str:
        """End a player's turn, wait until the others have, and tell what that player learned since."""
        with self._changed:
            self._may_act(player)
            before = self.turn
            self._ended.setdefault(player, time.monotonic())
            if len(self._ended) == len(self.players):
                self._play()
            while self.turn == before:
                left = None if self._seconds is None else min(self._ended.values()) + self._seconds - time.monotonic()
                if left is not None and left <= 0:
                    self._play()
                else:
                    self._changed.wait(left)
        return self.since(player, before)

    def since(self, player: int, turn: int) -> str:
        """What a player learned after a turn: events, and where its plan was not kept."""
        view = self._world.view(self._seat(player))
        log = known_to(self._world.events(), player)
        told = narrative(log, peoples(view), first=turn + 1).rstrip()
        kept = [
            f"plan not kept: {v.topic} {v.subject}: asked {v.asked}, found {v.found}"
            for v in self._world.violations(player)
            if v.turn > turn
        ]
        over = ["the game is over"] if self.over else []
        return "\n".join([f"turn {self.turn} begins", told, *kept, *over])

    def _play(self) -> None:
        self._world.advance(1)
        self._ended.clear()
        self._save()
        self._changed.notify_all()

    def _save(self) -> None:
        if self._path is not None:
            self._world.checkpoint().save(self._path)

    def _seat(self, player: int) -> int:
        if player not in self.players:
            raise ArgumentError(f"player {player} has no seat; seats are of players {list(self.players)}")
        return player

    def _may_act(self, player: int) -> None:
        self._seat(player)
        if self.over:
            raise ArgumentError(f"the game is over, turn {self.turn}")
        if player in self._ended:
            raise ArgumentError(f"player {player} has ended turn {self.turn} already")

    # ---- experiments ---------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """The game as it is, for experiments."""
        return self._world.checkpoint()

    def close(self) -> None:
        """Give the world back."""
        self._world.close()


def _leave_to(world: World, player: int, plan: Plan) -> None:
    """Have the built-in AI lead a player under a plan, which may take the place of another."""
    if world.taken_over(player):
        world.release(player)
    world.set_plan(player, plan)


def _short(command: Command) -> str:
    """An order as compact JSON, without the fields that say nothing."""
    silent = {f.name: f.default for f in dataclasses.fields(command)}  # type: ignore[arg-type]
    said = {k: v for k, v in command.to_dict().items() if k not in silent or v != silent[k]}
    return json.dumps(said, separators=(",", ":"))
