# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of one city: its name, size and owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import (
    ACTIVITY,
    Consequence,
    Edit,
    Place,
    borders,
    cities_of,
    embassies,
    may,
    meetings,
    must_exist,
    outputs,
    pairs,
    units_of,
)
from civworld.errors import ArgumentError
from civworld.state import StateView


@dataclass(frozen=True)
class RenameCity(Edit, name="rename_city"):
    """Give a city another name: a placebo that touches nothing the game acts on.

    Attributes:
        city: id of a city.
        new_name: 1 to 79 bytes of UTF-8 that no other city of the owner has.
    """

    city: int
    new_name: str

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one city's name."""
        return ("cw_edit_rename_city", self.city, self.new_name.encode())

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The name, and nothing else."""
        must_exist(before, "cities", self.city)
        return {("cities", self.city, "name"): self.new_name}


@dataclass(frozen=True)
class CitySize(Edit, name="city_size"):
    """Set how many citizens a city has, as growth and famine would: a city that cannot grow to it is left alone.

    New citizens work the best free tiles; food beyond the new granary is lost; borders follow the new size.

    Attributes:
        city: id of a city.
        size: citizens, at least 1 and at most what the city's buildings allow.
    """

    city: int
    size: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size < 1:
            raise ArgumentError(f"edit 'city_size': size={self.size}: a city has at least 1 citizen")

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one city."""
        return ("cw_edit_city_size", self.city, self.size)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The size, and the owner's citizens."""
        return _sized(before, self.city, self.size)

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """The city's stocks and people, the owner's population, and borders around."""
        return _size_follows(before, self.city)


@dataclass(frozen=True)
class GrowCity(Edit, name="grow_city"):
    """Add citizens to a city, or take some away; see `CitySize`.

    Attributes:
        city: id of a city.
        by: citizens to add; negative takes away, all but one at most. Not 0.
    """

    city: int
    by: int

    def _size(self, before: StateView) -> int:
        size = int(before.city(self.city)["size"])
        if size + self.by < 1:
            raise ArgumentError(f"city {self.city} has {size} citizens; {self.by} would leave none")
        return size + self.by

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one city."""
        return ("cw_edit_city_size", self.city, self._size(before))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The size, and the owner's citizens."""
        return _sized(before, self.city, self._size(before))

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """The city's stocks and people, the owner's population, and borders around."""
        return _size_follows(before, self.city)


def _sized(before: StateView, city: int, size: int) -> Mapping[Place, Any]:
    row = before.city(city)
    owner = int(row["owner"])
    citizens = int(before.player(owner)["citizens"]) + size - int(row["size"])
    return {("cities", city, "size"): size, ("players", owner, "citizens"): citizens}


def _size_follows(before: StateView, city: int) -> tuple[Consequence, ...]:
    row = before.city(city)
    return (
        *outputs(),
        *borders(),
        may("cities", {"food_stock", "foreign_citizens"}, {city}),
        may("players", {"population"}, {int(row["owner"])}),
    )


@dataclass(frozen=True)
class TransferCity(Edit, name="transfer_city"):
    """Give a city to another player.

    Units of the old owner in it go with it. Units that it supports elsewhere stay the old owner's where they stand
    in another city of that owner, which supports them from now on; the others go to the new owner where they are.
    Units of third players in it that are no allies of the new owner are moved out, as are units that come to share
    a tile with those of a player who is no ally; one that finds no place is lost. Great wonders go with the city,
    small ones (the Palace) do not: a lost capital moves where the game's rules say so. Buildings that are obsolete for
    the new owner are sold to its treasury. No civil war comes of it.

    Attributes:
        city: id of a city.
        player: number of a living player that is no barbarian and does not own the city.
    """

    city: int
    player: int

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one city and two players."""
        return ("cw_edit_transfer_city", self.city, self.player)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The owner, and the number of cities of both."""
        row = before.city(self.city)
        giver, taker, size = int(row["owner"]), before.player(self.player), int(row["size"])
        old = before.player(giver)
        if giver == self.player:
            return {("cities", self.city, "owner"): self.player}
        return {
            ("cities", self.city, "owner"): self.player,
            ("tiles", int(row["tile"]), "owner"): self.player,
            ("players", giver, "cities"): int(old["cities"]) - 1,
            ("players", giver, "citizens"): int(old["citizens"]) - size,
            ("players", self.player, "cities"): int(taker["cities"]) + 1,
            ("players", self.player, "citizens"): int(taker["citizens"]) + size,
            **{("wonders", int(w["id"]), "owner"): self.player for w in before.wonders if w["city"] == self.city},
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """The city and its units, what both owners have, borders, and units that have to move."""
        row = before.city(self.city)
        giver = int(row["owner"])
        both = (giver, self.player)
        here = [u for u in before.units if u["tile"] == row["tile"]]
        guests = {int(u["owner"]) for u in here} - set(both)
        counts = {"population", "units", "military_units", "units_lost", "wonders", "capital"}
        return (
            *outputs(),
            *borders(),
            *meetings(before, self.player),
            *meetings(before, giver),
            *embassies(before, *both),
            may("players", counts, both),
            may("players", {"gold"}, {self.player}),
            may("players", {"units", "military_units", "units_lost"}, guests),
            may("cities", rows={self.city}),
            may("cities", {"buildings", "improvements", "capital", "units_supported"}, cities_of(before, *both)),
            may("cities", {"garrison", "defenders", "trade_routes"}),
            may("units", rows=units_of(before, *both)),
            may("units", rows={int(u["id"]) for u in here}),
            may("units", ACTIVITY),
            may("tiles", {"units"}),
            may("tiles", {"extras"}, {int(row["tile"])}),
            may("hidden_pairs", rows=pairs(before, *both)),
        )
