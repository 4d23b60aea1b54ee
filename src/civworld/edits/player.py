# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of one player: treasury, research, personality, attitudes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import Edit, Place, check_number
from civworld.errors import UnknownNameError
from civworld.state import StateView

TRAITS = ("expansionist", "trader", "aggressive", "builder")


@dataclass(frozen=True)
class AddGold(Edit, name="add_gold"):
    """Add gold to a player's treasury, or take some away.

    Attributes:
        player: number of a living player.
        amount: gold to add; negative takes away, at most what is there. Not 0.
    """

    player: int
    amount: int

    def __post_init__(self) -> None:
        check_number(self.name, "amount", self.amount)

    def call(self) -> tuple[Any, ...]:
        """Edit one field of one player."""
        return ("cw_edit_add_gold", self.player, self.amount)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The treasury, and nothing else."""
        return {("players", self.player, "gold"): int(before.player(self.player)["gold"]) + self.amount}


@dataclass(frozen=True)
class AddBulbs(Edit, name="add_bulbs"):
    """Add bulbs to what a player has gathered for its current advance, or take some away.

    An advance that the bulbs suffice for is learned at the next turn change, as with bulbs from cities. Where a
    team pools research, the team's bulbs change.

    Attributes:
        player: number of a living player.
        amount: bulbs to add; negative takes away, at most what is there. Not 0.
    """

    player: int
    amount: int

    def __post_init__(self) -> None:
        check_number(self.name, "amount", self.amount)

    def call(self) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_add_bulbs", self.player, self.amount)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The bulbs of the research, shown with every player that takes part in it."""
        bulbs = int(before.player(self.player)["bulbs"]) + self.amount
        expected: dict[Place, Any] = {("players", self.player, "bulbs"): bulbs}
        for row in before.research:
            members = int(row["players"])
            if members >> self.player & 1:
                expected["research", int(row["id"]), "bulbs"] = bulbs
                expected |= {("players", p, "bulbs"): bulbs for p in range(64) if members >> p & 1}
        return expected


@dataclass(frozen=True)
class SetTrait(Edit, name="set_trait"):
    """Set one of the four traits of a player's AI; what play has added to it stays.

    Attributes:
        player: number of a living player.
        trait: expansionist, trader, aggressive or builder.
        value: 1 to 1000; 50 is the engine's default.
    """

    player: int
    trait: str
    value: int

    def __post_init__(self) -> None:
        if self.trait not in TRAITS:
            raise UnknownNameError("trait", self.trait, TRAITS)
        check_number(self.name, "value", self.value)

    def call(self) -> tuple[Any, ...]:
        """Edit one trait."""
        return ("cw_edit_set_trait", self.player, TRAITS.index(self.trait), self.value)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """That trait, and nothing else."""
        before.player(self.player)
        return {("hidden_players", self.player, self.trait): self.value}


@dataclass(frozen=True)
class SetAttitude(Edit, name="set_attitude"):
    """Set what one player's AI feels towards another.

    Attributes:
        player: number of the living player whose attitude changes.
        other: number of the living player it is directed at.
        value: -1000 (hatred) to 1000 (love).
    """

    player: int
    other: int
    value: int

    def __post_init__(self) -> None:
        check_number(self.name, "value", self.value)

    def call(self) -> tuple[Any, ...]:
        """Edit one attitude."""
        return ("cw_edit_set_attitude", self.player, self.other, self.value)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """That attitude, and nothing else."""
        before.player(self.player)
        before.player(self.other)
        return {("hidden_pairs", (self.player, self.other), "love"): self.value}
