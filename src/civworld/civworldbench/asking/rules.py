# SPDX-License-Identifier: GPL-2.0-or-later
"""`rules-v1`: tell three hidden world rules, as low, normal or high, from what they lead to; policies are withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Part, Scene
from civworld.errors import UnknownNameError

NAME = "rules-v1"
CLASSES = ("low", "normal", "high")


@dataclass(frozen=True)
class Rule:
    """A hidden world rule.

    Attributes:
        doc: what it is, for a reader.
        bounds: above the first the rule is at least normal, above the second it is high: geometric means of
            neighbouring values of the basic suite.
        evidence: what is counted in view, and how much of it is needed for the question to be asked.
    """

    doc: str
    bounds: tuple[float, float]
    evidence: tuple[str, int]


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "disasters": Rule("how often disasters strike cities", (0.0, (10 * 60) ** 0.5), ("city_turns", 200)),
        "foodbox": Rule(
            "how much food a city needs to grow", ((60 * 100) ** 0.5, (100 * 160) ** 0.5), ("city_growths", 10)
        ),
        "sciencebox": Rule(
            "how much research an advance costs", ((60 * 100) ** 0.5, (100 * 160) ** 0.5), ("advances", 6)
        ),
    }
)


def classify(rule: str, value: float) -> str:
    """The class of a rule's value.

    Raises:
        UnknownNameError: there is no such rule.
    """
    if rule not in RULES:
        raise UnknownNameError("rule", rule, RULES)
    return CLASSES[sum(value > bound for bound in RULES[rule].bounds)]


def evidence(scene: Scene) -> dict[str, int]:
    """What happened between the first frame and now among the civilizations in view.

    Returns:
        `city_turns` (sum of cities over turns), `city_growths` (citizens gained from turn to turn, losses not
        counted against) and `advances` (advances gained).
    """
    rows = scene.corpus.records(scene.world)
    shown = (rows["turn"] >= scene.point.frames[0]) & (rows["turn"] <= scene.turn)
    found = {"city_turns": 0, "city_growths": 0, "advances": 0}
    for civ in scene.civs:
        mine = rows[shown & (rows["player"] == civ)]
        found["city_turns"] += int(mine["cities"].sum())
        found["city_growths"] += int(np.maximum(np.diff(mine["population"].astype(np.int64)), 0).sum())
        found["advances"] += int(np.maximum(np.diff(mine["techs"].astype(np.int64)), 0).sum())
    return found


def asked(scene: Scene) -> Part | None:
    """What is asked of a scene: the rules that it holds enough evidence on; nothing without any."""
    counts = evidence(scene)
    names = [name for name, rule in RULES.items() if counts[rule.evidence[0]] >= rule.evidence[1]]
    if not names:
        return None
    cells = [Cell(name, "class", CLASSES, subject=name) for name in names]
    meaning = "\n".join(f"- {name}: {RULES[name].doc}" for name in names)
    question = (
        "This world has fixed hidden rules. Judge from what happened in it whether each of these is low, normal or "
        f"high against the game's usual setting:\n\n{meaning}"
    )
    row = scene.corpus.hidden(scene.world).rules
    value = {name: float(row[name][row["turn"] == scene.turn][0]) for name in names}
    return Part(question, cells, {name: Target(classify(name, value[name])) for name in names})


def queries(scene: Scene, _: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a scene, where there is enough evidence on anything."""
    part = asked(scene)
    if part is not None:
        yield scene.query(NAME, part.question, part.cells, policies=False), part.targets
