# SPDX-License-Identifier: GPL-2.0-or-later
"""Study notes: what a few games of other worlds teach a reader, by a fixed procedure (ablation `study_notes`).

From each of the first games of a corpus: who played and how it went. From all of them together: how large each
quantity is at each decision point, how it changes over a horizon, and how often each event came. Only what every
reader of full records could write down; no hidden value.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from civworld import quantities
from civworld.civworldbench.asking.forecasts import QUANTITIES
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import TEMPLATES, mainline
from civworld.corpus import Corpus
from civworld.errors import ArgumentError

GAMES = 3
"""Games that the published notes are made from."""
LEVELS = (0.1, 0.5, 0.9)


def study_notes(corpus: Corpus, games: int = GAMES) -> str:
    """Notes from the first games of a corpus, which must hold no world that is asked about.

    Args:
        corpus: worlds with their mainlines, such as those of `tiny-practice`.
        games: how many.

    Raises:
        ArgumentError: the corpus holds fewer worlds.
    """
    if not 1 <= games <= len(corpus.worlds):
        raise ArgumentError(f"study notes from {games} games: the corpus holds {len(corpus.worlds)} worlds")
    scenes = [
        Scene(corpus, world, point, "omni-id")
        for world in corpus.worlds[:games]
        for point in corpus.decision_points(world)
    ]
    parts = [f"Notes from {games} other games, each told in full. They are no part of the world asked about."]
    parts += [_game(corpus, world, number) for number, world in enumerate(corpus.worlds[:games], 1)]
    parts += ["How large things are (10 %, middle and 90 % of the civilizations):", *_sizes(scenes)]
    parts += ["How much they change over so many turns:", *_changes(scenes)]
    parts += ["How often a civilization did it within so many turns:", *_events(scenes)]
    return "\n".join(parts) + "\n"


def _game(corpus: Corpus, world: str, number: int) -> str:
    info, track, log = corpus.world(world), corpus.track(world), corpus.events(world)
    rows = corpus.records(world)
    last = int(track.turns[-1])
    nations = {int(r["player"]): str(r["nation"]) for r in rows[rows["turn"] == last]}
    order = sorted(nations, key=lambda civ: -int(track.value("score", last, civ)))
    scores = ", ".join(f"{nations[civ]} {int(track.value('score', last, civ))}" for civ in order)
    kinds = {"wars": "war_started", "cities taken": "city_captured", "wonders": "wonder_built", "disasters": "disaster"}
    told = ", ".join(f"{name} {sum(e.kind == kind for e in log)}" for name, kind in kinds.items())
    return f"Game {number} ({info.ruleset}, {len(nations)} civilizations): score on turn {last}: {scores}; {told}."


def _sizes(scenes: list[Scene]) -> list[str]:
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for scene in scenes:
        track = scene.corpus.track(scene.world)
        for name in QUANTITIES:
            found[scene.turn][name] += [float(track.value(name, scene.turn, civ)) for civ in scene.living]
    return [
        f"- turn {turn}: " + "; ".join(f"{name} {_spread(values)}" for name, values in by_name.items())
        for turn, by_name in sorted(found.items())
    ]


def _changes(scenes: list[Scene]) -> list[str]:
    found: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for scene in scenes:
        track = scene.corpus.track(scene.world)
        for horizon in scene.point.horizons:
            for name in QUANTITIES:
                found[horizon][name] += [
                    float(track.value(name, scene.turn + horizon, civ)) - float(track.value(name, scene.turn, civ))
                    for civ in scene.living
                ]
    return [
        f"- {horizon} turns: "
        + "; ".join(f"{name} {_spread(values)} {quantities.get(name).unit}" for name, values in by_name.items())
        for horizon, by_name in sorted(found.items())
    ]


def _events(scenes: list[Scene]) -> list[str]:
    found: dict[int, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for scene in scenes:
        for horizon in scene.point.horizons:
            stretch = mainline(scene, horizon)
            for name, template in TEMPLATES.items():
                found[horizon][name] += [template.happened(stretch, civ) for civ in scene.living]
    return [
        f"- {horizon} turns: " + "; ".join(f"{name} {sum(seen)} of {len(seen)}" for name, seen in by_name.items())
        for horizon, by_name in sorted(found.items())
    ]


def _spread(values: list[float]) -> str:
    low, middle, high = (round(float(value)) for value in np.quantile(values, LEVELS))
    return f"{low}/{middle}/{high}"
