# SPDX-License-Identifier: GPL-2.0-or-later
"""Maintenance cases: a narrative in rounds, the world it needs, and the hidden contract of each round.

A case is one TOML file. Each event line is both the contract's event node and the reference solution's
request for it, so the two cannot drift apart. Tiers differ only in which structures are supplied.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.kernel import KernelWorld
from civworld.world_agent.maintenance.patterns import Pattern, parse_pattern

TIERS: dict[str, tuple[str, ...]] = {
    "easy": ("types", "entities", "capabilities"),
    "hard": ("types", "entities"),
    "extreme": (),
}
"""What each tier supplies beside the map; the rest is for the model to build."""

RELATIONS = {
    "CA": "the second event depends on what the first one wrote or triggered",
    "TM": "the second event starts after the first one's end, with a gap in the stated range",
    "CC": "the two events' intervals overlap",
    "OR": "the first event of a chain starts before the second one",
}


@dataclass(frozen=True, slots=True)
class Event:
    """A required event node, with the reference solution's way to realize it.

    Attributes:
        do, by, args, at, lasts: the reference's capability, actor, arguments, start within the round, length.
        done: patterns that the recorded writes must meet, the completion condition.
        implicit: not told in the narrative, a necessary intermediate step.
        needs: events without which this one's effects cannot come about.
    """

    id: str
    round: int
    what: str
    do: str
    by: str
    args: Mapping[str, Any]
    at: int
    lasts: int
    done: tuple[Pattern, ...]
    implicit: bool
    needs: tuple[str, ...]

    def roles(self) -> set[str]:
        """The entities that the reference's request names."""
        return {value for value in (self.by, *self.args.values()) if isinstance(value, str) and value}


@dataclass(frozen=True, slots=True)
class Probe:
    """A conditional prohibition: no record of the scope's rounds may write ``never`` while ``when`` holds.

    Attributes:
        violate: requests that break it, for tests.
        held: pairs of events of which the second breaks it unless the first came before.
    """

    id: str
    what: str
    first: int
    last: int
    never: Pattern
    when: tuple[Pattern, ...]
    violate: tuple[Mapping[str, Any], ...]
    held: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """One relation requirement between two events, settled in ``round``."""

    id: str
    round: int
    kind: str
    first: str
    second: str
    low: int = 0
    high: int | None = None
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One maintenance case."""

    name: str
    title: str
    genre: str
    intro: str
    units: int
    narrative: tuple[str, ...]
    structures: Mapping[str, Any]
    whats: Mapping[str, str]
    events: tuple[Event, ...]
    probes: tuple[Probe, ...]
    relations: tuple[Relation, ...]

    @property
    def rounds(self) -> int:
        """How many rounds the narrative has."""
        return len(self.narrative)

    def world(self, tier: str) -> KernelWorld:
        """The initial world of a tier."""
        if tier not in TIERS:
            raise UnknownNameError("tier", tier, TIERS)
        return KernelWorld({"map": self.structures["map"], **{part: self.structures[part] for part in TIERS[tier]}})

    def event(self, name: str) -> Event:
        """An event node by its id."""
        for event in self.events:
            if event.id == name:
                return event
        raise UnknownNameError("event", name, [event.id for event in self.events])

    def capability(self, name: str) -> Mapping[str, Any]:
        """A capability's specification by its name."""
        for spec in self.structures["capabilities"]:
            if spec["name"] == name:
                found: Mapping[str, Any] = spec
                return found
        raise UnknownNameError("capability", name, [spec["name"] for spec in self.structures["capabilities"]])


def names() -> list[str]:
    """The names of all maintenance cases."""
    folder = resources.files("civworld.world_agent.maintenance") / "cases"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


@cache
def load(name: str) -> Case:
    """A case by its name."""
    if name not in names():
        raise UnknownNameError("maintenance case", name, names())
    text = (resources.files("civworld.world_agent.maintenance") / "cases" / f"{name}.toml").read_text(encoding="utf-8")
    return read(name, text)


def read(name: str, text: str) -> Case:
    """Reads a case from its TOML text; raises ArgumentError where it contradicts itself."""
    data = tomllib.loads(text, parse_float=Decimal)
    entities = {key: {f: v for f, v in row.items() if f != "what"} for key, row in data["entities"].items()}
    events, probes, relations = [], [], []
    for number, part in enumerate(data["rounds"], 1):
        events += [_event(number, row) for row in part.get("events", ())]
        probes += [_probe(number, row) for row in part.get("probes", ())]
        relations += [_relation(number, row) for row in part.get("relations", ())]
    case = Case(
        name=name,
        title=data["title"],
        genre=data["genre"],
        intro=data["intro"].strip(),
        units=data["units"],
        narrative=tuple(part["text"].strip() for part in data["rounds"]),
        structures={
            "map": data["map"],
            "types": data["types"],
            "entities": entities,
            "capabilities": tuple(data["capabilities"]),
        },
        whats={key: row["what"] for key, row in data["entities"].items()},
        events=tuple(events),
        probes=tuple(probes),
        relations=tuple(relations),
    )
    _check(case)
    return case


def _event(number: int, row: Mapping[str, Any]) -> Event:
    return Event(
        id=row["id"],
        round=number,
        what=row["what"],
        do=row["do"],
        by=row.get("by", ""),
        args=row.get("args", {}),
        at=row["at"],
        lasts=row.get("lasts", 0),
        done=tuple(parse_pattern(text) for text in row["done"]),
        implicit=row.get("implicit", False),
        needs=tuple(row.get("needs", ())),
    )


def _probe(number: int, row: Mapping[str, Any]) -> Probe:
    return Probe(
        id=row["id"],
        what=row["what"],
        first=number,
        last=row.get("until", number),
        never=parse_pattern(row["never"]),
        when=tuple(parse_pattern(text) for text in row.get("while", ())),
        violate=tuple(row["violate"]),
        held=tuple(_before(text) for text in row.get("held", ())),
    )


def _before(text: str) -> tuple[str, str]:
    first, sign, second = text.partition(" < ")
    if not sign:
        raise ArgumentError(f"held {text!r}: must read EVENT < EVENT")
    return first, second


def _relation(number: int, text: str) -> Relation:
    """``KIND first second``, then ``LOW..HIGH`` for TM or ``via PATH[,PATH]`` for CA."""
    name = f"{number}:{text}"
    match text.split():
        case ["TM", first, second, span]:
            low, _, high = span.partition("..")
            return Relation(name, number, "TM", first, second, int(low), int(high) if high else None)
        case ["CA", first, second, "via", paths]:
            return Relation(name, number, "CA", first, second, via=tuple(paths.split(",")))
        case [("CC" | "OR") as kind, first, second]:
            return Relation(name, number, kind, first, second)
    raise ArgumentError(f"relation {text!r}: allowed are TM a b LOW..HIGH, CA a b via PATH, CC a b, OR a b")


def _check(case: Case) -> None:
    ids = [event.id for event in case.events]
    _unique("event", ids)
    _unique("probe", [probe.id for probe in case.probes])
    _unique("relation", [relation.id for relation in case.relations])
    for event in case.events:
        case.capability(event.do)
        for need in event.needs:
            case.event(need)
        if not 0 <= event.at <= event.at + event.lasts <= case.units:
            raise ArgumentError(f"event {event.id}: does not fit into a round of {case.units} units")
    for probe in case.probes:
        for first, second in probe.held:
            case.event(first), case.event(second)
    for relation in case.relations:
        for end in (relation.first, relation.second):
            if case.event(end).round > relation.round:
                raise ArgumentError(f"relation {relation.id}: {end} happens only in a later round")


def _unique(kind: str, ids: Sequence[str]) -> None:
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise ArgumentError(f"{kind} ids must be unique, found twice: {', '.join(twice)}")
