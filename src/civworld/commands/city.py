# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders to cities."""

from __future__ import annotations

from dataclasses import dataclass

from civworld.checks import flag
from civworld.commands.base import Call, Command, number, text
from civworld.errors import ArgumentError


@dataclass(frozen=True)
class Produce(Command, name="produce"):
    """What the city produces from now on: the rule name of a unit type or building."""

    city: int
    item: str

    def _call(self) -> Call:
        return ("produce", (number(self, "city"),), text(self, "item"), "")


@dataclass(frozen=True)
class Worklist(Command, name="worklist"):
    """What the city produces afterwards, in this order: up to 64 rule names; none clears the list."""

    city: int
    items: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.items, list):  # as JSON has it
            object.__setattr__(self, "items", tuple(self.items))

    def _call(self) -> Call:
        names = self.items
        if not isinstance(names, tuple) or len(names) > 64:
            raise ArgumentError(f"order 'worklist': items={names!r}: a tuple of at most 64 names is needed")
        if not all(isinstance(item, str) and 0 < len(item) < 48 and item.isprintable() for item in names):
            raise ArgumentError(f"order 'worklist': items={names!r}: every item must be a name")
        return ("worklist", (number(self, "city"),), "\n".join(names), "")


@dataclass(frozen=True)
class _City(Command):
    city: int

    def _call(self) -> Call:
        return (self.name, (number(self, "city"),), "", "")


@dataclass(frozen=True)
class Buy(_City, name="buy"):
    """Pay for the rest of what the city produces; `Outcome.value` is the price in gold."""


@dataclass(frozen=True)
class Arrange(_City, name="arrange"):
    """Let the engine place all citizens anew."""


@dataclass(frozen=True)
class Sell(Command, name="sell"):
    """Sell a building (rule name), one a turn and city; `Outcome.value` is the price in gold."""

    city: int
    building: str

    def _call(self) -> Call:
        return ("sell", (number(self, "city"),), text(self, "building"), "")


@dataclass(frozen=True)
class Specialist(Command, name="specialist"):
    """Turn one specialist into another kind (rule names such as "elvis", "scientist", "taxman")."""

    city: int
    old: str
    new: str

    def _call(self) -> Call:
        return ("specialist", (number(self, "city"),), text(self, "old"), text(self, "new"))


@dataclass(frozen=True)
class _CityTile(Command):
    city: int
    tile: int

    def _call(self) -> Call:
        return (self.name, (number(self, "city"), number(self, "tile")), "", "")


@dataclass(frozen=True)
class WorkTile(_CityTile, name="work_tile"):
    """Put a specialist to work on a tile (index)."""


@dataclass(frozen=True)
class LeaveTile(_CityTile, name="leave_tile"):
    """Make whoever works on a tile (index) a specialist."""


@dataclass(frozen=True)
class Rally(Command, name="rally"):
    """Send new units of the city to a tile (index), or with -1 no longer.

    Attributes:
        persistent: for all new units, not only the next.
        unit_type: rule name of the unit type to find the way for; empty: what the city produces.
    """

    city: int
    tile: int
    persistent: bool = False
    unit_type: str = ""

    def _call(self) -> Call:
        if not isinstance(self.persistent, bool):
            raise ArgumentError(f"order 'rally': persistent={self.persistent!r}: True or False is needed")
        numbers = (number(self, "city"), number(self, "tile"), int(self.persistent))
        return ("rally", numbers, text(self, "unit_type"), "")


@dataclass(frozen=True)
class RenameCity(Command, name="rename_city"):
    """Give the city another name."""

    city: int
    new_name: str

    def _call(self) -> Call:
        return ("rename_city", (number(self, "city"),), text(self, "new_name"), "")


_OPTIONS = ("disband", "scientists", "taxmen")


@dataclass(frozen=True)
class CityOptions(Command, name="city_options"):
    """Whether the city may disband for a unit that costs its last citizen, and what spare citizens become."""

    city: int
    disband: bool = False
    scientists: bool = False
    taxmen: bool = False

    def _call(self) -> Call:
        flags = [flag(f"order 'city_options': {name}", getattr(self, name)) for name in _OPTIONS]
        return ("city_options", (number(self, "city"), *map(int, flags)), "", "")
