# SPDX-License-Identifier: GPL-2.0-or-later
"""What a query is: a prompt, the cells it asks for, and where it stands. Targets are kept apart from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from civworld.civworldbench.asking.kinds import KINDS, Kind, Target, record
from civworld.civworldbench.asking.protocols import CODE, FREE, PROTOCOLS
from civworld.errors import ArgumentError, UnknownNameError

SETTINGS = ("omni-id", "ego", "omni-ood")
ARMS = ("", "real", "placebo")


@dataclass(frozen=True)
class Cell:
    """One thing that a query asks for, and what its score depends on.

    Attributes:
        id: name of the cell in the answer, unique within its query.
        kind: a key of `civworld.civworldbench.asking.kinds.KINDS`.
        options: what a distribution, ranking or class may name; empty for the other kinds.
        civ: number of the civilization asked about, -1 for none.
        subject: quantity, event template, trait, rule or operator that is asked about.
        horizon: turns ahead, 0 for beliefs about now.
        intermediate: a cell on the way to a final one, of a protocol that asks for the way.
    """

    id: str
    kind: str
    options: tuple[str, ...] = ()
    civ: int = -1
    subject: str = ""
    horizon: int = 0
    intermediate: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of cell", self.kind, KINDS)

    @property
    def row(self) -> Kind:
        """Its row in the table of kinds."""
        return KINDS[self.kind]

    def schema(self) -> dict[str, Any]:
        """JSON Schema of this cell's answer."""
        return self.row.schema(self.options)


@dataclass(frozen=True)
class Query:
    """A question to a forecaster. It holds nothing that the forecaster may not see.

    Attributes:
        id: unique within a query set.
        task: versioned name of the task, for example `quantity-v1`.
        world: id of the world in its corpus.
        turn: the decision point t1.
        setting: `omni-id`, `ego` or `omni-ood`.
        prompt: the text to answer.
        cells: what is asked, in the order of the prompt.
        arm: `real` or `placebo` for a query about an edited branch, else empty.
        control: id of the query whose answer is this one's control, else empty.
        ablation: what was left out of or added to the prompt, empty for nothing.
        operator: name of the edit's operator for an edited branch, else empty.
        protocol: how it is to be answered, a key of `civworld.civworldbench.asking.protocols.PROTOCOLS`.
    """

    id: str
    task: str
    world: str
    turn: int
    setting: str
    prompt: str
    cells: tuple[Cell, ...]
    arm: str = ""
    control: str = ""
    ablation: str = ""
    operator: str = ""
    protocol: str = FREE

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise UnknownNameError("setting", self.setting, SETTINGS)
        if self.arm not in ARMS:
            raise UnknownNameError("arm", self.arm, ARMS)
        if self.protocol not in PROTOCOLS:
            raise UnknownNameError("protocol", self.protocol, PROTOCOLS)
        ids = [cell.id for cell in self.cells]
        if not ids or len(set(ids)) != len(ids):
            raise ArgumentError(f"query {self.id}: cells {ids}: one or more with different ids are needed")

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the whole answer: an object with one member, `answers`; a text, where it is a program."""
        if self.protocol == CODE:
            return {"type": "string"}
        return record({"answers": record({cell.id: cell.schema() for cell in self.cells})})


@dataclass(frozen=True)
class QuerySet:
    """Queries with their targets, in a fixed order.

    Attributes:
        queries: id -> query.
        targets: id -> cell id -> what happened or is the case.
        scales: quantity -> sigma, the typical change over one horizon in the calibration worlds.
    """

    queries: Mapping[str, Query]
    targets: Mapping[str, Mapping[str, Target]] = field(repr=False)
    scales: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, query in self.queries.items():
            found, wanted = set(self.targets.get(name, ())), {cell.id for cell in query.cells}
            if found != wanted:
                raise ArgumentError(f"query {name}: targets for {sorted(found)}, needed for {sorted(wanted)}")
            if query.control and query.control not in self.queries:
                raise ArgumentError(f"query {name}: its control {query.control} is not in the set")

    @classmethod
    def of(cls, pairs: Iterable[tuple[Query, Mapping[str, Target]]], scales: Mapping[str, float]) -> QuerySet:
        """A set from (query, targets) pairs.

        Raises:
            ArgumentError: an id occurs twice, or targets do not fit their cells.
        """
        queries: dict[str, Query] = {}
        targets: dict[str, Mapping[str, Target]] = {}
        for query, target in pairs:
            if query.id in queries:
                raise ArgumentError(f"query id {query.id} occurs twice")
            queries[query.id], targets[query.id] = query, target
        return cls(queries, targets, dict(scales))

    def part(self, setting: str, ablation: str = "", protocol: str = FREE) -> QuerySet:
        """The queries of one setting, variant and protocol."""
        wanted = (setting, ablation, protocol)
        kept = {name: q for name, q in self.queries.items() if (q.setting, q.ablation, q.protocol) == wanted}
        return QuerySet(kept, {name: self.targets[name] for name in kept}, self.scales)
