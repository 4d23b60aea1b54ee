# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders about the nation as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from civworld.commands.base import Call, Command, number, text
from civworld.errors import UnknownNameError

SPACESHIP_PARTS = ("structural", "fuel", "propulsion", "habitation", "life support", "solar panels")
"""Kinds of spaceship parts, in the order of the engine."""


@dataclass(frozen=True)
class Research(Command, name="research"):
    """Research an advance (rule name) from now on; changing may cost bulbs."""

    tech: str

    def _call(self) -> Call:
        return ("research", (), text(self, "tech"), "")


@dataclass(frozen=True)
class Goal(Command, name="goal"):
    """The advance (rule name) to research towards; empty for none."""

    tech: str

    def _call(self) -> Call:
        return ("goal", (), text(self, "tech"), "")


@dataclass(frozen=True)
class Rates(Command, name="rates"):
    """Tax, luxury and science in percent, steps of 10, together 100, each up to the government's highest."""

    tax: int
    luxury: int
    science: int

    def _call(self) -> Call:
        return ("rates", (number(self, "tax"), number(self, "luxury"), number(self, "science")), "", "")


@dataclass(frozen=True)
class Government(Command, name="government"):
    """Start a revolution towards a government (rule name); `Outcome.value` is the turn it ends."""

    government: str

    def _call(self) -> Call:
        return ("government", (), text(self, "government"), "")


@dataclass(frozen=True)
class Policy(Command, name="policy"):
    """Set a policy (rule name of a multiplier) from the next turn on; of the shipped rulesets only sandbox has any."""

    policy: str
    value: int

    def _call(self) -> Call:
        return ("policy", (number(self, "value"),), text(self, "policy"), "")


@dataclass(frozen=True)
class SpaceshipLaunch(Command, name="spaceship_launch"):
    """Launch the spaceship."""

    def _call(self) -> Call:
        return ("spaceship_launch", (), "", "")


@dataclass(frozen=True)
class SpaceshipPlace(Command, name="spaceship_place"):
    """Put a finished part in its place; they can be built in worlds with `victories=("spacerace",)`.

    Attributes:
        part: one of `SPACESHIP_PARTS`.
        place: number of the place for a structural; for other parts one more than there are.
    """

    part: str
    place: int

    def _call(self) -> Call:
        if self.part not in SPACESHIP_PARTS:
            raise UnknownNameError("spaceship part", self.part, SPACESHIP_PARTS)
        return ("spaceship_place", (SPACESHIP_PARTS.index(self.part), number(self, "place")), "", "")
