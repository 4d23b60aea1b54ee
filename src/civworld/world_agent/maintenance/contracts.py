# SPDX-License-Identifier: GPL-2.0-or-later
"""Round contracts C = (E, A, P, R) as lists of items, and which of them a tier scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from civworld.world_agent.maintenance.case import TIERS, Event, MaintenanceCase, Probe, Relation


@dataclass(frozen=True, slots=True)
class Structure:
    """An availability and use requirement (A item), merged over the rounds that need it.

    Attributes:
        kind: type, entity or capability.
        name: its name in the reference world.
        what: what it stands for, for a judge that meets another name.
        rounds: the rounds at whose boundary it must exist and in which it must have been used.
        serves: for a capability, the events that it realizes.
    """

    kind: str
    name: str
    what: str
    rounds: tuple[int, ...]
    serves: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """``kind:name``."""
        return f"{self.kind}:{self.name}"

    def scored(self, tier: str) -> bool:
        """Types are audited only; what a tier supplies is audited only."""
        part = {"entity": "entities", "capability": "capabilities"}.get(self.kind)
        return part is not None and part not in TIERS[tier]


def structures(case: MaintenanceCase) -> list[Structure]:
    """All A items of a case: what its events use, in order of first use."""
    found: dict[str, Structure] = {}
    for event in case.events:
        capability = case.capability(event.do)
        _merge(found, Structure("capability", event.do, capability.get("about", ""), (event.round,), (event.id,)))
        for role in event.told():
            kind = case.structures["entities"][role]["type"]
            _merge(found, Structure("entity", role, case.whats[role], (event.round,)))
            _merge(found, Structure("type", kind, f"the kind of thing that {role} is", (event.round,)))
    return list(found.values())


def _merge(found: dict[str, Structure], new: Structure) -> None:
    old = found.get(new.id)
    if old is None:
        found[new.id] = new
        return
    rounds = tuple(sorted({*old.rounds, *new.rounds}))
    found[new.id] = Structure(old.kind, old.name, old.what, rounds, old.serves + new.serves)


@dataclass(frozen=True, slots=True)
class Contract:
    """What is assessed when one round has frozen."""

    round: int
    events: tuple[Event, ...]
    structures: tuple[Structure, ...]
    probes: tuple[Probe, ...]
    relations: tuple[Relation, ...]
    story: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """What a judge sees: events, structures and probes; relations are settled by programs."""
        return {
            "events": [
                {
                    "id": e.id,
                    "what": e.what,
                    "actor": "" if e.open else e.by,
                    "completion": [str(pattern) for pattern in e.done],
                }
                for e in self.events
            ],
            "structures": [{"id": s.id, "kind": s.kind, "what": s.what} for s in self.structures],
            "probes": [
                {"id": p.id, "what": p.what, "never": str(p.never), "while": [str(w) for w in p.when]}
                for p in self.probes
            ],
        }


def contract(case: MaintenanceCase, number: int) -> Contract:
    """The contract of one round; structures appear in every round that needs them."""
    return Contract(
        number,
        tuple(event for event in case.events if event.round == number),
        tuple(structure for structure in structures(case) if number in structure.rounds),
        tuple(probe for probe in case.probes if probe.first <= number <= probe.last),
        tuple(relation for relation in case.relations if relation.round == number),
        tuple(case.whats),
    )
