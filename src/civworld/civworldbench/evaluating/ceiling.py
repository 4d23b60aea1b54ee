# SPDX-License-Identifier: GPL-2.0-or-later
"""The best that can be known without the coming draws: re-seeded futures of the exact decision point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from civworld.civworldbench import scoring
from civworld.civworldbench.answering.futures import Known, shifted
from civworld.civworldbench.answering.observer import Lessons, observer
from civworld.civworldbench.answering.predictors import Predictor, as_text
from civworld.civworldbench.asking import quantity
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.protocols import FREE
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.evaluate import Evaluation, evaluate
from civworld.civworldbench.evaluating.metrics import METRICS, measured
from civworld.corpus import Corpus
from civworld.errors import ArgumentError


def ceilings(
    corpus: Corpus,
    queries: QuerySet,
    setting: str,
    lessons: Lessons | None = None,
    *,
    ablation: str = "",
    protocol: str = FREE,
) -> dict[str, float | None]:
    """Raw score of the best that can be known, by metric, those beside the index included.

    Quantity, Event, Capture and Direction: each future is forecast from all others, and scores are averaged over
    the futures (leave-one-out). Trait and Rules: the privileged observer after these lessons, see `observer`.
    Specificity: 1, by its definition.

    Args:
        corpus: where the worlds are recorded.
        queries: the set.
        setting: which of its settings.
        lessons: what the observer has learnt.
        ablation: which of its variants; what can be known does not depend on it.
        protocol: which protocol.

    Raises:
        ArgumentError: the corpus holds fewer than two futures of a decision point.
    """
    chosen = queries.part(setting, ablation, protocol)
    known = Known.of(corpus, chosen)
    folds = {
        "observer": [
            evaluate(
                chosen,
                _numbers(observer(corpus, chosen, lessons), chosen),
                setting,
                ablation=ablation,
                protocol=protocol,
            )
        ],
        "futures": future_folds(chosen, known, setting),
        "pairs": paired_folds(chosen, known, setting),
    }
    found: dict[str, float | None] = {}
    for name, metric in measured(protocol).items():
        if metric.ceiling == "definition":
            found[name] = 1.0
            continue
        values = [fold.raw[name] for fold in folds[metric.ceiling]]
        defined = [value for value in values if value is not None]
        found[name] = sum(defined) / len(defined) if defined else None
    return {**{name: found[name] for name in METRICS}, **found}


def future_folds(queries: QuerySet, known: Known, setting: str) -> list[Evaluation]:
    """For each future, the evaluation of what all others make together as its forecast: Quantity and Event."""
    count = _count(known.forward.values())
    kept = {name: queries.queries[name] for name in known.forward}
    forecasts = {
        name: {c.id: c.row.folds(c.options, members[c.id]) for c in kept[name].cells}
        for name, members in known.forward.items()
    }
    found = []
    for k in range(count):
        targets = {
            name: {c.id: Target(members[c.id][k], queries.targets[name][c.id].reference) for c in kept[name].cells}
            for name, members in known.forward.items()
        }
        answers = {
            name: as_text({cell: folds[k] for cell, folds in cells.items()}) for name, cells in forecasts.items()
        }
        found.append(_evaluated(QuerySet(kept, targets, queries.scales), answers, setting))
    return found


def paired_folds(queries: QuerySet, known: Known, setting: str) -> list[Evaluation]:
    """For each paired rollout, the evaluation of the others' mean effect as its forecast: Capture and Direction.

    Every operator brings a control of its own seeds, so each edited query gets a control query of its own.

    Args:
        queries: queries of one setting alone.
        known: what the corpus knows of them.
        setting: the setting.
    """
    count = _count(arms["control"] for arms in known.paired.values())
    return [_paired_fold(queries, known, k, setting) for k in range(count)]


def _paired_fold(queries: QuerySet, known: Known, k: int, setting: str) -> Evaluation:
    """Paired rollout k as what happened, its effect forecast as the mean of the others."""
    kept, targets, answers = {}, {}, {}
    for name, arms in known.paired.items():
        query = queries.queries[name]
        base = f"{name}/control"
        kept[base] = replace(query, id=base, task=quantity.NAME, arm="", operator="", control="")
        kept[name] = replace(query, control=base)
        control, edited = arms["control"], arms[query.arm]
        targets[base] = {c.id: Target(control[c.id][k], control[c.id][k]) for c in query.cells}
        targets[name] = {c.id: Target(edited[c.id][k], queries.targets[name][c.id].reference) for c in query.cells}
        point = {c.id: [control[c.id][k]] * len(scoring.TAUS) for c in query.cells}
        effect = {c.id: float(scoring.leave_one_out_mean(known.effects(query, c))[k]) for c in query.cells}
        answers[base] = as_text(point)
        answers[name] = as_text({c.id: shifted(c, point[c.id], effect[c.id], known.scales) for c in query.cells})
    return _evaluated(QuerySet(kept, targets, queries.scales), answers, setting)


def _evaluated(queries: QuerySet, answers: Mapping[str, str], setting: str) -> Evaluation:
    one = next(iter(queries.queries.values()))
    return evaluate(queries, answers, setting, ablation=one.ablation, protocol=one.protocol)


def _numbers(predictor: Predictor, queries: QuerySet) -> dict[str, str]:
    """A predictor's answers in numbers, whatever the protocol."""
    return {name: predictor(query) for name, query in queries.queries.items()}


def _count(members: Any) -> int:
    """How many futures all cells have; 0 without a cell."""
    sizes = {len(values) for cells in members for values in cells.values()}
    if len(sizes) > 1 or min(sizes, default=2) < 2:
        raise ArgumentError(
            f"ceilings: decision points with {sorted(sizes)} futures; equally many, 2 or more, are needed"
        )
    return sizes.pop() if sizes else 0
