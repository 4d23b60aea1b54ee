# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays episodes: M1 without feedback and M2 in closed loop, with references computed by forks.

An episode runs against any `Task`; kernel cases are one kind. Every query's reference is what a fork of the
world does under the stated actions.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from civworld.errors import RefusedError
from civworld.world_agent.deduction.backend import WAIT, Backend, changes
from civworld.world_agent.deduction.case import SEGMENTS
from civworld.world_agent.deduction.disclosure import check_setting, state_text
from civworld.world_agent.deduction.episode import Answered, Episode, Privileged, Query, Refer, Reference, Solver
from civworld.world_agent.deduction.predictions import parse
from civworld.world_agent.deduction.scoring import compare, compare_fired
from civworld.world_agent.deduction.tasks import Task

LOOKAHEAD_AT = (1, 4)
COUNTERFACTUAL_AT = (2, 4, 6)
DIFFERENCE = 5
"""How many fields must differ for a counterfactual to be asked."""
REACH = 6
"""How many decisions a counterfactual may reach back."""
Ask = Generator[tuple[Query, Refer], str, Answered]
Questions = Generator[tuple[Query, Refer], str, Episode]


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
        for index in range(self.task.segments):
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
        for index in range(self.task.segments):
            if index in self.at(COUNTERFACTUAL_AT):
                yield from self.ask_counterfactual(index, feedback)
            if index in self.at(LOOKAHEAD_AT):
                yield from self.ask_lookahead(index, feedback)
            feedback = yield from self.decide(index, feedback)
        upkeep = sum(self.held) / len(self.held) if self.held else None
        return Episode(self.task.name, information, "m2", tuple(self.answers), self.world.outcome(), upkeep)

    def at(self, places: Sequence[int]) -> set[int]:
        """Decisions at the same shares of an episode of any length."""
        return {place * self.task.segments // SEGMENTS for place in places}

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
        """Asks about an earlier decision, where another action would have made enough of a difference."""
        chosen = self.other_past()
        if chosen is None:
            return
        place, other, truth = chosen
        past, action = self.past[place]
        text = (
            f"At time {past.time} you chose {action}. Had you chosen {other} instead, with the same later "
            f"actions, which fields would now, at time {self.world.time}, be different, and what would "
            "their values be?"
        )
        units = self.world.time - past.time
        query = self.query("counterfactual", index, text, feedback, units)
        known = Reference(truth, frozenset())
        yield from self.ask(query, lambda plan: known, ())

    def other_past(self) -> tuple[int, str, dict[str, Any]] | None:
        """The latest decision, and the next action in the table, that would make `DIFFERENCE` fields differ.

        Where none does, no counterfactual is asked: a handful of fields is read off the last feedback.
        """
        for place in range(len(self.past) - 1, max(-1, len(self.past) - 1 - REACH), -1):
            past, action = self.past[place]
            table, legal = list(past.actions()), set(past.legal_actions())
            later = [done for _, done in self.past[place + 1 :]]
            turn = table.index(action) + 1
            for other in table[turn:] + table[:turn]:
                if other != action and other in legal:
                    truth = counterfactual(past, self.world, other, later, self.task.interval)
                    if len(truth) >= DIFFERENCE:
                        return place, other, truth
        return None
