# SPDX-License-Identifier: GPL-2.0-or-later
"""How far two judges agree: the rule judge and a judge that reads the prompt, over runs with seeded faults.

    PYTHONPATH=src python benchmarks/world_agent/judging.py                          # a scripted reader, offline
    PYTHONPATH=src python benchmarks/world_agent/judging.py --judge PROVIDER/NAME    # a model, through inspect_ai

The runs are reference solutions to which one to four things were done: a step left out, done twice, at another time,
by somebody else, or with another amount or target. Programs check the bindings of both judges; compared is which items
pass in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reading import PromptReader
from tables import table

from civworld.world_agent.maintenance import (
    COMPONENTS,
    TIERS,
    Call,
    Judge,
    MaintenanceCase,
    Model,
    ModelJudge,
    RuleJudge,
    Session,
    Step,
    load,
    names,
    plan_of,
    run,
    score,
    solution,
)

RUNS = 200


def mutated(case: MaintenanceCase, tier: str, rng: random.Random) -> Session:
    """A run of the reference with one to four faults."""
    plan = plan_of(case)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(plan))
        plan[place : place + 1] = rng.choice((_left_out, _twice, _moved, _by_another, _otherwise))(
            case, plan[place], rng
        )
    plan.sort(key=lambda step: (step.round, step.at))
    return run(case, tier, solution(case, tier, plan))


def _left_out(case: MaintenanceCase, step: Step, rng: random.Random) -> list[Step]:
    return []


def _twice(case: MaintenanceCase, step: Step, rng: random.Random) -> list[Step]:
    return [step, replace(step, at=min(step.at + 1, case.units))]


def _moved(case: MaintenanceCase, step: Step, rng: random.Random) -> list[Step]:
    return [replace(step, at=rng.randint(0, case.units))]


def _by_another(case: MaintenanceCase, step: Step, rng: random.Random) -> list[Step]:
    return [_with(step, actor=_like(case, step.call.args.get("actor", ""), rng))]


def _otherwise(case: MaintenanceCase, step: Step, rng: random.Random) -> list[Step]:
    args = dict(step.call.args.get("args", {}))
    for key, value in args.items():
        if type(value) is int:
            args[key] = value + rng.choice((-1, 1, 3))
        elif value in case.structures["entities"] and rng.random() < 0.5:
            args[key] = _like(case, value, rng)
    return [_with(step, args=args)]


def _like(case: MaintenanceCase, name: str, rng: random.Random) -> str:
    """Another entity of the same type, the same one where there is no other."""
    rows = case.structures["entities"]
    return rng.choice(
        [one for one, row in rows.items() if name in rows and row["type"] == rows[name]["type"]] or [name]
    )


def _with(step: Step, **args: Any) -> Step:
    return replace(step, call=Call(step.call.tool, {**step.call.args, **args}))


def mutated_runs(count: int, seed: int = 0) -> Iterator[Session]:
    """Runs of all cases at all tiers in turn."""
    settings = [(name, tier) for name in names() for tier in TIERS]
    for number in range(count):
        name, tier = settings[number % len(settings)]
        yield mutated(load(name), tier, random.Random(f"judges {seed} {number}"))


@dataclass(slots=True)
class Agreement:
    """How often two judges' items passed: both, neither, the first alone, the second alone."""

    both: int = 0
    neither: int = 0
    first: int = 0
    second: int = 0

    def add(self, one: bool, other: bool) -> None:
        """Counts one item."""
        key = {(True, True): "both", (False, False): "neither", (True, False): "first"}.get((one, other), "second")
        setattr(self, key, getattr(self, key) + 1)

    @property
    def items(self) -> int:
        """How many items."""
        return self.both + self.neither + self.first + self.second

    @property
    def share(self) -> float | None:
        """The share on which both say the same."""
        return (self.both + self.neither) / self.items if self.items else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where chance alone would agree always."""
        if not self.items:
            return None
        p, q = (self.both + self.first) / self.items, (self.both + self.second) / self.items
        chance = p * q + (1 - p) * (1 - q)
        return None if chance > 1 - 1e-12 else (self.share - chance) / (1 - chance)  # type: ignore[operator]


def agreement(sessions: Iterator[Session] | Sequence[Session], first: Judge, second: Judge) -> dict[str, Agreement]:
    """By component, and ``all`` of the scored items together."""
    found = {part: Agreement() for part in (*COMPONENTS, "all")}
    for session in sessions:
        mine, theirs = (score(session, judge).items for judge in (first, second))
        for one, other in zip(mine, theirs, strict=True):
            if one.scored:
                found[one.part].add(one.passed, other.passed)
                found["all"].add(one.passed, other.passed)
    return found


def agreement_table(found: dict[str, Agreement]) -> str:
    """The same as a table."""
    head = ["items", "number", "agree", "kappa", "both pass", "neither", "rule judge alone", "other alone"]
    return table(head, [[k, a.items, a.share, a.kappa, a.both, a.neither, a.first, a.second] for k, a in found.items()])


@dataclass(frozen=True, slots=True)
class InspectModel:
    """A model of inspect_ai as a judge asks it."""

    name: str

    def generate(self, prompt: str) -> str:
        """The model's answer."""
        from inspect_ai.model import get_model

        return asyncio.run(get_model(self.name).generate(prompt)).completion


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", metavar="PROVIDER/NAME", help="a model of inspect_ai instead of the scripted reader")
    options = parser.parse_args()
    model: Model = InspectModel(options.judge) if options.judge else PromptReader()
    found = agreement(mutated_runs(options.runs, options.seed), RuleJudge(), ModelJudge(model))
    print(agreement_table(found))
    print(json.dumps({"runs": options.runs, "seed": options.seed, "judge": options.judge or "scripted reader"}))


if __name__ == "__main__":
    main()
