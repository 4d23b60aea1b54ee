# SPDX-License-Identifier: GPL-2.0-or-later
"""From a corpus folder to a query folder, and from answer files to a leaderboard: what the command line does."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from civworld import corpus as corpora
from civworld.civworldbench.answering.observer import BELIEFS, Lessons
from civworld.civworldbench.answering.predictors import answer_all
from civworld.civworldbench.answering.programs import run_programs
from civworld.civworldbench.answering.references import SOLVERS, reference_predictors
from civworld.civworldbench.asking.anchors import Anchor, select
from civworld.civworldbench.asking.build import USUAL, query_set
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.protocols import FREE, PROTOCOLS
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.ceiling import ceilings
from civworld.civworldbench.evaluating.evaluate import Evaluation, evaluate
from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.folders import sets
from civworld.civworldbench.folders.anchors import ANCHORS, write_anchors
from civworld.civworldbench.folders.answers import read_answers, write_answers
from civworld.civworldbench.folders.lines import Path_, read_json
from civworld.civworldbench.folders.provenance import of_answers, of_queries, write_provenance
from civworld.civworldbench.reporting.compare import Comparison, compare
from civworld.civworldbench.reporting.leaderboard import Ceilings, Leaderboard, leaderboard
from civworld.civworldbench.reporting.process import Process, process
from civworld.errors import ArgumentError

CEILINGS = "ceilings.json"
ANSWERS = "answers"
SEED = 20260101
"""Of the intervals' resampling, so that the same answers give the same table."""


@dataclass(frozen=True)
class Scored:
    """Forecasters with their evaluations and their table.

    Attributes:
        evaluations: forecaster -> setting -> evaluation.
        board: the table.
        provenance: what the queries and answers come from, as plain values.
        process: what the way to the answers tells; None where none was asked for.
    """

    evaluations: Mapping[str, Mapping[str, Evaluation]]
    board: Leaderboard
    provenance: Mapping[str, Any]
    process: Process | None = None


def write_queries(
    corpus: Path_,
    out: Path_,
    *,
    practice: Path_ | None = None,
    tasks: Sequence[str] = USUAL,
    settings: Sequence[str] | None = None,
    ablation: str = "",
    notes: str = "",
    references: bool = True,
    anchors: int | Sequence[Anchor] = 0,
    protocol: str = FREE,
    solvers: bool = False,
) -> QuerySet:
    """Make the query set of a corpus and write it to a folder.

    Args:
        corpus: folder of a built corpus.
        out: folder to write; holds `queries.jsonl` for forecasters, and apart from it `targets.jsonl`,
            `scales.json`, `ceilings.json` and, in `answers/`, what the references answer.
        practice: folder of a disjoint corpus that gives base rates, scales, and lessons in hidden values; None takes
            for each world the other worlds of the corpus.
        tasks: names of tasks.
        settings: None takes those of the suite.
        ablation: variant of the prompts.
        notes: study notes, for the ablation `study_notes`.
        references: also measure ceilings and write the references' answers.
        anchors: ask about these decision points, or about so many, drawn by strata (`anchors.json` says which); 0
            for all.
        protocol: how queries are to be answered; others than `free` leave out tasks that ask for no quantities.
        solvers: among the references also write the scripted solvers that protocols are compared with.

    Raises:
        ArgumentError: none of the anchors is in the corpus.
    """
    opened = corpora.open(corpus)
    others = opened if practice is None else corpora.open(practice)
    drawn = (select([opened], anchors) if isinstance(anchors, int) else tuple(anchors)) if anchors else None
    if drawn is not None and not any(anchor.suite == opened.suite for anchor in drawn):
        raise ArgumentError(f"{os.fspath(corpus)}: none of {len(drawn)} anchors is in suite {opened.suite}")
    queries = query_set(
        opened,
        Calibration.of(others),
        tasks=tasks,
        settings=settings,
        ablation=ablation,
        notes=notes,
        anchors=drawn,
        protocol=protocol,
    )
    sets.save(queries, out)
    write_provenance(
        out, corpus, practice, tasks=list(tasks), settings=settings and list(settings), ablation=ablation,
        anchors=len(drawn or ()), **({} if protocol == FREE else {"protocol": protocol}),
    )  # fmt: skip
    if drawn is not None:
        write_anchors(Path(out) / ANCHORS, drawn)
    if references:
        asked = sorted({q.setting for q in queries.queries.values()})
        # reading all of a large practice corpus takes longer than everything else here: only for who asks of beliefs
        lessons = Lessons.of(others) if any(q.task in BELIEFS for q in queries.queries.values()) else Lessons({})
        found = {
            setting: ceilings(opened, queries, setting, lessons, ablation=ablation, protocol=protocol)
            for setting in asked
        }
        where = Path(out)
        (where / CEILINGS).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        (where / ANSWERS).mkdir(exist_ok=True)
        predictors = reference_predictors(opened, queries, lessons)
        if solvers:
            predictors |= {name: make(opened, queries, others) for name, make in SOLVERS.items()}
        for name, predictor in predictors.items():
            write_answers(where / ANSWERS / f"{name}.jsonl", answer_all(predictor, queries))
    return queries


def score_files(
    answers: Sequence[Path_],
    queries: Path_,
    *,
    ablation: str | None = None,
    protocol: str | None = None,
    unsafe: bool = False,
    n_resamples: int = 1000,
    measured_on: str = "published",
) -> Scored:
    """Scores of answer files, each a forecaster named after its file.

    Args:
        answers: files as `write_answers` writes them.
        queries: folder that `write_queries` wrote; without ceilings there are scores, but no completion and no index.
        ablation: which variant of the prompts they answer; None takes the only one in the set.
        protocol: which protocol they answer by; None takes the only one in the set.
        unsafe: run programs without walls, see `civworld.sandbox`.
        n_resamples: resamples of worlds for the intervals.
        measured_on: which ceilings to use, see `leaderboard`.

    Raises:
        ArgumentError: the set holds several variants and none is named, or two files have one name.
    """
    names = [Path(path).name.removesuffix(".jsonl") for path in answers]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ArgumentError(f"two answer files are named {twice[0]!r}; a forecaster is called after its file")
    found = sets.load(queries)
    ablation = _only(found, queries, "ablation") if ablation is None else ablation
    protocol = _only(found, queries, "protocol") if protocol is None else protocol
    limits = read_ceilings(found, queries)
    read = {
        name: run_programs(found, read_answers(path), unsafe=unsafe) for name, path in zip(names, answers, strict=True)
    }
    evaluations = {
        name: {s: evaluate(found, _of(given, found, s), s, ablation=ablation, protocol=protocol) for s in limits}
        for name, given in read.items()
    }
    board = leaderboard(
        evaluations, limits, np.random.default_rng(SEED), n_resamples=n_resamples, measured_on=measured_on
    )
    told = {name: of_answers(path) for name, path in zip(names, answers, strict=True)}
    about = {"queries": of_queries(queries), "forecasters": told}
    if not PROTOCOLS[protocol].stepwise:
        return Scored(evaluations, board, about)
    by_setting = {s: {name: found_of[s] for name, found_of in evaluations.items()} for s in limits}
    return Scored(evaluations, board, about, process({protocol: by_setting}, {protocol: limits}, SEED,
                                                     n_resamples=n_resamples))  # fmt: skip


def compare_files(
    first: tuple[Path_, Path_],
    second: tuple[Path_, Path_],
    *,
    n_resamples: int = 1000,
    measured_on: str = "published",
    unsafe: bool = False,
) -> Comparison:
    """What one forecaster, or one condition, has over another, with paired intervals.

    Args:
        first: (answer file, query folder); the ceilings are of this folder.
        second: the same; another variant of the prompts may lie in another folder.
        n_resamples: resamples of worlds for the intervals.
        measured_on: which ceilings to use, see `leaderboard`.
        unsafe: run programs without walls, see `civworld.sandbox`.
    """
    sides = []
    for answers, folder in (first, second):
        found = sets.load(folder)
        given = run_programs(found, read_answers(answers), unsafe=unsafe)
        variant, protocol = (_only(found, folder, name) for name in ("ablation", "protocol"))
        settings = sorted({q.setting for q in found.queries.values()})
        scored = {s: evaluate(found, _of(given, found, s), s, ablation=variant, protocol=protocol) for s in settings}
        shown = [Path(answers).stem, variant, protocol if protocol != FREE else ""]
        sides.append((", ".join(filter(None, shown)), scored))
    limits = read_ceilings(sets.load(first[1]), first[1])
    return compare(sides[0], sides[1], limits, SEED, n_resamples=n_resamples, measured_on=measured_on)


def read_ceilings(found: QuerySet, folder: Path_) -> Ceilings:
    """The ceilings beside a query set; unknown ones for each of its settings where they were not measured."""
    path = Path(folder) / CEILINGS
    if path.exists():
        known: Ceilings = read_json(path)
        return known
    return {setting: dict.fromkeys(METRICS) for setting in sorted({q.setting for q in found.queries.values()})}


def _only(found: QuerySet, folder: Path_, name: str) -> str:
    """The ablation or protocol that all queries of a set have."""
    held = sorted({str(getattr(q, name)) for q in found.queries.values()})
    if len(held) != 1:
        what = {"ablation": "variants"}.get(name, f"{name}s")
        raise ArgumentError(f"{os.fspath(folder)} holds {what} {held}; --{name} must name one")
    return held[0]


def _of(answers: Mapping[str, str], queries: QuerySet, setting: str) -> dict[str, str]:
    """The answers to one setting's queries, and those to queries that do not exist, which `evaluate` refuses."""
    known = queries.queries
    return {name: text for name, text in answers.items() if name not in known or known[name].setting == setting}
