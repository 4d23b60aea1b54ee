# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges: they bind contract items to what a run did; programs check every binding afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from civworld.errors import ArgumentError
from civworld.world_agent.kernel import Record
from civworld.world_agent.maintenance.case import Event, Probe
from civworld.world_agent.maintenance.contracts import Contract, Structure
from civworld.world_agent.maintenance.patterns import state_meets, write_meets, writes_meet
from civworld.world_agent.maintenance.session import Boundary
from civworld.world_agent.maintenance.trace import Trace, states


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer for one round.

    Attributes:
        events: event id -> indexes of the records that realize it.
        structures: A item id -> name in the run.
        violations: probe id -> indexes of records that violate it.
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
        """Binds each event to the first unused trigger of the round whose effects meet its condition.

        A capability that bears a reference name realizes only that reference's events.
        """
        trace = Trace(boundary.checkpoint.records)
        reference = {structure.name for structure in contract.structures if structure.kind == "capability"}
        events, used = dict[str, list[int]](), set[int]()
        for event in contract.events:
            for record in boundary.records:
                named = record.rule in reference
                if named and (record.rule, record.actor) != (event.do, event.by):
                    continue
                if record.index not in used and realizes(event, record, trace, {}):
                    events[event.id] = [record.index]
                    used.add(record.index)
                    break
        names = {s.id: self._name(s, events, boundary) for s in contract.structures}
        violations = {probe.id: violating(probe, boundary, {}) for probe in contract.probes}
        return Verdict(events, {key: name for key, name in names.items() if name}, violations)

    def _name(self, structure: Structure, events: Mapping[str, Sequence[int]], boundary: Boundary) -> str:
        store = boundary.checkpoint.store
        if structure.kind == "entity":
            return structure.name if structure.name in store.type_of else ""
        if structure.kind == "type":
            return structure.name if structure.name in store.schemas else ""
        if structure.name in boundary.checkpoint.capabilities:
            return structure.name
        for event in structure.serves:
            if event in events:
                return boundary.checkpoint.records[events[event][0]].rule
        return ""


def realizes(event: Event, record: Record, trace: Trace, roles: Mapping[str, str]) -> bool:
    """Whether a record is a successful trigger whose recorded effects meet the event's condition."""
    if record.kind != "capability" or not record.ok:
        return False
    writes = [write for one in trace.chain(record.index) for write in one.writes]
    return not writes_meet(event.done, writes, roles)


def violating(probe: Probe, boundary: Boundary, roles: Mapping[str, str]) -> list[int]:
    """The records of a round that write what the probe forbids while its conditions hold."""
    return [
        record.index
        for record, before in states(boundary.before, boundary.records)
        if any(write_meets(probe.never, write, roles) for write in record.writes)
        and all(state_meets(pattern, before, roles) for pattern in probe.when)
    ]


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
        """The next reply."""
        self.prompts.append(prompt)
        reply = next(iter(self.replies), None)
        if reply is None:
            raise ArgumentError(f"scripted model: no reply left for prompt {len(self.prompts)}")
        return reply


INSTRUCTIONS = """You audit one frozen round of a simulated world against a contract.
Bind every event to the indexes of successful capability records of this round that realize it; a state that
merely looks right is not enough. Bind every structure to the name it has in this world. List for every
probe the indexes of records that violate it. Leave out what you cannot bind. Answer with one JSON object:
{"events": {"<id>": [index, ...]}, "structures": {"<id>": "<name>"}, "violations": {"<id>": [index, ...]}}"""


@dataclass(slots=True)
class ModelJudge:
    """A judge that asks a model; an unreadable answer binds nothing and is reported in the verdict."""

    model: Model

    def judge(self, contract: Contract, boundary: Boundary) -> Verdict:
        """One prompt for one round."""
        return parse_verdict(self.model.generate(judge_prompt(contract, boundary)))


def judge_prompt(contract: Contract, boundary: Boundary) -> str:
    """What a model judge reads: the contract, the world at the boundary, and the round's records."""
    checkpoint = boundary.checkpoint
    world = {
        "types": {name: {f: str(t) for f, t in schema.items()} for name, schema in checkpoint.store.schemas.items()},
        "entities": dict(checkpoint.store.type_of),
        "capabilities": {name: rule.spec.get("about", "") for name, rule in checkpoint.capabilities.items()},
    }
    lines = [INSTRUCTIONS, "", "CONTRACT", json.dumps(contract.to_data(), ensure_ascii=False)]
    lines += ["", "WORLD AT THE BOUNDARY", json.dumps(world, ensure_ascii=False), "", "RECORDS"]
    lines += [json.dumps(record.to_data(), ensure_ascii=False) for record in boundary.records]
    return "\n".join(lines)


def parse_verdict(text: str) -> Verdict:
    """Reads a model's answer; whatever does not have the asked form is left out and reported."""
    try:
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError) as error:
        return Verdict(faults=(f"answer is not JSON ({type(error).__name__})",))
    faults: list[str] = []
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
