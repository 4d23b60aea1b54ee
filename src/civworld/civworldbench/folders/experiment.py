# SPDX-License-Identifier: GPL-2.0-or-later
"""One experiment, one folder: from a plan to query sets, references, ceilings, scores, tables and pictures.

    queries/SETTING/VARIANT/   query sets with ceilings and the references' answers; `whole` is the whole prompt
                               `whole.table` and `whole.code` ask for the way, where the plan names these protocols
    tables/                    leaderboard with a picture per setting, comparisons, effects, counts; in `answers` the
                               models' answers that were scored

A part is made in a folder of its own and moved into place whole. It is made again only when what it was made from has
changed (`done.json` in it), so that a second run does nothing and a run that was killed goes on.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from civworld import corpus as corpora
from civworld._engine import build_info
from civworld.civworldbench.answering.programs import run_programs
from civworld.civworldbench.asking.anchors import Anchor
from civworld.civworldbench.asking.notes import study_notes
from civworld.civworldbench.asking.protocols import FREE
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.evaluate import Evaluation, evaluate
from civworld.civworldbench.folders import running, sets
from civworld.civworldbench.folders.anchors import draw, read_anchors
from civworld.civworldbench.folders.answers import read_answers
from civworld.civworldbench.folders.lines import read_json, read_text, write_text
from civworld.civworldbench.folders.plan import Experiment, Source, notes_corpus
from civworld.civworldbench.folders.provenance import file_digest, of_answers, of_queries, run_path, value_digest
from civworld.civworldbench.folders.tables import write_process, write_tables
from civworld.civworldbench.reporting.process import process
from civworld.errors import CorpusError

WHOLE = "whole"
DONE = "done.json"
PARTS_VERSION = 2
"""Raised when the same inputs give other files."""


@dataclass
class Progress:
    """What a run did.

    Attributes:
        made: parts that were made.
        kept: parts that were there already.
        missing: what could not be had, a sentence each.
    """

    made: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def run(plan: Experiment, out: str | os.PathLike[str], *, workers: int | None = None, unsafe: bool = False) -> Progress:
    """Do what is not done yet of an experiment.

    Args:
        plan: what to do.
        out: folder of the experiment.
        workers: jobs at the same time while corpora are built; None for one per core.
        unsafe: run programs of answers without walls, see `civworld.sandbox`.

    Returns:
        What was made and what is missing; tables are written of what is there.
    """
    root, progress = Path(out), Progress()
    root.mkdir(parents=True, exist_ok=True)
    ready = [name for name, source in plan.settings.items() if _corpus_ready(name, source, progress, workers)]
    try:
        anchors = _anchors(plan, ready)
    except CorpusError as error:
        progress.missing.append(str(error))
        ready = []
    for setting in ready:
        for ablation in plan.ablations:
            notes = _notes(root, plan) if ablation == "study_notes" else ""
            _queries(root, plan, (setting, ablation, FREE), notes, anchors, progress)
        for protocol in plan.protocols:
            if protocol != FREE:
                _queries(root, plan, (setting, "", protocol), "", anchors, progress)
    _scores(root, plan, progress, unsafe=unsafe)
    return progress


def queries_folder(root: Path, setting: str, ablation: str, protocol: str = FREE) -> Path:
    """Where the query set of a setting, variant and protocol lies."""
    name = ablation or WHOLE
    return root / "queries" / setting / (name if protocol == FREE else f"{name}.{protocol}")


def _corpus_ready(setting: str, source: Source, progress: Progress, workers: int | None) -> bool:
    wanted = [(source.corpus, source.suite)]
    if source.practice is not None:
        wanted.append((source.practice, source.practice_suite))
    ready = True
    for folder, name in wanted:
        lacking = _lacking(folder, name)
        if lacking and name:
            with corpora.runner("local", workers) as runner:
                report = corpora.build(corpora.suite(name), folder, runner=runner)
            progress.made.append(f"corpus {folder}")
            lacking = "; ".join(str(failure) for failure in report.failures)
        if lacking:
            progress.missing.append(f"{setting}: {lacking}")
            ready = False
    return ready


def _lacking(folder: Path, name: str) -> str:
    """What a corpus lacks, as a sentence; empty when nothing."""
    try:
        held = corpora.open(folder)
    except (CorpusError, FileNotFoundError):
        return f"no corpus in {folder}; make it with `civworld corpus build`, or name its suite in the plan"
    if not name:
        return ""
    absent = [spec.id for spec in corpora.suite(name).worlds if spec.id not in held.worlds]
    return f"{folder} lacks {len(absent)} worlds of {name}, for example {absent[0]}" if absent else ""


# ---- queries ------------------------------------------------------------------------------------------------


def _anchors(plan: Experiment, ready: Sequence[str]) -> tuple[Anchor, ...]:
    """The decision points that are asked about, drawn over all corpora together; none for all.

    Raises:
        CorpusError: a corpus to draw from is not there.
    """
    if isinstance(plan.anchors, Path):
        return read_anchors(plan.anchors)
    if not plan.anchors:
        return ()
    if len(ready) < len(plan.settings):
        there = ", ".join(ready) or "none"
        raise CorpusError(f"anchors are drawn over all corpora of the plan; those of {there} are there")
    return draw(list(dict.fromkeys(source.corpus for source in plan.settings.values())), plan.anchors)


def _notes(root: Path, plan: Experiment) -> str:
    """The study notes; those made here are kept in the experiment's folder."""
    if plan.notes is not None:
        return read_text(plan.notes)
    source, where = notes_corpus(plan), root / "notes.md"
    assert source is not None  # the plan was checked
    text = study_notes(corpora.open(source))
    if not where.exists() or read_text(where) != text:
        write_text(where, text)
    return text


def _queries(
    root: Path, plan: Experiment, place: tuple[str, str, str], notes: str, anchors: Sequence[Anchor], progress: Progress
) -> None:
    setting, ablation, protocol = place
    source, where = plan.settings[setting], queries_folder(root, *place)
    solvers = len(plan.protocols) > 1
    told = {"protocol": protocol, "solvers": solvers} if solvers else {}
    key = _key(
        corpus=_corpus_key(source.corpus), practice=_corpus_key(source.practice) if source.practice else "",
        tasks=plan.tasks, setting=setting, ablation=ablation, notes=notes, anchors=[asdict(a) for a in anchors],
        **told,
    )  # fmt: skip

    def make(part: Path) -> None:
        running.write_queries(
            source.corpus, part, practice=source.practice, tasks=plan.tasks, settings=(setting,), ablation=ablation,
            notes=notes, anchors=anchors, protocol=protocol, solvers=solvers,
        )  # fmt: skip

    _part(where, key, make, f"queries {setting} {where.name}", progress)


def _corpus_key(folder: Path) -> str:
    return file_digest(folder / corpora.MANIFEST)


# ---- scores -------------------------------------------------------------------------------------------------


def _scores(root: Path, plan: Experiment, progress: Progress, *, unsafe: bool) -> None:
    """Tables and pictures of all query sets that are there."""
    there = {
        (setting, ablation): where
        for setting in plan.settings
        for ablation in plan.ablations
        if (where := queries_folder(root, setting, ablation)).exists()
    }
    if not there:
        return
    stepwise = {
        (setting, protocol): where
        for setting in plan.settings
        for protocol in plan.protocols
        if protocol != FREE and (where := queries_folder(root, setting, "", protocol)).exists()
    }
    files = {name: path for name, path in plan.answers.items() if path.exists()}
    progress.missing += [f"answers of {n}: {p} does not exist" for n, p in plan.answers.items() if n not in files]
    stamps = {f"{s}/{a or WHOLE}": read_json(where / DONE)["key"] for (s, a), where in there.items()}
    told = {name: of_answers(path) for name, path in files.items()}
    stamps |= {f"{s}/{where.name}": read_json(where / DONE)["key"] for (s, _), where in stepwise.items()}
    key = _key(queries=stamps, answers=told, resamples=plan.resamples, ceilings=plan.ceilings)

    def make(part: Path) -> None:
        found = {place: sets.load(where) for place, where in there.items()}
        answers = {name: read_answers(path) for name, path in files.items()}
        results = {place: dict(_evaluations(found[place], where, place, answers)) for place, where in there.items()}
        ceilings = {place: running.read_ceilings(found[place], where)[place[0]] for place, where in there.items()}
        about = {
            "engine_build": build_info().build_id,
            "queries": {f"{s}/{a or WHOLE}": of_queries(where) for (s, a), where in there.items()},
            "forecasters": told,
        }
        write_tables(part, found, results, ceilings, about, resamples=plan.resamples, measured_on=plan.ceilings)
        if stepwise:
            conditions, limits = {FREE: _whole(results)}, {FREE: _whole(ceilings)}
            for (setting, protocol), where in stepwise.items():
                queries = sets.load(where)
                told_of = _evaluations(queries, where, (setting, ""), answers, protocol, unsafe=unsafe)
                conditions.setdefault(protocol, {})[setting] = dict(told_of)
                limits.setdefault(protocol, {})[setting] = running.read_ceilings(queries, where)[setting]
            write_process(part, process(conditions, limits, running.SEED, n_resamples=plan.resamples))
        for name, path in files.items():
            _keep_answers(path, part / running.ANSWERS / f"{name}.jsonl")

    _part(root / "tables", key, make, "tables", progress)
    for setting, gaps in _unanswered(there, files).items():
        progress.missing += [f"{setting}: {name} answers {n} of {of} queries" for name, (n, of) in gaps.items()]


def _whole(by_place: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """Setting -> what stands there for the whole prompt."""
    return {setting: value for (setting, ablation), value in by_place.items() if not ablation}


def _keep_answers(path: Path, kept: Path) -> None:
    """Answers of a model with the record of its run, as they were scored: a release takes them from here."""
    kept.parent.mkdir(exist_ok=True)
    shutil.copyfile(path, kept)
    if run_path(path).exists():
        shutil.copyfile(run_path(path), run_path(kept))


def _evaluations(
    queries: QuerySet,
    where: Path,
    place: tuple[str, str],
    answers: Mapping[str, Mapping[str, str]],
    protocol: str = FREE,
    *,
    unsafe: bool = False,
) -> Iterator[tuple[str, Evaluation]]:
    """Every forecaster's evaluation: the references, and the models that answer anything of this set."""
    references = {path.stem: read_answers(path) for path in sorted((where / running.ANSWERS).glob("*.jsonl"))}
    for name, given in {**references, **answers}.items():
        own = {q: text for q, text in given.items() if q in queries.queries}
        if own:
            ran = run_programs(queries, own, unsafe=unsafe)
            yield name, evaluate(queries, ran, place[0], ablation=place[1], protocol=protocol)


def _unanswered(
    there: Mapping[tuple[str, str], Path], files: Mapping[str, Path]
) -> dict[str, dict[str, tuple[int, int]]]:
    """Set -> forecaster -> (queries answered, queries) where these differ."""
    given = {name: set(read_answers(path)) for name, path in files.items()}
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for (setting, ablation), where in there.items():
        asked = set(sets.load(where).queries)
        gaps = {name: (len(ids & asked), len(asked)) for name, ids in given.items() if not asked <= ids}
        found[f"{setting} {ablation or WHOLE}"] = gaps
    return found


# ---- parts --------------------------------------------------------------------------------------------------


def _part(where: Path, key: str, make: Callable[[Path], None], name: str, progress: Progress) -> None:
    """Make a folder whole, unless it was made from the same."""
    done = where / DONE
    if done.exists() and read_json(done)["key"] == key:
        progress.kept.append(name)
        return
    part = where.with_name(f".{where.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    make(part)
    write_text(part / DONE, json.dumps({"key": key}) + "\n")
    shutil.rmtree(where, ignore_errors=True)
    part.replace(where)
    progress.made.append(name)


def _key(**values: Any) -> str:
    """A digest of what a part is made from, the installed build among it."""
    return value_digest({**values, "build": build_info().build_id, "version": PARTS_VERSION})
