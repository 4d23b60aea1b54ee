# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark in one command: builds a suite and its practice worlds, asks, runs the references, writes the table.

    python -m benchmarks.civworldbench.run --out out/civworldbench

An interrupted run goes on where it stopped. Answers of models, made with inspect_ai or elsewhere, join with --add.
"""

import argparse
import time
from pathlib import Path

from civworld import corpus
from civworld.civworldbench.answering import predictors, references
from civworld.civworldbench.asking import fbsim
from civworld.civworldbench.evaluating.fbsim import evaluate as score_peer
from civworld.civworldbench.folders import running
from civworld.civworldbench.reporting import picture


def build(suite: str, out: Path, workers: int | None) -> None:
    """Make a suite's corpus, or what is missing of it."""
    with corpus.runner("local", workers) as runner:
        report = corpus.build(corpus.suite(suite), out, runner=runner)
    cores = sum(report.core_seconds.values())
    print(
        f"{suite}: {len(report.made)} worlds made, {len(report.found)} there, {report.seconds:.0f} s ({cores:.0f} core)"
    )
    if report.failures:
        raise SystemExit("\n".join(map(str, report.failures)))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="tiny")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path, default=Path("out/civworldbench"))
    parser.add_argument("--add", type=Path, nargs="*", default=[], metavar="ANSWERS", help="answer files of models")
    o = parser.parse_args()

    build(o.suite, o.out / "corpus", o.workers)
    practice = None
    if o.suite in corpus.PRACTICE:
        practice = o.out / "practice"
        build(corpus.PRACTICE[o.suite], practice, o.workers)

    start = time.monotonic()
    queries = running.write_queries(o.out / "corpus", o.out / "queries", practice=practice)
    print(f"queries: {len(queries.queries)}, with ceilings and references in {time.monotonic() - start:.0f} s")

    files = [o.out / "queries" / running.ANSWERS / f"{name}.jsonl" for name in references.REFERENCES]
    scored = running.score_files([*files, *o.add], o.out / "queries")
    (o.out / "leaderboard.md").write_text(scored.board.to_markdown())
    (o.out / "leaderboard.json").write_text(scored.board.to_json())
    for setting in scored.board.settings:
        picture.save_picture(o.out / f"{setting}.png", scored.board, scored.evaluations, setting)
    print(scored.board.to_markdown())

    opened = corpus.open(o.out / "corpus")
    asked = fbsim.query_set(opened)
    for name, predictor in (("oracle", predictors.oracle(asked)), ("base rate 1/2", predictors.even(asked))):
        print(f"fbsim-v0, {name}:", score_peer(asked, predictors.answer_all(predictor, asked)))


if __name__ == "__main__":
    main()
