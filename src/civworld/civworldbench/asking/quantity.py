# SPDX-License-Identifier: GPL-2.0-or-later
"""`quantity-v1`: five quantiles of eleven quantities of each civilization, half a spacing and a spacing ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from civworld import quantities
from civworld.civworldbench.asking import forecasts
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.forecasts import QUANTITIES
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Scene
from civworld.quantities import Track

NAME = "quantity-v1"


def cell(scene: Scene, civ: int, quantity: str, horizon: int) -> Cell:
    """The cell of one civilization, quantity and horizon, the same in every task that asks for it."""
    name = f"{scene.name(civ)}.{quantity}.h{horizon}"
    return Cell(name, "quantiles", civ=civ, subject=quantity, horizon=horizon, intermediate=horizon in scene.steps)


def cells(scene: Scene, civs: Sequence[int], names: Sequence[str]) -> list[Cell]:
    """The cells of civilizations and quantities at every horizon; before them, where asked, those on the way."""
    ahead = (scene.steps, scene.point.horizons)
    return [cell(scene, civ, name, h) for turns in ahead for civ in civs for name in names for h in turns]


def outcome(track: Track, asked: Cell, turn: int) -> float:
    """What became of a quantity on a track: its level, or its gain since `turn`."""
    level = float(track.value(asked.subject, turn + asked.horizon, asked.civ))
    if not quantities.get(asked.subject).as_gain:
        return level
    return level - float(track.value(asked.subject, turn, asked.civ))


def trend(scene: Scene, asked: Cell) -> float:
    """The straight line through the scene's last two frames."""
    track = scene.corpus.track(scene.world)
    before, now = (float(track.value(asked.subject, t, asked.civ)) for t in scene.point.frames[-2:])
    ahead = asked.horizon / (scene.point.frames[-1] - scene.point.frames[-2])
    return float(forecasts.trend(asked.subject, [before], [now], ahead)[0])


def definitions(names: tuple[str, ...]) -> str:
    """One line on each quantity: what it counts, in which unit."""
    lines = []
    for name in names:
        q = quantities.get(name)
        gain = "; the gain from now until then is asked, not the level" if q.as_gain else ""
        lines.append(f"- {name} ({q.unit}): {q.doc.split('.')[0]}{gain}.")
    return "\n".join(lines)


def queries(scene: Scene, _: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a scene, with a cell per civilization, quantity and horizon."""
    asked = cells(scene, scene.civs, QUANTITIES)
    near, far = scene.point.horizons
    question = (
        f"It is turn {scene.turn}. For each civilization forecast these quantities at turn {scene.turn + near} "
        f"(h{near}) and at turn {scene.turn + far} (h{far}), as quantiles at levels 0.1, 0.25, 0.5, 0.75 and 0.9. "
        f"A civilization that has died has 0 of everything.\n\n{definitions(QUANTITIES)}"
    )
    track = scene.corpus.track(scene.world)
    targets = {c.id: Target(outcome(track, c, scene.turn), trend(scene, c)) for c in asked}
    yield scene.query(NAME, question, asked), targets
