# SPDX-License-Identifier: GPL-2.0-or-later
"""What comparable worlds teach beforehand: typical change of each quantity, base rate of each event."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from civworld import quantities
from civworld.corpus import Corpus
from civworld.errors import ArgumentError
from civworld.tasks.scene import Scene
from civworld.tasks.templates import TEMPLATES, futures, mainline

Count = tuple[int, int]
"""How often something happened, and in how many cases it could have."""


@dataclass(frozen=True)
class Calibration:
    """Figures from calibration worlds.

    Attributes:
        scales: quantity -> sigma, the standard deviation of its change over one horizon.
        counts: world -> "template/near or far/map class" -> count; world "" for figures from another corpus.
        apart: whether the worlds asked about are among those counted, so that each is left out of its own rates.
    """

    scales: Mapping[str, float]
    counts: Mapping[str, Mapping[str, Count]]
    apart: bool

    @classmethod
    def of(cls, corpus: Corpus) -> Calibration:
        """Figures from a corpus itself; the rates of a world then come from its other worlds."""
        counts = {world: _counts(corpus, world) for world in corpus.worlds}
        return cls(_scales(corpus), counts, apart=True)

    def rate(self, scene: Scene, template: str, horizon: int) -> float:
        """Base rate of an event: (n + 1/2) / (N + 1) over the cases of the same template, horizon and map class.

        Classes without a case fall back to all classes.
        """
        place = "near" if horizon == scene.point.horizons[0] else "far"
        map_class = scene.corpus.world(scene.world).map_class
        for wanted in (f"{template}/{place}/{map_class}", f"{template}/{place}/"):
            happened = cases = 0
            for world, found in self.counts.items():
                if self.apart and world == scene.world:
                    continue
                for key, (n, total) in found.items():
                    if key.startswith(wanted):
                        happened, cases = happened + n, cases + total
            if cases:
                break
        return (happened + 0.5) / (cases + 1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figures as JSON."""
        values = {"scales": dict(self.scales), "counts": {w: dict(c) for w, c in self.counts.items()}}
        Path(path).write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibration:
        """Figures of another corpus, for worlds that are not among them.

        Raises:
            FileNotFoundError: there is no such file.
            ArgumentError: it holds something else.
        """
        try:
            values = json.loads(Path(path).read_text(encoding="utf-8"))
            counts = {w: {k: (int(n), int(m)) for k, (n, m) in c.items()} for w, c in values["counts"].items()}
            return cls({k: float(v) for k, v in values["scales"].items()}, counts, apart=False)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ArgumentError(f"{os.fspath(path)}: no calibration file ({error})") from None


def _scales(corpus: Corpus) -> dict[str, float]:
    changes: dict[str, list[float]] = defaultdict(list)
    for world in corpus.worlds:
        track = corpus.track(world)
        records = corpus.records(world)
        for point in corpus.decision_points(world):
            living = records["player"][(records["turn"] == point.turn) & records["is_alive"]].tolist()
            for name in quantities.table():
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
