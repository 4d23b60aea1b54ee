# SPDX-License-Identifier: GPL-2.0-or-later
"""The tools of maintenance: queries, which never extend the trace, and operations, which may.

One table (`TOOLS`) lists them with their parameters; sessions check requests against it and evaluation
adapters build their tool descriptions from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.kernel import KernelWorld

Run = Callable[[KernelWorld, dict[str, Any]], Any]
MAX_RECORDS = 50
JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "object": (dict,),
    "boolean": (bool,),
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        query: whether it only reads.
        params: name -> (JSON type, needed, description).
    """

    about: str
    query: bool
    params: Mapping[str, tuple[str, bool, str]]
    run: Run

    def check(self, name: str, args: Mapping[str, Any]) -> None:
        """Raises ArgumentError when arguments are missing, unknown or of the wrong JSON type."""
        for key, value in args.items():
            if key not in self.params:
                raise UnknownNameError(f"argument of tool {name}", key, self.params)
            kind = self.params[key][0]
            if not isinstance(value, JSON_TYPES[kind]) or (kind == "integer" and isinstance(value, bool)):
                raise ArgumentError(f"tool {name}: {key} must be of type {kind}, found {type(value).__name__}")
        for key, (_, needed, _) in self.params.items():
            if needed and key not in args:
                raise ArgumentError(f"tool {name}: {key} is missing")

    def schema(self) -> dict[str, Any]:
        """The parameters as a JSON schema."""
        return {
            "type": "object",
            "properties": {key: {"type": kind, "description": about} for key, (kind, _, about) in self.params.items()},
            "required": [key for key, (_, needed, _) in self.params.items() if needed],
            "additionalProperties": False,
        }


def _look_up(kind: str, table: Mapping[str, Any], name: str) -> Any:
    if name not in table:
        raise UnknownNameError(kind, name, table)
    return table[name]


def _entity(world: KernelWorld, args: dict[str, Any]) -> Any:
    fields = world.entity(args["entity"])
    return {"type": world.entities()[args["entity"]], "fields": fields}


def _entities(world: KernelWorld, args: dict[str, Any]) -> Any:
    kind = args.get("type")
    if kind is not None:
        _look_up("type", world.types(), kind)
    return {name: found for name, found in world.entities().items() if kind in (None, found)}


def _records(world: KernelWorld, args: dict[str, Any]) -> Any:
    since = args.get("since", max(0, world.record_count - MAX_RECORDS))
    if not 0 <= since <= world.record_count:
        raise ArgumentError(f"records since {since}: allowed are 0 to {world.record_count}")
    return [record.to_data() for record in world.events(since)[:MAX_RECORDS]]


def _status(world: KernelWorld, args: dict[str, Any]) -> Any:
    return {"time": world.time, "records": world.record_count, "entities": len(world.entities())}


def _wait(world: KernelWorld, args: dict[str, Any]) -> Any:
    if not 0 < args["units"] <= 1_000:
        raise ArgumentError(f"wait {args['units']}: allowed are 1 to 1000 units")
    before = world.record_count
    world.advance(args["units"])
    return {
        "time": world.time,
        "records": [record.to_data() for record in world.events(before)][-MAX_RECORDS:],
    }


def _apply(op: str) -> Run:
    def run(world: KernelWorld, args: dict[str, Any]) -> Any:
        return world.apply({"op": op, **args}).to_data()

    return run


_RULE = "specification: name, params {name: type}, actor (type), when, do, after, then"
_EFFECTS = "; effects read `entity.field = expression`, `+=`, `-=`, append(list, item), remove(list, item)"

TOOLS: dict[str, Tool] = {
    "list_types": Tool("All types with their fields.", True, {}, lambda w, a: w.types()),
    "get_type": Tool(
        "The fields of one type.",
        True,
        {"type": ("string", True, "its name")},
        lambda w, a: _look_up("type", w.types(), a["type"]),
    ),
    "list_entities": Tool(
        "Living entities and their types.", True, {"type": ("string", False, "only this type")}, _entities
    ),
    "get_entity": Tool("One entity's type and fields.", True, {"entity": ("string", True, "its name")}, _entity),
    "list_capabilities": Tool("Names of all capabilities.", True, {}, lambda w, a: list(w.capabilities())),
    "get_capability": Tool(
        "One capability's specification.",
        True,
        {"capability": ("string", True, "its name")},
        lambda w, a: dict(_look_up("capability", w.capabilities(), a["capability"])),
    ),
    "list_processes": Tool(
        "Running processes and their specifications.",
        True,
        {},
        lambda w, a: {name: dict(spec) for name, spec in w.processes().items()},
    ),
    "get_map": Tool("Locations and links.", True, {}, lambda w, a: w.map.to_data()),
    "get_records": Tool(
        f"Up to {MAX_RECORDS} execution records.",
        True,
        {"since": ("integer", False, "first index; without it the latest")},
        _records,
    ),
    "get_status": Tool("The time and the number of records.", True, {}, _status),
    "define_type": Tool(
        "Adds a type of entity.",
        False,
        {
            "name": ("string", True, "a-z, 0-9, _"),
            "fields": (
                "object",
                True,
                "field name -> int, dec N, str, bool, loc, ref [TYPE], list TYPE or map TYPE",
            ),
        },
        _apply("define_type"),
    ),
    "create_entity": Tool(
        "Adds an entity.",
        False,
        {
            "entity": ("string", True, "its name"),
            "type": ("string", True, "its type"),
            "fields": ("object", False, "values; others take their default"),
        },
        _apply("create"),
    ),
    "alter_entity": Tool(
        "Sets fields of an entity from outside; not an event.",
        False,
        {"entity": ("string", True, "its name"), "fields": ("object", True, "new values")},
        _apply("alter"),
    ),
    "retire_entity": Tool(
        "Removes an entity for good.", False, {"entity": ("string", True, "its name")}, _apply("retire")
    ),
    "define_capability": Tool(
        "Adds something that actors can do.",
        False,
        {"capability": ("object", True, _RULE + _EFFECTS)},
        _apply("define_capability"),
    ),
    "trigger": Tool(
        "Makes an actor do something now.",
        False,
        {
            "capability": ("string", True, "its name"),
            "actor": ("string", False, "who does it"),
            "args": ("object", False, "values of its params"),
        },
        _apply("trigger"),
    ),
    "schedule": Tool(
        "Has a capability triggered at a later time.",
        False,
        {
            "at": ("integer", True, "time, later than now"),
            "do": ("string", True, "the capability"),
            "actor": ("string", False, "who"),
            "args": ("object", False, "values of its params"),
            "every": ("integer", False, "repeat with this period"),
            "until": ("integer", False, "last time of repetition"),
        },
        _apply("schedule"),
    ),
    "set_process": Tool(
        "Adds or replaces an autonomous rule, or stops and resumes one.",
        False,
        {
            "process": ("object", False, "specification: name, every or on, each, when, do, after, then"),
            "name": ("string", False, "an existing process"),
            "active": ("boolean", False, "run it or not"),
        },
        _apply("set_process"),
    ),
    "wait": Tool("Lets time pass within the round.", False, {"units": ("integer", True, "how long")}, _wait),
}
"""Every request that a session understands, by its name."""
