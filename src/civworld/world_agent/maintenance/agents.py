# SPDX-License-Identifier: GPL-2.0-or-later
"""Who plays a maintenance episode: the agent interface, the reference solution, and doing nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from civworld.world_agent.maintenance.case import TIERS, MaintenanceCase, Probe
from civworld.world_agent.maintenance.session import BUDGET, Session


class Call(NamedTuple):
    """One tool request."""

    tool: str
    args: Mapping[str, Any]


class Agent(Protocol):
    """Plays rounds: told the narrative, it makes requests until it has none left for the round."""

    def start_round(self, number: int, narrative: str) -> None:
        """A round begins."""
        ...

    def next_call(self, answer: Mapping[str, Any] | None) -> Call | None:
        """The next request, given the answer to the last one (None at a round's start); None ends it."""
        ...


def run(case: MaintenanceCase, tier: str, agent: Agent, budget: int = BUDGET) -> Session:
    """Plays one episode to its end."""
    session = Session(case, tier, budget)
    agent.start_round(1, session.narrative())
    while True:
        answer: Mapping[str, Any] | None = None
        while not session.frozen and (call := agent.next_call(answer)) is not None:
            answer = session.request(call.tool, call.args)
        if not session.frozen:
            session.freeze()
        if session.finished:
            return session
        agent.start_round(session.round + 1, session.next_round())


@dataclass(slots=True)
class ScriptedAgent:
    """Makes the listed requests of each round and asks nothing."""

    rounds: Sequence[Sequence[Call]]
    answers: list[Mapping[str, Any]] = field(default_factory=list)
    _left: Iterable[Call] = field(default_factory=tuple)

    def start_round(self, number: int, narrative: str) -> None:
        """Takes the round's list."""
        self._left = iter(self.rounds[number - 1])

    def next_call(self, answer: Mapping[str, Any] | None) -> Call | None:
        """The next listed request."""
        if answer is not None:
            self.answers.append(answer)
        return next(iter(self._left), None)


def do_nothing(case: MaintenanceCase) -> ScriptedAgent:
    """Makes no request at all."""
    return ScriptedAgent([()] * case.rounds)


@dataclass(frozen=True, slots=True)
class Step:
    """One planned request: in which round, at which unit of it, for which event ('' for none)."""

    round: int
    at: int
    call: Call
    event: str = ""


def plan_of(case: MaintenanceCase) -> list[Step]:
    """The reference solution's events in order of time, without structures."""
    steps = []
    for event in case.events:
        args = {"capability": event.do, "args": dict(event.args)}
        if event.by:
            args["actor"] = event.by
        steps.append(Step(event.round, event.at, Call("trigger", args), event.id))
    return sorted(steps, key=lambda step: (step.round, step.at))


def violations(probe: Probe) -> list[Step]:
    """The steps that break a probe, as its case gives them."""
    rows = [({"capability": r["capability"], "args": dict(r["args"]), "actor": r["actor"]}, r) for r in probe.violate]
    return [Step(row["round"], row["at"], Call("trigger", args)) for args, row in rows]


def move(step: Step, at: int) -> Step:
    """The step at another unit of its round."""
    return replace(step, at=at)


def solution(case: MaintenanceCase, tier: str, plan: Sequence[Step] | None = None) -> ScriptedAgent:
    """The reference solution at a tier: builds what the tier does not supply, then follows the plan."""
    steps = plan_of(case) if plan is None else plan
    calls: list[list[Call]] = [[] for _ in range(case.rounds)]
    building = _structures(case, tier)
    for number in range(1, case.rounds + 1):
        now = 0
        calls[number - 1] += building[number - 1]
        for step in sorted((s for s in steps if s.round == number), key=lambda step: step.at):
            if step.at > now:
                calls[number - 1].append(Call("wait", {"units": step.at - now}))
                now = step.at
            calls[number - 1].append(step.call)
    return ScriptedAgent(calls)


def _structures(case: MaintenanceCase, tier: str) -> list[list[Call]]:
    """The requests that build structures: types and entities in round 1, capabilities when first used."""
    calls: list[list[Call]] = [[] for _ in range(case.rounds)]
    supplied, parts = TIERS[tier], case.structures
    if "types" not in supplied:
        calls[0] += [Call("define_type", {"name": n, "fields": dict(f)}) for n, f in parts["types"].items()]
    if "entities" not in supplied:
        for name, row in parts["entities"].items():
            fields = {
                key: value if isinstance(value, (int, str, list, dict)) else str(value)
                for key, value in row.items()
                if key != "type"
            }
            calls[0].append(Call("create_entity", {"entity": name, "type": row["type"], "fields": fields}))
    if "capabilities" not in supplied:
        first: dict[str, int] = {}
        for event in case.events:
            first[event.do] = min(event.round, first.get(event.do, case.rounds))
        for spec in parts["capabilities"]:
            if spec["name"] in first:
                calls[first[spec["name"]] - 1].append(Call("define_capability", {"capability": dict(spec)}))
    return calls
