# SPDX-License-Identifier: GPL-2.0-or-later
"""The forecaster that knows the exact state and the engine: re-seeded futures and paired rollouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from civworld.civworldbench.answering.observer import Lessons, observer
from civworld.civworldbench.answering.predictors import Predictor, as_text
from civworld.civworldbench.asking import event, intervene, quantity
from civworld.civworldbench.asking.forecasts import from_scale, sigma, to_scale
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import futures
from civworld.corpus import Corpus
from civworld.quantities import Track

Members = Mapping[str, list[Any]]
"""Cell id -> what came true in each future, or in each paired rollout."""


@dataclass(frozen=True)
class Known:
    """What re-seeded futures and paired rollouts tell of the queries of one setting.

    Attributes:
        forward: id of a Quantity or Event query -> its members over the futures.
        paired: id of an Intervene query -> arm ("control" and its own) -> its members over the common seeds.
        scales: quantity -> sigma.
    """

    forward: Mapping[str, Members] = field(repr=False)
    paired: Mapping[str, Mapping[str, Members]] = field(repr=False)
    scales: Mapping[str, float]

    @classmethod
    def of(cls, corpus: Corpus, queries: QuerySet) -> Known:
        """Read off a corpus."""
        forward, paired = {}, {}
        for query in queries.queries.values():
            scene = _scene(corpus, query)
            if query.task == quantity.NAME:
                tracks = corpus.futures(query.world, query.turn)
                forward[query.id] = _quantities(query, tracks)
            elif query.task == event.NAME:
                stretches = {h: futures(scene, h) for h in scene.point.horizons}
                forward[query.id] = {
                    c.id: [event.outcome(scene, s, c) for s in stretches[c.horizon]] for c in query.cells
                }
            elif query.task == intervene.NAME:
                played = intervene.pairs(corpus.arms(query.world, query.turn)[query.operator], query.arm)
                if played:
                    controls, edited = zip(*played, strict=True)
                    paired[query.id] = {"control": _quantities(query, controls), query.arm: _quantities(query, edited)}
        return cls(forward, paired, queries.scales)

    def effects(self, query: Query, cell: Cell) -> list[float]:
        """Effect of an edited branch in each paired rollout, in units of sigma."""
        arms = self.paired[query.id]
        edited, control = (to_scale(cell.subject, arms[arm][cell.id]) for arm in (query.arm, "control"))
        return list((edited - control) / sigma(cell.subject, self.scales))

    def mean(self, query: Query, cell: Cell) -> float:
        """Mean effect over the paired rollouts; 0 for placebos, which have none."""
        return float(np.mean(self.effects(query, cell))) if query.id in self.paired else 0.0


def futures_predictor(corpus: Corpus, queries: QuerySet, lessons: Lessons | None = None) -> Predictor:
    """Forecasts from all re-seeded futures: their quantiles, frequencies and mean effects.

    Beliefs are those of the `observer` after these lessons. It knows the exact state and the engine, but not the
    draws that the world itself made.
    """
    known = Known.of(corpus, queries)
    beliefs = observer(corpus, queries, lessons)

    def predict(query: Query) -> str:
        if query.id in known.forward:
            return as_text({c.id: c.row.pooled(c.options, known.forward[query.id][c.id]) for c in query.cells})
        if query.arm:
            control = known.forward[query.control]
            plain = {c.id: c.row.pooled(c.options, control[c.id]) for c in query.cells}
            return as_text({c.id: shifted(c, plain[c.id], known.mean(query, c), known.scales) for c in query.cells})
        return beliefs(query)

    return predict


def _quantities(query: Query, tracks: Sequence[Track]) -> dict[str, list[Any]]:
    return {c.id: [quantity.outcome(track, c, query.turn) for track in tracks] for c in query.cells}


def shifted(cell: Cell, quantiles: Sequence[float], effect: float, scales: Mapping[str, float]) -> list[float]:
    """Quantiles moved by an effect in units of sigma, on the quantity's scale."""
    moved = to_scale(cell.subject, quantiles) + effect * sigma(cell.subject, scales)
    return [float(value) for value in from_scale(cell.subject, moved)]


def _scene(corpus: Corpus, query: Query) -> Scene:
    return Scene(
        corpus,
        query.world,
        corpus.point(query.world, query.turn),
        query.setting,
        query.ablation,
        protocol=query.protocol,
    )
