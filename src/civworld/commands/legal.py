# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of orders that a player may give, made from the engine room's records."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy.typing as npt

from civworld._engine import words
from civworld.commands.base import Command
from civworld.commands.city import Buy, LeaveTile, Produce, Sell, Specialist, WorkTile
from civworld.commands.player import Goal, Government, Policy, Rates, Research, SpaceshipLaunch
from civworld.commands.treaty import AcceptTreaty, CancelPact, CancelTreaty, Clause, EndVision, Propose, clauses
from civworld.commands.unit import AutoWorker, Explore, Move, Sentry, Stop, UnitAction


class Row(NamedTuple):
    """One order of the list, in the engine's numbers: its record "legal" says what each field means."""

    kind: int
    actor: int
    type: int
    what: int
    target: int
    sub: int
    tile: int
    dir: int
    low: int
    high: int

    @classmethod
    def of(cls, records: npt.NDArray[Any]) -> Iterator[Row]:
        """The rows of records "legal"."""
        return map(cls._make, records[list(cls._fields)].tolist())


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
        return f"{self.rules['unit_type'][row.type]} {row.actor}"

    def sub_target(self, row: Row) -> str:
        """Rule name of what the row's action is about, or nothing."""
        kind = _SUB_TARGETS.get(self.rules["sub_target_kind"][row.what])
        return self.rules[kind][row.sub] if kind is not None and row.sub >= 0 else ""


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
            self._command = _forms()[self._row.kind].make(self._row, self._lore)
        return self._command

    @property
    def text(self) -> str:
        """One line for people and language models, such as "Settlers 103: move north (tile 175)"."""
        return _forms()[self._row.kind].say(self._row, self._lore)

    @property
    def kind(self) -> str:
        """Name of the command."""
        return _forms()[self._row.kind].command

    @property
    def actor(self) -> int:
        """Id of the unit or city, or number of the other player, that it is about; 0 for the nation itself."""
        return self._row.actor

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of the probability."""
        return self._row.low / 200, self._row.high / 200

    @property
    def probability(self) -> float:
        """How likely it is to work by what the player knows: halfway between the bounds."""
        return (self._row.low + self._row.high) / 400

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Legal) and self._row == other._row and self.command == other.command

    def __hash__(self) -> int:
        return hash(self._row)

    def __repr__(self) -> str:
        return f"Legal({self.text!r}, {self.command!r}, probability={self.probability:g})"


def _action(row: Row, lore: Lore) -> Command:
    kind = lore.rules["target_kind"][row.what]
    target = -1 if kind == "Self" else row.target
    return UnitAction(row.actor, lore.rules["action"][row.what], target, lore.sub_target(row))


def _action_text(row: Row, lore: Lore) -> str:
    kind, action, about = lore.rules["target_kind"][row.what], lore.rules["action"][row.what], lore.sub_target(row)
    where = f" to the {words('directions')[row.dir]}" if row.dir >= 0 else ""
    at = {"City": f": {lore.city(row.target)}", "Unit": f": unit {row.target}", "Self": ""}.get(
        kind, f" on tile {row.tile}"
    )
    return f"{lore.unit(row)}: {action}{f' ({about})' if about else ''}{at}{where}"


def _proposal(row: Row, lore: Lore) -> Command:
    return Propose(row.actor, (Clause(row.target, clauses()[row.what]),))


def _name(kind: str) -> Callable[[Row, Lore], str]:
    return lambda row, lore: lore.rules[kind][row.what]


_product_unit, _product_building = _name("unit_type"), _name("building")
_tech, _government, _policy, _specialist = _name("advance"), _name("government"), _name("policy"), _name("specialist")

Make = Callable[[Row, Lore], Command]
Say = Callable[[Row, Lore], str]


class Form(NamedTuple):
    """What a kind of row becomes.

    Attributes:
        command: name of the command.
        make: the command.
        say: the same in words.
    """

    command: str
    make: Make
    say: Say


# every word of the engine's list `orders`, which counts the kinds of rows
FORMS: Mapping[str, Form] = {
    "unit_action": Form("unit_action", _action, _action_text),
    "move": Form(
        "move",
        lambda r, _: Move(r.actor, r.target),
        lambda r, names: f"{names.unit(r)}: move {words('directions')[r.dir]} (tile {r.target})",
    ),
    "explore": Form("explore", lambda r, _: Explore(r.actor), lambda r, names: f"{names.unit(r)}: explore"),
    "auto_worker": Form(
        "auto_worker", lambda r, _: AutoWorker(r.actor), lambda r, names: f"{names.unit(r)}: work by itself"
    ),
    "sentry": Form("sentry", lambda r, _: Sentry(r.actor), lambda r, names: f"{names.unit(r)}: keep watch"),
    "stop": Form("stop", lambda r, _: Stop(r.actor), lambda r, names: f"{names.unit(r)}: stop"),
    "produce_unit": Form(
        "produce",
        lambda r, names: Produce(r.actor, _product_unit(r, names)),
        lambda r, names: f"{names.city(r.actor)}: produce {_product_unit(r, names)}",
    ),
    "produce_building": Form(
        "produce",
        lambda r, names: Produce(r.actor, _product_building(r, names)),
        lambda r, names: f"{names.city(r.actor)}: produce {_product_building(r, names)}",
    ),
    "buy": Form("buy", lambda r, _: Buy(r.actor), lambda r, names: f"{names.city(r.actor)}: buy for {r.what} gold"),
    "sell": Form(
        "sell",
        lambda r, names: Sell(r.actor, _product_building(r, names)),
        lambda r, names: f"{names.city(r.actor)}: sell {_product_building(r, names)}",
    ),
    "specialist": Form(
        "specialist",
        lambda r, names: Specialist(r.actor, _specialist(r, names), names.rules["specialist"][r.sub]),
        lambda r, names: (
            f"{names.city(r.actor)}: turn a {_specialist(r, names)} into a {names.rules['specialist'][r.sub]}"
        ),
    ),
    "work_tile": Form(
        "work_tile",
        lambda r, _: WorkTile(r.actor, r.target),
        lambda r, names: f"{names.city(r.actor)}: work tile {r.target}",
    ),
    "leave_tile": Form(
        "leave_tile",
        lambda r, _: LeaveTile(r.actor, r.target),
        lambda r, names: f"{names.city(r.actor)}: leave tile {r.target}",
    ),
    "research": Form(
        "research", lambda r, names: Research(_tech(r, names)), lambda r, names: f"research {_tech(r, names)}"
    ),
    "goal": Form(
        "goal", lambda r, names: Goal(_tech(r, names)), lambda r, names: f"research towards {_tech(r, names)}"
    ),
    "rates": Form(
        "rates",
        lambda r, _: Rates(r.what, r.target, r.sub),
        lambda r, _: f"set rates: tax {r.what} %, luxury {r.target} %, science {r.sub} %",
    ),
    "government": Form(
        "government",
        lambda r, names: Government(_government(r, names)),
        lambda r, names: f"revolution: {_government(r, names)}",
    ),
    "policy": Form(
        "policy",
        lambda r, names: Policy(_policy(r, names), r.target),
        lambda r, names: f"set policy {_policy(r, names)} to {r.target}",
    ),
    "spaceship_launch": Form("spaceship_launch", lambda r, _: SpaceshipLaunch(), lambda r, _: "launch the spaceship"),
    "propose": Form(
        "propose",
        _proposal,
        lambda r, _: f"propose to player {r.actor}: {clauses()[r.what].lower()}, given by player {r.target}",
    ),
    "accept_treaty": Form(
        "accept_treaty", lambda r, _: AcceptTreaty(r.actor), lambda r, _: f"accept the treaty with player {r.actor}"
    ),
    "cancel_treaty": Form(
        "cancel_treaty", lambda r, _: CancelTreaty(r.actor), lambda r, _: f"cancel the treaty with player {r.actor}"
    ),
    "cancel_pact": Form(
        "cancel_pact", lambda r, _: CancelPact(r.actor), lambda r, _: f"cancel the pact with player {r.actor}"
    ),
    "end_vision": Form(
        "end_vision", lambda r, _: EndVision(r.actor), lambda r, _: f"no longer share vision with player {r.actor}"
    ),
}


@functools.cache
def _forms() -> tuple[Form, ...]:
    return tuple(FORMS[kind] for kind in words("orders"))
