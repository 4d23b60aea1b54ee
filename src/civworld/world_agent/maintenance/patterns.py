# SPDX-License-Identifier: GPL-2.0-or-later
"""Patterns on writes and on state, in which contracts say what must or must not happen.

`bess.at = mill`: the field gets (or has) the value; `granary.flour +`: a number rises; `granary.flour + 6`:
it rises by six; `-` likewise falls; `lamp.lit ~`: it changes. A `*` for the field means any field, so a
pattern does not depend on the names a model chooses for its own types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from civworld.errors import ArgumentError
from civworld.world_agent.kernel import Write

_FORM = re.compile(r"(?P<role>\w+)\.(?P<field>\w+|\*) (?P<sign>=|\+|-|~)(?: (?P<value>\S.*))?\Z")
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern; ``role`` is an entity's name in the case, bound to an entity of the run."""

    role: str
    field: str
    sign: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.role}.{self.field} {self.sign}" + ("" if self.value is None else f" {self.value}")


def parse_pattern(text: str) -> Pattern:
    """Reads a pattern; raises ArgumentError when it is none."""
    found = _FORM.match(text)
    if (
        found is None
        or (found["sign"] == "=") > (found["value"] is not None)
        or (found["sign"] == "~" and found["value"])
    ):
        raise ArgumentError(f"pattern {text!r}: allowed are role.field = value, role.field + [n], - [n], ~")
    return Pattern(found["role"], found["field"], found["sign"], _value(found["value"]))


def _value(text: str | None) -> Any:
    if text is None or text in _WORDS:
        return _WORDS.get(text or "")
    try:
        return int(text) if re.fullmatch(r"-?\d+", text) else Decimal(text)
    except ArithmeticError:
        return text


def same(a: Any, b: Any) -> bool:
    """Equality that keeps booleans apart from numbers."""
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _step(old: Any, new: Any, pattern: Pattern) -> bool:
    """Whether a change of a number, or of a list's length, goes the pattern's way."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        old, new = len(old), len(new)
    if not _is_number(new) or not _is_number(old):
        return False
    change = new - old if pattern.sign == "+" else old - new
    return bool(change > 0 if pattern.value is None else change == pattern.value)


def write_meets(pattern: Pattern, write: Write, roles: Mapping[str, str]) -> bool:
    """Whether one write is what the pattern describes."""
    if write.entity != roles.get(pattern.role, pattern.role) or not write.field:
        return False
    if pattern.field not in ("*", write.field):
        return False
    match pattern.sign:
        case "=":
            wanted = roles.get(pattern.value, pattern.value) if isinstance(pattern.value, str) else pattern.value
            found = write.new[-1] if isinstance(write.new, tuple) and write.new else write.new
            return same(found, wanted)
        case "~":
            return True
    return _step(write.old, write.new, pattern)


def writes_meet(patterns: Iterable[Pattern], writes: Iterable[Write], roles: Mapping[str, str]) -> list[Pattern]:
    """The patterns that no write meets."""
    known = list(writes)
    return [pattern for pattern in patterns if not any(write_meets(pattern, write, roles) for write in known)]


def state_meets(pattern: Pattern, state: Mapping[str, Mapping[str, Any]], roles: Mapping[str, str]) -> bool:
    """Whether an entity's fields now have the value; only ``=`` can be asked of a state."""
    row = state.get(roles.get(pattern.role, pattern.role), {})
    wanted = roles.get(pattern.value, pattern.value) if isinstance(pattern.value, str) else pattern.value
    return any(pattern.field in ("*", field) and same(value, wanted) for field, value in row.items())
