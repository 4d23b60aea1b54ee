# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of a maintenance run: completion and relation, by item, round and component.

completion = (E+ + A+ + P+) / (E + A + P) over scored items, relation = R+ / R. Items that span rounds
count once, in their last round. A part without items is None, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from civworld.errors import ArgumentError
from civworld.world_agent.maintenance.case import RELATIONS, Case, Event, Probe, Relation
from civworld.world_agent.maintenance.contracts import Structure, contract, structures
from civworld.world_agent.maintenance.judges import Judge, Verdict, violating
from civworld.world_agent.maintenance.patterns import writes_meet
from civworld.world_agent.maintenance.session import Boundary, Session
from civworld.world_agent.maintenance.trace import Interval, Trace

COMPONENTS = ("E", "A", "P", *RELATIONS)


@dataclass(frozen=True, slots=True)
class Item:
    """One contract item and how it fared.

    Attributes:
        part: one of `COMPONENTS`.
        round: the round it counts in.
        scored: False for structures that are audited only.
        why: the reason when it did not pass.
    """

    part: str
    id: str
    round: int
    passed: bool
    scored: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """All items of one run, with what was rejected of the judge's bindings."""

    case: str
    tier: str
    items: tuple[Item, ...]
    rejected: tuple[str, ...] = ()
    requests: int = 0
    refused: int = 0

    def count(self, parts: Sequence[str], number: int | None = None) -> tuple[int, int]:
        """Passed and all scored items of some components, of one round or of all."""
        items = [i for i in self.items if i.scored and i.part in parts and number in (None, i.round)]
        return sum(item.passed for item in items), len(items)

    def share(self, parts: Sequence[str], number: int | None = None) -> float | None:
        """The passed share, None when there is nothing to score."""
        passed, total = self.count(parts, number)
        return passed / total if total else None

    @property
    def completion(self) -> float | None:
        """Events, structures and probes that passed, as a share of those scored."""
        return self.share(("E", "A", "P"))

    @property
    def relation(self) -> float | None:
        """Relations that hold, as a share of all."""
        return self.share(tuple(RELATIONS))

    def lost(self) -> set[str]:
        """The scored items that did not pass, as ``part id``."""
        return {f"{item.part} {item.id}" for item in self.items if item.scored and not item.passed}

    def to_data(self) -> dict[str, Any]:
        """The result in JSON types."""
        rounds = sorted({item.round for item in self.items})
        return {
            "case": self.case,
            "tier": self.tier,
            "completion": self.completion,
            "relation": self.relation,
            "components": {part: self.count((part,)) for part in COMPONENTS},
            "by_round": [
                {
                    "round": n,
                    "completion": self.share(("E", "A", "P"), n),
                    "relation": self.share(tuple(RELATIONS), n),
                }
                for n in rounds
            ],
            "failed": {f"{i.part} {i.id}": i.why for i in self.items if i.scored and not i.passed},
            "rejected": list(self.rejected),
            "requests": self.requests,
            "refused": self.refused,
        }


@dataclass(slots=True)
class _Settling:
    """What has been established while the rounds are settled in order."""

    case: Case
    bound: dict[str, list[int]] = field(default_factory=dict)
    spans: dict[str, Interval] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    whys: dict[str, str] = field(default_factory=dict)
    used_up: set[int] = field(default_factory=set)
    rejected: list[str] = field(default_factory=list)


def score(session: Session, judge: Judge) -> Result:
    """Scores a finished session; the judge's bindings count only as far as programs confirm them."""
    if not session.finished:
        raise ArgumentError(f"score: the session is in round {session.round} of {session.case.rounds}")
    case, settling, items = session.case, _Settling(session.case), list[Item]()
    failed: dict[str, str] = {}
    for boundary in session.boundaries:
        asked = contract(case, boundary.round)
        verdict = judge.judge(asked, boundary)
        settling.rejected += [f"round {boundary.round}: {fault}" for fault in verdict.faults]
        trace = Trace(boundary.checkpoint.records)
        for structure in asked.structures:
            why = _structure(structure, verdict, boundary, settling)
            if why:
                failed.setdefault(structure.id, f"round {boundary.round}: {why}")
        items += [_event(event, verdict, boundary, trace, settling) for event in asked.events]
        for probe in asked.probes:
            why = _probe(probe, verdict, boundary, settling)
            if why:
                failed.setdefault(probe.id, f"round {boundary.round}: {why}")
        items += [_relation(relation, trace, settling) for relation in asked.relations]
    for one in structures(case):
        why = failed.get(one.id, "")
        items.append(Item("A", one.id, one.rounds[-1], not why, one.scored(session.tier), why))
    for probe in case.probes:
        why = failed.get(probe.id, "")
        items.append(Item("P", probe.id, probe.last, not why, True, why))
    refused = sum(not request.ok for request in session.requests)
    return Result(case.name, session.tier, tuple(items), tuple(settling.rejected), len(session.requests), refused)


def _structure(structure: Structure, verdict: Verdict, boundary: Boundary, settling: _Settling) -> str:
    """Why a structure's binding does not hold in this round, '' when it does."""
    name, checkpoint = verdict.structures.get(structure.id, ""), boundary.checkpoint
    tables: dict[str, Mapping[str, Any]] = {
        "type": checkpoint.store.schemas,
        "entity": checkpoint.store.type_of,
        "capability": checkpoint.capabilities,
    }
    if not name:
        return "not bound"
    if name not in tables[structure.kind]:
        settling.rejected.append(f"round {boundary.round}: {structure.id}: there is no {structure.kind} {name!r}")
        return f"no {structure.kind} {name!r} at the boundary"
    if structure.kind == "entity":
        settling.roles[structure.name] = name
    if structure.kind == "type" or _used(structure.kind, name, boundary):
        return ""
    return f"{name!r} was not used"


def _used(kind: str, name: str, boundary: Boundary) -> bool:
    """Whether a successful trigger of the round was of the capability, or had to do with the entity."""
    for record in boundary.records:
        if record.kind not in ("capability", "done") or not record.ok:
            continue
        if kind == "capability" and record.rule == name:
            return True
        involved = {record.actor, *(v for v in record.params.values() if isinstance(v, str))}
        if kind == "entity" and (name in involved or any(write.entity == name for write in record.writes)):
            return True
    return False


def _event(event: Event, verdict: Verdict, boundary: Boundary, trace: Trace, settling: _Settling) -> Item:
    indexes = sorted(set(verdict.events.get(event.id, ())))
    why = _binding_fault(event, indexes, boundary, trace, settling) if indexes else "not bound"
    if indexes and why:
        settling.rejected.append(f"round {boundary.round}: {event.id}: {why}")
    if not why:
        settling.bound[event.id] = indexes
        settling.spans[event.id] = trace.interval(indexes)
        settling.used_up.update(indexes)
    return Item("E", event.id, event.round, not why, True, why)


def _binding_fault(event: Event, indexes: Sequence[int], boundary: Boundary, trace: Trace, settling: _Settling) -> str:
    """Why records do not establish an event: programs decide, whatever the judge says."""
    for index in indexes:
        if not boundary.first <= index <= boundary.last:
            return f"record {index} is not of this round ({boundary.first} to {boundary.last})"
        record = trace.records[index]
        if record.kind != "capability":
            return f"record {index} is a {record.kind}, not a trigger"
        if not record.ok:
            return f"record {index} was refused"
        if index in settling.used_up:
            return f"record {index} already establishes another event"
    writes = [write for record in trace.chains(indexes) for write in record.writes]
    missing = writes_meet(event.done, writes, settling.roles)
    return f"effects do not include {', '.join(map(str, missing))}" if missing else ""


def _probe(probe: Probe, verdict: Verdict, boundary: Boundary, settling: _Settling) -> str:
    """Why a probe failed in this round; a cited record counts only when programs confirm the violation."""
    cited = set(verdict.violations.get(probe.id, ()))
    real = set(violating(probe, boundary, settling.roles))
    for index in sorted(cited - real):
        settling.rejected.append(f"round {boundary.round}: {probe.id}: record {index} does not violate it")
    return f"violated by record {min(cited & real)}" if cited & real else ""


def _relation(relation: Relation, trace: Trace, settling: _Settling) -> Item:
    missing = [end for end in (relation.first, relation.second) if end not in settling.bound]
    why = f"{', '.join(missing)} not established" if missing else ""
    if not why and not _holds(relation, trace, settling):
        why = RELATIONS[relation.kind] + ": it does not"
    return Item(relation.kind, relation.id, relation.round, not why, True, why)


def _holds(relation: Relation, trace: Trace, settling: _Settling) -> bool:
    first, second = settling.spans[relation.first], settling.spans[relation.second]
    if relation.kind == "CA":
        return trace.depends(settling.bound[relation.second], settling.bound[relation.first])
    if relation.kind == "TM":
        gap = second.start - first.end
        return relation.low <= gap and (relation.high is None or gap <= relation.high)
    if relation.kind == "CC":
        start, end = max(first.start, second.start), min(first.end, second.end)
        lasting = first.end > first.start and second.end > second.start
        return start < end if lasting else start <= end
    return (first.start, first.index) < (second.start, second.index)
