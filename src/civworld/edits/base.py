# SPDX-License-Identifier: GPL-2.0-or-later
"""What every edit is, and the registry of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar, NamedTuple

from civworld.errors import ArgumentError
from civworld.state import StateView

Row = int | tuple[int, int]
Place = tuple[str, Row, str]
"""Where a value stands: table, record id (a pair of ids in tables of pairs, 0 in tables of one), field."""

EVERY_FIELD = frozenset({"*"})
"""Stands for all fields of a record, its coming and going among them."""

EDITS: dict[str, type[Edit]] = {}
"""Every edit by its name."""


class Consequence(NamedTuple):
    """Places that may change as a consequence of an edit.

    Attributes:
        table: name of the table.
        fields: names of fields, or EVERY_FIELD.
        rows: ids of the records; None for all of the table.
    """

    table: str
    fields: frozenset[str]
    rows: frozenset[Row] | None = None

    def covers(self, place: Place) -> bool:
        """Whether the place is one of those meant here."""
        table, row, field = place
        return (
            table == self.table
            and (field in self.fields or self.fields is EVERY_FIELD)
            and (self.rows is None or row in self.rows)
        )


class Edit(ABC):
    """A frozen description of one change; `World.apply` carries it out and verifies it."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = name
        EDITS[name] = cls

    def __post_init__(self) -> None:
        """Check the types that the fields are declared with: int, str (1 to 79 bytes) and bool, or None."""
        for field in fields(self):  # type: ignore[arg-type]
            kind, _, rest = str(field.type).partition(" | ")
            value = getattr(self, field.name)
            if kind in _CHECKS and not (rest == "None" and value is None):
                _CHECKS[kind](self.name, field.name, value)

    @abstractmethod
    def call(self, before: StateView) -> tuple[Any, ...]:
        """Name of the engine function and its arguments, from the state before."""

    @abstractmethod
    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """(table, id, field) -> value after the edit; the field "row" tells whether the record is there."""

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What else may change, as narrowly as the engine allows to say."""
        return ()


def may(table: str, fields: Iterable[str] = EVERY_FIELD, rows: Iterable[Row] | None = None) -> Consequence:
    """A consequence in a table: some fields (default all) of some records (default all)."""
    named = fields if fields is EVERY_FIELD else frozenset(fields)
    return Consequence(table, frozenset(named) if named is not EVERY_FIELD else EVERY_FIELD, _rows(rows))


def _rows(rows: Iterable[Row] | None) -> frozenset[Row] | None:
    return None if rows is None else frozenset(rows)


def check_number(edit: str, name: str, value: object) -> None:
    """Raise ArgumentError unless the value is a whole number that the engine can hold."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) < value < 2**31:
        raise ArgumentError(f"edit '{edit}': {name}={value!r}: a whole number within 31 bits is needed")


def check_text(edit: str, name: str, value: object) -> None:
    """Raise ArgumentError unless the value is text of 1 to 79 bytes of UTF-8."""
    size = len(value.encode()) if isinstance(value, str) else 0
    if not 1 <= size <= 79 or "\0" in str(value):
        raise ArgumentError(f"edit '{edit}': {name}={value!r}: 1 to 79 bytes of text are needed")


def check_flag(edit: str, name: str, value: object) -> None:
    """Raise ArgumentError unless the value is True or False."""
    if not isinstance(value, bool):
        raise ArgumentError(f"edit '{edit}': {name}={value!r}: True or False is needed")


_CHECKS: dict[str, Callable[[str, str, object], None]] = {
    "int": check_number,
    "str": check_text,
    "bool": check_flag,
}


# ---- what follows from many edits -----------------------------------------------------------------------

CITY_OUTPUT = frozenset(
    {
        *("happy", "content", "unhappy", "angry", "specialists", "specialists_by_type", "disorder", "celebrating"),
        *("granary_size", "food", "shields", "trade", "gold", "luxury", "science", "waste_shields", "waste_trade"),
        *("production_cost", "culture", "pollution", "illness", "radius_sq", "trade_route_value"),
    }
)
"""What the engine computes of a city whenever it refreshes it or arranges its workers anew."""

PLAYER_OUTPUT = frozenset({"expected_income", "production", "culture", "bulbs_cost"})
"""What a player's record sums up from cities and rules."""

UPKEEP = frozenset({"upkeep_food", "upkeep_shields", "upkeep_gold"})
"""What a unit costs, which depends on its city and its owner's government and number of cities."""


ACTIVITY = frozenset({"activity", "activity_target", "activity_count"})
"""What a unit does: sentries wake when others come near, and impossible work ends."""


def outputs() -> tuple[Consequence, ...]:
    """Cities anywhere are computed anew: what they give, who works where, what units cost, and the sums of it."""
    return (
        may("cities", CITY_OUTPUT),
        may("players", PLAYER_OUTPUT),
        may("research", {"bulbs_cost"}),
        may("tiles", {"worked"}),
        may("units", UPKEEP),
    )


def sight() -> tuple[Consequence, ...]:
    """What players know and see of the map."""
    return (may("tiles", {"known", "seen"}),)


def borders() -> tuple[Consequence, ...]:
    """Who owns which tile, and what they see from it."""
    return (*sight(), may("tiles", {"owner", "extras_owner"}), may("players", {"territory"}))


def meetings(before: StateView, player: int) -> tuple[Consequence, ...]:
    """First contact, or contact again, of a player with anyone."""
    fields = ("state", "turns_left", "contact_turns_left", "max_state", "first_contact_turn")
    return (may("diplomacy", fields, pairs(before, player)),)


def embassies(before: StateView, *players: int) -> tuple[Consequence, ...]:
    """Embassies by effect of a wonder, which these players gain or lose."""
    return (may("diplomacy", {"has_embassy"}, pairs(before, *players)),)


def pairs(before: StateView, *players: int) -> frozenset[Row]:
    """Every pair of players that one of these takes part in."""
    ids = before.players["id"].tolist()
    return frozenset((p, q) for p in ids for q in ids if p != q and (p in players or q in players))


def units_of(before: StateView, *players: int) -> frozenset[Row]:
    """Ids of every unit of these players."""
    return frozenset(
        u
        for u, owner in zip(_ints(before, "units", "id"), _ints(before, "units", "owner"), strict=True)
        if owner in players
    )


def cities_of(before: StateView, *players: int) -> frozenset[Row]:
    """Ids of every city of these players."""
    return frozenset(
        c
        for c, owner in zip(_ints(before, "cities", "id"), _ints(before, "cities", "owner"), strict=True)
        if owner in players
    )


def members(before: StateView, player: int) -> tuple[int, tuple[int, ...]]:
    """Id of the research that a player takes part in, and everybody who does."""
    before.player(player)
    for row in before.research:
        mask = int(row["players"])
        if mask >> player & 1:
            return int(row["id"]), tuple(p for p in range(64) if mask >> p & 1)
    return player, (player,)


def with_bit(bits: Any, number: int, on: bool) -> tuple[int, ...]:
    """A bit field as a tuple of bytes, with one bit set or cleared."""
    out = [int(b) for b in bits]
    out[number // 8] = out[number // 8] & ~(1 << number % 8) | on << number % 8
    return tuple(out)


def _ints(before: StateView, table: str, field: str) -> list[int]:
    column: list[int] = before.table(table)[field].tolist()
    return column
