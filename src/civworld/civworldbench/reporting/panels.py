# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark beside external leaderboards: correlation per panel, pooled test, components, sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.errors import ArgumentError

FEWEST = 3
"""Matched models that a panel needs."""
RESAMPLES = 2000


@dataclass(frozen=True)
class Panel:
    """One external leaderboard against one figure of ours.

    Attributes:
        name: of the panel.
        models: models in both.
        r: Pearson correlation, None where undefined.
        p_value: of the exact or drawn permutation test, two-sided.
        low: lower end of the 95 % interval over models drawn with replacement; None where undefined.
        high: its upper end.
        without: model -> correlation without it.
    """

    name: str
    models: tuple[str, ...]
    r: float | None
    p_value: float | None
    low: float | None
    high: float | None
    without: Mapping[str, float | None]


@dataclass(frozen=True)
class Association:
    """Everything that panels say about a leaderboard.

    Attributes:
        panels: the index against each panel.
        pooled: all panels together, models permuted.
        components: figure of ours -> panel -> correlation.
    """

    panels: tuple[Panel, ...]
    pooled: scoring.Correlation
    components: Mapping[str, Mapping[str, float | None]]

    def to_markdown(self) -> str:
        """Panels, the pooled test, then a table of components."""
        lines = ["| panel | models | r | 95 % interval | p | r without one model |", "|---|---:|---:|---:|---:|---:|"]
        for p in self.panels:
            rest = [value for value in p.without.values() if value is not None]
            span = f"{min(rest):+.2f} to {max(rest):+.2f}" if rest else "-"
            ends = "-" if p.low is None else f"{p.low:+.2f} to {p.high:+.2f}"
            lines.append(f"| {p.name} | {len(p.models)} | {_r(p.r)} | {ends} | {_p(p.p_value)} | {span} |")
        lines += [
            "",
            f"Pooled over panels, models permuted: r = {_r(self.pooled.r)}, p = {_p(self.pooled.p_value)}",
            "",
        ]
        names = [p.name for p in self.panels]
        lines += [f"| figure | {' | '.join(names)} |", "|---|" + "---:|" * len(names)]
        lines += [f"| {f} | {' | '.join(_r(row[n]) for n in names)} |" for f, row in self.components.items()]
        return "\n".join(lines) + "\n"


def associate(
    board: Mapping[str, Any], panels: Mapping[str, Mapping[str, float]], *, seed: int, n_permutations: int = 10_000
) -> Association:
    """Correlations of a leaderboard with external panels.

    Args:
        board: a leaderboard as plain values (`Leaderboard.to_dict`, `leaderboard.json`).
        panels: panel -> model -> its score there, larger is better; models are matched by name.
        seed: of permutations and resamples.
        n_permutations: how many.

    Raises:
        ArgumentError: a panel matches fewer than three models that have an index.
    """
    figures = _figures(board)
    own = figures["index"]
    matched = {name: [m for m in sorted(scores) if m in own] for name, scores in panels.items()}
    for name, models in matched.items():
        if len(models) < FEWEST:
            raise ArgumentError(
                f"panel {name!r}: {models} are in both; {FEWEST} or more models with an index are needed"
            )
    found = tuple(_panel(name, matched[name], own, panels[name], seed, n_permutations) for name in panels)
    names = sorted({model for models in matched.values() for model in models})
    rows = [(names.index(m), k, panels[p][m]) for k, p in enumerate(panels) for m in matched[p]]
    model, key, external = zip(*rows, strict=True)
    rng = np.random.default_rng(seed)
    pooled = scoring.pooled_permutation_test(
        [own[name] for name in names], model, key, external, rng, n_permutations=n_permutations
    )
    components = {
        figure: {name: _correlation(values, scores, matched[name]) for name, scores in panels.items()}
        for figure, values in figures.items()
    }
    return Association(found, pooled, components)


def _figures(board: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Figure -> model -> value: the index, and the completion of each metric in each setting."""
    found: dict[str, dict[str, float]] = {"index": {}}
    for model, told in board["forecasters"].items():
        if told["index"]["estimate"] is not None:
            found["index"][model] = float(told["index"]["estimate"])
        for setting, line in told["settings"].items():
            for metric, value in line["completion"].items():
                if value is not None:
                    found.setdefault(f"{setting}, {metric}", {})[model] = float(value)
    return found


def _panel(
    name: str, models: Sequence[str], own: Mapping[str, float], scores: Mapping[str, float], seed: int, tries: int
) -> Panel:
    x, y = np.array([own[m] for m in models]), np.array([scores[m] for m in models])
    test = scoring.permutation_test(x, y, np.random.default_rng(seed), n_permutations=tries)
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(0, len(models), len(models)) for _ in range(RESAMPLES))
    values = [r for rows in drawn if (r := scoring.pearson_r(x[rows], y[rows])) is not None]
    low, high = np.quantile(values, [0.025, 0.975]).tolist() if values else (None, None)
    without = {m: _correlation(own, scores, [other for other in models if other != m]) for m in models}
    return Panel(name, tuple(models), test.r, test.p_value, low, high, without)


def _correlation(own: Mapping[str, float], scores: Mapping[str, float], models: Sequence[str]) -> float | None:
    both = [m for m in models if m in own]
    return scoring.pearson_r([own[m] for m in both], [scores[m] for m in both]) if len(both) > 1 else None


def _r(value: float | None) -> str:
    return "-" if value is None else f"{value:+.2f}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
