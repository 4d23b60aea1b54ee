# SPDX-License-Identifier: GPL-2.0-or-later
"""What every edit is, and the registry of all of them."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, fields
from typing import Any, ClassVar, NamedTuple, get_args, get_type_hints

import numpy as np

from civworld.checks import flag, named, whole
from civworld.errors import ArgumentError
from civworld.state import StateView

Row = int | tuple[int, int]
Place = tuple[str, Row, str]
"""Where a value stands: table, record id (a pair of ids in tables of pairs, 0 in tables of one), field."""

EDITS: dict[str, type[Edit]] = {}
"""Every edit by its name."""


class Consequence(NamedTuple):
    """Places that may change as a consequence of an edit.

    Attributes:
        table: name of the table.
        fields: names of fields; None for all of a record, its coming and going among them.
        rows: ids of the records; None for all of the table.
    """

    table: str
    fields: frozenset[str] | None = None
    rows: frozenset[Row] | None = None

    def covers(self, place: Place) -> bool:
        """Whether the place is one of those meant here."""
        table, row, field = place
        return (
            table == self.table
            and (self.fields is None or field in self.fields)
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
        """Check every field by the type that it is declared with, and keep it as a plain value of that type."""
        for field, check in _checks(type(self)):
            object.__setattr__(self, field, check(f"edit '{self.name}': {field}", getattr(self, field)))

    @abstractmethod
    def call(self, before: StateView) -> tuple[Any, ...]:
        """Name of the engine function and its arguments, from the state before."""

    @abstractmethod
    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """(table, id, field) -> value after the edit; the field "row" tells whether the record is there."""

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What else may change, as narrowly as the engine allows to say."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the field names, and the edit's name under `edit`."""
        name, values = self.parts()
        return {"edit": name, **values}

    def parts(self) -> tuple[str, dict[str, Any]]:
        """The edit's name, and plain values under the field names, as recipes and corpora keep them."""
        return self.name, asdict(self)  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Edit:
        """The edit that `to_dict` described, also after a trip through JSON.

        Raises:
            UnknownNameError: there is no such edit.
            ArgumentError: a field is missing, unknown or of the wrong kind.
        """
        if not isinstance(values, Mapping) or not all(isinstance(key, str) for key in values):
            raise ArgumentError(f"edit {values!r}: a mapping with string keys is needed")
        rest = dict(values)
        return Edit.from_parts(rest.pop("edit", None), rest)

    @staticmethod
    def from_parts(name: object, values: Mapping[str, Any]) -> Edit:
        """The edit whose `parts` these were; ArgumentError for fields that it has not, or that are missing."""
        kind, given = EDITS[named("edit", name, EDITS)], set(values)
        allowed = {f.name for f in fields(kind)}  # type: ignore[arg-type]
        needed = {f.name for f in fields(kind) if f.default is MISSING}  # type: ignore[arg-type]
        if not needed <= given <= allowed:
            raise ArgumentError(f"edit '{kind.name}' with fields {sorted(given)}: needed are {sorted(needed)}, allowed "
                                f"{sorted(allowed)}")  # fmt: skip
        return kind(**values)


def may(table: str, fields: Iterable[str] | None = None, rows: Iterable[Row] | None = None) -> Consequence:
    """A consequence in a table: some fields (default all) of some records (default all)."""
    return Consequence(table, None if fields is None else frozenset(fields), None if rows is None else frozenset(rows))


def text(what: str, value: object) -> str:
    """A name: 1 to 79 bytes of UTF-8.

    Raises:
        ArgumentError: it is not.
    """
    size = len(value.encode()) if isinstance(value, str) else 0
    if not isinstance(value, str) or not 1 <= size <= 79 or "\0" in value:
        raise ArgumentError(f"{what}={value!r}: 1 to 79 bytes of text are needed")
    return value


def indexes(what: str, value: object) -> tuple[int, ...]:
    """A sequence of numbers from 0 on, numpy's arrays too, as a tuple.

    Raises:
        ArgumentError: it is not.
    """
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        raise ArgumentError(f"{what}={value!r}: a sequence of whole numbers from 0 on is needed")
    return tuple(whole(what, number, 0) for number in value)


Check = Callable[[str, object], object]
_CHECKS: Mapping[object, Check] = {int: whole, str: text, bool: flag, tuple[int, ...]: indexes}
"""Declared type of a field -> what checks it."""


@functools.cache
def _checks(edit: type[Edit]) -> tuple[tuple[str, Check], ...]:
    """Each field of a kind of edit with its check; a type that has none is a mistake in the edit's declaration."""
    hints = get_type_hints(edit)
    return tuple((f.name, _check_of(hints[f.name])) for f in fields(edit))  # type: ignore[arg-type]


def _check_of(hint: Any) -> Check:
    if hint in _CHECKS:
        return _CHECKS[hint]
    kind, nothing = get_args(hint)
    assert nothing is type(None), hint
    check = _CHECKS[kind]
    return lambda what, value: None if value is None else check(what, value)


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


def must_exist(before: StateView, table: str, *rows: Row) -> None:
    """Refuse an edit of records that are not there; a pair of ids is one of `diplomacy`.

    Raises:
        UnknownNameError: one of them does not exist.
    """
    for row in rows:
        if isinstance(row, tuple):
            before.between(*row)
        else:
            before.row(table, row)


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
    must_exist(before, "players", player)
    for row in before.research_of(player):
        mask = int(row["players"])
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
