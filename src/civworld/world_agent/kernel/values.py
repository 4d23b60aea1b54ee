# SPDX-License-Identifier: GPL-2.0-or-later
"""Field types and the values they allow: integers, fixed-point decimals, text, booleans, references.

There are no floats. A decimal field has a fixed number of places, every write is rounded half-even to
them in this module's own context, so no caller's decimal context can change a trajectory.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from civworld.errors import ArgumentError, RefusedError, UnknownNameError

if TYPE_CHECKING:
    from civworld.world_agent.kernel.store import Store

Value = Any
"""int, Decimal, str, bool, None (an empty reference), a tuple (list field) or a dict (map field)."""

Checker = Callable[["Store", Any], Value]

# exponents are small, so that a chain of products overflows, and is refused, long before it gets slow
CONTEXT = decimal.Context(
    prec=34,
    Emax=99,
    Emin=-99,
    rounding=decimal.ROUND_HALF_EVEN,
    traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
)
"""Arithmetic of numbers: decimal, as exact as the field says."""
LIMIT = 2**63 - 1
MAX_TEXT = 2_000
MAX_ITEMS = 1_000
MAX_PLACES = 6
DECIMAL = re.compile(r"-?\d{1,19}(\.\d{1,19})?\Z", re.ASCII)
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_NAMES_ARE = "allowed are a-z, 0-9 and _, from a letter, up to 40"
SCALARS = ("int", "dec", "str", "bool", "ref", "loc")
RESERVED = frozenset({"now", "none", "true", "false", "actor", "type"})


@dataclass(frozen=True, slots=True)
class FieldType:
    """A field's type, as a schema writes it: ``int``, ``dec 2``, ``ref ship``, ``list loc``, ``map int``."""

    kind: str
    places: int = 0
    target: str = ""
    item: FieldType | None = None

    def __str__(self) -> str:
        if self.item is not None:
            return f"{self.kind} {self.item}"
        if self.kind == "dec":
            return f"dec {self.places}"
        return f"{self.kind} {self.target}".rstrip()


def parse_type(text: object) -> FieldType:
    """The field type that ``text`` names; raises ArgumentError when it names none."""
    words = text.split() if isinstance(text, str) else []
    match words:
        case [("list" | "map") as kind, *rest] if rest and rest[0] in SCALARS:
            return FieldType(kind, item=parse_type(" ".join(rest)))
        case ["dec", places] if places.isascii() and places.isdecimal() and 0 < int(places) <= MAX_PLACES:
            return FieldType("dec", places=int(places))
        case ["ref", target] if NAME.match(target):
            return FieldType("ref", target=target)
        case [("int" | "str" | "bool" | "ref" | "loc") as kind]:
            return FieldType(kind)
    raise ArgumentError(
        f"field type {text!r}: allowed are int, dec 1..{MAX_PLACES}, str, bool, loc, ref, ref TYPE, "
        "and list or map of one of these"
    )


def check_name(kind: str, name: object) -> str:
    """``name`` when it can name a ``kind``; raises ArgumentError otherwise."""
    if isinstance(name, str) and NAME.match(name) and name not in RESERVED:
        return name
    raise ArgumentError(f"{kind} name {_short(name)}: {_NAMES_ARE} (reserved: {', '.join(sorted(RESERVED))})")


def default(ftype: FieldType) -> Value:
    """The value of a field that nobody set."""
    if ftype.kind == "dec":
        return Decimal(0).scaleb(-ftype.places)
    return {"int": 0, "str": "", "bool": False, "list": (), "map": {}}.get(ftype.kind)


def _wrong(ftype: FieldType, value: object) -> RefusedError:
    return RefusedError(f"wrong value type: a field of type '{ftype}' got {_short(value)}")


def _short(value: object) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def _check_int(ftype: FieldType) -> Checker:
    def check(store: Store, value: Any) -> Value:
        if type(value) is not int:
            raise _wrong(ftype, value)
        if not -LIMIT <= value <= LIMIT:
            raise RefusedError("value out of range: integers lie within 63 bits")
        return value

    return check


def _check_dec(ftype: FieldType) -> Checker:
    quantum = Decimal(1).scaleb(-ftype.places)

    def check(store: Store, value: Any) -> Value:
        if type(value) is str and DECIMAL.match(value):
            value = Decimal(value)
        if (type(value) is not Decimal and type(value) is not int) or not _finite(value):
            raise _wrong(ftype, value)
        if not -LIMIT <= value <= LIMIT:
            raise RefusedError("value out of range: decimals lie within 63 bits")
        return CONTEXT.quantize(CONTEXT.create_decimal(value), quantum)

    return check


def _finite(value: Any) -> bool:
    return type(value) is int or bool(value.is_finite())


def is_text(value: str) -> bool:
    """Whether a string can be written as UTF-8; lone surrogates cannot."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_text(ftype: FieldType) -> Checker:
    def check(store: Store, value: Any) -> Value:
        if type(value) is not str or len(value) > MAX_TEXT or not is_text(value):
            raise _wrong(ftype, value)
        return value

    return check


def _check_bool(ftype: FieldType) -> Checker:
    def check(store: Store, value: Any) -> Value:
        if type(value) is not bool:
            raise _wrong(ftype, value)
        return value

    return check


def _check_ref(ftype: FieldType) -> Checker:
    def check(store: Store, value: Any) -> Value:
        if value is None:
            return None
        if type(value) is not str:
            raise _wrong(ftype, value)
        found = store.type_of.get(value)
        if found is None:
            raise RefusedError(str(UnknownNameError("entity", value, store.type_of)))
        if ftype.target and found != ftype.target:
            raise RefusedError(f"wrong reference: {value!r} is a {found}, a {ftype.target} is asked for")
        return value

    return check


def _check_loc(ftype: FieldType) -> Checker:
    def check(store: Store, value: Any) -> Value:
        if value is not None and (type(value) is not str or value not in store.map.places):
            raise RefusedError(str(UnknownNameError("location", value, store.map.places)))
        return value

    return check


def _check_list(ftype: FieldType) -> Checker:
    assert ftype.item is not None
    item = checker(ftype.item)

    def check(store: Store, value: Any) -> Value:
        if type(value) not in (list, tuple) or len(value) > MAX_ITEMS:
            raise _wrong(ftype, value)
        store.spend(len(value))
        return tuple(item(store, one) for one in value)

    return check


def _check_map(ftype: FieldType) -> Checker:
    assert ftype.item is not None
    item = checker(ftype.item)

    def check(store: Store, value: Any) -> Value:
        if not isinstance(value, Mapping) or len(value) > MAX_ITEMS:
            raise _wrong(ftype, value)
        store.spend(len(value))
        for key in value:
            if type(key) is not str or not NAME.match(key):
                raise RefusedError(f"map key {_short(key)}: {_NAMES_ARE}")
        return {key: item(store, value[key]) for key in sorted(value)}

    return check


_CHECKERS: dict[str, Callable[[FieldType], Checker]] = {
    "int": _check_int,
    "dec": _check_dec,
    "str": _check_text,
    "bool": _check_bool,
    "ref": _check_ref,
    "loc": _check_loc,
    "list": _check_list,
    "map": _check_map,
}


def checker(ftype: FieldType) -> Checker:
    """A function that returns the stored form of a value of this type or raises RefusedError."""
    return _CHECKERS[ftype.kind](ftype)


def show(value: Value) -> str:
    """A value as the timelines and prompts write it."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return "[" + " ".join(map(show, value)) + "]"
    if isinstance(value, dict):
        return "{" + " ".join(f"{key}:{show(one)}" for key, one in value.items()) + "}"
    return str(value)


def plain(value: Value) -> Any:
    """A value in JSON types; decimals become text with all their places."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value
