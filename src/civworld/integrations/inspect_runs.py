# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks a model the queries of folders through inspect_ai; goes on where it stopped (extra `eval`).

    NAME.jsonl       the answers, for `civworld score`
    NAME.run.json    configuration and identity, corpora and builds, tokens and price, what was not answered
    logs/NAME/       inspect's own logs

A query that is in a log with an answer is never asked again; one that failed is asked again by the next run.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai import Task
    from inspect_ai import eval as run_eval
    from inspect_ai.log import EvalSample, read_eval_log
    from inspect_ai.model import GenerateConfig, Model, ModelUsage, get_model

from civworld._engine import build_info
from civworld.civworldbench.asking.protocols import CODE, FREE
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.folders import sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.civworldbench.folders.lines import read_json, write_text
from civworld.civworldbench.folders.provenance import of_queries, run_path
from civworld.civworldbench.folders.runs import RunConfig, Tokens, estimate
from civworld.errors import ArgumentError
from civworld.integrations.inspect_civworldbench import bench_scorer, query_task


@dataclass(frozen=True)
class RunReport:
    """What a run did.

    Attributes:
        answers: the answer file.
        asked: queries that were asked now.
        kept: queries that were answered before.
        unanswered: id of a query -> why it has no answer.
        tokens: of all runs into this folder under this name.
        dollars: what they cost; None without a price.
    """

    answers: Path
    asked: int
    kept: int
    unanswered: Mapping[str, str]
    tokens: Tokens
    dollars: float | None


def query_folders(paths: Sequence[Path]) -> list[Path]:
    """The query folders among paths, each a query folder itself or the folder of an experiment.

    Raises:
        ArgumentError: a path is neither.
    """
    found: list[Path] = []
    for path in paths:
        below = sorted(p.parent for p in path.glob(f"queries/*/*/{sets.QUERIES}") if p.parent.name[0] != ".")
        if not below and not (path / sets.QUERIES).exists():
            raise ArgumentError(f"{path}: neither a query folder nor an experiment with some")
        found += below or [path]
    return found


def run_model(config: RunConfig, queries: Sequence[Path], out: Path, *, display: str | None = None) -> RunReport:
    """Ask a model every query that it has not answered yet, and write its answers and the record of the run.

    Args:
        config: how to ask.
        queries: query folders.
        out: folder of answers and logs.
        display: how inspect_ai shows progress; None for its own choice.

    Raises:
        ArgumentError: the folder holds answers of another configuration, or to other queries.
    """
    loaded = {str(folder): sets.load(folder) for folder in queries}
    answers, logs = out / f"{config.name}.jsonl", out / "logs" / config.name
    about = _same_run(config, run_path(answers), {folder: of_queries(folder) for folder in loaded})
    asked = {name: query for found in loaded.values() for name, query in found.queries.items()}
    expected = asdict(estimate(config, asked.values()))
    record: dict[str, Any] = {
        "name": config.name,
        "identity": config.identity,
        "configuration": config.to_dict(),
        "queries": about,
    }
    record |= {"software": _software(), "estimate": expected}
    logs.mkdir(parents=True, exist_ok=True)
    write_text(run_path(answers), json.dumps(record, indent=1) + "\n")
    before = _Logged.of(logs, config)
    tasks = [task for found in loaded.values() for task in _tasks(found, before.answers)]
    if tasks:
        _ask(config, tasks, logs, display)
    done = _Logged.of(logs, config) if tasks else before
    write_answers(answers, done.answers)
    given = [name for name in asked if name in done.answers]
    unanswered = {name: done.errors.get(name, "not asked") for name in asked if name not in done.answers}
    dollars = None if config.price is None else config.price.of(done.tokens)
    stops = Counter(done.stops[name] for name in given)
    record |= {"asked": len(asked), "answered": len(given), "unanswered": unanswered, "stopped": dict(stops)}
    record |= {"tokens": asdict(done.tokens), "dollars": dollars}
    write_text(run_path(answers), json.dumps(record, indent=1) + "\n")
    kept = sum(name in before.answers for name in asked)
    return RunReport(answers, len(asked) - kept, kept, unanswered, done.tokens, dollars)


def _software() -> dict[str, str]:
    return {
        "civworld": metadata.version("civworld"),
        "engine_build": build_info().build_id,
        "inspect_ai": metadata.version("inspect_ai"),
    }


def _same_run(config: RunConfig, path: Path, about: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The query folders of the run so far. Answers of two configurations, or to two texts of a query, do not mix."""
    if not path.exists():
        return dict(about)
    held = read_json(path)
    if held["identity"] != config.identity:
        raise ArgumentError(
            f"{path}: holds a run of {held['configuration']['model']} with identity {held['identity']}; this "
            f"configuration has {config.identity}: give it a name or a folder of its own"
        )
    for folder, told in about.items():
        before = held["queries"].get(folder)
        if before is not None and before["queries"] != told["queries"]:
            raise ArgumentError(
                f"{path}: {folder} has other queries now than those that were answered; use a new folder"
            )
    return {**held["queries"], **about}


def _tasks(queries: QuerySet, answered: Mapping[str, str]) -> Iterable[Task]:
    """A task for each setting, variant and protocol with queries that have no answer yet."""
    left: dict[tuple[str, str, str], list[str]] = {}
    for name, query in queries.queries.items():
        if name not in answered:
            left.setdefault((query.setting, query.ablation, query.protocol), []).append(name)
    for (setting, ablation, protocol), names in left.items():
        name = f"civworld-{setting}-{ablation or 'whole'}"
        # programs are run when they are scored, not while they are asked for
        scorer = None if protocol == CODE else bench_scorer()
        yield query_task(queries, names, name if protocol == FREE else f"{name}-{protocol}", scorer=scorer)


def _ask(config: RunConfig, tasks: list[Task], logs: Path, display: str | None) -> None:
    # a sample whose request failed for good stays without an answer; the others go on
    run_eval(
        tasks,
        model=_model(config),
        log_dir=str(logs),
        log_format="eval",
        metadata={"civworld_run": config.identity},
        display=display,  # type: ignore[arg-type]
        score_display=False,
        fail_on_error=False,
        retry_on_error=min(config.retries, 1),
        log_images=False,
    )


def _model(config: RunConfig) -> Model:
    chosen: dict[str, Any] = {
        "max_retries": config.retries,
        "attempt_timeout": config.timeout,
        "max_connections": config.connections,
    }
    if config.effort:
        chosen["reasoning_effort"] = config.effort
    if config.max_tokens:
        chosen["max_tokens"] = config.max_tokens
    chosen |= {key: value for key in ("temperature", "seed") if (value := getattr(config, key)) is not None}
    return get_model(config.model, base_url=config.base_url or None, config=GenerateConfig(**chosen), memoize=False)


@dataclass(frozen=True)
class _Logged:
    """What the logs of a run hold: answers, why each ended, errors of what has no answer, all tokens used."""

    answers: dict[str, str]
    stops: dict[str, str]
    errors: dict[str, str]
    tokens: Tokens

    @classmethod
    def of(cls, logs: Path, config: RunConfig) -> _Logged:
        found = cls({}, {}, {}, Tokens())
        for path in sorted(logs.glob("*.eval")):
            log = read_eval_log(str(path))
            if (log.eval.metadata or {}).get("civworld_run") != config.identity:
                raise ArgumentError(f"{path}: a log of another run; {logs} is for {config.name} alone")
            for sample in log.samples or ():
                found = found._with(sample)
        return found

    def _with(self, sample: EvalSample) -> _Logged:
        name = str(sample.id)
        used = sum((_tokens(usage) for usage in sample.model_usage.values()), Tokens())
        if sample.error is not None:
            self.errors[name] = sample.error.message.strip().splitlines()[-1][:200]
        elif sample.output.choices and name not in self.answers:
            self.answers[name] = sample.output.completion
            self.stops[name] = str(sample.output.stop_reason)
        return replace(self, tokens=self.tokens + used)


def _tokens(usage: ModelUsage) -> Tokens:
    written = usage.input_tokens_cache_write or 0
    cached, reasoning = usage.input_tokens_cache_read or 0, usage.reasoning_tokens or 0
    return Tokens(usage.input_tokens + written, usage.output_tokens, cached, reasoning)
