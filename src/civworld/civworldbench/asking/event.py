# SPDX-License-Identifier: GPL-2.0-or-later
"""`event-v1`: does each of ten things happen to a civilization within a horizon, and who leads then."""

from __future__ import annotations

from collections.abc import Iterator

from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import TEMPLATES, Stretch, leader, mainline

NAME = "event-v1"
LEADER = "leader"
EVENTS = (
    "city_captured", "city_lost", "capital_lost", "wonder_completed", "alliance_formed", "war_started", "war_ended",
    "government_changed", "tech_lead_taken", "disaster_struck",
)  # fmt: skip
"""The templates that this version of the task asks about, whatever else there is."""


def cells(scene: Scene) -> Iterator[Cell]:
    """A cell per civilization, template and horizon, and one per horizon for the leader."""
    for horizon in scene.point.horizons:
        for civ in scene.civs:
            for template in EVENTS:
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
        f"It is turn {scene.turn}. For each civilization and each line below give the probability that the answer is "
        f"yes: once for the time from now up to turn {scene.turn + near} (h{near}), and once up to turn "
        f"{scene.turn + far} (h{far}). In brackets stands how often it was yes in comparable worlds. Does the "
        "civilization ...",
        "",
    ]
    for name in EVENTS:
        template = TEMPLATES[name]
        rates = ", ".join(f"h{h}: {calibration.rate(scene, name, h):.3f}" for h in scene.point.horizons)
        lines.append(f"- {name}: {template.doc}? ({rates})")
    lines += [
        "",
        f"Give also, for each of the two turns, the probability that each of {scene.listed(scene.civs)} then has the "
        "highest score (the probabilities of one turn sum to 1).",
    ]
    return "\n".join(lines)
