# SPDX-License-Identifier: GPL-2.0-or-later
"""A world's complete state as a value, its bytes, and its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgpack
import zstandard

from civworld.errors import CheckpointCorrupt, CheckpointMismatch
from civworld.world_agent.kernel.firing import Delayed, Limits, Planned, RuleEngine
from civworld.world_agent.kernel.records import Record
from civworld.world_agent.kernel.rules import CompiledRule, compile_rule
from civworld.world_agent.kernel.store import Store, Write
from civworld.world_agent.kernel.values import checker, parse_type
from civworld.world_agent.kernel.worldmap import WorldMap

FORMAT = "civworld-kernel-2"
MAX_BYTES = 2**30
_DECIMAL = 1


def _default(value: Any) -> Any:
    if isinstance(value, Decimal):
        return msgpack.ExtType(_DECIMAL, str(value).encode())
    raise TypeError(f"not a kernel value: {type(value).__name__}")


def _extension(code: int, data: bytes) -> Any:
    if code != _DECIMAL:
        raise ValueError(f"unknown extension {code}")
    return Decimal(data.decode())


def pack(value: Any) -> bytes:
    """Canonical bytes of kernel values in lists and maps."""
    packed = msgpack.packb(value, default=_default)
    assert isinstance(packed, bytes)
    return packed


def record_bytes(record: Record) -> bytes:
    """Canonical bytes of one record."""
    return pack(record)


@dataclass(frozen=True, slots=True, eq=False)
class KernelCheckpoint:
    """A complete state; make it with `KernelWorld.checkpoint`, use it with `restore`.

    The log is shared with the world, which only ever appends to it; ``count`` says how much belongs here.
    """

    store: Store
    log: list[Record]
    count: int
    capabilities: dict[str, CompiledRule]
    processes: dict[str, CompiledRule]
    stopped: frozenset[str]
    calendar: dict[int, tuple[Delayed | Planned, ...]]
    limits: Limits
    logged: int

    @classmethod
    def of(cls, engine: RuleEngine) -> KernelCheckpoint:
        """Copies what can change; rules, records and values are immutable and shared."""
        return cls(
            engine.store.copy(),
            engine.records,
            len(engine.records),
            dict(engine.capabilities),
            dict(engine.processes),
            frozenset(engine.stopped),
            {time: tuple(entries) for time, entries in engine.calendar.items()},
            engine.limits,
            engine.logged,
        )

    @property
    def records(self) -> tuple[Record, ...]:
        """The log up to the checkpoint."""
        return tuple(self.log[: self.count])

    def engine(self) -> RuleEngine:
        """A fresh engine in this state."""
        engine = RuleEngine(self.store.copy(), self.limits)
        engine.logged = self.logged
        engine.records = self.log[: self.count]
        engine.capabilities = dict(self.capabilities)
        engine.processes = dict(self.processes)
        engine.stopped = set(self.stopped)
        engine.calendar = {time: list(entries) for time, entries in self.calendar.items()}
        engine.index_processes()
        return engine

    def to_bytes(self) -> bytes:
        """The checkpoint as bytes: SHA-256, then compressed data."""
        engine = self.engine()
        data = _structure(engine)
        data["records"] = list(self.records)
        data["limits"], data["logged"] = [self.limits.work, self.limits.log], self.logged
        body = zstandard.ZstdCompressor(level=3).compress(pack(data))
        return hashlib.sha256(body).digest() + body

    @classmethod
    def from_bytes(cls, data: bytes) -> KernelCheckpoint:
        """Reads what `to_bytes` wrote.

        Raises:
            CheckpointCorrupt: damaged or cut short.
            CheckpointMismatch: written by another format.
        """
        head, body = data[:32], data[32:]
        if hashlib.sha256(body).digest() != head:
            raise CheckpointCorrupt("kernel checkpoint: the bytes do not match their SHA-256")
        try:
            if not 0 <= zstandard.get_frame_parameters(body).content_size <= MAX_BYTES:
                raise CheckpointCorrupt(f"kernel checkpoint: unpacks to more than {MAX_BYTES} bytes")
            raw = zstandard.ZstdDecompressor().decompress(body)
            tree = msgpack.unpackb(raw, ext_hook=_extension, use_list=False, strict_map_key=False)
            if tree["format"] != FORMAT:
                found = f"kernel checkpoint: format {tree['format']!r}, this is {FORMAT!r}"
                raise CheckpointMismatch(found, field="format")
            return cls.of(_rebuild(tree))
        except (CheckpointCorrupt, CheckpointMismatch):
            raise
        except Exception as error:  # whatever a forged tree can provoke: it is no checkpoint
            raise CheckpointCorrupt(f"kernel checkpoint: cannot be read ({type(error).__name__})") from None


def _rules_of(engine: RuleEngine) -> list[CompiledRule]:
    """Every rule in use, including replaced ones that the calendar still holds, in a fixed order."""
    rules = [*engine.capabilities.values(), *engine.processes.values()]
    for time in sorted(engine.calendar):
        rules += [entry.rule for entry in engine.calendar[time] if isinstance(entry, Delayed)]
    return list({id(rule): rule for rule in rules}.values())


def _structure(engine: RuleEngine) -> dict[str, Any]:
    store, rules = engine.store, _rules_of(engine)
    place = {id(rule): number for number, rule in enumerate(rules)}

    def entry_data(entry: Delayed | Planned) -> list[Any]:
        if isinstance(entry, Delayed):
            return ["late", place[id(entry.rule)], entry.env, entry.actor, entry.cause]
        return ["plan", *entry]

    return {
        "format": FORMAT,
        "map": store.map.to_data(),
        "time": store.time,
        "types": {name: {f: str(t) for f, t in schema.items()} for name, schema in store.schemas.items()},
        "entities": [[name, store.type_of[name], row] for name, row in store.fields.items()],
        "members": store.members,
        "retired": store.retired,
        "rules": [[rule.kind, rule.spec] for rule in rules],
        "capabilities": [place[id(rule)] for rule in engine.capabilities.values()],
        "processes": [place[id(rule)] for rule in engine.processes.values()],
        "stopped": sorted(engine.stopped),
        "calendar": [[t, [entry_data(e) for e in engine.calendar[t]]] for t in sorted(engine.calendar)],
    }


def digest_of(engine: RuleEngine, log: str) -> str:
    """SHA-256 over the structure of a world and the hash of its log."""
    return hashlib.sha256(pack([_structure(engine), log])).hexdigest()


def _rebuild(tree: dict[str, Any]) -> RuleEngine:
    engine = RuleEngine(_rebuild_store(tree), Limits(*tree["limits"]))
    engine.logged = tree["logged"]
    names = [spec["name"] for _, spec in tree["rules"]]
    rules = [compile_rule(kind, spec, engine.store, names) for kind, spec in tree["rules"]]
    engine.capabilities = {rules[place].name: rules[place] for place in tree["capabilities"]}
    engine.processes = {rules[place].name: rules[place] for place in tree["processes"]}
    engine.stopped = set(tree["stopped"])
    engine.records = [_record(row) for row in tree["records"]]
    for time, entries in tree["calendar"]:
        engine.calendar[time] = [_ENTRIES[entry[0]](entry, rules) for entry in entries]
    return engine


def _rebuild_store(tree: dict[str, Any]) -> Store:
    store = Store(WorldMap(tree["map"]["places"], tree["map"]["links"]))
    store.time = tree["time"]
    for name, fields in tree["types"].items():
        store.schemas[name] = {field: parse_type(text) for field, text in fields.items()}
        store.checks[name] = {field: checker(ftype) for field, ftype in store.schemas[name].items()}
    for name, kind, row in tree["entities"]:
        store.fields[name], store.type_of[name] = row, kind
    store.members = dict(tree["members"])
    store.retired = dict(tree["retired"])
    return store


def _record(row: tuple[Any, ...]) -> Record:
    return Record._make((*row[:7], tuple(Write(*write) for write in row[7]), *row[8:]))


_ENTRIES: dict[str, Callable[[Any, list[CompiledRule]], Delayed | Planned]] = {
    "late": lambda entry, rules: Delayed(rules[entry[1]], entry[2], entry[3], entry[4]),
    "plan": lambda entry, rules: Planned(*entry[1:]),
}
