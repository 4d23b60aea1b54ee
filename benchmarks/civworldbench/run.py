# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark in one command: builds a suite's corpus, asks its queries, runs the references, writes the table.

    python -m benchmarks.civworldbench.run --out out/civworldbench

An interrupted run goes on where it stopped. Answers of models, made with inspect_ai or elsewhere, join with --add.
"""

import argparse
import time
from pathlib import Path

from civworld import corpus
from civworld.tasks import fbsim, picture, predictors, running


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="tiny")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--out", type=Path, default=Path("out/civworldbench"))
    parser.add_argument("--add", type=Path, nargs="*", default=[], metavar="ANSWERS", help="answer files of models")
    o = parser.parse_args()

    start = time.monotonic()
    with corpus.runner("local", o.workers) as runner:
        report = corpus.build(corpus.suite(o.suite), o.out / "corpus", runner=runner)
    print(f"corpus: {len(report.made)} worlds made, {len(report.found)} there, {time.monotonic() - start:.0f} s")
    if report.failures:
        raise SystemExit("\n".join(map(str, report.failures)))

    start = time.monotonic()
    queries = running.write_queries(o.out / "corpus", o.out / "queries")
    print(f"queries: {len(queries.queries)}, with ceilings and references in {time.monotonic() - start:.0f} s")

    files = [o.out / "queries" / running.ANSWERS / f"{name}.jsonl" for name in running.REFERENCES]
    scored = running.score_files([*files, *o.add], o.out / "queries")
    (o.out / "leaderboard.md").write_text(scored.board.to_markdown())
    (o.out / "leaderboard.json").write_text(scored.board.to_json())
    for setting in scored.board.settings:
        picture.save_picture(o.out / f"{setting}.png", scored.board, scored.evaluations, setting)
    print(scored.board.to_markdown())

    opened = corpus.open(o.out / "corpus")
    asked = fbsim.query_set(opened)
    for name, predictor in (("oracle", predictors.oracle(asked)), ("base rate 1/2", fbsim.even(asked))):
        print(f"fbsim-v0, {name}:", fbsim.evaluate(asked, predictors.answer_all(predictor, asked)))


if __name__ == "__main__":
    main()
