# SPDX-License-Identifier: GPL-2.0-or-later
"""A Freeciv world as a deduction task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.errors import ArgumentError
from civworld.world import World
from civworld.world_agent.deduction.case import LOOKAHEAD, SEGMENTS
from civworld.world_agent.deduction.disclosure import check_setting, opening, protocol
from civworld.world_agent.deduction.freeciv.actions import action_table
from civworld.world_agent.deduction.freeciv.backend import FreecivBackend
from civworld.world_agent.deduction.freeciv.fields import civilizations, public_fields
from civworld.world_agent.deduction.freeciv.rules import INTRO, disclosed


@dataclass(frozen=True, slots=True)
class FreecivTask:
    """Predict one Freeciv world from some turn on.

    Attributes:
        config: what the world is made from.
        turn: the turn that is time 0.
        actor: number of the acting player, a civilization that lives then.
        interval: turns of a segment and between decision points.
        lookahead: turns that a plan looks ahead, a multiple of the interval.
    """

    config: WorldConfig = field(default_factory=lambda: WorldConfig(seed=7, players=3, map_size=1))
    turn: int = 21
    actor: int = 0
    interval: int = 4
    lookahead: int = LOOKAHEAD

    def __post_init__(self) -> None:
        if self.turn < 1 or self.interval < 1 or self.lookahead < 1 or self.lookahead % self.interval:
            raise ArgumentError(
                f"FreecivTask(turn={self.turn}, interval={self.interval}, lookahead={self.lookahead}): all from 1 on, "
                "and the interval must divide the lookahead"
            )

    @property
    def name(self) -> str:
        """Ruleset, seed and turn."""
        return f"freeciv_{self.config.ruleset}_{self.config.seed}_t{self.turn}"

    @property
    def segments(self) -> int:
        """Eight, as in kernel cases of the smallest size."""
        return SEGMENTS

    def start(self) -> Checkpoint:
        """The world at time 0."""
        checkpoint = _played(self.config, self.turn)
        return checkpoint

    def backend(self) -> FreecivBackend:
        """A fresh fork of the start."""
        world = self.start().fork()
        civs = civilizations(world.state())
        living = civs["id"][civs["is_alive"]].tolist()
        if self.actor not in living:
            raise ArgumentError(f"FreecivTask(actor={self.actor}): living civilizations at turn {self.turn}: {living}")
        return FreecivBackend(world, self.actor, action_table(world.state(), self.actor))

    def rules(self) -> Sequence[str]:
        """None: the engine's rules have no names, so no rule firing is asked or scored."""
        return ()

    def prompt(self, information: str, mode: str) -> str:
        """The opening text of a setting."""
        check_setting(information, mode)
        backend = self.backend()
        with backend.world as world:
            view = world.state()
        told = disclosed(view, self.actor, information, mode)
        end = protocol(mode, self.interval, self.lookahead, bool(self.rules()))
        return opening([f"Freeciv, ruleset {self.config.ruleset}", INTRO], told, public_fields(view), end)


@lru_cache(maxsize=4)
def _played(config: WorldConfig, turn: int) -> Checkpoint:
    with World(config) as world:
        return world.advance(turn - 1).checkpoint()
