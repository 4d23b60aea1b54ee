# SPDX-License-Identifier: GPL-2.0-or-later
"""Two forecasters, or one under two conditions, world by world: differences with paired intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.asking.query import SETTINGS
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.metrics import ALL, METRICS
from civworld.civworldbench.evaluating.tables import Ints
from civworld.civworldbench.reporting.leaderboard import Ceilings, index_over, resampled
from civworld.errors import ArgumentError

BySetting = Mapping[str, Evaluation]
Statistic = Callable[[Sequence[str]], float | None]
Row = tuple[float | None, float | None, scoring.Interval]
"""A figure of the first, of the second, and their difference."""


@dataclass(frozen=True)
class Comparison:
    """What the first has over the second.

    Attributes:
        first: name of the first.
        second: name of the second.
        metrics: setting -> metric -> (score of the first, of the second, difference with its paired 95 % interval
            over worlds). Raw scores: accuracies are not adjusted.
        index: mean completion over the settings, in the same form.
    """

    first: str
    second: str
    metrics: Mapping[str, Mapping[str, Row]]
    index: Row

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "first": self.first,
            "second": self.second,
            "index": _values(*self.index),
            "metrics": {s: {m: _values(*row) for m, row in rows.items()} for s, rows in self.metrics.items()},
        }

    def to_markdown(self) -> str:
        """One table: a line per setting and metric, the index last."""
        lines = [
            f"| setting | metric | {self.first} | {self.second} | difference | 95 % interval |",
            "|---|---|---:|---:|---:|---:|",
        ]
        for setting, rows in self.metrics.items():
            lines += [f"| {setting} | {metric} | {_cells(*row, digits=3)} |" for metric, row in rows.items()]
        lines.append(f"| {' and '.join(self.metrics)} | index, % | {_cells(*self.index, digits=1)} |")
        return "\n".join(lines) + "\n"


def compare(
    first: tuple[str, BySetting],
    second: tuple[str, BySetting],
    ceilings: Ceilings,
    rng_seed: int,
    *,
    n_resamples: int = 1000,
    measured_on: str = "published",
) -> Comparison:
    """The differences of every metric and of the index, first minus second.

    Worlds are drawn with replacement, the same ones for both, so that what is hard about a world cancels.

    Args:
        first: name, and evaluation by setting.
        second: the same; settings and their worlds must be equal.
        ceilings: for the index.
        rng_seed: seeds the draws of each metric alike.
        n_resamples: how many draws.
        measured_on: which ceilings, see `leaderboard`.

    Raises:
        ArgumentError: settings or worlds differ.
    """
    (name, a), (other, b) = first, second
    if set(a) != set(b):
        raise ArgumentError(f"compare: settings {sorted(a)} and {sorted(b)}; the same ones are needed")
    settings = tuple(s for s in SETTINGS if s in a)
    for setting in settings:
        if a[setting].worlds != b[setting].worlds:
            raise ArgumentError(f"compare: {name} and {other} were asked about different worlds in {setting}")
    metrics = {}
    for setting in settings:
        worlds = a[setting].worlds
        metrics[setting] = {
            metric: _difference(
                worlds, _of_metric(a[setting], metric), _of_metric(b[setting], metric), rng_seed, n_resamples
            )
            for metric in METRICS
        }
    names = sorted({world for setting in settings for world in a[setting].worlds})
    limits = {s: {m: ALL[m].limit(ceilings[s], measured_on) for m in METRICS} for s in settings}
    index = _difference(
        names,
        lambda chosen: index_over(a, settings, limits, chosen),
        lambda chosen: index_over(b, settings, limits, chosen),
        rng_seed,
        n_resamples,
    )
    return Comparison(name, other, metrics, index)


def _difference(worlds: Sequence[str], first: Statistic, second: Statistic, seed: int, n_resamples: int) -> Row:
    """Both figures over all worlds, and their difference over drawn ones."""

    def statistic(rows: Ints, _: Ints) -> float | None:
        chosen = [worlds[row] for row in rows]
        a, b = first(chosen), second(chosen)
        return None if a is None or b is None else a - b

    rng = np.random.default_rng(seed)
    found = scoring.world_bootstrap(np.arange(len(worlds)), statistic, rng, n_resamples=n_resamples)
    return first(worlds), second(worlds), found


def _of_metric(found: Evaluation, metric: str) -> Statistic:
    return lambda chosen: resampled(found.tables[metric], found.worlds, chosen)


def _values(first: float | None, second: float | None, found: scoring.Interval) -> dict[str, float | None]:
    return {"first": first, "second": second, "difference": found.estimate, "low": found.low, "high": found.high}


def _cells(first: float | None, second: float | None, found: scoring.Interval, *, digits: int) -> str:
    def shown(value: float | None) -> str:
        return "-" if value is None else f"{value:+.{digits}f}"

    interval = "-" if found.low is None else f"{shown(found.low)} to {shown(found.high)}"
    return f"{shown(first)} | {shown(second)} | {shown(found.estimate)} | {interval}"
