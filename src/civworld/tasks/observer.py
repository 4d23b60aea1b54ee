# SPDX-License-Identifier: GPL-2.0-or-later
"""A privileged observer of beliefs: fits hidden values to full records of other worlds, and ranks and classifies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld import quantities, scoring
from civworld.corpus import Corpus
from civworld.events import Event, since
from civworld.tasks import rules, trait
from civworld.tasks.predictors import Predictor, as_text, reference
from civworld.tasks.query import Query, QuerySet
from civworld.tasks.scene import Scene

Floats = npt.NDArray[np.float64]

RIDGE = 10.0
"""Penalty of the regression, on standardised features."""

_PLAYER = (
    "units", "units_built", "units_killed", "units_lost", "wonders", "trade_output", "science_output",
    "settled_area", "land_area", "expected_income", "tax", "luxury", "science",
)  # fmt: skip
_EVENTS = ("city_founded", "war_started", "city_captured", "wonder_built", "government_changed", "alliance", "treaty")


@dataclass(frozen=True)
class _Case:
    """One belief to learn from: features, hidden value, and the world it is from."""

    world: str
    features: Floats
    value: float


def observer(corpus: Corpus, queries: QuerySet) -> Predictor:
    """Answers Trait and Rules by ridge regressions that were fitted on every world but the one asked about.

    It sees the full record of every civilization, whatever the setting shows, but no hidden value of the world.
    Queries of other tasks get the floor's answer.
    """
    floor = reference(queries)
    asked = [q for q in queries.queries.values() if q.task in (trait.NAME, rules.NAME)]
    places = sorted({(q.world, q.turn) for q in asked})
    scenes = {(w, t): Scene(corpus, w, corpus.point(w, t), "omni-id") for w, t in places}
    civs = {place: _civ_features(scene) for place, scene in scenes.items()}
    worlds = {place: _world_features(scene) for place, scene in scenes.items()}
    traits = {
        name: [
            _Case(world, civs[world, turn][civ], value - mean)
            for world, turn in places
            for mean, values in [_traits(scenes[world, turn], name)]
            for civ, value in values.items()
        ]
        for name in trait.TRAITS
    }
    knobs = {
        name: [_Case(w, worlds[w, t], np.log1p(_rule(scenes[w, t], name))) for w, t in places] for name in rules.RULES
    }

    def predict(query: Query) -> str:
        if query.task == trait.NAME:
            rows = civs[query.world, query.turn]
            return as_text({c.id: _ranking(_fit(traits[c.subject], query.world), rows, c.options) for c in query.cells})
        if query.task == rules.NAME:
            row = worlds[query.world, query.turn]
            return as_text({c.id: _class(c.subject, _fit(knobs[c.subject], query.world)(row)) for c in query.cells})
        return floor(query)

    return predict


def _ranking(model: Callable[[Floats], float], rows: Mapping[int, Floats], options: tuple[str, ...]) -> list[str]:
    return sorted(options, key=lambda name: -model(rows[int(name.removeprefix("c"))]))


def _class(rule: str, logarithm: float) -> str:
    return rules.classify(rule, float(np.expm1(logarithm)))


def _fit(cases: list[_Case], left_out: str) -> Callable[[Floats], float]:
    """Ridge regression on the cases of other worlds; their mean where there are fewer than two."""
    known = [case for case in cases if case.world != left_out]
    if len(known) < 2:
        mean = float(np.mean([case.value for case in known])) if known else 0.0
        return lambda features: mean
    x = np.stack([case.features for case in known])
    y = np.array([case.value for case in known])
    centre, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1
    z = (x - centre) / spread
    weights = np.linalg.solve(z.T @ z + RIDGE * np.eye(z.shape[1]), z.T @ (y - y.mean()))
    return lambda features: float((features - centre) / spread @ weights + y.mean())


# ---- features ------------------------------------------------------------------------------------------------


def _civ_features(scene: Scene) -> dict[int, Floats]:
    """What each living civilization has and did since the first frame, against the mean of its world."""
    start, now = scene.point.frames[0], scene.turn
    records, civs = scene.corpus.records(scene.world), scene.corpus.civs(scene.world)
    shown = _shown(scene)
    found = {}
    for civ in scene.living:
        levels = [_at(records, turn, civ, tuple(quantities.table())) for turn in (start, now)]
        inner = [_at(civs, turn, civ, _PLAYER) for turn in (start, now)]
        done = [float(sum(e.kind == kind and e.player == civ for e in shown)) for kind in _EVENTS]
        parts = [levels[1], levels[1] - levels[0], inner[1], inner[1] - inner[0], np.array(done)]
        found[civ] = scoring.signed_log(np.concatenate(parts))
    middle = np.mean(list(found.values()), axis=0)
    return {civ: row - middle for civ, row in found.items()}


def _world_features(scene: Scene) -> Floats:
    """Disasters and growth per city and turn, advances per civilization, what advances cost by number known."""
    now = scene.turn
    counts = rules.evidence(scene)
    records, civs = scene.corpus.records(scene.world), scene.corpus.civs(scene.world)
    shown = _shown(scene)
    struck = sum(e.kind == "disaster" for e in shown)
    cost = [float(_at(civs, now, civ, ("bulbs_cost",))[0]) for civ in scene.living]
    techs = [float(_at(records, now, civ, ("techs",))[0]) for civ in scene.living]
    city_turns = max(counts["city_turns"], 1)
    return np.array(
        [
            np.log1p(1000 * struck / city_turns),
            np.log1p(1000 * counts["city_growths"] / city_turns),
            np.log1p(counts["advances"] / max(len(scene.living), 1)),
            float(np.mean(np.log1p(cost) - np.log1p(techs))),
            float(np.mean(np.log1p(techs))),
        ]
    )


def _shown(scene: Scene) -> tuple[Event, ...]:
    """Events from the first frame to now."""
    log = since(scene.corpus.events(scene.world), scene.point.frames[0])
    return tuple(e for e in log if e.turn <= scene.turn)


def _at(rows: Any, turn: int, civ: int, names: tuple[str, ...]) -> Floats:
    """Columns of one civilization in one turn; zeros before it was there."""
    row = rows[(rows["turn"] == turn) & (rows["player"] == civ)]
    return np.array([float(row[name][0]) if len(row) else 0.0 for name in names])


def _traits(scene: Scene, name: str) -> tuple[float, dict[int, float]]:
    """Mean and values of a trait among the living."""
    hidden = scene.corpus.hidden(scene.world).civs
    now = hidden[hidden["turn"] == scene.turn]
    values = {int(r["player"]): float(r[name]) for r in now if int(r["player"]) in scene.living}
    return float(np.mean(list(values.values()))), values


def _rule(scene: Scene, name: str) -> float:
    hidden = scene.corpus.hidden(scene.world).rules
    return float(hidden[name][hidden["turn"] == scene.turn][0])
