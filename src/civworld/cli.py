# SPDX-License-Identifier: GPL-2.0-or-later
"""The `civworld` command."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from civworld import __version__
from civworld._engine import build_info
from civworld.checkpoint import read_header
from civworld.errors import ArgumentError, CivworldError
from civworld.mcp import command as mcp
from civworld.world_agent import command as world_agent


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        return status
    except (CivworldError, OSError) as error:
        print(f"civworld: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("civworld: interrupted; builds, experiments and runs go on from here when started again", file=sys.stderr)
        return 130


UNSAFE = "run programs of answers without a sandbox: they may do whatever you may"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="civworld", description="Freeciv worlds inside the Python process.")
    parser.add_argument("--version", action="version", version=f"civworld {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build-info", help="which engine build this installation holds")
    build.set_defaults(run=_build_info)
    checkpoint = commands.add_parser("checkpoint", help="look at checkpoint files")
    actions = checkpoint.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="print a file's header without loading its memory")
    info.add_argument("file")
    info.set_defaults(run=_checkpoint_info)
    _add_corpus(commands)
    _add_bench(commands)
    _add_answers(commands)
    _add_run(commands)
    _add_experiments(commands)
    world_agent.add_to(commands)
    mcp.add_to(commands)
    return parser


def _build_info(_: argparse.Namespace) -> int:
    print(json.dumps(asdict(build_info()), indent=1))
    return 0


def _checkpoint_info(options: argparse.Namespace) -> int:
    print(json.dumps(read_header(options.file), indent=1))
    return 0


# ---- corpora -----------------------------------------------------------------------------------------------


def _add_corpus(commands: Any) -> None:
    corpus = commands.add_parser("corpus", help="build and verify corpora of worlds")
    actions = corpus.add_subparsers(dest="action", required=True)
    build = actions.add_parser("build", help="make a suite's worlds; goes on where an earlier build stopped")
    suites = "tiny, tiny-practice, tiny-generalization, basic or generalization, or with a version: tiny-v1"
    build.add_argument("--suite", required=True, help=suites)
    build.add_argument("--operators", default="", metavar="WHICH", help="one or all at a decision point (the suite's)")
    build.add_argument("--worlds", metavar="A:B", help="only these, numbered from 0, B left out (all)")
    build.add_argument("--out", required=True, metavar="DIR", help="folder of the corpus")
    build.add_argument("--runner", default="local", help="local processes, single process or ray (local)")
    build.add_argument("--workers", type=int, metavar="N", help="jobs at the same time (one per core)")
    build.set_defaults(run=_corpus_build)
    verify = actions.add_parser("verify", help="check every file, and play a sample of worlds again")
    verify.add_argument("folder", metavar="DIR")
    verify.add_argument("--sample", type=int, default=2, metavar="N", help="worlds to play again (2)")
    verify.set_defaults(run=_corpus_verify)
    describe = actions.add_parser("describe", help="count worlds, decision points, records and arms")
    describe.add_argument("folders", nargs="*", metavar="DIR", help="built corpora")
    describe.add_argument("--suite", action="append", default=[], metavar="SUITE", help="a suite, before it is built")
    describe.set_defaults(run=_corpus_describe)
    show = commands.add_parser("show", help="write a page that shows a world of a corpus")
    show.add_argument("folder", metavar="DIR")
    show.add_argument("world", metavar="WORLD", help="id of a finished world, for example tiny-000")
    show.add_argument("--out", metavar="FILE", help="the page (WORLD.html)")
    show.set_defaults(run=_show)


def _corpus_build(options: argparse.Namespace) -> int:
    from civworld import corpus

    suite = corpus.suite(options.suite, operators=options.operators)
    worlds = _slice(options.worlds)
    with corpus.runner(options.runner, options.workers) as runner:
        report = corpus.build(suite, options.out, worlds=worlds, runner=runner)
    cores = sum(report.core_seconds.values())
    made, played = _counted(len(report.made), "world"), _counted(sum(report.turns.values()), "turn")
    print(
        f"{options.out}: {made} made, {len(report.found)} there, {len(report.failures)} failed; "
        f"{played} played in {cores:.0f} core-seconds, {report.seconds:.0f} s"
    )
    for failure in report.failures:
        print(f"civworld: {failure}", file=sys.stderr)
    return 1 if report.failures else 0


def _counted(number: int, what: str) -> str:
    """A number of things: "1 world", "2 worlds"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _slice(text: str | None) -> slice | None:
    if text is None:
        return None
    parts = text.split(":")
    if len(parts) != 2 or not all(p.isdecimal() or not p for p in parts):
        raise ArgumentError(f"--worlds {text!r}: A:B with whole numbers is needed, for example 0:10")
    first, end = (int(p) if p else None for p in parts)
    return slice(first, end)


def _corpus_verify(options: argparse.Namespace) -> int:
    from civworld import corpus

    found = corpus.verify(options.folder, sample=options.sample)
    for problem in found.problems:
        print(f"civworld: {problem}", file=sys.stderr)
    verdict = _counted(len(found.problems), "problem") if found.problems else "all is well"
    print(
        f"{options.folder}: {_counted(found.files, 'file')} checked, {_counted(len(found.replayed), 'world')} played "
        f"again ({_counted(found.turns, 'turn')} compared): {verdict}"
    )
    return 1 if found.problems else 0


def _corpus_describe(options: argparse.Namespace) -> int:
    from civworld import corpus
    from civworld.corpus import describe

    columns = {name: describe.planned(corpus.suite(name)) for name in options.suite}
    columns |= {folder: describe.held(corpus.open(folder)) for folder in options.folders}
    if not columns:
        raise ArgumentError("corpus describe: a folder or --suite is needed")
    print(describe.to_markdown(columns), end="")
    return 0


def _show(options: argparse.Namespace) -> int:
    from civworld import corpus

    text = corpus.page(corpus.open(options.folder), options.world)
    out = Path(options.out or f"{options.world}.html")
    out.write_text(text, encoding="utf-8")
    print(f"{out}: {len(text):,} bytes; open it in a browser")
    return 0


# ---- the benchmark ---------------------------------------------------------------------------------------------


def _add_bench(commands: Any) -> None:
    queries = commands.add_parser("queries", help="make the benchmark's queries from a corpus")
    queries.add_argument("folder", metavar="CORPUS")
    queries.add_argument("--out", required=True, metavar="DIR", help="folder of the query set")
    queries.add_argument("--practice", metavar="CORPUS", help="disjoint corpus that references learn from (itself)")
    queries.add_argument("--task", action="append", metavar="NAME", help="only this task; may be repeated (all)")
    queries.add_argument("--beliefs", default="two", choices=("one", "two"), help="prompts of Trait and Rules (two)")
    queries.add_argument("--setting", action="append", metavar="NAME", help="omni-id, ego or omni-ood (the suite's)")
    queries.add_argument("--ablation", default="", metavar="NAME", help="variant of the prompts (none)")
    how = "how answers come about: free, table (with the way to them) or code (a program) (free)"
    queries.add_argument("--protocol", default="free", metavar="NAME", help=how)
    queries.add_argument("--notes", metavar="FILE", help="study notes, for --ablation study_notes")
    anchored = "ask about N points drawn by strata, or about those in a file of `civworld anchors` (all)"
    queries.add_argument("--anchors", default="0", metavar="N|FILE", help=anchored)
    queries.add_argument("--no-references", action="store_true", help="leave out ceilings and references' answers")
    queries.add_argument("--parquet", action="store_true", help="write Parquet files too")
    queries.set_defaults(run=_queries)
    score = commands.add_parser("score", help="score answers made elsewhere, each file a forecaster")
    score.add_argument("answers", nargs="+", metavar="ANSWERS", help="JSON lines with `id` and `answer`")
    score.add_argument("--queries", required=True, metavar="DIR", help="folder that `civworld queries` wrote")
    score.add_argument("--ablation", metavar="NAME", help="variant of the prompts (the only one there is)")
    score.add_argument("--protocol", metavar="NAME", help="protocol of the answers (the only one there is)")
    score.add_argument("--unsafe-run-programs", action="store_true", help=UNSAFE)
    score.add_argument("--ceilings", default="published", metavar="WHICH", help="as published, or on all cells: all")
    score.add_argument("--resamples", type=int, default=1000, metavar="N", help="of worlds, for intervals (1000)")
    score.add_argument("--out", metavar="DIR", help="also write leaderboard.md, .json and a picture per setting there")
    score.set_defaults(run=_score)


def _add_answers(commands: Any) -> None:
    answers = commands.add_parser("answers", help="take the answers out of inspect logs, for `civworld score`")
    answers.add_argument("logs", nargs="+", metavar="LOG", help="logs of one run; a retry and its first part together")
    answers.add_argument("--out", required=True, metavar="FILE", help="answer file (epoch 2 on: FILE.epoch-2 ...)")
    answers.set_defaults(run=_answers)


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="ask a model the queries of folders; goes on where it stopped")
    run.add_argument("config", metavar="RUN", help="TOML file: model, effort, tokens, retries, price")
    queries = "query folders, or the folder of an experiment"
    run.add_argument("--queries", nargs="+", required=True, metavar="DIR", help=queries)
    run.add_argument("--out", default="runs", metavar="DIR", help="folder of answers, records and logs (runs)")
    run.add_argument("--estimate", action="store_true", help="only say what it is expected to take")
    run.add_argument("--display", metavar="HOW", help="inspect's display: full, rich, plain, none (inspect's choice)")
    run.set_defaults(run=_run)


def _answers(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders.answers import write_answers
    from civworld.integrations.inspect_civworldbench import answers_of, epochs_of

    out = Path(options.out)
    for epoch in epochs_of(*options.logs):
        path = out if epoch == 1 else out.with_name(f"{out.stem}.epoch-{epoch}{out.suffix}")
        found = answers_of(*options.logs, epoch=epoch)
        write_answers(path, found)
        print(f"{path}: {len(found)} answers")
    return 0


def _run(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import runs, sets
    from civworld.integrations import inspect_runs

    config = runs.read_run(options.config)
    folders = inspect_runs.query_folders([Path(path) for path in options.queries])
    asked = [query for folder in folders for query in sets.load(folder).queries.values()]
    print(f"{config.name} ({config.model}, identity {config.identity}): {runs.estimate(config, asked)}")
    if options.estimate:
        return 0
    found = inspect_runs.run_model(config, folders, Path(options.out), display=options.display)
    used = found.tokens
    cost = "" if found.dollars is None else f", ${found.dollars:,.2f}"
    print(
        f"{found.answers}: {found.asked} asked, {found.kept} answered before; {used.input + used.cached:,} tokens in "
        f"({used.cached:,} cached) and {used.output:,} out ({used.reasoning:,} thinking){cost}"
    )
    for name, why in list(found.unanswered.items())[:5]:
        print(f"civworld: no answer: {name}: {why}", file=sys.stderr)
    if found.unanswered:
        print(f"civworld: {len(found.unanswered)} without answer; the same command asks them again", file=sys.stderr)
    return 1 if found.unanswered else 0


def _notes(options: argparse.Namespace) -> int:
    from civworld import corpus
    from civworld.civworldbench.asking.notes import study_notes
    from civworld.civworldbench.folders.lines import write_text

    write_text(options.out, study_notes(corpus.open(options.folder), options.games))
    print(f"{options.out}: notes from {options.games} games")
    return 0


def _add_experiments(commands: Any) -> None:
    bench = commands.add_parser(
        "bench", help="do an experiment: queries, references, ceilings, scores, tables, pictures"
    )
    bench.add_argument("plan", metavar="PLAN", help="TOML file, or the name of a packaged plan: tiny, paper")
    bench.add_argument("--out", required=True, metavar="DIR", help="folder of the experiment; goes on where it stopped")
    bench.add_argument("--workers", type=int, metavar="N", help="jobs at the same time while corpora are built")
    bench.add_argument("--unsafe-run-programs", action="store_true", help=UNSAFE)
    bench.set_defaults(run=_bench)
    compare = commands.add_parser("compare", help="two answer files world by world, with paired intervals")
    compare.add_argument("answers", nargs=2, metavar="ANSWERS", help="JSON lines with `id` and `answer`")
    compare.add_argument(
        "--queries", nargs="+", required=True, metavar="DIR", help="their query folder, or one of each"
    )
    compare.add_argument("--resamples", type=int, default=1000, metavar="N", help="of worlds, for intervals (1000)")
    compare.add_argument("--unsafe-run-programs", action="store_true", help=UNSAFE)
    compare.set_defaults(run=_compare)
    notes = commands.add_parser("notes", help="study notes from a few games, for --ablation study_notes")
    notes.add_argument("folder", metavar="CORPUS", help="worlds that nothing is asked about, such as tiny-practice")
    notes.add_argument("--games", type=int, default=3, metavar="N", help="how many games (3)")
    notes.add_argument("--out", required=True, metavar="FILE", help="the notes")
    notes.set_defaults(run=_notes)
    anchors = commands.add_parser("anchors", help="draw decision points that stand for all, over corpora together")
    anchors.add_argument("corpora", nargs="+", metavar="CORPUS", help="built corpora of different suites")
    anchors.add_argument("--count", type=int, default=190, metavar="N", help="how many, one a world (190)")
    anchors.add_argument("--subset", type=int, default=0, metavar="N", help="only so many of them, such as 30 (all)")
    anchors.add_argument("--out", required=True, metavar="FILE", help="the selection, for `civworld queries --anchors`")
    anchors.set_defaults(run=_anchors)
    panels = commands.add_parser("panels", help="correlation of a leaderboard with external ones")
    panels.add_argument("board", metavar="LEADERBOARD", help="leaderboard.json")
    panels.add_argument("panels", metavar="CSV", help="columns panel, model, score (larger is better)")
    panels.set_defaults(run=_panels)
    release = commands.add_parser("release", help="freeze an experiment's queries in a folder to hand on")
    release.add_argument("experiment", metavar="DIR", help="folder that `civworld bench` wrote")
    release.add_argument("--out", required=True, metavar="DIR", help="a new folder")
    release.add_argument("--name", default="civworldbench", help="what the dataset is called (civworldbench)")
    release.set_defaults(run=_release)


def _release(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import release

    where = release.release(options.experiment, options.out, name=options.name)
    print(f"{where}: {sum(path.is_file() for path in where.rglob('*'))} files")
    return 0


def _panels(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders.lines import read_json
    from civworld.civworldbench.folders.panels import read_panels
    from civworld.civworldbench.folders.running import SEED
    from civworld.civworldbench.reporting.panels import associate

    print(associate(read_json(options.board), read_panels(options.panels), seed=SEED).to_markdown(), end="")
    return 0


def _bench(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import experiment, plan

    how = {"workers": options.workers, "unsafe": options.unsafe_run_programs}
    found = experiment.run(plan.read_plan(options.plan, options.out), options.out, **how)
    for name in found.made:
        print(f"made {name}")
    print(f"{options.out}: {len(found.made)} parts made, {len(found.kept)} there already")
    for sentence in found.missing:
        print(f"civworld: missing: {sentence}", file=sys.stderr)
    return 1 if found.missing else 0


def _compare(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import running

    if len(options.queries) > 2:
        raise ArgumentError(f"--queries names {len(options.queries)} folders; one or two are needed")
    first, second = options.queries[0], options.queries[-1]
    sides = list(zip(options.answers, (first, second), strict=True))
    print(
        running.compare_files(*sides, n_resamples=options.resamples, unsafe=options.unsafe_run_programs).to_markdown(),
        end="",
    )
    return 0


def _queries(options: argparse.Namespace) -> int:
    from civworld.civworldbench.asking.build import IN_ONE, USUAL
    from civworld.civworldbench.folders import parquet, running
    from civworld.civworldbench.folders.lines import read_text

    found = running.write_queries(
        options.folder,
        options.out,
        practice=options.practice,
        tasks=options.task or (IN_ONE if options.beliefs == "one" else USUAL),
        settings=options.setting,
        ablation=options.ablation,
        notes=read_text(options.notes) if options.notes else "",
        references=not options.no_references,
        anchors=_anchors_of(options.anchors),
        protocol=options.protocol,
        solvers=options.protocol != "free",
    )
    if options.parquet:
        parquet.to_parquet(found, options.out)
    cells = sum(len(q.cells) for q in found.queries.values())
    print(f"{options.out}: {len(found.queries)} queries with {cells} cells")
    return 0


def _anchors_of(text: str) -> Any:
    """A number of anchors, or those in a file."""
    from civworld.civworldbench.folders.anchors import read_anchors

    return int(text) if text.isdecimal() else read_anchors(text)


def _anchors(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import anchors

    found = anchors.draw(options.corpora, options.count, options.subset)
    anchors.write_anchors(options.out, found)
    print(f"{options.out}: {_counted(len(found), 'anchor')} of {len(options.corpora)} corpora")
    return 0


def _score(options: argparse.Namespace) -> int:
    from civworld.civworldbench.folders import running
    from civworld.civworldbench.folders.tables import write_board, write_process

    found = running.score_files(
        options.answers,
        options.queries,
        ablation=options.ablation,
        protocol=options.protocol,
        unsafe=options.unsafe_run_programs,
        n_resamples=options.resamples,
        measured_on=options.ceilings,
    )
    print(found.board.to_markdown(), end="")
    if found.process is not None:
        print("\n" + found.process.to_markdown(), end="")
    if options.out:
        out = Path(options.out)
        out.mkdir(parents=True, exist_ok=True)
        write_board(out, found.board, found.evaluations, found.provenance)
        if found.process is not None:
            write_process(out, found.process)
    return 0
