# SPDX-License-Identifier: GPL-2.0-or-later
"""`trait-v1`: rank the civilizations on four hidden traits from what they did; policies are withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Part, Scene

NAME = "trait-v1"
TRAITS: Mapping[str, str] = MappingProxyType(
    {
        "aggressive": "readiness to go to war and to attack",
        "expansionist": "drive to found and settle new cities",
        "trader": "drive for trade and commerce",
        "builder": "drive to build improvements and wonders",
    }
)
"""Trait, as the hidden tables call it -> what it means to a reader."""


def asked(scene: Scene) -> Part | None:
    """What is asked of a scene with two or more civilizations to rank; in the ego setting the viewer is not ranked."""
    ranked = tuple(civ for civ in scene.civs if civ != scene.viewer)
    if len(ranked) < 2:
        return None
    names = tuple(scene.name(civ) for civ in ranked)
    cells = [Cell(trait, "ranking", names, subject=trait) for trait in TRAITS]
    meaning = "\n".join(f"- {trait}: {doc}" for trait, doc in TRAITS.items())
    question = (
        "Each civilization is run by the same kind of computer player, with a hidden character of its own that never "
        f"changes. Rank {scene.listed(ranked)} on each trait, from the strongest to the weakest, by the names in "
        f"brackets:\n\n{meaning}"
    )
    hidden = scene.corpus.hidden(scene.world).civs
    now = hidden[hidden["turn"] == scene.turn]
    rows = {int(row["player"]): row for row in now}
    targets = {trait: Target(tuple(float(rows[civ][trait]) for civ in ranked)) for trait in TRAITS}
    return Part(question, cells, targets)


def queries(scene: Scene, _: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a scene, where there is anything to rank."""
    part = asked(scene)
    if part is not None:
        yield scene.query(NAME, part.question, part.cells, policies=False), part.targets
