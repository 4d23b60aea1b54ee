# SPDX-License-Identifier: GPL-2.0-or-later
"""`belief-v1`: what `trait-v1` and `rules-v1` ask, in one prompt; the published benchmark counts both as one."""

from __future__ import annotations

from collections.abc import Iterator

from civworld.civworldbench.asking import rules, trait
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Query
from civworld.civworldbench.asking.scene import Scene

NAME = "belief-v1"


def queries(scene: Scene, _: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a scene that has civilizations to rank, or evidence on a rule."""
    parts = [part for part in (trait.asked(scene), rules.asked(scene)) if part is not None]
    if not parts:
        return
    question = "\n\n".join(part.question for part in parts)
    cells = [cell for part in parts for cell in part.cells]
    targets = {name: target for part in parts for name, target in part.targets.items()}
    yield scene.query(NAME, question, cells, policies=False), targets
