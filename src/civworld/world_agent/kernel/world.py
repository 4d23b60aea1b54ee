# SPDX-License-Identifier: GPL-2.0-or-later
"""A deterministic discrete-time world: advance, state, apply, checkpoint, fork, restore, digest, events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.checkpoint import KernelCheckpoint, digest_of, record_bytes
from civworld.world_agent.kernel.expr import Scope, compile_expr, refusal
from civworld.world_agent.kernel.firing import FAILURES, Limits, Planned, RuleEngine
from civworld.world_agent.kernel.records import Record
from civworld.world_agent.kernel.rules import compile_rule
from civworld.world_agent.kernel.store import Store, Write, flatten
from civworld.world_agent.kernel.values import Value
from civworld.world_agent.kernel.worldmap import WorldMap

MAX_ADVANCE = 1_000_000
SECTIONS = ("map", "types", "entities", "capabilities", "processes", "schedule")


class KernelWorld:
    """One world. Build it from a specification in JSON types, or empty, and change it by operations.

    Args:
        spec: map from section (`SECTIONS`) to data: ``map`` {places, links}, ``types`` {name: {field: type}},
            ``entities`` {name: {type, field: value}}, ``capabilities`` and ``processes`` lists of rules,
            ``schedule`` list of {at, do, actor, args, every, until}.
        limits: bounds of work and of the log.
        watch: takes (rule, condition, outcome) for every condition that is evaluated, and (rule, condition, None)
            for each there is, to see which branches are taken.

    Raises:
        ArgumentError: the specification is malformed, or describes a world that cannot be.
    """

    def __init__(
        self,
        spec: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        watch: set[tuple[str, str, bool | None]] | None = None,
    ) -> None:
        spec = {} if spec is None else spec
        _check_sections(spec)
        chart = spec.get("map", {})
        for key in chart:
            if key not in ("places", "links"):
                raise UnknownNameError("key of the map", key, ("places", "links"))
        self._engine = RuleEngine(Store(WorldMap(chart.get("places", {}), chart.get("links", ()))), limits)
        self._engine.store.watch = watch
        self._hashed, self._log = 0, hashlib.sha256()
        try:
            self._build(spec)
        except FAILURES as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"world specification: {refusal(error)}") from None

    def _build(self, spec: Mapping[str, Any]) -> None:
        store, engine = self._engine.store, self._engine
        types = spec.get("types", {})
        for name, fields in types.items():
            store.define_type(name, fields, together_with=types)
        rows = spec.get("entities", {})
        for name, row in rows.items():
            store.create(name, row.get("type"), {})
        for name, row in rows.items():
            given = {field: value for field, value in row.items() if field != "type"}
            store.fields[name].update(store.checked(row["type"], given))
        for rule in spec.get("capabilities", ()):
            self._define_capability({"capability": rule})
        for rule in spec.get("processes", ()):
            self._set_process({"process": rule})
        for entry in spec.get("schedule", ()):
            self._schedule(_given("schedule", entry))
        engine.commit()

    @property
    def time(self) -> int:
        """Units of time since the start."""
        return self._engine.store.time

    @property
    def map(self) -> WorldMap:
        """The map, which never changes."""
        return self._engine.store.map

    def types(self) -> dict[str, dict[str, str]]:
        """Every type with its field types as text."""
        schemas = self._engine.store.schemas
        return {name: {f: str(ftype) for f, ftype in schema.items()} for name, schema in schemas.items()}

    def entities(self) -> dict[str, str]:
        """The living entities and their types, in order of creation."""
        return dict(self._engine.store.type_of)

    def entity(self, name: str) -> dict[str, Value]:
        """The fields of one living entity."""
        self._engine.store.require(name)
        return dict(self._engine.store.fields[name])

    def capabilities(self) -> dict[str, Mapping[str, Any]]:
        """The specifications of all capabilities."""
        return {name: rule.spec for name, rule in self._engine.capabilities.items()}

    def processes(self) -> dict[str, Mapping[str, Any]]:
        """The specifications of all running processes."""
        stopped = self._engine.stopped
        return {name: rule.spec for name, rule in self._engine.processes.items() if name not in stopped}

    def state(self) -> dict[str, Value]:
        """Field path to value for every living entity; lists and maps go one level deeper."""
        out: dict[str, Value] = {}
        for name, row in self._engine.store.fields.items():
            out.update(flatten(name, row))
        return out

    def evaluate(self, expression: str) -> Value:
        """The present value of an expression of the rule language; changes nothing.

        Raises:
            ArgumentError: it cannot be read or names something unknown.
            RefusedError: it cannot be evaluated now.
        """
        store = self._engine.store
        self._engine.begin()
        try:
            return compile_expr(expression, Scope(store)).code(store, {})
        except FAILURES as error:
            raise error if isinstance(error, ArgumentError) else refusal(error) from None
        finally:
            store.reads.clear()

    def events(self, since: int = 0) -> list[Record]:
        """The execution records from index ``since`` on."""
        return self._engine.records[since:]

    @property
    def record_count(self) -> int:
        """How many records the log has."""
        return len(self._engine.records)

    def advance(self, units: int = 1) -> None:
        """Lets ``units`` of time pass; what is refused meanwhile is recorded as refused."""
        if type(units) is not int or not 0 <= units <= MAX_ADVANCE:
            raise ArgumentError(f"advance {units!r}: allowed are whole numbers from 0 to {MAX_ADVANCE}")
        for _ in range(units):
            self._engine.tick()

    def trigger(self, capability: str, actor: str = "", **args: Any) -> Record:
        """Shorthand for applying a ``trigger`` operation."""
        return self.apply({"op": "trigger", "capability": capability, "actor": actor, "args": args})

    def apply(self, operation: Mapping[str, Any]) -> Record:
        """Applies one operation whole and returns its record.

        Raises:
            ArgumentError: the operation is malformed or names something unknown.
            RefusedError: the state does not allow it. In both cases nothing has changed.
        """
        if not isinstance(operation, Mapping):
            raise ArgumentError(f"operation: must be a map with an 'op', found {type(operation).__name__}")
        op = operation.get("op")
        if not isinstance(op, str) or op not in OPERATIONS:
            raise UnknownNameError("operation", op, OPERATIONS)
        method = OPERATIONS[op][0]
        given = _given(op, operation)
        self._engine.begin()
        self._engine.require_room()
        try:
            return method(self, given)
        except FAILURES as error:
            raise error if isinstance(error, ArgumentError) else refusal(error) from None

    def _log_operation(
        self, kind: str, rule: str, params: Mapping[str, Any], writes: Sequence[Write] = (), actor: str = ""
    ) -> Record:
        engine = self._engine
        index = len(engine.records)
        return engine.log(Record(index, self.time, actor, rule, kind, params, (), tuple(writes), None))

    def _define_type(self, given: Mapping[str, Any]) -> Record:
        name = self._engine.store.define_type(given["name"], given["fields"])
        return self._log_operation("define_type", name, {"fields": self.types()[name]})

    def _create(self, given: Mapping[str, Any]) -> Record:
        writes = self._engine.store.create(given["entity"], given["type"], given.get("fields", {}))
        return self._log_operation("create", given["entity"], {"type": given["type"]}, writes)

    def _alter(self, given: Mapping[str, Any]) -> Record:
        engine = self._engine
        store, name = engine.store, given["entity"]
        values = store.checked(store.require(name), given["fields"])
        if not values:
            raise ArgumentError(f"operation alter: no fields of {name} are given")
        mark, writes = engine.mark(), list[Write]()
        try:
            for field, value in values.items():
                store.write(name, field, value, writes)
            record = self._log_operation("alter", name, {}, writes)
            engine.cascade(record)
        except FAILURES:
            engine.roll_back(mark)
            raise
        engine.commit()
        return record

    def _retire(self, given: Mapping[str, Any]) -> Record:
        writes = self._engine.store.retire(given["entity"])
        return self._log_operation("retire", given["entity"], {}, writes)

    def _define_capability(self, given: Mapping[str, Any]) -> Record:
        engine = self._engine
        rule = compile_rule("capability", given["capability"], engine.store)
        if rule.name in engine.capabilities or rule.name in engine.processes:
            raise RefusedError(f"capability {rule.name!r}: the name is taken")
        engine.capabilities[rule.name] = rule
        return self._log_operation("define_capability", rule.name, rule.spec)

    def _set_process(self, given: Mapping[str, Any]) -> Record:
        """Adds or replaces a process by its specification, or stops and resumes one by ``active``."""
        engine = self._engine
        if ("process" in given) == ("name" in given):
            raise ArgumentError("operation set_process: needs either process or name and active")
        if "process" in given and "active" in given:
            raise ArgumentError("operation set_process: active goes with name; a process that is set runs")
        if "name" in given:
            return self._switch(given["name"], given.get("active"))
        known = [*engine.capabilities, *engine.processes]
        rule = compile_rule("process", given["process"], engine.store, known)
        if rule.name in engine.capabilities:
            raise RefusedError(f"process {rule.name!r}: a capability has the name")
        engine.processes[rule.name] = rule
        engine.stopped.discard(rule.name)
        engine.index_processes()
        return self._log_operation("set_process", rule.name, rule.spec)

    def _switch(self, name: object, active: object) -> Record:
        engine = self._engine
        if not isinstance(name, str) or name not in engine.processes:
            raise UnknownNameError("process", name, engine.processes)
        if not isinstance(active, bool):
            raise ArgumentError(f"operation set_process {name}: active must be true or false")
        (engine.stopped.discard if active else engine.stopped.add)(name)
        engine.index_processes()
        return self._log_operation("set_process", name, {"active": active})

    def _trigger(self, given: Mapping[str, Any]) -> Record:
        actor = given.get("actor", "")
        if not isinstance(actor, str):
            raise ArgumentError(f"operation trigger: actor {actor!r} must be an entity's name")
        return self._engine.trigger(given["capability"], actor, given.get("args", {}), None)

    def _schedule(self, given: Mapping[str, Any]) -> Record:
        engine = self._engine
        at, every, until = given["at"], given.get("every", 0), given.get("until", 0)
        for key, value in (("at", at), ("every", every), ("until", until)):
            if type(value) is not int or not 0 <= value <= MAX_ADVANCE:
                raise ArgumentError(f"operation schedule: {key} {value!r} must be a whole number of units")
        if at <= self.time:
            raise RefusedError(f"schedule at {at}: the past cannot be written, now is {self.time}")
        actor, args, name = given.get("actor", ""), given.get("args", {}), given["do"]
        if not isinstance(name, str) or name not in engine.capabilities:
            raise UnknownNameError("capability", name, engine.capabilities)
        if not isinstance(actor, str) or not isinstance(args, Mapping):
            raise ArgumentError("operation schedule: actor must be a name and args a map")
        if actor:
            engine.store.require(actor)
        if until and until < at:
            raise RefusedError(f"schedule {name!r}: until {until} lies before at {at}")
        rule = engine.capabilities[name]
        if rule.actor and (not actor or engine.store.type_of[actor] != rule.actor):
            raise RefusedError(f"schedule {name!r}: needs an actor of type {rule.actor}, found {actor or 'none'}")
        if set(args) != set(rule.params):
            wanted = ", ".join(rule.params) or "none"
            raise RefusedError(f"schedule {name!r}: arguments asked for are {wanted}")
        checked = {key: check(engine.store, args[key]) for key, check in rule.checks.items()}
        record = self._log_operation("schedule", name, {"at": at, **checked}, actor=actor)
        engine.calendar.setdefault(at, []).append(Planned(name, actor, checked, record.index, every, until))
        return record

    def take_back(self, undo: Callable[[Record], Sequence[Write]]) -> None:
        """From now on, right after each record, takes back those of its writes that ``undo`` gives.

        What would have happened had something not come about: the records say what was written, and nobody sees it.
        Forks and checkpoints do not inherit this.
        """
        store = self._engine.store

        def take(record: Record) -> None:
            for write in reversed(undo(record)):
                store.take_back(write)

        self._engine.on_record = take

    def checkpoint(self) -> KernelCheckpoint:
        """The complete state as a value that later changes of this world do not touch."""
        return KernelCheckpoint.of(self._engine)

    def restore(self, checkpoint: KernelCheckpoint) -> None:
        """Replaces this world's state by the checkpoint's."""
        self._engine = checkpoint.engine()
        self._hashed, self._log = 0, hashlib.sha256()

    def fork(self) -> KernelWorld:
        """An independent world in the same state."""
        twin = KernelWorld.__new__(KernelWorld)
        twin._engine = self.checkpoint().engine()
        twin._hashed, twin._log = self._hashed, self._log.copy()
        return twin

    def digest(self) -> str:
        """SHA-256 over the whole state, the calendar, the rules and the log of records."""
        records = self._engine.records
        for record in records[self._hashed :]:
            self._log.update(record_bytes(record))
        self._hashed = len(records)
        return digest_of(self._engine, self._log.hexdigest())


def _given(op: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an operation; raises when one is missing or unknown."""
    _, needed, optional = OPERATIONS[op]
    given = {key: value for key, value in operation.items() if key != "op"}
    for key in given:
        if key not in needed and key not in optional:
            raise UnknownNameError(f"key of operation {op}", key, [*needed, *optional])
    for key in needed:
        if key not in given:
            raise ArgumentError(f"operation {op}: needs {', '.join(needed)}; {key} is missing")
    return given


_SHAPES: dict[str, tuple[type, str]] = {
    "map": (Mapping, "a map with places and links"),
    "types": (Mapping, "a map from type to its fields"),
    "entities": (Mapping, "a map from entity to its type and fields"),
    "capabilities": (Sequence, "a list of maps"),
    "processes": (Sequence, "a list of maps"),
    "schedule": (Sequence, "a list of maps"),
}


def _check_sections(spec: object) -> None:
    """Raises ArgumentError unless every section has the form that `KernelWorld` reads."""
    if not isinstance(spec, Mapping):
        raise ArgumentError(f"world specification: must be a map, found {type(spec).__name__}")
    for section, value in spec.items():
        if section not in SECTIONS:
            raise UnknownNameError("section of a world specification", section, SECTIONS)
        kind, form = _SHAPES[section]
        rows: Any = value.values() if section == "entities" and isinstance(value, Mapping) else value
        fits = isinstance(value, kind) and not isinstance(value, str)
        if fits and section not in ("map", "types"):
            fits = all(isinstance(row, Mapping) for row in rows)
        if not fits:
            raise ArgumentError(f"world specification: {section} must be {form}")


Operation = Callable[[KernelWorld, Mapping[str, Any]], Record]

OPERATIONS: dict[str, tuple[Operation, tuple[str, ...], tuple[str, ...]]] = {
    "define_type": (KernelWorld._define_type, ("name", "fields"), ()),
    "create": (KernelWorld._create, ("entity", "type"), ("fields",)),
    "alter": (KernelWorld._alter, ("entity", "fields"), ()),
    "retire": (KernelWorld._retire, ("entity",), ()),
    "define_capability": (KernelWorld._define_capability, ("capability",), ()),
    "set_process": (KernelWorld._set_process, (), ("process", "name", "active")),
    "trigger": (KernelWorld._trigger, ("capability",), ("actor", "args")),
    "schedule": (KernelWorld._schedule, ("at", "do"), ("actor", "args", "every", "until")),
}
"""Operations by name: method, needed keys, optional keys."""
