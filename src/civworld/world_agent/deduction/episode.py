# SPDX-License-Identifier: GPL-2.0-or-later
"""Queries, answers and finished episodes, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from civworld.world_agent.deduction.backend import WAIT
from civworld.world_agent.deduction.scoring import Tally, total

KINDS = ("segment", "interval", "lookahead", "counterfactual")


class Reference(NamedTuple):
    """What really happens: changed fields with their resulting value, and the rules that fire."""

    changes: Mapping[str, Any]
    fired: frozenset[str]


Refer = Callable[[Sequence[str]], Reference]
"""Gives the reference that a query is judged by."""


@dataclass(frozen=True, slots=True)
class Query:
    """One prediction point.

    Attributes:
        kind: one of `KINDS`.
        text: what a model reads, including the feedback on the last interval in M2.
        start, units: the span to predict; for a counterfactual, the span since the other action.
        interval: units between decision points, or of a segment.
        actions: names of all actions.
        state: the public state at the start (M2 and the first segment of M1), else empty.
    """

    kind: str
    index: int
    text: str
    start: int
    units: int
    interval: int
    actions: Sequence[str] = ()
    state: Mapping[str, Any] = field(default_factory=dict)


class Solver(Protocol):
    """Anything that answers queries with text."""

    def begin(self, opening: str) -> None:
        """An episode begins."""
        ...

    def answer(self, query: Query) -> str:
        """The answer to one query."""
        ...


@runtime_checkable
class Privileged(Protocol):
    """A baseline that is shown the reference, to bound what can be reached."""

    def begin(self, opening: str) -> None:
        """An episode begins."""
        ...

    def answer_knowing(self, query: Query, refer: Refer) -> str:
        """The answer, with the reference under any actions at hand."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """One scored query."""

    kind: str
    index: int
    tally: Tally
    fired: Tally | None
    reports: tuple[str, ...]
    action: str = WAIT
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Episode:
    """A finished episode; F1 is kept apart by kind of query, and apart from outcome and upkeep."""

    task: str
    information: str
    mode: str
    answers: tuple[Answered, ...]
    outcome: float | None
    upkeep: float | None

    def f1(self, kind: str) -> float | None:
        """Micro-averaged F1 of one kind of query, None when there was none."""
        tallies = [answer.tally for answer in self.answers if answer.kind == kind]
        return total(tallies).f1 if tallies else None

    def curve(self, kind: str) -> list[float]:
        """F1 of each query of a kind, in order."""
        return [answer.tally.f1 for answer in self.answers if answer.kind == kind]

    def empty(self, kind: str) -> int:
        """How many queries of a kind were empty on both sides (counted as correct)."""
        return sum(answer.tally.empty for answer in self.answers if answer.kind == kind)

    @property
    def fired_f1(self) -> float | None:
        """Micro-averaged rule-firing F1, None where rules have no names."""
        tallies = [answer.fired for answer in self.answers if answer.fired is not None]
        return total(tallies).f1 if tallies else None

    @property
    def reports(self) -> list[str]:
        """What was wrong with answers."""
        return [f"{a.kind} {a.index}: {report}" for a in self.answers for report in a.reports]

    def to_data(self) -> dict[str, Any]:
        """The episode in JSON types."""
        kinds = [kind for kind in KINDS if self.f1(kind) is not None]
        return {
            "task": self.task,
            "information": self.information,
            "mode": self.mode,
            "f1": {kind: self.f1(kind) for kind in kinds},
            "curve": {kind: self.curve(kind) for kind in kinds},
            "empty": {kind: self.empty(kind) for kind in kinds},
            "fired_f1": self.fired_f1,
            "outcome": self.outcome,
            "upkeep": self.upkeep,
            "actions": [a.action for a in self.answers if a.kind == "interval"],
            "reports": self.reports,
        }
