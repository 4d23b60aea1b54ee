# SPDX-License-Identifier: GPL-2.0-or-later
"""`event-v0`: does each of ten things happen to a civilization within a horizon, and who leads then."""

from __future__ import annotations

from collections.abc import Iterator

from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import TEMPLATES, Stretch, leader, mainline

NAME = "event-v0"
LEADER = "leader"


def cells(scene: Scene) -> Iterator[Cell]:
    """A cell per civilization, template and horizon, and one per horizon for the leader."""
    for horizon in scene.point.horizons:
        for civ in scene.civs:
            for template in TEMPLATES:
                id = f"{scene.name(civ)}.{template}.h{horizon}"
                yield Cell(id, "probability", civ=civ, subject=template, horizon=horizon)
        names = tuple(scene.name(civ) for civ in scene.civs)
        yield Cell(f"{LEADER}.h{horizon}", "distribution", names, subject=LEADER, horizon=horizon)


def outcome(scene: Scene, s: Stretch, cell: Cell) -> float | str:
    """What is true of a cell on a stretch: 0 or 1, or the leader's name."""
    if cell.subject == LEADER:
        return scene.name(leader(s, scene.civs, s.turn + s.horizon))
    return float(TEMPLATES[cell.subject].happened(s, cell.civ))


def queries(scene: Scene, calibration: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a scene."""
    stretches = {h: mainline(scene, h) for h in scene.point.horizons}
    asked = list(cells(scene))
    targets = {}
    for c in asked:
        s = stretches[c.horizon]
        reference: float | str
        if c.subject == LEADER:
            reference = scene.name(leader(s, scene.civs, scene.turn))
        else:
            reference = calibration.rate(scene, c.subject, c.horizon)
        targets[c.id] = Target(outcome(scene, s, c), reference)
    yield scene.query(NAME, _question(scene, calibration), asked), targets


def _question(scene: Scene, calibration: Calibration) -> str:
    near, far = scene.point.horizons
    lines = [
        f"It is turn {scene.turn}. For each civilization give the probability that, after this moment and up to turn "
        f"{scene.turn + near} (h{near}) or turn {scene.turn + far} (h{far}), it does the following. How often it "
        "happens in comparable worlds stands beside it.",
        "",
    ]
    for name, template in TEMPLATES.items():
        rates = ", ".join(f"h{h}: {calibration.rate(scene, name, h):.3f}" for h in scene.point.horizons)
        lines.append(f"- {name}: {template.doc} ({rates})")
    lines += ["", "Give also, for each horizon, the probability of each civilization to have the highest score then."]
    return "\n".join(lines)
