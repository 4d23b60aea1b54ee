# SPDX-License-Identifier: GPL-2.0-or-later
"""Episodes: M1 without feedback and M2 in closed loop, with references computed by forks.

An episode runs against any `Task`; kernel cases are one kind. Every query's reference is what a fork of the
world does under the stated actions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from civworld.errors import RefusedError
from civworld.world_agent.deduction.backend import WAIT, Backend, changes
from civworld.world_agent.deduction.case import LOOKAHEAD, SEGMENTS, DeductionCase
from civworld.world_agent.deduction.disclosure import check_setting, prompt, state_text
from civworld.world_agent.deduction.predictions import parse
from civworld.world_agent.deduction.scoring import Tally, compare, compare_fired, total

KINDS = ("segment", "interval", "lookahead", "counterfactual")
LOOKAHEAD_AT = (1, 4)
COUNTERFACTUAL_AT = (2, 4, 6)


class Task(Protocol):
    """What an episode needs to know of a case."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    @property
    def interval(self) -> int:
        """Units of a segment and between decision points; divides the lookahead."""
        ...

    @property
    def lookahead(self) -> int:
        """Units that a plan looks ahead in M2, `LOOKAHEAD` unless there is a reason."""
        ...

    def backend(self) -> Backend:
        """A fresh world."""
        ...

    def rules(self) -> Sequence[str]:
        """Names of the autonomous rules; empty where a world has none."""
        ...

    def prompt(self, information: str, mode: str) -> str:
        """The opening text."""
        ...


@dataclass(frozen=True, slots=True)
class KernelTask:
    """A kernel case as a task."""

    case: DeductionCase

    @property
    def name(self) -> str:
        """The case's name."""
        return self.case.name

    @property
    def interval(self) -> int:
        """The case's interval."""
        return self.case.interval

    @property
    def lookahead(self) -> int:
        """The same for all kernel cases."""
        return LOOKAHEAD

    def backend(self) -> Backend:
        """A fresh world."""
        return self.case.backend()

    def rules(self) -> Sequence[str]:
        """The case's processes."""
        return [rule["name"] for rule in self.case.spec["processes"]]

    def prompt(self, information: str, mode: str) -> str:
        """The case's disclosure."""
        return prompt(self.case, information, mode)


class Reference(NamedTuple):
    """What really happens: changed fields with their resulting value, and the rules that fire."""

    changes: Mapping[str, Any]
    fired: frozenset[str]


Refer = Callable[[Sequence[str]], Reference]
Ask = Generator[tuple["Query", Refer], str, "Answered"]
Questions = Generator[tuple["Query", Refer], str, "Episode"]


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


def play(task: Task, information: str, mode: str, solver: Solver | Privileged) -> Episode:
    """Plays one episode of a setting."""
    solver.begin(task.prompt(information, mode))
    asking = questions(task, information, mode)
    try:
        query, refer = next(asking)
        while True:
            knows = isinstance(solver, Privileged)
            text = solver.answer_knowing(query, refer) if knows else solver.answer(query)  # type: ignore[union-attr]
            query, refer = asking.send(text)
    except StopIteration as end:
        episode: Episode = end.value
        return episode


def questions(task: Task, information: str, mode: str) -> Questions:
    """One episode as a generator: it yields queries, is sent answers, and returns the scored episode.

    `play` drives it with a solver; whoever must wait for answers, a model behind a network say, drives it alike.
    """
    check_setting(information, mode)
    run = _Run(task)
    return run.autonomous(information) if mode == "m1" else run.controlled(information)


def follow(world: Backend, plan: Sequence[str], interval: int) -> list[str]:
    """Carries a plan out, one action per interval; a refused action counts as waiting. Gives the refusals."""
    refusals = []
    for action in plan:
        try:
            world.apply(action)
            refusals.append("")
        except RefusedError as error:
            refusals.append(str(error))
        world.advance(interval)
    return refusals


def refer_to(world: Backend, interval: int) -> Refer:
    """The reference for plans that start now: a fork carries the plan out."""

    def refer(plan: Sequence[str]) -> Reference:
        twin = world.fork()
        before, mark = twin.public_state(), twin.mark()
        follow(twin, plan, interval)
        return Reference(changes(before, twin.public_state()), frozenset(twin.fired_since(mark)))

    return refer


def counterfactual(past: Backend, actual: Backend, other: str, later: Sequence[str], interval: int) -> dict[str, Any]:
    """What would be different now: from a past state, another action and then the same later ones."""
    twin = past.fork()
    follow(twin, [other, *later], interval)
    return changes(actual.public_state(), twin.public_state())


class _Run:
    """The state of a running episode."""

    def __init__(self, task: Task) -> None:
        self.task, self.world = task, task.backend()
        self.answers: list[Answered] = []
        self.past: list[tuple[Backend, str]] = []
        self.held: list[bool] = []

    def ask(self, query: Query, refer: Refer, plan: Sequence[str] | None = None) -> Ask:
        """Asks, parses the answer and scores it against the reference under its own action or plan."""
        text = yield query, refer
        prediction = parse(text, self.world.kind_of, self.world.actions(), self.task.rules())
        steps = query.units // self.task.interval
        if plan is None:
            plan = {"interval": (prediction.action,), "lookahead": prediction.plan[:steps]}.get(query.kind, ())
        truth = refer([*plan, *[WAIT] * (steps - len(plan))])
        named = query.kind == "segment" and self.task.rules()
        fired = compare_fired(prediction, truth.fired) if named else None
        tally = compare(prediction, truth.changes)
        answered = Answered(query.kind, query.index, tally, fired, prediction.reports, prediction.action)
        self.answers.append(answered)
        return answered

    def autonomous(self, information: str) -> Questions:
        """M1: segment after segment, nothing told."""
        interval = self.task.interval
        for index in range(SEGMENTS):
            start = self.world.time
            text = f"Segment {index + 1}: from time {start} to time {start + interval}."
            state = self.world.public_state() if index == 0 else {}
            query = Query("segment", index, text, start, interval, interval, (), state)
            yield from self.ask(query, refer_to(self.world, interval))
            self.world.advance(interval)
        return Episode(self.task.name, information, "m1", tuple(self.answers), None, None)

    def controlled(self, information: str) -> Questions:
        """M2: decisions with feedback, and lookahead and counterfactual queries in between."""
        feedback = ""
        for index in range(SEGMENTS):
            if index in COUNTERFACTUAL_AT:
                yield from self.ask_counterfactual(index, feedback)
            if index in LOOKAHEAD_AT:
                yield from self.ask_lookahead(index, feedback)
            feedback = yield from self.decide(index, feedback)
        upkeep = sum(self.held) / len(self.held) if self.held else None
        return Episode(self.task.name, information, "m2", tuple(self.answers), self.world.outcome(), upkeep)

    def query(self, kind: str, index: int, text: str, feedback: str, units: int) -> Query:
        start, actions, state = self.world.time, self.world.actions(), self.world.public_state()
        return Query(kind, index, f"{feedback}{text}", start, units, self.task.interval, actions, state)

    def decide(self, index: int, feedback: str) -> Generator[tuple[Query, Refer], str, str]:
        """One decision and its interval; gives the feedback that opens the next query."""
        interval, now = self.task.interval, self.world.time
        text = f"Time {now}: choose an action and predict the changes until time {now + interval}."
        query = self.query("interval", index, text, feedback, interval)
        answered = yield from self.ask(query, refer_to(self.world, interval))
        self.past.append((self.world.fork(), answered.action))
        before = self.world.public_state()
        refused = follow(self.world, [answered.action], 0)[0]
        for _ in range(interval):
            self.world.advance(1)
            self.held += self.world.upkeep().values()
        note = f" Your action was refused: {refused}." if refused else ""
        happened = state_text(changes(before, self.world.public_state()))
        return f"From time {now} to {self.world.time} this changed: {happened}.{note}\n"

    def ask_lookahead(self, index: int, feedback: str) -> Generator[tuple[Query, Refer], str, None]:
        now, ahead = self.world.time, self.task.lookahead
        steps, end = ahead // self.task.interval, now + ahead
        text = f"Time {now}: give a plan of {steps} actions and the changes until time {end} under it."
        query = self.query("lookahead", index, text, feedback, ahead)
        yield from self.ask(query, refer_to(self.world, self.task.interval))

    def ask_counterfactual(self, index: int, feedback: str) -> Generator[tuple[Query, Refer], str, None]:
        """Asks about an earlier decision; the other action is the next in the table that would differ."""
        back = 1 + index // 2 % 2
        chosen = self.other_action(index - back)
        if chosen is None:
            return
        other, truth = chosen
        past, action = self.past[index - back]
        text = (
            f"At time {past.time} you chose {action}. Had you chosen {other} instead, with the same later "
            f"actions, which fields would now, at time {self.world.time}, be different, and what would "
            "their values be?"
        )
        units = self.world.time - past.time
        query = self.query("counterfactual", index, text, feedback, units)
        known = Reference(truth, frozenset())
        yield from self.ask(query, lambda plan: known, ())

    def other_action(self, place: int) -> tuple[str, dict[str, Any]] | None:
        past, action = self.past[place]
        table = list(past.actions())
        later = [done for _, done in self.past[place + 1 :]]
        legal = set(past.legal_actions())
        turn = table.index(action) + 1
        for other in table[turn:] + table[:turn]:
            if other != action and other in legal:
                truth = counterfactual(past, self.world, other, later, self.task.interval)
                if truth:
                    return other, truth
        return None
