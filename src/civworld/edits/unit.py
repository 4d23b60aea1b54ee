# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits that make and remove units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import ACTIVITY, Consequence, Edit, Place, may, meetings, outputs, sight
from civworld.state import StateView


@dataclass(frozen=True)
class CreateUnit(Edit, name="create_unit"):
    """Make a fresh unit on a tile. Its id is `state().hidden.world["next_id"]` of the moment before.

    It sees around, meets whom it stands beside, and costs upkeep when a city supports it; a hut under it stays.

    Attributes:
        player: number of a living player.
        unit_type: rule name.
        tile: index of a tile where such a unit can be, without units or cities of players who are no allies.
        veteran: level, 0 for a green unit.
        home: id of a city of the player that supports it; 0 for none.
    """

    player: int
    unit_type: str
    tile: int
    veteran: int = 0
    home: int = 0

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Make one unit."""
        return ("cw_edit_create_unit", self.player, self.unit_type.encode(), self.tile, self.veteran, self.home)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The unit as asked, and one more for its owner and on its tile."""
        number = before.rules.id("unit_types", self.unit_type)
        unit = int(before.table("hidden_world")["next_id"][0])
        return {
            ("units", unit, "row"): True,
            ("units", unit, "owner"): self.player,
            ("units", unit, "type"): number,
            ("units", unit, "tile"): self.tile,
            ("units", unit, "veteran"): self.veteran,
            ("units", unit, "homecity"): self.home,
            ("players", self.player, "units"): int(before.player(self.player)["units"]) + 1,
            ("tiles", self.tile, "units"): int(before.row("tiles", self.tile)["units"]) + 1,
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """Sight, contact, upkeep, cities whose tiles it stands on, and sentries that wake."""
        city = int(before.row("tiles", self.tile)["city"])
        return (
            *_follow({self.home, city} - {0}),
            *meetings(before, self.player),
            may("players", {"military_units"}, {self.player}),
            may("hidden_world", {"next_id"}),
        )


@dataclass(frozen=True)
class RemoveUnit(Edit, name="remove_unit"):
    """Take a unit from the map; nobody is said to have lost or killed it.

    Attributes:
        unit: id of a unit that carries no other.
    """

    unit: int

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Remove one unit."""
        return ("cw_edit_remove_unit", self.unit)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The unit is gone, and one less for its owner and on its tile."""
        row = before.unit(self.unit)
        owner, tile = int(row["owner"]), int(row["tile"])
        return {
            ("units", self.unit, "row"): False,
            ("players", owner, "units"): int(before.player(owner)["units"]) - 1,
            ("tiles", tile, "units"): int(before.row("tiles", tile)["units"]) - 1,
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """Sight, upkeep, cities whose tiles it stood on, and what carried it."""
        row = before.unit(self.unit)
        city = int(before.row("tiles", int(row["tile"]))["city"])
        return (
            *_follow({int(row["homecity"]), city} - {0}),
            may("players", {"military_units", "units_lost"}, {int(row["owner"])}),
            may("units", {"cargo"}, {int(row["transporter"])}),
        )


def _follow(cities: set[int]) -> tuple[Consequence, ...]:
    return (
        *outputs(),
        *sight(),
        may("cities", {"garrison", "defenders", "units_supported"}, cities),
        may("units", ACTIVITY),
    )
