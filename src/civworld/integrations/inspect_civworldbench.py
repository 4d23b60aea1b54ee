# SPDX-License-Identifier: GPL-2.0-or-later
"""CivWorldBench in inspect_ai: a sample per query, scores as `civworld score` gives them (extra `eval`)."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Sequence
from typing import Any

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalLog, read_eval_log
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.answering.predictors import Predictor, oracle, reference
from civworld.civworldbench.asking.query import SETTINGS, QuerySet
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.folders import sets
from civworld.errors import UnknownNameError

PREDICTORS = {"reference": reference, "oracle": oracle}
"""Forecasters that need nothing but the query set, for runs without a model."""


@functools.lru_cache(maxsize=8)
def load_queries(folder: str) -> QuerySet:
    """The query set in a folder, read once."""
    return sets.load(folder)


def bench_task(names: Sequence[str], queries: str, setting: str, ablation: str, predictor: str) -> Task:
    """The task that asks a query set's queries of some tasks in one setting.

    Args:
        names: versioned names of tasks.
        queries: folder that `QuerySet.save` wrote.
        setting: `omni-id`, `ego` or `omni-ood`.
        ablation: variant of the prompts.
        predictor: a key of `PREDICTORS` to run without a model, else empty.
    """
    if setting not in SETTINGS:
        raise UnknownNameError("setting", setting, SETTINGS)
    found = load_queries(os.path.abspath(queries))
    common = {"queries": os.path.abspath(queries), "setting": setting, "ablation": ablation}
    samples = [
        Sample(input=q.prompt, id=q.id, metadata={**common, "task": q.task})
        for q in found.queries.values()
        if q.task in names and q.setting == setting and q.ablation == ablation
    ]
    answering = scripted(predictor) if predictor else generate()
    return Task(dataset=samples, solver=answering, scorer=bench_scorer(), version=0)


@solver
def scripted(predictor: str) -> Solver:
    """Answers without a model: one of `PREDICTORS`."""
    if predictor not in PREDICTORS:
        raise UnknownNameError("predictor", predictor, PREDICTORS)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        queries = load_queries(state.metadata["queries"])
        answering: Predictor = PREDICTORS[predictor](queries)
        text = answering(queries.queries[str(state.sample_id)])
        state.output = ModelOutput.from_content(f"scripted/{predictor}", text)
        return state

    return solve


@metric
def bench_metrics() -> Metric:
    """The raw metrics of all samples together; not a number where one is undefined or not asked."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        if not scores:
            return dict.fromkeys(METRICS, math.nan)
        about: dict[str, Any] = dict(scores[0].score.metadata or {})
        queries = load_queries(about["queries"])
        asked = {str(s.sample_id) for s in scores}
        chosen = QuerySet(
            {name: q for name, q in queries.queries.items() if name in asked},
            {name: queries.targets[name] for name in asked},
            queries.scales,
        )
        answers = {str(s.sample_id): s.score.answer or "" for s in scores}
        raw = evaluate(chosen, answers, about["setting"], ablation=about["ablation"]).raw
        return {name: math.nan if raw[name] is None else float(raw[name] or 0.0) for name in METRICS}

    return compute


@scorer(metrics=[bench_metrics()])
def bench_scorer() -> Scorer:
    """Share of a query's cells that have a usable answer; the failures are in the metadata."""

    async def scored(state: TaskState, target: Target) -> Score:
        query = load_queries(state.metadata["queries"]).queries[str(state.sample_id)]
        text = state.output.completion
        read = parse(query, text)
        about = {key: state.metadata[key] for key in ("queries", "setting", "ablation")}
        return Score(
            value=len(read.values) / len(query.cells), answer=text, metadata={**about, "failures": dict(read.counts)}
        )

    return scored


def answers_of(log: EvalLog | str | os.PathLike[str]) -> dict[str, str]:
    """Query id -> text of the answer in an inspect log, as `civworld score` takes them."""
    if not isinstance(log, EvalLog):
        log = read_eval_log(os.fspath(log))
    return {
        str(sample.id): score.answer or "" for sample in log.samples or () for score in (sample.scores or {}).values()
    }
