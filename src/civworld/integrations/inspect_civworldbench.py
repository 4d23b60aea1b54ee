# SPDX-License-Identifier: GPL-2.0-or-later
"""CivWorldBench in inspect_ai: a sample per query, scores as `civworld score` gives them (extra `eval`).

A sample's metadata holds its query without the prompt, its targets and the scales: a log can be scored again
anywhere, without the folder that the queries came from.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
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
from civworld.civworldbench.answering.predictors import Predictor, as_asked, oracle, reference
from civworld.civworldbench.answering.predictors import scripted as texts_of
from civworld.civworldbench.answering.references import REFERENCES, SOLVERS
from civworld.civworldbench.asking.build import task_name
from civworld.civworldbench.asking.protocols import CODE, FREE
from civworld.civworldbench.asking.query import SETTINGS, Query, QuerySet
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.evaluating.metrics import ALL, METRICS
from civworld.civworldbench.folders import sets
from civworld.civworldbench.folders.answers import read_answers
from civworld.civworldbench.folders.running import ANSWERS
from civworld.errors import ArgumentError, UnknownNameError
from civworld.integrations.epochs import EPOCH, averaged, by_epoch
from civworld.integrations.inspect_programs import run_program

RAN = "ran"
"""Where a score's metadata holds what came of a program."""
COMPUTED = {"floor": reference, "oracle": oracle}
"""Forecasters that need nothing but the query set."""
PREDICTORS = tuple(dict.fromkeys((*REFERENCES, *SOLVERS)))
"""Forecasters that answer without a model; all but those of `COMPUTED` from the answers beside the queries."""


def load_queries(folder: str) -> QuerySet:
    """The query set in a folder, read again only when its files have changed."""
    return _loaded(folder, (Path(folder) / sets.QUERIES).stat().st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _loaded(folder: str, changed: int) -> QuerySet:
    return sets.load(folder)


def bench_task(
    names: Sequence[str],
    queries: str,
    setting: str,
    ablation: str,
    predictor: str,
    protocol: str = FREE,
    *,
    unsafe: bool = False,
) -> Task:
    """The task that asks a query set's queries of some tasks in one setting.

    Args:
        names: names of tasks, with or without version.
        queries: folder that `civworld queries` wrote.
        setting: `omni-id`, `ego` or `omni-ood`.
        ablation: variant of the prompts.
        predictor: one of `PREDICTORS` to run without a model, else empty.
        protocol: how the queries are to be answered.
        unsafe: run programs without walls, see `civworld.sandbox`.
    """
    if setting not in SETTINGS:
        raise UnknownNameError("setting", setting, SETTINGS)
    if predictor and predictor not in PREDICTORS:
        raise UnknownNameError("predictor", predictor, PREDICTORS)
    folder, asked = os.path.abspath(queries), [task_name(name) for name in names]
    found = load_queries(folder)
    chosen = found.part(setting, ablation, protocol).queries
    wanted = [q.id for q in chosen.values() if q.task in asked]
    if not wanted:
        raise ArgumentError(
            f"{folder} holds no query of {asked} in setting {setting!r} with ablation {ablation!r} and protocol "
            f"{protocol!r}"
        )
    solver = scripted(predictor, folder) if predictor else None
    return query_task(found, wanted, solver=solver, scorer=bench_scorer(unsafe))


def query_task(
    queries: QuerySet,
    wanted: Sequence[str],
    name: str | None = None,
    solver: Solver | None = None,
    scorer: Scorer | None = None,
) -> Task:
    """The task that asks some queries of a set.

    Args:
        queries: the set.
        wanted: ids of the queries to ask.
        name: of the task in logs; None takes the calling task's.
        solver: what answers; None asks the model once.
        scorer: what scores; None only keeps the answers.
    """
    asked = (queries.queries[query] for query in wanted)
    samples = [Sample(input=q.prompt, id=q.id, metadata=_metadata(queries, q)) for q in asked]
    return Task(dataset=samples, solver=solver or generate(), scorer=scorer, version=1, name=name)


def _metadata(queries: QuerySet, query: Query) -> dict[str, Any]:
    """What scoring needs of a query; the prompt is the sample's input."""
    subjects = {cell.subject for cell in query.cells}
    row = {key: value for key, value in sets.query_row(query).items() if key not in ("prompt", "schema")}
    targets = sets.target_row(queries.targets[query.id])
    return {"query": row, "targets": targets, "scales": {k: v for k, v in queries.scales.items() if k in subjects}}


def _query(metadata: Mapping[str, Any]) -> Query:
    if "query" not in metadata:
        raise ArgumentError("the log is of a version that kept its queries in a folder; evaluate again")
    return sets.read_query({**metadata["query"], "prompt": ""})


@solver
def scripted(predictor: str, queries: str) -> Solver:
    """Answers without a model: one of `PREDICTORS`, for the queries in a folder."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answering = _predictor(predictor, queries, (Path(queries) / sets.QUERIES).stat().st_mtime_ns)
        query = load_queries(queries).queries[str(state.sample_id)]
        text = as_asked(query, answering(query))
        state.output = ModelOutput.from_content(f"scripted/{predictor}", text)
        return state

    return solve


@functools.lru_cache(maxsize=8)
def _predictor(name: str, folder: str, changed: int) -> Predictor:
    if name in COMPUTED:
        return COMPUTED[name](load_queries(folder))
    path = Path(folder) / ANSWERS / f"{name}.jsonl"
    if not path.exists():
        raise ArgumentError(f"predictor {name!r}: {path} does not exist; `civworld queries` writes it")
    return texts_of(read_answers(path))


@metric(scores="unreduced")
def bench_metrics() -> Metric:
    """The raw metrics of all samples of an epoch together, averaged over epochs; not a number where undefined.

    With two or more epochs `METRIC_spread` is their standard deviation. Edited branches whose control was not asked
    (`--limit`, or not answered yet) are left out and counted as `left_out`.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        found: dict[str, list[float]] = {name: [] for name in METRICS}
        stepwise = [name for name, metric in ALL.items() if metric.stepwise]
        left_out = 0
        for part in by_epoch(scores).values():
            raw, without_control = _measured(part)
            left_out = max(left_out, without_control)
            for name in (*METRICS, *stepwise):
                value = raw.get(name)
                if value is not None:
                    found.setdefault(name, []).append(value)
        shown: dict[str, float] = {}
        for name, values in found.items():
            over = averaged(values) if values else {"mean": math.nan}
            shown[name] = over["mean"]
            if "spread" in over:
                shown[f"{name}_spread"] = over["spread"]
        return shown | ({"left_out": float(left_out)} if left_out else {})

    return compute


def _measured(scores: Sequence[SampleScore]) -> tuple[dict[str, float | None], int]:
    """Raw metrics of one epoch, and how many edited branches have no control in it."""
    pairs, scales, answers = [], {}, {}
    for one in scores:
        about = one.sample_metadata or {}
        query, text = _query(about), one.score.answer
        if text is None:
            raise ArgumentError(f"{query.id}: the log holds no answer to score")
        pairs.append((query, sets.read_targets(about["targets"])))
        scales.update(about["scales"])
        answers[query.id] = (one.score.metadata or {}).get(RAN, text)
    kept = [(q, t) for q, t in pairs if not q.control or q.control in answers]
    if not kept:
        return {}, len(pairs)
    chosen = QuerySet.of(kept, scales)
    first = kept[0][0]
    read = {name: text for name, text in answers.items() if name in chosen.queries}
    found = evaluate(chosen, read, first.setting, ablation=first.ablation, protocol=first.protocol)
    return dict(found.raw), len(pairs) - len(kept)


@scorer(metrics=[bench_metrics()])
def bench_scorer(unsafe: bool = False) -> Scorer:
    """Share of a query's cells that have a usable answer; the failures are in the metadata.

    Programs run in the sample's sandbox where it has one (docker), else in civworld's own.

    Args:
        unsafe: run programs without walls, see `civworld.sandbox`; also in a sandbox of inspect that is none.
    """

    async def scored(state: TaskState, target: Target) -> Score:
        query, text = _query(state.metadata), state.output.completion
        about: dict[str, Any] = {EPOCH: state.epoch}
        ran = text
        if query.protocol == CODE:
            ran = about[RAN] = await run_program(query, text, unsafe=unsafe)
        read = parse(query, ran)
        about["failures"] = dict(read.counts)
        return Score(value=len(read.values) / len(query.cells), answer=text, metadata=about)

    return scored


Log = EvalLog | str | os.PathLike[str]


def answers_of(*logs: Log, epoch: int = 1) -> dict[str, str]:
    """Query id -> text of the answer in an epoch of inspect logs, as `civworld score` takes them.

    Several logs of one run (a retry, or parts) are put together.

    Raises:
        ArgumentError: a sample of the epoch holds no answer, or two logs answer a query differently.
    """
    found: dict[str, str] = {}
    for log in logs:
        for name, number, text in _answered(log):
            if number != epoch:
                continue
            if text is None:
                raise ArgumentError(f"query {name!r}, epoch {epoch}: the log holds no answer")
            if found.setdefault(name, text) != text:
                raise ArgumentError(f"query {name!r}, epoch {epoch}: two logs hold different answers")
    return found


def epochs_of(*logs: Log) -> tuple[int, ...]:
    """The numbers of the epochs that logs hold."""
    return tuple(sorted({number for log in logs for _, number, _ in _answered(log)}))


def _answered(log: Log) -> Iterable[tuple[str, int, str | None]]:
    found = log if isinstance(log, EvalLog) else read_eval_log(os.fspath(log))
    for sample in found.samples or ():
        for score in (sample.scores or {}).values():
            yield str(sample.id), sample.epoch, score.answer
