# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders to units."""

from __future__ import annotations

from dataclasses import dataclass

from civworld.commands.base import Call, Command, number, text


@dataclass(frozen=True)
class UnitAction(Command, name="unit_action"):
    """Any action of the ruleset that a unit can do, by its rule name; functions make the most frequent ones.

    Attributes:
        unit: id of a unit of the player.
        action: rule name of the action, such as "Found City", "Attack", "Fortify", "Build Road".
        target: city id, unit id or tile index, as the action's target kind wants; -1: the tile where the unit is.
        sub_target: rule name of the extra, building or advance that it is about; for "Found City" the city's
            name, empty for the one the engine suggests.
    """

    unit: int
    action: str
    target: int = -1
    sub_target: str = ""

    def _call(self) -> Call:
        return (
            "unit_action",
            (number(self, "unit"), number(self, "target")),
            text(self, "action"),
            text(self, "sub_target"),
        )


@dataclass(frozen=True)
class Move(Command, name="move"):
    """One step to a neighbouring tile (index) that no stranger holds."""

    unit: int
    tile: int

    def _call(self) -> Call:
        return ("move", (number(self, "unit"), number(self, "tile")), "", "")


@dataclass(frozen=True)
class Goto(Command, name="goto"):
    """A journey to a tile (index) by the way the player knows; it goes on at each turn change by itself.

    Attributes:
        then: rule name of an action to do there, aimed at that tile, such as "Found City" or "Attack"; empty: none.
        sub_target: what that action is about, see `UnitAction`; empty: the engine chooses.
    """

    unit: int
    tile: int
    then: str = ""
    sub_target: str = ""

    def _call(self) -> Call:
        return ("goto", (number(self, "unit"), number(self, "tile")), text(self, "then"), text(self, "sub_target"))


@dataclass(frozen=True)
class Patrol(Command, name="patrol"):
    """Go to and fro between here and a tile (index), until an enemy comes near."""

    unit: int
    tile: int

    def _call(self) -> Call:
        return ("patrol", (number(self, "unit"), number(self, "tile")), "", "")


@dataclass(frozen=True)
class _Unit(Command):
    unit: int

    def _call(self) -> Call:
        return (self.name, (number(self, "unit"),), "", "")


@dataclass(frozen=True)
class Explore(_Unit, name="explore"):
    """The server's explorer steers the unit until it is given another order."""


@dataclass(frozen=True)
class AutoWorker(_Unit, name="auto_worker"):
    """The server's worker agent steers the unit, at turn changes, until it is given another order."""


@dataclass(frozen=True)
class Sentry(_Unit, name="sentry"):
    """Keep watch."""


@dataclass(frozen=True)
class Stop(_Unit, name="stop"):
    """Drop whatever the unit does: activity, journey, agent."""


@dataclass(frozen=True)
class UpgradeAll(Command, name="upgrade_all"):
    """Upgrade every unit of a type that can be; `Outcome.value` is the gold spent."""

    unit_type: str

    def _call(self) -> Call:
        return ("upgrade_all", (), text(self, "unit_type"), "")


def FoundCity(unit: int, city_name: str = "") -> UnitAction:
    """Found a city where the unit is; `Outcome.city` is its id."""
    return UnitAction(unit, "Found City", -1, city_name)


def Fortify(unit: int) -> UnitAction:
    """Dig in."""
    return UnitAction(unit, "Fortify")


def Attack(unit: int, tile: int) -> UnitAction:
    """Fight whoever defends a neighbouring tile; the result is `done` when the battle is won, else `lost`."""
    return UnitAction(unit, "Attack", tile)


def Disband(unit: int) -> UnitAction:
    """Disband the unit."""
    return UnitAction(unit, "Disband Unit")


def BuildRoad(unit: int, extra: str = "Road") -> UnitAction:
    """Build a road, railway or the like where the unit is."""
    return UnitAction(unit, "Build Road", -1, extra)


def BuildMine(unit: int, extra: str = "") -> UnitAction:
    """Dig a mine where the unit is."""
    return UnitAction(unit, "Build Mine", -1, extra)


def BuildIrrigation(unit: int, extra: str = "") -> UnitAction:
    """Irrigate where the unit is."""
    return UnitAction(unit, "Build Irrigation", -1, extra)


def BuildBase(unit: int, extra: str) -> UnitAction:
    """Build a fortress, airbase or the like where the unit is."""
    return UnitAction(unit, "Build Base", -1, extra)


def Pillage(unit: int, extra: str = "") -> UnitAction:
    """Wreck an improvement where the unit is; the engine picks one unless told."""
    return UnitAction(unit, "Pillage", -1, extra)
