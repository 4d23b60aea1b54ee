# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: they bind contract items to what a run did; programs check every binding afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from civworld.errors import ArgumentError
from civworld.world_agent.kernel import Record, plain
from civworld.world_agent.maintenance.assignment import assign
from civworld.world_agent.maintenance.case import Event
from civworld.world_agent.maintenance.contracts import Contract
from civworld.world_agent.maintenance.matching import fault
from civworld.world_agent.maintenance.session import Boundary
from civworld.world_agent.maintenance.trace import Trace


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer for one round.

    Attributes:
        events: event id -> indexes of the records that realize it.
        structures: A item id -> name in the run.
        violations: probe id -> indexes of records that violate it; programs decide probes, this is reported.
        faults: what was wrong with the answer itself, such as text that is not JSON.
    """

    events: Mapping[str, Sequence[int]] = field(default_factory=dict)
    structures: Mapping[str, str] = field(default_factory=dict)
    violations: Mapping[str, Sequence[int]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


class Judge(Protocol):
    """Binds the items of one round's contract to the frozen round."""

    def judge(self, contract: Contract, boundary: Boundary) -> Verdict:
        """The verdict for one round."""
        ...


class RuleJudge:
    """A deterministic judge: entities by name, events by effects, capabilities by the events they realize."""

    def judge(self, contract: Contract, boundary: Boundary) -> Verdict:
        """Binds as many events as it can to triggers of the round, and capabilities to those events, one to one."""
        trace = Trace(boundary.checkpoint.records)
        triggers = [record for record in boundary.records if record.kind == "capability" and record.ok]
        wishes = {}
        for event in contract.events:
            fit = [one for one in triggers if not fault(event, [one], trace, {}, boundary.loose, contract.story)]
            wishes[event.id] = [(self._likeness(event, one, contract, boundary), one.index) for one in fit]
        events = assign(wishes)
        names = self._names(contract, events, boundary)
        return Verdict({event: [index] for event, index in sorted(events.items())}, names)

    def _likeness(self, event: Event, record: Record, contract: Contract, boundary: Boundary) -> int:
        """How many words a capability shares with an event; decides between records whose effects fit alike."""
        spec = boundary.checkpoint.capabilities[record.rule].spec
        about = next((s.what for s in contract.structures if s.kind == "capability" and s.name == event.do), "")
        return len(
            _stems(f"{record.rule} {spec.get('about', '')}") & _stems(f"{event.do} {event.what} {event.says} {about}")
        )

    def _names(self, contract: Contract, events: Mapping[str, int], boundary: Boundary) -> dict[str, str]:
        store, found = boundary.checkpoint.store, dict[str, str]()
        tables: dict[str, Mapping[str, Any]] = {"entity": store.type_of, "type": store.schemas}
        records, wishes = boundary.checkpoint.records, dict[str, list[tuple[int, str]]]()
        for structure in contract.structures:
            if structure.kind == "capability":
                used = [records[events[event]].rule for event in structure.serves if event in events]
                wishes[structure.id] = [(used.count(name), name) for name in dict.fromkeys(used)]
            elif structure.name in tables[structure.kind]:
                found[structure.id] = structure.name
        return {**found, **assign(wishes)}


def _stems(text: str) -> set[str]:
    """The beginnings of the words of a text, to tell which texts speak of the same."""
    return {word[:4] for word in re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))}


class Model(Protocol):
    """Anything that answers a prompt with text."""

    def generate(self, prompt: str) -> str:
        """The model's answer."""
        ...


@dataclass(slots=True)
class ScriptedModel:
    """An offline model: gives its replies in order and keeps the prompts."""

    replies: Iterable[str]
    prompts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.replies = iter(self.replies)

    def generate(self, prompt: str) -> str:
        """The next reply; ArgumentError when there is none left."""
        self.prompts.append(prompt)
        reply = next(iter(self.replies), None)
        if reply is None:
            raise ArgumentError(f"scripted model: no reply left for prompt {len(self.prompts)}")
        return reply


INSTRUCTIONS = """You audit one frozen round of a simulated world against a contract.
Bind every event to the indexes of successful capability records of this round that realize it; a state that
merely looks right is not enough. An event with an actor must be by that actor. The writes of the record, and of
those it caused, must do what 'completion' says, in whatever field this world uses for it: `= value` gets the value,
`+ 6` rises by six, `+` rises, `-` falls, `~` changes. No record realizes two events. Bind every structure to the
name it has in this world, no two to the same one. List for every probe the indexes of records that violate it.
Leave out what you cannot bind. Answer with one JSON object:
{"events": {"<id>": [index, ...]}, "structures": {"<id>": "<name>"}, "violations": {"<id>": [index, ...]}}"""
LOOSE = """The model built the types itself: `= true` and `= false` may be any pair of values that says the same, and
a value may stand in a list or on the other side."""
MAX_ANSWER = 200_000
MAX_EARLIER = 60
MAX_RECORDS = 400


@dataclass(slots=True)
class ModelJudge:
    """A judge that asks a model; an unreadable answer binds nothing and is reported in the verdict."""

    model: Model

    def judge(self, contract: Contract, boundary: Boundary) -> Verdict:
        """One prompt for one round."""
        return parse_verdict(self.model.generate(judge_prompt(contract, boundary)))


def judge_prompt(contract: Contract, boundary: Boundary) -> str:
    """What a model judge reads: the contract, the frozen states around the round, and the records that matter.

    Of the round's records the first `MAX_RECORDS`, of earlier ones the last `MAX_EARLIER` that wrote or were done by
    an entity that the contract speaks of.
    """
    checkpoint = boundary.checkpoint
    world = {
        "types": {name: {f: str(t) for f, t in schema.items()} for name, schema in checkpoint.store.schemas.items()},
        "kinds": dict(checkpoint.store.type_of),
        "capabilities": {name: plain(dict(rule.spec)) for name, rule in checkpoint.capabilities.items()},
    }
    earlier = [record for record in checkpoint.records[: boundary.first] if _matters(record, contract)]
    parts: list[tuple[str, list[Any]]] = [
        ("CONTRACT", [contract.to_data()]),
        ("STRUCTURES OF THE WORLD", [world]),
        ("STATE BEFORE THE ROUND", [_state(boundary.before)]),
        ("STATE AT THE BOUNDARY", [_state(checkpoint.store.fields)]),
        ("EARLIER RECORDS THAT MATTER", [record.to_data() for record in earlier[-MAX_EARLIER:]]),
        ("RECORDS", [record.to_data() for record in boundary.records[:MAX_RECORDS]]),
    ]
    lines = [INSTRUCTIONS, *([LOOSE] if boundary.loose else [])]
    for head, rows in parts:
        lines += ["", head, *(json.dumps(row, ensure_ascii=False) for row in rows)]
    return "\n".join(lines)


def _state(fields: Mapping[str, Mapping[str, Any]]) -> Any:
    return {name: {field: plain(value) for field, value in row.items()} for name, row in fields.items()}


def _matters(record: Record, contract: Contract) -> bool:
    known = {role for event in contract.events for role in event.circle()}
    known |= {pattern.role for probe in contract.probes for pattern in (probe.never, *probe.when)}
    return record.ok and (record.actor in known or any(write.entity in known for write in record.writes))


class _Pairs(dict[str, Any]):
    """A JSON object that remembers the keys it was given twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        keys = [key for key, _ in pairs]
        self.twice = sorted({key for key in keys if keys.count(key) > 1}) if len(self) < len(keys) <= 2_000 else []
        if len(keys) > 2_000:
            raise ValueError("an object of more than 2000 keys")


def parse_verdict(text: str) -> Verdict:
    """Reads a model's answer; whatever does not have the asked form is left out and reported."""
    try:
        if len(text) > MAX_ANSWER:
            raise ValueError(f"more than {MAX_ANSWER} characters")
        data = json.loads(text[text.index("{") : text.rindex("}") + 1], object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        return Verdict(faults=(f"answer is not JSON ({type(error).__name__})",))
    parts = [data, *(one for one in data.values() if isinstance(one, _Pairs))]
    faults = [f"key {key[:60]!r}: given twice" for one in parts for key in one.twice]
    events = _indexes(data.get("events", {}), "events", faults)
    violations = _indexes(data.get("violations", {}), "violations", faults)
    named: dict[str, str] = {}
    found = data.get("structures", {})
    for key, name in found.items() if isinstance(found, dict) else ():
        if isinstance(name, str):
            named[key] = name
        else:
            faults.append(f"structures {key}: must be a name")
    return Verdict(events, named, violations, tuple(faults))


def _indexes(found: Any, part: str, faults: list[str]) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    if not isinstance(found, dict):
        faults.append(f"{part}: must be an object")
        return out
    for key, value in found.items():
        if isinstance(value, list) and all(type(one) is int for one in value):
            out[key] = value
        else:
            faults.append(f"{part} {key}: must be a list of record indexes")
    return out
