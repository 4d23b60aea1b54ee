# SPDX-License-Identifier: GPL-2.0-or-later
"""What comparable worlds teach beforehand: typical change of each quantity, base rate of each event."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from civworld.civworldbench.asking.forecasts import QUANTITIES
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import TEMPLATES, futures, mainline
from civworld.corpus import Corpus
from civworld.errors import ArgumentError

Count = tuple[int, int]
"""How often something happened, and in how many cases it could have."""


@dataclass(frozen=True)
class Calibration:
    """Figures from calibration worlds.

    Attributes:
        scales: quantity -> sigma, the standard deviation of its change over one horizon.
        counts: world -> "template/near or far/map class" -> count. A world is left out of its own rates.
    """

    scales: Mapping[str, float]
    counts: Mapping[str, Mapping[str, Count]]

    @classmethod
    def of(cls, corpus: Corpus) -> Calibration:
        """Figures from the mainlines and futures of a corpus."""
        counts = {world: _counts(corpus, world) for world in corpus.worlds}
        return cls(_scales(corpus), counts)

    def rate(self, scene: Scene, template: str, horizon: int) -> float:
        """Base rate of an event: (n + 1/2) / (N + 1) over the cases of the same template, horizon and map class.

        Classes without a case fall back to all classes.

        Raises:
            ArgumentError: there is no other world to count in.
        """
        place = "near" if horizon == scene.point.horizons[0] else "far"
        map_class = scene.corpus.world(scene.world).map_class
        for wanted in (f"{template}/{place}/{map_class}", f"{template}/{place}/"):
            happened = cases = 0
            for world, found in self.counts.items():
                if world == scene.world:
                    continue
                for key, (n, total) in found.items():
                    if key.startswith(wanted):
                        happened, cases = happened + n, cases + total
            if cases:
                break
        if not cases:
            raise ArgumentError(
                f"event-v1: world {scene.world} has no other world that tells how often {template!r} happens; "
                "a corpus of practice worlds is needed (--practice)"
            )
        return (happened + 0.5) / (cases + 1)


def _scales(corpus: Corpus) -> dict[str, float]:
    changes: dict[str, list[float]] = defaultdict(list)
    for world in corpus.worlds:
        track = corpus.track(world)
        records = corpus.records(world)
        for point in corpus.decision_points(world):
            living = records["player"][(records["turn"] == point.turn) & records["is_alive"]].tolist()
            for name in QUANTITIES:
                for horizon in point.horizons:
                    for civ in living:
                        now, then = (track.value(name, t, civ) for t in (point.turn, point.turn + horizon))
                        changes[name].append(float(then - now))
    return {name: float(np.std(values)) or 1.0 for name, values in changes.items()}


def _counts(corpus: Corpus, world: str) -> dict[str, Count]:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    map_class = corpus.world(world).map_class
    for point in corpus.decision_points(world):
        scene = Scene(corpus, world, point, "omni-id")
        for place, horizon in zip(("near", "far"), point.horizons, strict=True):
            for stretch in (mainline(scene, horizon), *futures(scene, horizon)):
                for name, template in TEMPLATES.items():
                    slot = found[f"{name}/{place}/{map_class}"]
                    for civ in scene.living:
                        slot[0] += template.happened(stretch, civ)
                        slot[1] += 1
    return {key: (n, total) for key, (n, total) in sorted(found.items())}
