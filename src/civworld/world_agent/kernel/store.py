# SPDX-License-Identifier: GPL-2.0-or-later
"""What a kernel world stores: entities with typed fields, and the one function that writes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.values import Checker, FieldType, Value, check_name, checker, default, parse_type
from civworld.world_agent.kernel.worldmap import WorldMap


class Write(NamedTuple):
    """One changed field: entity, field, map key ('' for a whole field), old and new value.

    Creation and retirement of an entity have an empty field and the type's name as the value.
    """

    entity: str
    field: str
    key: str
    old: Value
    new: Value

    @property
    def path(self) -> str:
        """``entity.field`` or ``entity.field.key``; the bare entity for creation and retirement."""
        return ".".join(part for part in (self.entity, self.field, self.key) if part)


TOO_MUCH = "too much work: the steps that one operation or one unit of time may take are used up"
WORK = 2_000_000
"""Steps that one operation, or one unit of time, may take; about the nodes of expressions evaluated."""


class Store:
    """Entities, their types, the clock and the map; reads and undo are logged for the running operation."""

    __slots__ = (
        "checks", "fields", "map", "members", "reads", "retired", "schemas", "time", "type_of", "undo", "watch",
        "watched", "work",
    )  # fmt: skip

    def __init__(self, worldmap: WorldMap) -> None:
        self.map = worldmap
        self.time = 0
        self.schemas: dict[str, dict[str, FieldType]] = {}
        self.checks: dict[str, dict[str, Checker]] = {}
        self.fields: dict[str, dict[str, Value]] = {}
        self.type_of: dict[str, str] = {}
        self.members: dict[str, tuple[str, ...]] = {}
        self.retired: dict[str, str] = {}
        self.reads: list[str] = []
        self.undo: list[tuple[dict[str, Value], str, Value]] = []
        self.work = WORK
        self.watch: set[tuple[str, str, bool | None]] | None = None
        self.watched = ""

    def copy(self) -> Store:
        """An independent copy; values are immutable or replaced on write, so one level is enough."""
        twin = Store(self.map)
        twin.watch = self.watch
        twin.time = self.time
        twin.schemas = dict(self.schemas)
        twin.checks = dict(self.checks)
        twin.fields = {name: row.copy() for name, row in self.fields.items()}
        twin.type_of = dict(self.type_of)
        twin.members = dict(self.members)
        twin.retired = dict(self.retired)
        return twin

    def spend(self, steps: int) -> None:
        """Takes steps off what the running operation or unit may still do; refused when nothing is left."""
        self.work -= steps
        if self.work < 0:
            raise RefusedError(TOO_MUCH)

    def define_type(self, name: object, fields: object, together_with: Collection[str] = ()) -> str:
        """Adds a type, whose references may name itself, known types, and those defined together with it."""
        name = check_name("type", name)
        if name in self.schemas:
            raise RefusedError(f"type {name!r}: the name is taken")
        if not isinstance(fields, Mapping):
            raise ArgumentError(f"type {name!r}: fields must be a map from field name to field type")
        schema = {check_name("field", field): parse_type(text) for field, text in fields.items()}
        for ftype in schema.values():
            target = (ftype.item or ftype).target
            if target and target != name and target not in self.schemas and target not in together_with:
                raise UnknownNameError("type", target, self.schemas)
        self.schemas[name] = schema
        self.checks[name] = {field: checker(ftype) for field, ftype in schema.items()}
        self.members[name] = ()
        return name

    def create(self, name: object, type_name: object, fields: object) -> list[Write]:
        """Adds an entity; fields not given take their type's default."""
        name = check_name("entity", name)
        if any(name in table for table in (self.type_of, self.retired, self.map.places)):
            raise RefusedError(f"entity {name!r}: the name is taken (retired names are not used again)")
        if not isinstance(type_name, str) or type_name not in self.schemas:
            raise UnknownNameError("type", type_name, self.schemas)
        row = {field: default(ftype) for field, ftype in self.schemas[type_name].items()}
        row.update(self.checked(type_name, fields))
        self.fields[name] = row
        self.type_of[name] = type_name
        self.members[type_name] += (name,)
        return [Write(name, "", "", None, type_name)] + [Write(name, f, "", None, v) for f, v in row.items()]

    def checked(self, type_name: str, fields: object) -> dict[str, Value]:
        """The stored forms of the given fields of one type; refused when one does not fit."""
        if not isinstance(fields, Mapping):
            raise ArgumentError(f"fields of a {type_name}: must be a map from field name to value")
        checks = self.checks[type_name]
        for field in fields:
            if field not in checks:
                raise UnknownNameError(f"field of {type_name}", field, checks)
        return {field: checks[field](self, value) for field, value in fields.items()}

    def retire(self, name: object) -> list[Write]:
        """Removes an entity; refused while another entity refers to it."""
        type_name = self.require(name)
        name = str(name)
        for other, row in self.fields.items():
            for field, ftype in self.schemas[self.type_of[other]].items():
                if other != name and refers(ftype, row[field], name):
                    raise RefusedError(f"entity {name!r}: {other}.{field} still refers to it")
        row = self.fields.pop(name)
        del self.type_of[name]
        self.members[type_name] = tuple(one for one in self.members[type_name] if one != name)
        self.retired[name] = type_name
        return [Write(name, "", "", type_name, None)] + [Write(name, f, "", v, None) for f, v in row.items()]

    def require(self, name: object) -> str:
        """The type of a living entity; raises UnknownNameError or RefusedError when there is none."""
        if isinstance(name, str) and name in self.type_of:
            return self.type_of[name]
        if isinstance(name, str) and name in self.retired:
            raise RefusedError(f"entity {name!r}: it was retired")
        raise UnknownNameError("entity", name, self.type_of)

    def write(self, entity: str, field: str, value: Value, writes: list[Write]) -> None:
        """Sets a checked value and logs the change; an equal value is no change."""
        row = self.fields[entity]
        old = row[field]
        if old != value:
            self.undo.append((row, field, old))
            row[field] = value
            writes.append(Write(entity, field, "", old, value))

    def write_key(self, entity: str, field: str, key: str, value: Value, writes: list[Write]) -> None:
        """Sets one key of a map field; the map is replaced, never changed in place."""
        row = self.fields[entity]
        table = row[field]
        self.spend(len(table))
        if key in table and table[key] == value:
            return
        self.undo.append((row, field, table))
        writes.append(Write(entity, field, key, table.get(key), value))
        changed = {**table, key: value}
        row[field] = {one: changed[one] for one in sorted(changed)}

    def take_back(self, write: Write) -> None:
        """Gives a field the value that it had before a write, as if that had not happened; undone as writes are."""
        if not write.field or write.entity not in self.fields:
            return
        if not write.key:
            self.write(write.entity, write.field, write.old, [])
            return
        row = self.fields[write.entity]
        table = {key: value for key, value in row[write.field].items() if key != write.key}
        if write.old is not None:
            table[write.key] = write.old
        self.write(write.entity, write.field, {key: table[key] for key in sorted(table)}, [])

    def roll_back(self, mark: int) -> None:
        """Undoes every field write after ``mark`` (a length of the undo log)."""
        while len(self.undo) > mark:
            row, field, old = self.undo.pop()
            row[field] = old


def refers(ftype: FieldType, value: Value, name: str) -> bool:
    """Whether a field of this type with this value refers to the entity ``name``."""
    if (ftype.item or ftype).kind != "ref":
        return False
    if ftype.kind == "map":
        return name in value.values()
    return name in value if ftype.kind == "list" else bool(value == name)


def flatten(entity: str, row: Mapping[str, Value]) -> dict[str, Value]:
    """The field paths of one entity; lists and maps go one level deeper, empty ones have no path."""
    out: dict[str, Any] = {}
    for field, value in row.items():
        if type(value) is dict:
            out.update({f"{entity}.{field}.{key}": one for key, one in value.items()})
        elif type(value) is tuple:
            out.update({f"{entity}.{field}.{place}": one for place, one in enumerate(value)})
        else:
            out[f"{entity}.{field}"] = value
    return out
