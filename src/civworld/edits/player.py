# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of one player: treasury, bulbs, personality, attitudes, government, tax rates, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld._engine import words
from civworld.checks import named
from civworld.config import TRAITS
from civworld.edits.base import (
    ACTIVITY,
    UPKEEP,
    Consequence,
    Edit,
    Place,
    borders,
    cities_of,
    may,
    members,
    must_exist,
    outputs,
    pairs,
    units_of,
)
from civworld.errors import ArgumentError
from civworld.state import StateView


@dataclass(frozen=True)
class AddGold(Edit, name="add_gold"):
    """Add gold to a player's treasury, or take some away.

    Attributes:
        player: number of a living player.
        amount: gold to add; negative takes away, at most what is there. Not 0.
    """

    player: int
    amount: int

    def call(self, before: StateView) -> tuple[Any, ...]:
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

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_add_bulbs", self.player, self.amount)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The bulbs of the research, shown with every player that takes part in it."""
        bulbs = int(before.player(self.player)["bulbs"]) + self.amount
        research, players = members(before, self.player)
        return {("research", research, "bulbs"): bulbs, **{("players", p, "bulbs"): bulbs for p in players}}


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
        super().__post_init__()
        named("trait", self.trait, TRAITS)

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one trait."""
        return ("cw_edit_set_trait", self.player, words("traits").index(self.trait), self.value)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """That trait, and nothing else."""
        must_exist(before, "players", self.player)
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

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one attitude."""
        return ("cw_edit_set_attitude", self.player, self.other, self.value)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """That attitude, and nothing else."""
        must_exist(before, "players", self.player, self.other)
        return {("hidden_pairs", (self.player, self.other), "love"): self.value}


@dataclass(frozen=True)
class SetGovernment(Edit, name="set_government"):
    """Give a player another government, at once or through a revolution.

    The built-in AI considers its government anew in every turn change, before the turn's income, and needs no
    anarchy to change: without `sticky` it may undo the edit before it had any effect.

    Attributes:
        player: number of a living player who meets the government's requirements.
        government: rule name.
        anarchy: True starts a revolution of the length that the rules give (at least one turn; one under way goes
            on to this government); False changes at once, without anarchy.
        sticky: the built-in AI changes government no more, until an edit with sticky=False.
    """

    player: int
    government: str
    anarchy: bool = False
    sticky: bool = False

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one player."""
        return (
            "cw_edit_set_government",
            self.player,
            self.government.encode(),
            int(self.anarchy),
            int(self.sticky),
        )

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The government, or the one that the revolution leads to."""
        row = before.player(self.player)
        before.rules.id("governments", self.government)
        expected: dict[Place, Any] = {("hidden_players", self.player, "government_held"): self.sticky}
        if row["government"] == self.government.encode():
            return expected
        if self.anarchy:
            return expected | {("players", self.player, "target_government"): self.government}
        return expected | {
            ("players", self.player, "government"): self.government,
            ("players", self.player, "target_government"): "",
            ("players", self.player, "revolution_finishes"): -1,
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """Tax rates above the new highest rate, and what cities, units and research follow from it."""
        research, _ = members(before, self.player)
        revolution = {"government", "revolution_finishes"} if self.anarchy else set()
        return (
            *outputs(),
            *borders(),
            may("players", {"tax", "luxury", "science", *revolution}, {self.player}),
            may("research", {"available"}, {research}),
        )


@dataclass(frozen=True)
class SetRates(Edit, name="set_rates"):
    """Set a player's tax rates.

    The built-in AI sets its rates anew in every turn change, before the turn's income: without `sticky` the edit
    has no effect on it.

    Attributes:
        player: number of a living player.
        tax: percent that becomes gold; the three together 100, none above the government's highest rate.
        luxury: percent that becomes luxury.
        science: percent that becomes bulbs.
        sticky: the built-in AI changes the rates no more, until an edit with sticky=False.
    """

    player: int
    tax: int
    luxury: int
    science: int
    sticky: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        rates = (self.tax, self.luxury, self.science)
        if min(rates) < 0 or sum(rates) != 100:
            raise ArgumentError(f"edit 'set_rates': {rates}: three rates from 0 that are 100 together are needed")

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one player."""
        return ("cw_edit_set_rates", self.player, self.tax, self.luxury, self.science, int(self.sticky))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The three rates, and whether the AI leaves them alone."""
        must_exist(before, "players", self.player)
        return {
            ("players", self.player, "tax"): self.tax,
            ("players", self.player, "luxury"): self.luxury,
            ("players", self.player, "science"): self.science,
            ("hidden_players", self.player, "rates_held"): self.sticky,
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What the player's cities give, and what follows for their trade partners."""
        return outputs()


@dataclass(frozen=True)
class KillPlayer(Edit, name="kill_player"):
    """End a player as if it had lost everything.

    Cities that another living player founded go back to that player; the others, and all units, are gone, and the
    territory is nobody's. Units of others that cannot be where such a city was are gone too. Advances, attitudes and
    treaties of others stay as they are.

    Attributes:
        player: number of a living player that is no barbarian.
    """

    player: int

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one player."""
        return ("cw_edit_kill_player", self.player)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """Dead, without cities, units and territory."""
        must_exist(before, "players", self.player)
        return {
            ("players", self.player, "is_alive"): False,
            **{("players", self.player, field): 0 for field in ("cities", "citizens", "units", "territory")},
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """Everything of the dead, and what the others see, own and regain."""
        cities = cities_of(before, self.player)
        tiles = {int(c["tile"]) for c in before.cities if int(c["id"]) in cities}
        own = units_of(before, self.player)
        guests = {int(u["id"]) for u in before.units if int(u["tile"]) in tiles or int(u["transporter"]) in own}
        heirs = {int(c["original"]) for c in before.cities if int(c["id"]) in cities} - {self.player, -1}
        grown = {"cities", "citizens", "population", "wonders", "units", "military_units", "capital"}
        return (
            *outputs(),
            *borders(),
            may("players", rows={self.player}),
            may("players", grown, heirs),
            may("players", {"units", "military_units", "units_lost"}),
            may("hidden_players", rows={self.player}),
            may("diplomacy", rows=pairs(before, self.player, *heirs)),
            may("hidden_pairs", rows=pairs(before, self.player)),
            may("research", {"available", "bulbs_cost"}),
            may("cities", rows=cities),
            may("cities", {"original", "trade_routes", "garrison", "defenders", "units_supported"}),
            may("units", rows=own | guests | units_of(before, *heirs)),
            may("units", UPKEEP | ACTIVITY | {"homecity"}),
            may("tiles", {"city", "units", "extras"}),
            may("wonders", {"built", "destroyed", "owner", "city"}),
        )
