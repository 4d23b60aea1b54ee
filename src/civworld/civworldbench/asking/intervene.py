# SPDX-License-Identifier: GPL-2.0-or-later
"""`intervene-v1`: forecast quantities again after an edit, and after its placebo; the control is `quantity-v1`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from civworld import arms as operators
from civworld.arms import Told
from civworld.civworldbench import scoring
from civworld.civworldbench.asking import quantity
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.forecasts import is_log, sigma
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Scene
from civworld.corpus import ArmSet
from civworld.quantities import Track

NAME = "intervene-v1"
ARMS = ("real", "placebo")
OPERATORS = (
    "attitude_shift", "city_growth", "city_transfer", "disaster_rate", "government_access", "map_reveal",
    "research_grant", "research_loss", "trait_shift", "treasury_drain", "treasury_grant",
)  # fmt: skip
"""The operators that this version of the task asks about, whatever else is registered."""
CITY_EVENTS = ("city_founded", "city_captured", "city_transferred")
"""Kinds of events that name a city."""


def queries(scene: Scene, calibration: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """Two queries, edit and placebo, for each operator that the decision point is eligible for.

    In the ego setting an operator counts only when everyone it concerns is in view.
    """
    played = scene.corpus.arms(scene.world, scene.turn)
    for operator in OPERATORS:
        arms = played.get(operator)
        if arms is None or not arms.eligible or not set(concerned(arms)) <= set(scene.civs):
            continue
        cells = quantity.cells(scene, concerned(arms), arms.targets)
        for arm in ARMS:
            yield _query(scene, operator, arms, arm, cells), _targets(scene, arms, arm, cells, calibration)


def describe(scene: Scene, arms: ArmSet, arm: str) -> str:
    """What a reader is told about the edit: the operator's own sentence."""
    operator = operators.get(arms.operator)
    told = Told(
        who=_who(scene, arms.player),
        other=_who(scene, arms.other) if arms.other >= 0 else "",
        variant=arms.variant,
        edits=_edits(scene, arms),
        cities=_cities(scene),
    )
    return operator.real(told) if arm == "real" else operator.placebo(told)


def _who(scene: Scene, civ: int) -> str:
    return f"{scene.people(civ)} ({scene.name(civ)})"


def _edits(scene: Scene, arms: ArmSet) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The edits of the real arm."""
    rows = scene.corpus.hidden(scene.world).edits
    mine = rows[(rows["t1"] == scene.turn) & (rows["operator"] == arms.operator) & (rows["arm"] == "real")]
    return tuple((name, fields) for name, fields in json.loads(str(mine["edits"][0])))


def _cities(scene: Scene) -> dict[int, str]:
    """Names of the cities there were, from what happened to them."""
    return {e.city: e.name for e in scene.log if e.kind in CITY_EVENTS}


def concerned(arms: ArmSet) -> tuple[int, ...]:
    """The civilizations that an operator is about: its player, and the other one where it changes two."""
    return (arms.player,) if arms.other < 0 else (arms.player, arms.other)


def pairs(arms: ArmSet, arm: str) -> tuple[tuple[Track, Track], ...]:
    """(control, edited) under each common seed; none for placebos, which are played in the world's own future."""
    return arms.pairs if arm == "real" else ()


def _query(scene: Scene, operator: str, arms: ArmSet, arm: str, cells: list[Cell]) -> Query:
    near, far = scene.point.horizons
    names = tuple(dict.fromkeys(c.subject for c in cells))
    question = (
        f"It is turn {scene.turn}. Suppose that at this moment, before anything else happens, the following change "
        f"is made from outside the game, and that the world then goes on by itself:\n\n"
        f"{describe(scene, arms, arm)}\n\n"
        f"Forecast these quantities at turn {scene.turn + near} (h{near}) and at turn {scene.turn + far} (h{far}), as "
        f"quantiles at levels 0.1, 0.25, 0.5, 0.75 and 0.9.\n\n{quantity.definitions(names)}"
    )
    control = scene.id(quantity.NAME)
    return scene.query(NAME, question, cells, operator, arm, arm=arm, control=control, operator=operator)


def _targets(
    scene: Scene, arms: ArmSet, arm: str, cells: Sequence[Cell], calibration: Calibration
) -> dict[str, Target]:
    played = arms.real if arm == "real" else arms.placebo
    track = arms.control if played is None else played  # a placebo that the world refuses changes nothing
    found = {}
    for c in cells:
        value = quantity.outcome(track, c, scene.turn)
        trend = quantity.trend(scene, c) if scene.steps else None
        both = [[quantity.outcome(t, c, scene.turn) for t in pair] for pair in pairs(arms, arm)]
        if len(both) < 2:
            found[c.id] = Target(value, trend)
            continue
        control, edited = ([pair[k] for pair in both] for k in (0, 1))
        scale, log = [sigma(c.subject, calibration.scales)], [is_log(c.subject)]
        mean = scoring.expected_effect([edited], [control], scale, log)
        found[c.id] = Target(value, trend, expected=float(mean.mean[0]), standard_error=float(mean.standard_error[0]))
    return found
