# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of an edit's effect can be known: the ceiling of Capture under stock and under keyed randomness.

    python -m benchmarks.civworldbench.capture --keyed out/civworldbench/corpus --out out/capture

The tiny suite's worlds are played under both generators, with every operator at the last decision point and K common
seeds. The effect in one rollout is forecast as the mean of the others (leave-one-out). The keyed corpus is that of
`benchmarks.civworldbench.run`; it is built where it is missing.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from civworld import corpus
from civworld.civworldbench import scoring
from civworld.civworldbench.answering import futures
from civworld.civworldbench.asking import build
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating import ceiling
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.tables import Effects
from civworld.civworldbench.reporting.leaderboard import resampled

RNGS = ("stock", "keyed")
METRICS = ("capture", "direction")
SETTING = "omni-id"
STOCK_SEEDS = 4


def stock_suite() -> corpus.Suite:
    """The tiny suite's worlds under the stock generator, each with its last decision point alone."""
    tiny = corpus.suite("tiny")
    worlds = tuple(replace(w, config=replace(w.config, rng="stock"), points=w.points[-1:]) for w in tiny.worlds)
    return replace(tiny, name="tiny-stock", worlds=worlds, futures=STOCK_SEEDS, pairs=STOCK_SEEDS)


def folds_of(opened: corpus.Corpus, seeds: int) -> list[Evaluation]:
    """Leave-one-out evaluations of the paired rollouts of each world's last decision point."""
    asked = build.query_set(opened, tasks=("quantity-v1", "intervene-v1"), settings=(SETTING,))
    last = {world: opened.decision_points(world)[-1].turn for world in opened.worlds}
    kept = {name: q for name, q in asked.queries.items() if q.turn == last[q.world]}
    queries = QuerySet(kept, {name: asked.targets[name] for name in kept}, asked.scales)
    known = futures.Known.of(opened, queries)
    paired = {
        name: {arm: {cell: values[:seeds] for cell, values in cells.items()} for arm, cells in arms.items()}
        for name, arms in known.paired.items()
    }
    return ceiling.paired_folds(queries, replace(known, paired=paired), SETTING)


def played(opened: corpus.Corpus) -> list[str]:
    """Operators that were played at a last decision point, as the effects number them."""
    found = set()
    for world in opened.worlds:
        arms = opened.arms(world, opened.decision_points(world)[-1].turn)
        found |= {name for name, told in arms.items() if told.eligible}
    return sorted(found)


def mean_of(folds: list[Evaluation], metric: str, worlds: list[str]) -> float | None:
    """A metric over chosen worlds, averaged over the folds."""
    values = [resampled(f.tables[metric], f.worlds, worlds) for f in folds]
    defined = [v for v in values if v is not None]
    return float(np.mean(defined)) if defined else None


def by_operator(folds: list[Evaluation], names: list[str]) -> dict[str, float]:
    """Capture of each operator, averaged over the folds in which it is defined."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for fold in folds:
        table = fold.tables["capture"]
        assert isinstance(table, Effects)
        scores = scoring.capture_by_operator(table.realized, table.predicted, table.operator)
        for key, value in zip(scores.group.tolist(), scores.score.tolist(), strict=True):
            found[names[key]].append(value)
    return {name: float(np.mean(values)) for name, values in found.items() if values}


def summary(folds: Mapping[str, list[Evaluation]]) -> dict[str, dict[str, dict[str, float | None]]]:
    """Metric -> generator, and the difference keyed - stock -> estimate and 95 % interval over worlds."""
    worlds = list(folds["stock"][0].worlds)
    found = {}
    for metric in METRICS:

        def value(rng: str, rows: np.ndarray, metric: str = metric) -> float | None:
            return mean_of(folds[rng], metric, [worlds[row] for row in rows])

        def difference(rows: np.ndarray, _: np.ndarray) -> float | None:
            keyed, stock = value("keyed", rows), value("stock", rows)
            return None if keyed is None or stock is None else keyed - stock

        statistics = {rng: (lambda rows, _, rng=rng: value(rng, rows)) for rng in RNGS}
        statistics["keyed - stock"] = difference
        found[metric] = {}
        for name, statistic in statistics.items():
            interval = scoring.world_bootstrap(
                np.arange(len(worlds)), statistic, np.random.default_rng(1), n_resamples=400
            )
            found[metric][name] = {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
    return found


def main() -> None:
    """Build both corpora (an interrupted build goes on) and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/capture"))
    parser.add_argument("--keyed", type=Path, default=Path("out/civworldbench/corpus"))
    parser.add_argument("--seeds", type=int, default=4, help="common seeds to compare with (4)")
    parser.add_argument("--workers", type=int)
    o = parser.parse_args()
    suites = {"stock": (stock_suite(), o.out / "stock"), "keyed": (corpus.suite("tiny"), o.keyed)}
    folds, operators = {}, {}
    for rng, (suite, folder) in suites.items():
        with corpus.runner("local", o.workers) as runner:
            report = corpus.build(suite, folder, runner=runner)
        if report.failures:
            raise SystemExit("\n".join(map(str, report.failures)))
        opened = corpus.open(folder)
        folds[rng] = folds_of(opened, o.seeds)
        operators[rng] = by_operator(folds[rng], played(opened))
    found = {"metrics": summary(folds), "by_operator": operators, "seeds": o.seeds}
    (o.out / "capture.json").write_text(json.dumps(found, indent=1) + "\n")
    lines = ["| ceiling | stock | keyed | keyed - stock |", "|---|---:|---:|---:|"]
    for metric, row in found["metrics"].items():
        cells = [f"{v['estimate']:+.2f} ({v['low']:+.2f} to {v['high']:+.2f})" for v in row.values()]
        lines.append(f"| {metric} | {' | '.join(cells)} |")
    lines += ["", "| Capture of operator | stock | keyed |", "|---|---:|---:|"]
    for name in sorted(set(operators["stock"]) | set(operators["keyed"])):
        cells = [f"{operators[r][name]:+.2f}" if name in operators[r] else "-" for r in RNGS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    (o.out / "capture.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
