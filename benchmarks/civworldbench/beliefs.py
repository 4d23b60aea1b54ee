# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of traits and rules full records tell: accuracy of the privileged observer, trait by trait, rule by rule.

    python -m benchmarks.civworldbench.beliefs --practice out/civworldbench/practice
    python -m benchmarks.civworldbench.beliefs --practice out/civworldbench/practice --corpus out/civworldbench/corpus

Alone, the practice worlds are cross-validated: each is answered by what the others taught. With a corpus, its worlds
are answered by what the practice worlds taught. The practice worlds are built where they are missing.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from civworld import corpus
from civworld.civworldbench import scoring
from civworld.civworldbench.answering.observer import Lessons, observer
from civworld.civworldbench.answering.predictors import Predictor, answer_all
from civworld.civworldbench.asking import build, rules, trait
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.evaluate import Evaluation, evaluate
from civworld.civworldbench.reporting.leaderboard import resampled


def about(queries: QuerySet, subject: str) -> QuerySet:
    """The queries with their cells about one trait or rule alone."""
    kept, targets = {}, {}
    for name, query in queries.queries.items():
        cells = tuple(c for c in query.cells if c.subject == subject)
        if cells:
            kept[name] = replace(query, cells=cells)
            targets[name] = {c.id: queries.targets[name][c.id] for c in cells}
    return QuerySet(kept, targets, queries.scales)


def accuracy(found: Evaluation, metric: str, resamples: int) -> scoring.Interval:
    """A metric with its 95 % interval over worlds."""
    worlds = list(found.worlds)

    def statistic(rows: np.ndarray, _: np.ndarray) -> float | None:
        return resampled(found.tables[metric], found.worlds, [worlds[row] for row in rows])

    return scoring.world_bootstrap(np.arange(len(worlds)), statistic, np.random.default_rng(1), n_resamples=resamples)


def table(queries: QuerySet, predictor: Predictor, setting: str, resamples: int) -> str:
    """Accuracies of a predictor as Markdown."""
    lines = ["| belief | accuracy | 95 % interval | worlds |", "|---|---:|---|---:|"]
    parts = {name: ("trait", about(queries, name)) for name in trait.TRAITS}
    parts |= {"all traits": ("trait", queries), "all traits, gaps of 60 or more": ("trait_gap60", queries)}
    parts |= {name: ("rules", about(queries, name)) for name in rules.RULES} | {"all rules": ("rules", queries)}
    for name, (metric, asked) in parts.items():
        if asked.queries:
            found = evaluate(asked, answer_all(predictor, asked), setting)
            value = accuracy(found, metric, resamples)
            spread = f"{value.low:.3f} to {value.high:.3f}"
            lines.append(f"| {name} | {value.estimate:.3f} | {spread} | {len(found.worlds)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--practice", type=Path, default=Path("out/civworldbench/practice"))
    parser.add_argument("--suite", default="tiny-practice", help="of the practice worlds, where they are built")
    parser.add_argument("--corpus", type=Path, help="worlds to answer about (the practice worlds, cross-validated)")
    parser.add_argument("--setting", default="omni-id")
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--workers", type=int)
    o = parser.parse_args()
    with corpus.runner("local", o.workers) as runner:
        report = corpus.build(corpus.suite(o.suite), o.practice, runner=runner)
    if report.failures:
        raise SystemExit("\n".join(map(str, report.failures)))
    practice = corpus.open(o.practice)
    asked = practice if o.corpus is None else corpus.open(o.corpus)
    queries = build.query_set(asked, tasks=(trait.NAME, rules.NAME), settings=(o.setting,))
    print(table(queries, observer(asked, queries, Lessons.of(practice)), o.setting, o.resamples))


if __name__ == "__main__":
    main()
