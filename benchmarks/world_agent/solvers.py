# SPDX-License-Identifier: GPL-2.0-or-later
"""Calibration solvers: the reference with seeded faults, to see what the scores do between 0 and 1."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from civworld.world_agent.deduction import BASELINES, Oracle
from civworld.world_agent.maintenance import Call, MaintenanceCase, ScriptedAgent, do_nothing, plan_of, solution


def forgetful(case: MaintenanceCase, tier: str, percent: int) -> ScriptedAgent:
    """The reference solution that leaves out events, more of them in later rounds and harder tiers.

    At each tier above easy it also leaves out some of the structures that it should build.
    """
    rng = random.Random(f"{case.name} {percent}")
    weight = {"easy": 1.0, "hard": 1.3, "extreme": 1.6}[tier]
    kept = [step for step in plan_of(case) if rng.random() * 100 >= percent * weight * (0.5 + step.round / case.rounds)]
    agent = solution(case, tier, kept)
    agent.rounds = [[call for call in calls if not _skipped(call, percent, rng)] for calls in agent.rounds]
    return agent


def _skipped(call: Call, percent: int, rng: random.Random) -> bool:
    return call.tool == "define_capability" and rng.random() * 100 < percent / 2


MAINTENANCE: dict[str, Callable[[MaintenanceCase, str], ScriptedAgent]] = {
    "reference": lambda case, tier: solution(case, tier),
    "forgetful_10": partial(forgetful, percent=10),
    "forgetful_30": partial(forgetful, percent=30),
    "do_nothing": lambda case, tier: do_nothing(case),
}


@dataclass(slots=True)
class NoisyOracle(Oracle):
    """The oracle with a seeded share of its fields left out, growing with the distance from the start."""

    percent: int
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    def begin(self, opening: str) -> None:
        """Starts the noise anew for every episode."""
        self.rng = random.Random(opening)

    def answer_knowing(self, query: Any, refer: Any) -> str:
        """The reference with fields missing."""
        answer = json.loads(Oracle.answer_knowing(self, query, refer))
        share = self.percent * (1 + query.index / 8) * (2 if query.units > query.interval else 1)
        keep = [path for path in answer["changes"] if self.rng.random() * 100 >= share]
        answer["changes"] = {path: answer["changes"][path] for path in keep}
        answer["fired"] = [rule for rule in answer["fired"] if self.rng.random() * 100 >= share / 2]
        return json.dumps(answer)


DEDUCTION: dict[str, Callable[[], Any]] = {**BASELINES, "noisy_oracle_30": lambda: NoisyOracle(30)}
