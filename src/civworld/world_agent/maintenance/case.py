# SPDX-License-Identifier: GPL-2.0-or-later
"""Maintenance cases: a narrative in rounds, the world it needs, and the hidden contract of each round.

A case is one TOML file. Each event line is both the contract's event node and the reference solution's
request for it, so the two cannot drift apart. Tiers differ only in which structures are supplied.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from civworld.errors import ArgumentError, CivworldError, UnknownNameError
from civworld.world_agent.kernel import KernelWorld, Limits, library
from civworld.world_agent.kernel.shapes import (
    CAPABILITY,
    MAP,
    NAMED,
    TYPES,
    Anything,
    Flag,
    ListOf,
    MapOf,
    Table,
    Text,
    Whole,
    entity,
)
from civworld.world_agent.maintenance.patterns import Pattern, parse_pattern

ROOM = "maintenance"
_REQUEST = Table(
    {"round": Whole(1), "at": Whole(0), "capability": Text(), "actor": Text(), "args": MapOf(Anything())}, {}
)
_EVENT = Table(
    {
        "id": Text(pattern=NAMED),
        "what": Text(about="the event in a sentence, for judges"),
        "do": Text(about="the reference's capability"),
        "at": Whole(0, about="the reference's time within the round"),
        "done": ListOf(Text(), 1, "patterns that the recorded writes must meet"),
    },
    {
        "says": Text(about="the words of the round's text that tell the event; none for an implicit one"),
        "by": Text(about="the reference's actor"),
        "open": Flag("the text leaves open who does it"),
        "args": MapOf(Anything()),
        "free": MapOf(ListOf(Whole(0), 2), about="arguments that the text leaves open: lowest and highest value"),
        "lasts": Whole(0),
        "implicit": Flag("not told, a necessary step in between"),
        "needs": ListOf(Text(), about="events without which its effects cannot come about"),
    },
)
_PROBE = Table(
    {"id": Text(pattern=NAMED), "what": Text(), "never": Text(), "violate": ListOf(_REQUEST, 1)},
    {"until": Whole(1, about="last round of its scope"), "while": ListOf(Text()), "held": ListOf(Text())},
)
_ROUND = Table({"text": Text(), "events": ListOf(_EVENT, 1), "relations": ListOf(Text())}, {"probes": ListOf(_PROBE)})
FORM = Table(
    {
        "title": Text(),
        "genre": Text(),
        "intro": Text(),
        "units": Whole(4, 200, "units of time of a round"),
        "map": MAP,
        "types": TYPES,
        "entities": MapOf(entity({"what": Text(about="what it is, as the roster tells it")}), 1),
        "capabilities": ListOf(CAPABILITY, 1),
        "rounds": ListOf(_ROUND, 1),
    },
    {},
    about="a maintenance case of civworld's World Agent",
)
"""The form of a case file."""

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
"""What may hold between two events, by its letters."""


@dataclass(frozen=True, slots=True)
class Event:
    """A required event node, with the reference solution's way to realize it.

    Attributes:
        do, by, args, at, lasts: the reference's capability, actor, arguments, start within the round, length.
        done: patterns that the recorded writes must meet, the completion condition.
        says: the words of the narrative that tell it; '' for an implicit one.
        open: the narrative leaves open who does it, so anybody may.
        free: arguments that the narrative leaves open, with the range of values that do.
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
    says: str = ""
    open: bool = False
    free: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def targets(self) -> list[str]:
        """The entities in which its effects must show, each once."""
        return list(dict.fromkeys(pattern.role for pattern in self.done))

    def told(self) -> list[str]:
        """The entities that the contract asks for: the targets, and the actor unless it is open."""
        return list(dict.fromkeys([*self.targets(), *([] if self.open or not self.by else [self.by])]))

    def circle(self) -> set[str]:
        """All entities that the reference's request names or changes."""
        return {*self.targets(), *(v for v in (self.by, *self.args.values()) if isinstance(v, str) and v)}


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
class MaintenanceCase:
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

    def world(self, tier: str, limits: Limits | None = None) -> KernelWorld:
        """The initial world of a tier; UnknownNameError for another name."""
        if tier not in TIERS:
            raise UnknownNameError("tier", tier, TIERS)
        return KernelWorld(
            {"map": self.structures["map"], **{part: self.structures[part] for part in TIERS[tier]}}, limits
        )

    def event(self, name: str) -> Event:
        """An event node by its id; UnknownNameError without one."""
        for event in self.events:
            if event.id == name:
                return event
        raise UnknownNameError("event", name, [event.id for event in self.events])

    def capability(self, name: str) -> Mapping[str, Any]:
        """A capability's specification by its name; UnknownNameError without one."""
        for spec in self.structures["capabilities"]:
            if spec["name"] == name:
                found: Mapping[str, Any] = spec
                return found
        raise UnknownNameError("capability", name, [spec["name"] for spec in self.structures["capabilities"]])


def read(name: str, text: str) -> MaintenanceCase:
    """Reads a case from its TOML text; raises ArgumentError where it contradicts itself."""
    data = library.parse(name, text, FORM)
    try:
        case = _case(name, data)
        _check(case)
    except CivworldError as error:
        raise ArgumentError(f"case {name}: {error}") from None
    return case


CASES = library.Shelf(ROOM, lambda name, text, _: read(name, text))
names, load = CASES.names, CASES.load


def _case(name: str, data: Mapping[str, Any]) -> MaintenanceCase:
    entities = {key: {f: v for f, v in row.items() if f != "what"} for key, row in data["entities"].items()}
    events, probes, relations = [], [], []
    for number, part in enumerate(data["rounds"], 1):
        events += [_event(number, row) for row in part["events"]]
        probes += [_probe(number, row) for row in part.get("probes", ())]
        relations += [_relation(number, row) for row in part["relations"]]
    return MaintenanceCase(
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
        says=" ".join(row.get("says", "").split()),
        open=row.get("open", False),
        free={key: (low, high) for key, (low, high) in row.get("free", {}).items()},
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
            low, dots, high = span.partition("..")
            if dots and low.isdecimal() and (high.isdecimal() or not high):
                return Relation(name, number, "TM", first, second, int(low), int(high) if high else None)
        case ["CA", first, second, "via", paths]:
            return Relation(name, number, "CA", first, second, via=tuple(paths.split(",")))
        case [("CC" | "OR") as kind, first, second]:
            return Relation(name, number, kind, first, second)
    raise ArgumentError(f"relation {text!r}: allowed are TM a b LOW..HIGH, CA a b via PATH, CC a b, OR a b")


def _check(case: MaintenanceCase) -> None:
    """Raises where the case contradicts itself; the message names the event, probe or relation."""
    world = case.world("easy")
    _unique("event", [event.id for event in case.events])
    _unique("probe", [probe.id for probe in case.probes])
    _unique("relation", [relation.id for relation in case.relations])
    for event in case.events:
        _check_event(case, world, event)
    for probe in case.probes:
        _check_probe(case, world, probe)
    for relation in case.relations:
        _check_relation(case, relation)
    _check_circles(case)


def _check_event(case: MaintenanceCase, world: KernelWorld, event: Event) -> None:
    where = f"event {event.id}"
    spec = case.capability(event.do)
    if set(event.args) != set(spec.get("params", {})):
        raise ArgumentError(f"{where}: {event.do} asks for {', '.join(spec.get('params', {})) or 'no arguments'}")
    if event.by:
        _known(f"{where}: actor", event.by, world.entities())
    if spec.get("actor") and world.entities().get(event.by) != spec["actor"]:
        raise ArgumentError(f"{where}: {event.by or 'nobody'} is no {spec['actor']}, which {event.do} needs")
    _check_args(where, case, world, event.do, event.args)
    for pattern in event.done:
        _check_pattern(where, world, pattern)
    for need in event.needs:
        if case.event(need).round > event.round:
            raise ArgumentError(f"{where}: needs {need}, which happens only in a later round")
    for key, (low, high) in event.free.items():
        if key not in event.args or not low <= high:
            raise ArgumentError(f"{where}: free {key} {low}..{high}: must be an argument and lie in order")
    if not 0 <= event.at <= event.at + event.lasts <= case.units:
        raise ArgumentError(f"{where}: does not fit into a round of {case.units} units")
    if bool(event.says) == event.implicit:
        raise ArgumentError(f"{where}: give the words that tell it in 'says', or call it implicit")
    if event.says and event.says not in " ".join(case.narrative[event.round - 1].split()):
        raise ArgumentError(f"{where}: the text of round {event.round} does not say {event.says!r}")


def _check_args(where: str, case: MaintenanceCase, world: KernelWorld, do: str, args: Mapping[str, Any]) -> None:
    """References and locations among the arguments must name what there is."""
    for key, kind in case.capability(do).get("params", {}).items():
        if kind.startswith("ref"):
            _known(f"{where}: {key}", args[key], world.entities())
        elif kind == "loc":
            _known(f"{where}: {key}", args[key], world.map.places)


def _check_pattern(where: str, world: KernelWorld, pattern: Pattern) -> None:
    _known(f"{where}: entity in '{pattern}'", pattern.role, world.entities())
    kind = world.entities()[pattern.role]
    _known(f"{where}: field of {kind} in '{pattern}'", pattern.field, world.types()[kind])


def _check_probe(case: MaintenanceCase, world: KernelWorld, probe: Probe) -> None:
    where = f"probe {probe.id}"
    if not probe.first <= probe.last <= case.rounds:
        raise ArgumentError(f"{where}: until {probe.last}: allowed are {probe.first} to {case.rounds}")
    for pattern in (probe.never, *probe.when):
        _check_pattern(where, world, pattern)
    for pattern in probe.when:
        if pattern.sign != "=":
            raise ArgumentError(f"{where}: while '{pattern}': only = can be asked of a state")
    for row in probe.violate:
        _known(f"{where}: actor", row["actor"], world.entities())
        if set(row["args"]) != set(case.capability(row["capability"]).get("params", {})):
            raise ArgumentError(f"{where}: violate: the arguments of {row['capability']} do not fit")
        _check_args(f"{where}: violate", case, world, row["capability"], row["args"])
        if not probe.first <= row["round"] <= probe.last or row["at"] > case.units:
            raise ArgumentError(f"{where}: violate: round {row['round']} at {row['at']} is not in its scope")
    for pair in probe.held:
        for one in pair:
            case.event(one)


def _check_relation(case: MaintenanceCase, relation: Relation) -> None:
    where = f"relation '{relation.id}'"
    first, second = case.event(relation.first), case.event(relation.second)
    for end in (first, second):
        if end.round > relation.round:
            raise ArgumentError(f"{where}: {end.id} happens only in a later round")
    if first.id == second.id:
        raise ArgumentError(f"{where}: relates {first.id} to itself")
    if relation.kind == "TM" and relation.high is not None and relation.high < relation.low:
        raise ArgumentError(f"{where}: the range is empty")
    for path in relation.via:
        entity_, _, name = path.partition(".")
        if (entity_, name) not in {pattern.name for pattern in first.done}:
            allowed = ", ".join(f"{role}.{name}" for role, name in (pattern.name for pattern in first.done))
            raise ArgumentError(f"{where}: via {path}: {first.id} brings about {allowed}")


def _check_circles(case: MaintenanceCase) -> None:
    """Events must not need each other in a circle."""
    for event in case.events:
        if event.id in set(ancestors(case, event.id, needs_only=True)):
            raise ArgumentError(f"event {event.id}: needs itself in a circle")


def ancestors(case: MaintenanceCase, name: str, needs_only: bool = False) -> Iterator[str]:
    """The events that an event depends on, directly and through others, by needs and causal relations."""
    seen: set[str] = set()
    queue = [name]
    while queue:
        one = queue.pop()
        before = list(case.event(one).needs)
        if not needs_only:
            before += [r.first for r in case.relations if r.kind == "CA" and r.second == one]
        for need in before:
            if need not in seen:
                seen.add(need)
                queue.append(need)
                yield need


def _known(kind: str, name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise UnknownNameError(kind, name, known)


def _unique(kind: str, ids: Sequence[str]) -> None:
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise ArgumentError(f"{kind} ids must be unique, found twice: {', '.join(twice)}")
