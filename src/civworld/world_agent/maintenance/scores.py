# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of a maintenance run: completion and relation, by item, round and component.

completion = (E+ + A+ + P+) / (E + A + P) over scored items, relation = R+ / R. Items that span rounds
count once, in their last round. A part without items is None, never 0 or 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from civworld.errors import ArgumentError
from civworld.world_agent.kernel import Record
from civworld.world_agent.maintenance.case import RELATIONS, Event, Probe, Relation
from civworld.world_agent.maintenance.causes import Causes
from civworld.world_agent.maintenance.contracts import Contract, Structure, contract, structures
from civworld.world_agent.maintenance.judges import Judge, Verdict
from civworld.world_agent.maintenance.matching import fault, fields_of
from civworld.world_agent.maintenance.patterns import Fields, met, state_meets, step_of, write_breaks
from civworld.world_agent.maintenance.session import Boundary, Session
from civworld.world_agent.maintenance.trace import Trace, states

COMPONENTS = ("E", "A", "P", *RELATIONS)
"""Parts of a score."""


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


def score(session: Session, judge: Judge) -> Result:
    """Scores a finished session; the judge's bindings count only as far as programs confirm them."""
    _check_session(session)
    return _Settling(session, judge).result()


def _check_session(session: Session) -> None:
    if not session.finished:
        raise ArgumentError(f"score: the session is in round {session.round} of {session.case.rounds}")
    rounds = [boundary.round for boundary in session.boundaries]
    if rounds != list(range(1, session.case.rounds + 1)):
        raise ArgumentError(f"score: boundaries of rounds {rounds}, needed are 1 to {session.case.rounds} in order")


NOISE = 4
"""Triggers that establish nothing, beside twice as many as there are events, that a round may have."""
REPEATED = 1
"""How many times more than it is told an event may happen in its round."""
KINDS_OF_DEEDS = 2
"""How many of the reference's capabilities one capability of the run may stand for."""


class _Settling:
    """Settles all rounds: events first, then what depends on them."""

    def __init__(self, session: Session, judge: Judge) -> None:
        self.session, self.case, self.loose = session, session.case, session.loose
        self.rejected: list[str] = []
        self.roles: dict[str, str] = {}
        self.bound: dict[str, list[int]] = {}
        self.whys: dict[str, str] = {}
        self.taken: dict[tuple[str, str], str] = {}
        self.trace = Trace(session.boundaries[-1].checkpoint.records)
        self.contracts = [contract(self.case, boundary.round) for boundary in session.boundaries]
        self.verdicts = [
            judge.judge(asked, boundary) for asked, boundary in zip(self.contracts, session.boundaries, strict=True)
        ]
        for asked, verdict, boundary in zip(self.contracts, self.verdicts, session.boundaries, strict=True):
            self.rejected += [f"round {asked.round}: {fault}" for fault in verdict.faults]
            self._bind_entities(asked, verdict, boundary)
            self._bind_events(asked, verdict, boundary)
        self._void_deeds_of_all_work()
        self.fields = self._fields()
        self.causes = Causes(session, self.trace, self.bound, self.roles)

    def result(self) -> Result:
        """All items."""
        case, tier, failed, items = self.case, self.session.tier, dict[str, str](), list[Item]()
        for asked, verdict, boundary in zip(self.contracts, self.verdicts, self.session.boundaries, strict=True):
            for structure in asked.structures:
                why = self._structure(structure, verdict, boundary)
                if why:
                    failed.setdefault(structure.id, f"round {boundary.round}: {why}")
            for event in asked.events:
                why = self.whys.get(event.id, "")
                items.append(Item("E", event.id, event.round, not why, True, why))
            for probe in asked.probes:
                why = self._probe(probe, verdict, boundary)
                if why:
                    failed.setdefault(probe.id, f"round {boundary.round}: {why}")
            items += [self._relation(relation) for relation in asked.relations]
        for one in structures(case):
            why = failed.get(one.id, "")
            items.append(Item("A", one.id, one.rounds[-1], not why, one.scored(tier), why))
        for probe in case.probes:
            why = failed.get(probe.id, "")
            items.append(Item("P", probe.id, probe.last, not why, True, why))
        refused = sum(not request.ok for request in self.session.requests)
        return Result(case.name, tier, tuple(items), tuple(self.rejected), len(self.session.requests), refused)

    # ---- events

    def _bind_entities(self, asked: Contract, verdict: Verdict, boundary: Boundary) -> None:
        """Takes the names that the judge found for entities, where there are such, no two the same."""
        known = boundary.checkpoint.store.type_of
        for structure in asked.structures:
            name = verdict.structures.get(structure.id, "")
            if structure.kind == "entity" and name in known and name not in self.roles.values():
                self.roles.setdefault(structure.name, name)

    def _bind_events(self, asked: Contract, verdict: Verdict, boundary: Boundary) -> None:
        used: set[int] = set()
        for event in asked.events:
            indexes = sorted(set(verdict.events.get(event.id, ())))
            why = self._fault(event, indexes, boundary, used) if indexes else "not bound"
            if not why:
                self.bound[event.id] = indexes
                used.update(indexes)
            else:
                self.whys[event.id] = why
                if indexes:
                    self.rejected.append(f"round {boundary.round}: {event.id}: {why}")
        self._void_noise(asked, boundary, used)

    def _fault(self, event: Event, indexes: Sequence[int], boundary: Boundary, used: set[int]) -> str:
        """Why records do not establish an event: programs decide, whatever the judge says."""
        for index in indexes:
            if not boundary.first <= index <= boundary.last:
                return f"record {index} is not of this round ({boundary.first} to {boundary.last})"
            if index in used:
                return f"record {index} already establishes another event"
        trace = Trace(boundary.checkpoint.records)  # what had come about when the round froze
        found = [trace.records[index] for index in indexes]
        return fault(event, found, trace, self.roles, self.loose, self.case.whats)

    def _void_noise(self, asked: Contract, boundary: Boundary, used: set[int]) -> None:
        """A round full of other happenings, or of repetitions, is not the round that was told."""
        triggers = [one for one in boundary.records if one.kind == "capability" and one.ok and one.index not in used]
        if len(triggers) > 2 * len(asked.events) + NOISE:
            for event in asked.events:
                self._void(event, f"the round has {len(triggers)} triggers that are no event of it")
            return
        trace = Trace(boundary.checkpoint.records)
        for event in asked.events:
            if event.id in self.bound:
                rules = {trace.records[index].rule for index in self.bound[event.id]}
                done = self._done(event, trace, self.bound[event.id])
                again = [one.index for one in triggers if one.rule in rules and self._fits(event, one, trace)]
                again = [index for index in again if self._done(event, trace, [index]) == done]
                if len(again) > REPEATED:
                    self._void(event, f"happens {len(again)} times more than it is told")

    def _fits(self, event: Event, record: Record, trace: Trace) -> bool:
        return not fault(event, [record], trace, self.roles, self.loose, self.case.whats)

    def _done(self, event: Event, trace: Trace, indexes: Sequence[int]) -> list[Any]:
        """The writes by which records meet an event's conditions, as fields and steps."""
        writes = [write for one in trace.chains(indexes) for write in one.writes]
        found = met(event.done, writes, self.roles, self.loose)
        return [(write.entity, write.field, step_of(write.old, write.new)) for _, write in found]

    def _void(self, event: Event, why: str) -> None:
        if self.bound.pop(event.id, None) is not None:
            self.whys[event.id] = why
            self.rejected.append(f"round {event.round}: {event.id}: {why}")

    def _void_deeds_of_all_work(self) -> None:
        """A capability that stands for many kinds of deeds is about none of them."""
        kinds: dict[str, set[str]] = {}
        for event in self.case.events:
            for index in self.bound.get(event.id, ()):
                kinds.setdefault(self.trace.records[index].rule, set()).add(event.do)
        for event in self.case.events:
            for index in self.bound.get(event.id, ()):
                rule = self.trace.records[index].rule
                if len(kinds[rule]) > KINDS_OF_DEEDS:
                    self._void(event, f"{rule!r} stands for {len(kinds[rule])} kinds of deeds")
                    break

    def _fields(self) -> Fields:
        """What the case's fields are in the run: the same where types are supplied, else those that events showed."""
        found: dict[tuple[str, str], set[tuple[str, str, Any]]] = {}
        if self.loose:
            for event in self.case.events:
                writes = [w for one in self.trace.chains(self.bound.get(event.id, ())) for w in one.writes]
                for name, fields in fields_of(event, writes, self.roles, True).items():
                    found.setdefault(name, set()).update(fields)
        else:
            for entity, row in self.case.structures["entities"].items():
                for name in self.case.structures["types"][row["type"]]:
                    found[entity, name] = {(self.roles.get(entity, entity), name, True)}
        return {name: frozenset(fields) for name, fields in found.items()}

    # ---- structures, probes, relations

    def _structure(self, structure: Structure, verdict: Verdict, boundary: Boundary) -> str:
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
            self.rejected.append(f"round {boundary.round}: {structure.id}: there is no {structure.kind} {name!r}")
            return f"no {structure.kind} {name!r} at the boundary"
        if structure.kind == "type":
            return ""
        owner = self.taken.setdefault((structure.kind, name), structure.id)
        if owner != structure.id:
            return f"{name!r} already stands for {owner}"
        return "" if self._used(structure, name, boundary.round) else f"{name!r} was not used in what is told"

    def _used(self, structure: Structure, name: str, number: int) -> bool:
        """Whether an established event of the round is of the capability, or has to do with the entity."""
        for event in self.case.events:
            if event.round != number or event.id not in self.bound:
                continue
            records = [self.trace.records[index] for index in self.bound[event.id]]
            if structure.kind == "capability":
                if event.id in structure.serves and any(record.rule == name for record in records):
                    return True
            elif structure.name in event.told():
                return True
        return False

    def _probe(self, probe: Probe, verdict: Verdict, boundary: Boundary) -> str:
        """Why a probe failed in this round; programs decide, what a judge cites beside is reported."""
        real = violating(probe, boundary, self.roles, self.fields)
        for index in sorted(set(verdict.violations.get(probe.id, ())) - set(real)):
            self.rejected.append(f"round {boundary.round}: {probe.id}: record {index} does not violate it")
        return f"violated by record {real[0]}" if real else ""

    def _relation(self, relation: Relation) -> Item:
        missing = [end for end in (relation.first, relation.second) if end not in self.bound]
        why = f"{', '.join(missing)} not established" if missing else self._broken(relation)
        return Item(relation.kind, relation.id, relation.round, not why, True, why)

    def _broken(self, relation: Relation) -> str:
        """Why a relation between two established events does not hold."""
        first, second = (self.trace.interval(self.bound[end]) for end in (relation.first, relation.second))
        if relation.kind == "CA":
            carriers = [path.partition(".")[0] for path in relation.via]
            return self.causes.holds(self.case.event(relation.first), self.case.event(relation.second), carriers)
        if relation.kind == "TM":
            gap = second.start - first.end
            holds = relation.low <= gap and (relation.high is None or gap <= relation.high)
        elif relation.kind == "CC":
            start, end = max(first.start, second.start), min(first.end, second.end)
            lasting = first.end > first.start and second.end > second.start
            holds = start < end if lasting else start <= end
        else:
            holds = (first.start, first.index) < (second.start, second.index)
        return "" if holds else RELATIONS[relation.kind] + ": it does not"


def violating(probe: Probe, boundary: Boundary, roles: Mapping[str, str], fields: Fields) -> list[int]:
    """The records of a round that write what a probe forbids while its conditions hold."""
    loose = boundary.loose
    return [
        record.index
        for record, before in states(boundary.before, boundary.records)
        if any(write_breaks(probe.never, write, roles, fields, loose) for write in record.writes)
        and all(state_meets(pattern, before, roles, fields, loose) for pattern in probe.when)
    ]
