# SPDX-License-Identifier: GPL-2.0-or-later
"""A solver that reads the open rules out of the prompt and runs them: what code can make of full disclosure.

It sees what a model sees, the opening text and the queries, and nothing else. In Open-M1 it reaches F1 = 1; what it
cannot know in Naming, where rules have no numbers, is what Naming leaves to a model.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from civworld.world_agent.deduction.backend import WAIT, changes
from civworld.world_agent.deduction.episode import Query
from civworld.world_agent.deduction.solvers import answer_text
from civworld.world_agent.kernel import KernelWorld

START = "STATE at time 0"


@dataclass(slots=True)
class RuleSimulator:
    """Builds a world from the disclosed rules and the state, and predicts by running it (M1).

    Where rules or types are not disclosed (Naming, M2) it predicts that nothing changes.
    """

    world: KernelWorld | None = None

    def begin(self, opening: str) -> None:
        """Reads the opening text."""
        rows = [json.loads(line, parse_float=Decimal) for line in opening.splitlines() if line.startswith("{")]
        processes = [row for row in rows if "name" in row and ({"every", "on"} & set(row))]
        if not processes:
            self.world = None
            return
        state = json.loads(opening.split(START, 1)[1].strip().splitlines()[0], parse_float=str)
        spec: dict[str, Any] = _typed(json.loads(_line(opening, "TYPES")), state)
        spec["processes"] = processes
        spec["capabilities"] = [row for row in rows if "name" in row and row not in processes]
        spec["schedule"] = [row for row in rows if "at" in row and "do" in row]
        if "\nMAP\n" in opening:
            spec["map"] = json.loads(_line(opening, "MAP"))
        self.world = KernelWorld(spec)

    def answer(self, query: Query) -> str:
        """The changes of the next segment."""
        if self.world is None or query.kind != "segment":
            return answer_text({}, (), WAIT)
        before, mark = self.world.state(), self.world.record_count
        self.run(self.world, query.units)
        fired = {one.rule for one in self.world.events(mark) if one.kind == "process" and one.ok}
        return answer_text(changes(before, self.world.state()), fired)

    def run(self, world: KernelWorld, units: int) -> None:
        """Lets time pass as the rules say."""
        world.advance(units)


@dataclass(slots=True)
class CarelessSimulator(RuleSimulator):
    """The same, but in each unit of time it overlooks each rule with a small chance: how much care a case takes.

    Attributes:
        slips: chance of overlooking one rule in one unit, in thousandths.
        seed: what slips are drawn from.
    """

    slips: int = 10
    seed: int = 0
    rng: random.Random = field(default_factory=random.Random)

    def begin(self, opening: str) -> None:
        """Reads the opening text, and draws anew."""
        RuleSimulator.begin(self, opening)
        self.rng = random.Random(f"slips {self.seed}")

    def run(self, world: KernelWorld, units: int) -> None:
        """Lets time pass unit by unit, with rules overlooked."""
        for _ in range(units):
            missed = [name for name in world.processes() if self.rng.randrange(1_000) < self.slips]
            for name in missed:
                world.apply({"op": "set_process", "name": name, "active": False})
            world.advance(1)
            for name in missed:
                world.apply({"op": "set_process", "name": name, "active": True})


def _line(opening: str, head: str) -> str:
    return opening.split(f"\n{head}\n", 1)[1].splitlines()[0]


def _typed(kinds: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """Types and entities from the disclosed table of both and the state's paths; list items come back as lists."""
    entities: dict[str, dict[str, Any]] = {name: {"type": kind} for name, kind in kinds["entities"].items()}
    for path, value in state.items():
        name, field, *key = path.split(".")
        form = kinds["types"][entities[name]["type"]][field].split()[0]
        if form == "list":
            entities[name].setdefault(field, []).append(value)
        elif form == "map":
            entities[name].setdefault(field, {})[key[0]] = value
        else:
            entities[name][field] = value
    return {"types": kinds["types"], "entities": entities}
