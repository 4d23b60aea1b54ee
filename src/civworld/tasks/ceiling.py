# SPDX-License-Identifier: GPL-2.0-or-later
"""The best that can be known without the coming draws: re-seeded futures of the exact decision point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from civworld import scoring
from civworld.corpus import Corpus, Track
from civworld.errors import ArgumentError
from civworld.tasks import event, intervene, quantity
from civworld.tasks.evaluate import METRICS, Evaluation, evaluate
from civworld.tasks.forecasts import from_scale, sigma, to_scale
from civworld.tasks.observer import Lessons, observer
from civworld.tasks.predictors import Predictor, answer_all, as_text
from civworld.tasks.query import Cell, Query, QuerySet, Target
from civworld.tasks.scene import Scene
from civworld.tasks.templates import futures

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
            return as_text({c.id: _ensemble(c, known.forward[query.id][c.id]) for c in query.cells})
        if query.arm:
            control = known.forward[query.control]
            return as_text(
                {c.id: _shift(c, _ensemble(c, control[c.id]), known.mean(query, c), known.scales) for c in query.cells}
            )
        return beliefs(query)

    return predict


def ceilings(
    corpus: Corpus, queries: QuerySet, setting: str, lessons: Lessons | None = None
) -> dict[str, float | None]:
    """Raw score of the best that can be known, by metric.

    Quantity, Event, Capture and Direction: each future is forecast from all others, and scores are averaged over
    the futures (leave-one-out). Trait and Rules: the privileged observer after these lessons, see `observer`.
    Specificity: 1, by its definition.

    Raises:
        ArgumentError: the corpus holds fewer than two futures of a decision point.
    """
    kept = {name: query for name, query in queries.queries.items() if query.setting == setting}
    chosen = QuerySet(kept, {name: queries.targets[name] for name in kept}, queries.scales)
    known = Known.of(corpus, chosen)
    beliefs = evaluate(chosen, answer_all(observer(corpus, chosen, lessons), chosen), setting).raw
    found: dict[str, float | None] = {"specificity": 1.0, "trait": beliefs["trait"], "rules": beliefs["rules"]}
    forward = [_forward_fold(chosen, known, k, setting) for k in range(_count(known.forward.values()))]
    paired = paired_folds(chosen, known, setting)
    for names, folds in ((("quantity", "event"), forward), (("capture", "direction"), paired)):
        for name in names:
            values = [fold.raw[name] for fold in folds]
            defined = [value for value in values if value is not None]
            found[name] = sum(defined) / len(defined) if defined else None
    return {name: found[name] for name in METRICS}


def paired_folds(queries: QuerySet, known: Known, setting: str) -> list[Evaluation]:
    """For each paired rollout, the evaluation of the others' mean effect as its forecast: Capture and Direction.

    Args:
        queries: queries of one setting alone.
        known: what the corpus knows of them.
        setting: the setting.
    """
    count = _count(arms["control"] for arms in known.paired.values())
    return [_paired_fold(queries, known, k, setting) for k in range(count)]


def _count(members: Any) -> int:
    """How many futures all cells have; 0 without a cell."""
    sizes = {len(values) for cells in members for values in cells.values()}
    if len(sizes) > 1 or min(sizes, default=2) < 2:
        raise ArgumentError(
            f"ceilings: decision points with {sorted(sizes)} futures; equally many, 2 or more, are needed"
        )
    return sizes.pop() if sizes else 0


def _forward_fold(queries: QuerySet, known: Known, k: int, setting: str) -> Evaluation:
    """Future k as the outcome, forecast from the others."""
    kept, targets, answers = {}, {}, {}
    for name, members in known.forward.items():
        query = queries.queries[name]
        kept[name] = query
        targets[name] = {c.id: Target(members[c.id][k], queries.targets[name][c.id].reference) for c in query.cells}
        answers[name] = as_text({c.id: _ensemble(c, _without(members[c.id], k)) for c in query.cells})
    return evaluate(QuerySet(kept, targets, queries.scales), answers, setting)


def _paired_fold(queries: QuerySet, known: Known, k: int, setting: str) -> Evaluation:
    """Paired rollout k as what happened, its effect forecast as the mean of the others.

    Every operator brings a control of its own seeds, so each edited query gets a control query of its own.
    """
    kept, targets, answers = {}, {}, {}
    for name, arms in known.paired.items():
        query = queries.queries[name]
        base = f"{name}/control"
        plain = {"arm": "", "operator": "", "control": "", "task": quantity.NAME, "id": base}
        kept[base] = Query(**{**query.__dict__, **plain})
        kept[name] = Query(**{**query.__dict__, "control": base})
        control, edited = arms["control"], arms[query.arm]
        targets[base] = {c.id: Target(control[c.id][k], control[c.id][k]) for c in query.cells}
        targets[name] = {c.id: Target(edited[c.id][k]) for c in query.cells}
        point = {c.id: [control[c.id][k]] * len(scoring.TAUS) for c in query.cells}
        answers[base] = as_text(point)
        answers[name] = as_text(
            {
                c.id: _shift(c, point[c.id], float(np.mean(_without(known.effects(query, c), k))), known.scales)
                for c in query.cells
            }
        )
    return evaluate(QuerySet(kept, targets, queries.scales), answers, setting)


def _without(values: Sequence[Any], k: int) -> list[Any]:
    return [value for number, value in enumerate(values) if number != k]


def _quantities(query: Query, tracks: Sequence[Track]) -> dict[str, list[Any]]:
    return {c.id: [quantity.outcome(track, c, query.turn) for track in tracks] for c in query.cells}


def _ensemble(cell: Cell, members: Sequence[Any]) -> Any:
    """The forecast that members make together."""
    if cell.kind == "quantiles":
        return scoring.ensemble_quantiles(np.array(members, np.float64), scoring.TAUS).tolist()
    if cell.kind == "probability":
        return float(np.mean(members))
    return {name: members.count(name) / len(members) for name in cell.options}


def _shift(cell: Cell, quantiles: Sequence[float], effect: float, scales: Mapping[str, float]) -> list[float]:
    """Quantiles moved by an effect in units of sigma, on the quantity's scale."""
    moved = to_scale(cell.subject, quantiles) + effect * sigma(cell.subject, scales)
    return cast(list[float], from_scale(cell.subject, moved).tolist())


def _scene(corpus: Corpus, query: Query) -> Scene:
    return Scene(corpus, query.world, corpus.point(query.world, query.turn), query.setting, query.ablation)
