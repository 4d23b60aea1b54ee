# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of orders that a player may give, made from the engine room's records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from civworld.commands.base import Command
from civworld.commands.city import Buy, LeaveTile, Produce, Sell, Specialist, WorkTile
from civworld.commands.player import Goal, Government, Policy, Rates, Research, SpaceshipLaunch
from civworld.commands.treaty import CLAUSES, AcceptTreaty, CancelPact, CancelTreaty, Clause, EndVision, Propose
from civworld.commands.unit import AutoWorker, Explore, Move, Sentry, Stop, UnitAction

Row = tuple[int, int, int, int, int, int, int, int, int, int]
"""kind, actor, type, what, target, sub, tile, dir, low, high: `struct cw_legal_row`."""

DIRECTIONS = ("northwest", "north", "northeast", "west", "east", "southwest", "south", "southeast")

# what the engine room's kinds of rule names hold; the order is that of cw_rule_name
NAMES = (
    "action",
    "unit_type",
    "building",
    "advance",
    "extra",
    "government",
    "specialist",
    "policy",
    "sub_target_kind",
    "target_kind",
)
_SUB_TARGETS = {
    "buildings in": "building",
    "techs from": "advance",
    "extras on": "extra",
    "create extras on": "extra",
}


@dataclass(frozen=True)
class Lore:
    """Names that rows are put into words with.

    Attributes:
        rules: kind of rule -> names by number.
        cities: city id -> name, of the cities that the player knows.
    """

    rules: Mapping[str, tuple[str, ...]]
    cities: Mapping[int, str]

    def city(self, city: int) -> str:
        """Name and id of a city."""
        return f"{self.cities.get(city, 'city')} {city}"

    def unit(self, row: Row) -> str:
        """Type and id of the row's unit."""
        return f"{self.rules['unit_type'][row[2]]} {row[1]}"

    def sub_target(self, row: Row) -> str:
        """Rule name of what the row's action is about, or nothing."""
        kind = _SUB_TARGETS.get(self.rules["sub_target_kind"][row[3]])
        return self.rules[kind][row[5]] if kind is not None and row[5] >= 0 else ""


class Legal:
    """One order that may be given now."""

    __slots__ = ("_command", "_lore", "_row")

    def __init__(self, row: Row, lore: Lore) -> None:
        self._row = row
        self._lore = lore
        self._command: Command | None = None

    @property
    def command(self) -> Command:
        """What to give to `World.order`."""
        if self._command is None:
            self._command = KINDS[self._row[0]][1](self._row, self._lore)
        return self._command

    @property
    def text(self) -> str:
        """One line for people and language models, such as "Settlers 103: move north (tile 175)"."""
        return KINDS[self._row[0]][2](self._row, self._lore)

    @property
    def kind(self) -> str:
        """Name of the command."""
        return KINDS[self._row[0]][0]

    @property
    def actor(self) -> int:
        """Id of the unit or city, or number of the other player, that it is about; 0 for the nation itself."""
        return self._row[1]

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the probability."""
        return self._row[8] / 200, self._row[9] / 200

    @property
    def probability(self) -> float:
        """How likely it is to work by what the player knows: halfway between the bounds."""
        return (self._row[8] + self._row[9]) / 400

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Legal) and self._row == other._row and self.command == other.command

    def __hash__(self) -> int:
        return hash(self._row)

    def __repr__(self) -> str:
        return f"Legal({self.text!r}, {self.command!r}, probability={self.probability:g})"


def _action(row: Row, lore: Lore) -> Command:
    kind = lore.rules["target_kind"][row[3]]
    target = -1 if kind == "Self" else row[4]
    return UnitAction(row[1], lore.rules["action"][row[3]], target, lore.sub_target(row))


def _action_text(row: Row, lore: Lore) -> str:
    kind, action, about = lore.rules["target_kind"][row[3]], lore.rules["action"][row[3]], lore.sub_target(row)
    where = f" to the {DIRECTIONS[row[7]]}" if row[7] >= 0 else ""
    at = {"City": f": {lore.city(row[4])}", "Unit": f": unit {row[4]}", "Self": ""}.get(kind, f" on tile {row[6]}")
    return f"{lore.unit(row)}: {action}{f' ({about})' if about else ''}{at}{where}"


def _proposal(row: Row, lore: Lore) -> Command:
    return Propose(row[1], (Clause(row[4], CLAUSES[row[3]]),))


def _name(kind: str) -> Callable[[Row, Lore], str]:
    return lambda row, lore: lore.rules[kind][row[3]]


_product_unit, _product_building = _name("unit_type"), _name("building")
_tech, _government, _policy, _specialist = _name("advance"), _name("government"), _name("policy"), _name("specialist")

Make = Callable[[Row, Lore], Command]
Say = Callable[[Row, Lore], str]
# one row per kind: command, how to make it, how to say it; the order is that of csrc/command/legal.c
KINDS: tuple[tuple[str, Make, Say], ...] = (
    ("unit_action", _action, _action_text),
    (
        "move",
        lambda r, _: Move(r[1], r[4]),
        lambda r, names: f"{names.unit(r)}: move {DIRECTIONS[r[7]]} (tile {r[4]})",
    ),
    ("explore", lambda r, _: Explore(r[1]), lambda r, names: f"{names.unit(r)}: explore"),
    ("auto_worker", lambda r, _: AutoWorker(r[1]), lambda r, names: f"{names.unit(r)}: work by itself"),
    ("sentry", lambda r, _: Sentry(r[1]), lambda r, names: f"{names.unit(r)}: keep watch"),
    ("stop", lambda r, _: Stop(r[1]), lambda r, names: f"{names.unit(r)}: stop"),
    (
        "produce",
        lambda r, names: Produce(r[1], _product_unit(r, names)),
        lambda r, names: f"{names.city(r[1])}: produce {_product_unit(r, names)}",
    ),
    (
        "produce",
        lambda r, names: Produce(r[1], _product_building(r, names)),
        lambda r, names: f"{names.city(r[1])}: produce {_product_building(r, names)}",
    ),
    ("buy", lambda r, _: Buy(r[1]), lambda r, names: f"{names.city(r[1])}: buy for {r[3]} gold"),
    (
        "sell",
        lambda r, names: Sell(r[1], _product_building(r, names)),
        lambda r, names: f"{names.city(r[1])}: sell {_product_building(r, names)}",
    ),
    (
        "specialist",
        lambda r, names: Specialist(r[1], _specialist(r, names), names.rules["specialist"][r[5]]),
        lambda r, names: f"{names.city(r[1])}: turn a {_specialist(r, names)} into a {names.rules['specialist'][r[5]]}",
    ),
    ("work_tile", lambda r, _: WorkTile(r[1], r[4]), lambda r, names: f"{names.city(r[1])}: work tile {r[4]}"),
    ("leave_tile", lambda r, _: LeaveTile(r[1], r[4]), lambda r, names: f"{names.city(r[1])}: leave tile {r[4]}"),
    ("research", lambda r, names: Research(_tech(r, names)), lambda r, names: f"research {_tech(r, names)}"),
    ("goal", lambda r, names: Goal(_tech(r, names)), lambda r, names: f"research towards {_tech(r, names)}"),
    (
        "rates",
        lambda r, _: Rates(r[3], r[4], r[5]),
        lambda r, _: f"set rates: tax {r[3]} %, luxury {r[4]} %, science {r[5]} %",
    ),
    (
        "government",
        lambda r, names: Government(_government(r, names)),
        lambda r, names: f"revolution: {_government(r, names)}",
    ),
    (
        "policy",
        lambda r, names: Policy(_policy(r, names), r[4]),
        lambda r, names: f"set policy {_policy(r, names)} to {r[4]}",
    ),
    ("spaceship_launch", lambda r, _: SpaceshipLaunch(), lambda r, _: "launch the spaceship"),
    (
        "propose",
        _proposal,
        lambda r, _: f"propose to player {r[1]}: {CLAUSES[r[3]].lower()}, given by player {r[4]}",
    ),
    ("accept_treaty", lambda r, _: AcceptTreaty(r[1]), lambda r, _: f"accept the treaty with player {r[1]}"),
    ("cancel_treaty", lambda r, _: CancelTreaty(r[1]), lambda r, _: f"cancel the treaty with player {r[1]}"),
    ("cancel_pact", lambda r, _: CancelPact(r[1]), lambda r, _: f"cancel the pact with player {r[1]}"),
    ("end_vision", lambda r, _: EndVision(r[1]), lambda r, _: f"no longer share vision with player {r[1]}"),
)
