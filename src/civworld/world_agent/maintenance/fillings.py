# SPDX-License-Identifier: GPL-2.0-or-later
"""Agents that do exactly what the narrative says, and choose at random wherever it is silent.

Such an agent must score 1 on both scores: what it has to guess must not count. It keeps what the text tells (actors
who are named, numbers, the relations between events, causes before effects) and draws everything else: who acts where
that is open, arguments that are free, all times, and the names of capabilities that it builds itself.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from civworld.world_agent.maintenance.agents import Call, ScriptedAgent, Step, plan_of, solution
from civworld.world_agent.maintenance.case import TIERS, Event, MaintenanceCase, Relation

MOVES = 60


def filling(case: MaintenanceCase, tier: str, seed: int) -> ScriptedAgent:
    """The agent of one seed."""
    rng = random.Random(f"{case.name} {tier} {seed}")
    times = _times(case, rng)
    steps = [_filled(case, step, times[step.event], rng) for step in plan_of(case)]
    agent = solution(case, tier, sorted(steps, key=lambda step: (step.round, step.at, times[step.event])))
    if "capabilities" not in TIERS[tier]:
        names = {spec["name"]: f"{rng.choice(('do', 'my', 'then'))}_{spec['name']}" for spec in _specs(case)}
        agent.rounds = [[_renamed(call, names) for call in calls] for calls in agent.rounds]
    return agent


def _specs(case: MaintenanceCase) -> list[Mapping[str, Any]]:
    return list(case.structures["capabilities"])


def _filled(case: MaintenanceCase, step: Step, at: tuple[int, int], rng: random.Random) -> Step:
    event = case.event(step.event)
    request = dict(step.call.args)
    if event.open:
        kind = case.capability(event.do).get("actor", "")
        request["actor"] = rng.choice([n for n, row in case.structures["entities"].items() if row["type"] == kind])
    request["args"] = {
        **request["args"],
        **{key: rng.randint(low, high) for key, (low, high) in event.free.items()},
    }
    return replace(step, at=at[0], call=Call("trigger", request))


def _renamed(call: Call, names: Mapping[str, str]) -> Call:
    if call.tool == "trigger":
        return Call(call.tool, {**call.args, "capability": names[call.args["capability"]]})
    if call.tool == "define_capability":
        spec = dict(call.args["capability"])
        return Call(call.tool, {"capability": {**spec, "name": names[spec["name"]]}})
    return call


Times = dict[str, tuple[int, int]]


def _times(case: MaintenanceCase, rng: random.Random) -> Times:
    """Times within their rounds that keep all that is told, reached from the reference's by random moves.

    A time is the unit, and a place among the requests of that unit.
    """
    times = {event.id: (event.at, place * 10) for place, event in enumerate(case.events)}
    for _ in range(MOVES):
        event = rng.choice(case.events)
        moved = {
            **times,
            event.id: (rng.randint(0, case.units - event.lasts), rng.randint(0, 10 * len(case.events))),
        }
        twin = _together(case, event)
        if twin:  # events that are told as one move together
            moved[twin] = (moved[event.id][0], times[twin][1])
        if _keeps(case, moved):
            times = moved
    return times


def _together(case: MaintenanceCase, event: Event) -> str:
    """The event that is told in the same words, if there is one."""
    return next((o.id for o in case.events if event.says and o.says == event.says and o.id != event.id), "")


def _keeps(case: MaintenanceCase, times: Times) -> bool:
    """Whether causes come before effects, and every relation between times holds."""

    def clock(name: str) -> tuple[int, int]:
        return (case.event(name).round - 1) * case.units + times[name][0], times[name][1]

    def end(name: str) -> tuple[int, int]:
        lasts = case.event(name).lasts
        start = clock(name)
        return (start[0] + lasts, -1) if lasts else start

    places = [(event.round, *times[event.id]) for event in case.events]
    if len(set(places)) < len(places):
        return False
    if not all(end(need) < clock(event.id) for event in case.events for need in event.needs):
        return False
    for probe in case.probes:
        for first, second in probe.held:
            if not end(first) < clock(second):
                return False
    return all(_holds(relation, clock, end, case) for relation in case.relations)


def _holds(relation: Relation, clock: Any, end: Any, case: MaintenanceCase) -> bool:
    first, second = relation.first, relation.second
    start, done, follows, over = clock(first), end(first), clock(second), end(second)
    match relation.kind:
        case "CA":
            return bool(done < follows)
        case "TM":
            gap = follows[0] - done[0]
            return bool(relation.low <= gap and (relation.high is None or gap <= relation.high) and start < follows)
        case "CC":
            low, high = max(start[0], follows[0]), min(done[0], over[0])
            lasting = case.event(first).lasts and case.event(second).lasts
            return bool(low < high if lasting else low <= high)
    return bool(start < follows)
