# SPDX-License-Identifier: GPL-2.0-or-later
"""The forms of case files: one description that checks data and becomes a JSON Schema for editors.

A shape says what a value must look like. `check` raises where a value does not, and names the place as
`rounds[2].events[0].at`; `schema` gives the same as JSON Schema (draft 2020-12).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from civworld.errors import ArgumentError, UnknownNameError

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Shape(Protocol):
    """The form of a value."""

    def check(self, value: object, where: str) -> None:
        """Raises ArgumentError, which names ``where``, unless the value has the form."""
        ...

    def schema(self) -> dict[str, Any]:
        """The form as JSON Schema."""
        ...


def _wrong(where: str, value: object, allowed: str) -> ArgumentError:
    text = repr(value)
    return ArgumentError(f"{where}: found {text if len(text) <= 60 else text[:57] + '...'}, allowed is {allowed}")


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is not empty; one of ``among``, or of a pattern, where these are given."""

    about: str = ""
    among: tuple[str, ...] = ()
    pattern: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is such a text."""
        if self.among:
            if not isinstance(value, str) or value not in self.among:
                raise UnknownNameError(where, value, self.among)
        elif not isinstance(value, str) or not value.strip():
            raise _wrong(where, value, "text")
        elif self.pattern and not re.fullmatch(self.pattern, value, re.ASCII):
            raise _wrong(where, value, f"text of the form {self.pattern}")

    def schema(self) -> dict[str, Any]:
        """A string."""
        out: dict[str, Any] = {"type": "string", "minLength": 1}
        if self.among:
            out["enum"] = list(self.among)
        if self.pattern:
            out["pattern"] = f"^(?:{self.pattern})$"
        return _with_about(out, self.about)


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within bounds."""

    low: int = 0
    high: int = 1_000_000
    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is such a number."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise _wrong(where, value, f"a whole number from {self.low} to {self.high}")

    def schema(self) -> dict[str, Any]:
        """An integer."""
        return _with_about({"type": "integer", "minimum": self.low, "maximum": self.high}, self.about)


@dataclass(frozen=True, slots=True)
class Share:
    """A number from 0 to 1."""

    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is one."""
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not 0 <= value <= 1:
            raise _wrong(where, value, "a number from 0 to 1")

    def schema(self) -> dict[str, Any]:
        """A number."""
        return {"type": "number", "minimum": 0, "maximum": 1} | ({"description": self.about} if self.about else {})


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is a boolean."""
        if not isinstance(value, bool):
            raise _wrong(where, value, "true or false")

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return _with_about({"type": "boolean"}, self.about)


@dataclass(frozen=True, slots=True)
class Anything:
    """A value of the kernel: number, text, boolean, or a list or map of these."""

    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises for dates and the like, which TOML has and the kernel has not."""
        items = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else [value]
        if not all(isinstance(one, (int, str, Decimal)) for one in items):
            raise _wrong(where, value, "a number, text, boolean, or a list or map of these")

    def schema(self) -> dict[str, Any]:
        """Anything."""
        return _with_about({}, self.about)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one form."""

    item: Shape
    least: int = 0
    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is a list and every item fits."""
        if not isinstance(value, (list, tuple)) or len(value) < self.least:
            raise _wrong(where, value, f"a list of at least {self.least}" if self.least else "a list")
        for place, one in enumerate(value):
            self.item.check(one, f"{where}[{place}]")

    def schema(self) -> dict[str, Any]:
        """An array."""
        return _with_about({"type": "array", "items": self.item.schema(), "minItems": self.least}, self.about)


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map from names to values of one form."""

    item: Shape
    least: int = 0
    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises unless it is a map and every value fits."""
        if not isinstance(value, Mapping) or len(value) < self.least:
            raise _wrong(where, value, f"a table of at least {self.least}" if self.least else "a table")
        for key, one in value.items():
            self.item.check(one, f"{where}.{key}")

    def schema(self) -> dict[str, Any]:
        """An object with free keys."""
        out = {"type": "object", "additionalProperties": self.item.schema(), "minProperties": self.least}
        return _with_about(out, self.about)


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value of either form."""

    first: Shape
    second: Shape

    def check(self, value: object, where: str) -> None:
        """Raises the second form's error unless one of them fits."""
        try:
            self.first.check(value, where)
        except ArgumentError:
            self.second.check(value, where)

    def schema(self) -> dict[str, Any]:
        """Any of the two."""
        return {"anyOf": [self.first.schema(), self.second.schema()]}


@dataclass(frozen=True, slots=True)
class Table:
    """A table with known keys; ``rest`` is the form of further keys where these are free."""

    needed: Mapping[str, Shape]
    optional: Mapping[str, Shape]
    rest: Shape | None = None
    about: str = ""

    def check(self, value: object, where: str) -> None:
        """Raises when a key is missing, unknown, or of another form."""
        if not isinstance(value, Mapping):
            raise _wrong(where, value, "a table")
        known = {**self.needed, **self.optional}
        for key, one in value.items():
            shape = known.get(key, self.rest)
            if shape is None:
                raise UnknownNameError(f"key of {where}", key, known)
            shape.check(one, f"{where}.{key}" if where else str(key))
        for key in self.needed:
            if key not in value:
                raise ArgumentError(f"{where}: {key} is missing; needed are {', '.join(self.needed)}")

    def schema(self) -> dict[str, Any]:
        """An object."""
        known = {**self.needed, **self.optional}
        out: dict[str, Any] = {
            "type": "object",
            "properties": {key: shape.schema() for key, shape in known.items()},
            "required": list(self.needed),
            "additionalProperties": False if self.rest is None else self.rest.schema(),
        }
        return _with_about(out, self.about)


def _with_about(out: dict[str, Any], about: str) -> dict[str, Any]:
    return {**out, "description": about} if about else out


TEXTS = OneOf(Text(), ListOf(Text()))
NAMED = r"[a-z][a-z0-9_]{0,39}"
_RULE: dict[str, Shape] = {
    "let": MapOf(Text(), about="names for expressions, usable in what follows"),
    "when": TEXTS,
    "do": TEXTS,
    "after": OneOf(Whole(0), Text(about="a delay, a number or an expression")),
    "then": TEXTS,
}
CAPABILITY = Table(
    {"name": Text(pattern=NAMED), "about": Text(about="one line in words, without numbers")},
    {**_RULE, "actor": Text(about="the type that may do it"), "params": MapOf(Text(), about="name to field type")},
)
PROCESS = Table(
    {"name": Text(pattern=NAMED), "about": Text(about="one line in words, without numbers")},
    {
        **_RULE,
        "actor": Text(about="the entity that acts"),
        "each": Text(pattern=rf"{NAMED} in {NAMED}"),
        "every": Whole(1),
        "offset": Whole(0),
        "on": TEXTS,
    },
)
SCHEDULED = Table(
    {"at": Whole(1), "do": Text()},
    {"actor": Text(), "args": MapOf(Anything()), "every": Whole(0), "until": Whole(0)},
)
MAP = Table(
    {"places": MapOf(Text(), 1, "location to one line about it"), "links": ListOf(ListOf(Anything(), 3))},
    {},
    about="the map: places, and links [place, place, length]",
)
TYPES = MapOf(MapOf(Text(about="int, dec N, str, bool, loc, ref [TYPE], list TYPE, map TYPE")), 1)


def entity(needed: Mapping[str, Shape]) -> Table:
    """The form of an entity: its type, further needed keys, and the values of its fields."""
    return Table({"type": Text(), **needed}, {}, Anything())
