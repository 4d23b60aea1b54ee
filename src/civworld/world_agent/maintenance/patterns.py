# SPDX-License-Identifier: GPL-2.0-or-later
"""Patterns on writes and on state, in which contracts say what must or must not happen.

`bess.at = mill`: the field gets (or has) the value; `granary.flour +`: a number or a list's length rises;
`granary.flour + 6`: it rises by six; `-` likewise falls; `lamp.lit ~`: it changes.

Where types are supplied, the field is the supplied one. Where a model builds the types itself (*loose*), an event may
come about in any field of the entity, each condition in a field of its own; the field in which it did is the run's
field of that name (`Fields`), and of that field probes speak. A model then also chooses how to write things down:
`= true` and `= false` are a truth value that turns round, 0 and 1, or a text that changes (for `= true` not to one
that says off); a value may stand on its own, at the end of a list, or on the other side (`mara.ward = red` also as
mara in a list of red).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from civworld.errors import ArgumentError
from civworld.world_agent.kernel import Write
from civworld.world_agent.maintenance.assignment import assign

_FORM = re.compile(r"(?P<role>\w+)\.(?P<field>\w+) (?P<sign>=|\+|-|~)(?: (?P<value>\S.*))?\Z", re.ASCII)
_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}
RESTING = frozenset({"", "off", "no", "none", "false", "0", "closed", "shut", "idle", "not", "never", "unset"})
"""Texts that say, as false and 0 do, that something is not (yet) so."""

UNKNOWN = object()
Fields = Mapping[tuple[str, str], frozenset[tuple[str, str, Any]]]
"""A case's (entity, field) -> the run's entity, field, and value that says true there, for what stands for it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern; ``role`` is an entity's name in the case, bound to an entity of the run."""

    role: str
    field: str
    sign: str
    value: Any = None

    def __str__(self) -> str:
        words = {True: "true", False: "false"}
        value = words[self.value] if isinstance(self.value, bool) else self.value
        return f"{self.role}.{self.field} {self.sign}" + ("" if value is None else f" {value}")

    @property
    def name(self) -> tuple[str, str]:
        """The case's entity and field."""
        return self.role, self.field


def parse_pattern(text: str) -> Pattern:
    """Reads a pattern; raises ArgumentError when it is none."""
    found = _FORM.match(text)
    if (
        found is None
        or (found["sign"] == "=") > (found["value"] is not None)
        or (found["sign"] == "~" and found["value"])
    ):
        raise ArgumentError(f"pattern {text!r}: allowed are role.field = value, role.field + [n], - [n], ~")
    value = _value(found["value"])
    if found["sign"] in "+-" and value is not None and not _is_number(value):
        raise ArgumentError(f"pattern {text!r}: {found['sign']} takes a number")
    return Pattern(found["role"], found["field"], found["sign"], value)


def _value(text: str | None) -> Any:
    if text is None or text in _WORDS:
        return _WORDS.get(text or "")
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return Decimal(text) if re.fullmatch(r"-?\d{1,18}\.\d{1,6}", text, re.ASCII) else text


def same(a: Any, b: Any) -> bool:
    """Equality that keeps booleans apart from numbers."""
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def resting(value: Any) -> bool:
    """Whether a value says that something is not so."""
    if isinstance(value, str):
        return value.lower() in RESTING
    return not value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def step_of(old: Any, new: Any) -> Any:
    """How far a number, or a list's length, moves; the new value of anything else."""
    if isinstance(new, tuple) and isinstance(old, tuple):
        return len(new) - len(old)
    return new - old if _is_number(old) and _is_number(new) else new


def _moves(pattern: Pattern, old: Any, new: Any) -> bool:
    if isinstance(old, tuple) and isinstance(new, tuple):
        old, new = len(old), len(new)
    if not _is_number(new) or not _is_number(old):
        return False
    change = new - old if pattern.sign == "+" else old - new
    return bool(change > 0 if pattern.value is None else change == pattern.value)


def _gets(pattern: Pattern, write: Write, roles: Mapping[str, str], loose: bool) -> bool:
    wanted = roles.get(pattern.value, pattern.value) if isinstance(pattern.value, str) else pattern.value
    if loose and isinstance(wanted, bool):
        return _switches(write.old, write.new, wanted)
    found = write.new[-1] if isinstance(write.new, tuple) and write.new else write.new
    return same(found, wanted)


def _switches(old: Any, new: Any, wanted: bool) -> bool:
    """Whether a change says that something became so, or no longer is so, in whatever way a model writes that."""
    if isinstance(new, bool) and isinstance(old, bool):
        return True
    if _is_number(new) and _is_number(old):
        return {old, new} == {0, 1} and bool(new) is wanted
    return isinstance(new, str) and (old is None or isinstance(old, str)) and not (wanted and resting(new))


def _mirrored(pattern: Pattern, write: Write, roles: Mapping[str, str]) -> bool:
    """Whether ``a.x = b`` was written as ``b`` taking ``a`` into a list or a reference."""
    if pattern.sign != "=" or not isinstance(pattern.value, str):
        return False
    if write.entity != roles.get(pattern.value, pattern.value):
        return False
    one = roles.get(pattern.role, pattern.role)
    new, old = write.new, write.old
    return new == one or (isinstance(new, tuple) and one in new and not (isinstance(old, tuple) and one in old))


def write_meets(pattern: Pattern, write: Write, roles: Mapping[str, str], loose: bool = False) -> bool:
    """Whether one write is what the pattern describes, in its field, or in any field where types are the model's."""
    if not write.field or not (loose or write.field == pattern.field):
        return False
    if write.entity != roles.get(pattern.role, pattern.role):
        return loose and _mirrored(pattern, write, roles)
    match pattern.sign:
        case "=":
            return _gets(pattern, write, roles, loose)
        case "~":
            return True
    return _moves(pattern, write.old, write.new)


def writes_meet(
    patterns: Iterable[Pattern], writes: Iterable[Write], roles: Mapping[str, str], loose: bool = False
) -> list[Pattern]:
    """The patterns that no write meets."""
    known = list(patterns)
    done = {id(pattern) for pattern, _ in met(known, writes, roles, loose)}
    return [pattern for pattern in known if id(pattern) not in done]


def met(
    patterns: Iterable[Pattern], writes: Iterable[Write], roles: Mapping[str, str], loose: bool = False
) -> list[tuple[Pattern, Write]]:
    """Which write meets each pattern, each in a field of its own; patterns that none meets are left out."""
    asked, wishes, first = list(patterns), dict[int, list[tuple[int, tuple[str, str]]]](), dict[Any, Write]()
    known = list(writes)
    for place, pattern in enumerate(asked):
        wishes[place] = []
        for write in known:
            name = (write.entity, write.field)
            if (place, name) not in first and write_meets(pattern, write, roles, loose):
                first[place, name] = write
                wishes[place].append((int(write.field == pattern.field), name))
    return [(asked[place], first[place, name]) for place, name in sorted(assign(wishes).items())]


def write_breaks(pattern: Pattern, write: Write, roles: Mapping[str, str], fields: Fields, loose: bool) -> bool:
    """Whether a write is what a probe forbids: as the pattern says, and in the field that it speaks of."""
    for entity, field, on in fields.get(pattern.name, ()):
        if (write.entity, write.field) != (entity, field):
            continue
        if loose and isinstance(pattern.value, bool):
            if same(write.new, on) if pattern.value else same(write.old, on) and not same(write.new, on):
                return True
        elif write_meets(pattern, write, roles, loose):
            return True
    return False


def state_meets(
    pattern: Pattern, state: Mapping[str, Mapping[str, Any]], roles: Mapping[str, str], fields: Fields, loose: bool
) -> bool:
    """Whether the field that a pattern speaks of now has the value; only ``=`` can be asked of a state."""
    wanted = roles.get(pattern.value, pattern.value) if isinstance(pattern.value, str) else pattern.value
    if loose and not fields.get(pattern.name):
        return wanted is False or same(wanted, 0)  # nothing ever brought it about, so it is not so
    for entity, field, on in fields.get(pattern.name, ()):
        value = state.get(entity, {}).get(field)
        if loose and isinstance(wanted, bool) and on is not UNKNOWN:
            if same(value, on) is wanted:
                return True
        elif loose and (isinstance(wanted, bool) or same(wanted, 0)):
            if resting(value) != bool(wanted):
                return True
        elif same(value, wanted):
            return True
    return False
