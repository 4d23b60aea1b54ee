# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's figures from result rows, readable with a dozen solvers and more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from tables import Row, average, by_round, component_share, curve, pick, solvers

from civworld.world_agent.maintenance import COMPONENTS, TIERS

COLOURS = plt.get_cmap("tab20").colors
MARKERS = "osv^Dx*"
COLUMNS = 4
"""Panels in a row where every solver has its own."""


def looks(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """A look for each solver, of which no two are alike up to 140 of them."""
    return {
        name: {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place // 2 % len(MARKERS)], "ms": 4, "lw": 1.2}
        for place, name in enumerate(names)
    }


def score_by_round(rows: Sequence[Row]) -> Figure:
    """Completion (above) and relation (below) by round within each tier."""
    names = solvers(rows)
    figure, axes = plt.subplots(2, len(TIERS), figsize=(10, 5.6), sharey=True, squeeze=False)
    for line, score in zip(axes, ("completion", "relation"), strict=True):
        line[0].set_ylabel(score)
        for axis, tier in zip(line, TIERS, strict=True):
            for name, look in looks(names).items():
                values = by_round(pick(rows, solver=name, tier=tier), score)
                axis.plot(range(1, len(values) + 1), _gaps(values), label=name, **look)
            axis.set(title=tier if score == "completion" else "", xlabel="round", ylim=(-0.03, 1.03))
            axis.xaxis.get_major_locator().set_params(integer=True)
    return _with_legend(figure, axes[0][0])


def component_heat(rows: Sequence[Row]) -> Figure:
    """Pass rate of each component by solver and tier; what was not run or has no items stays empty."""
    names = solvers(rows)
    figure, axes = plt.subplots(1, len(TIERS), figsize=(13, 1.6 + 0.32 * len(names)), squeeze=False)
    for axis, tier in zip(axes[0], TIERS, strict=True):
        values = [[component_share(pick(rows, solver=name, tier=tier), part) for part in COMPONENTS] for name in names]
        _heat(axis, names if axis is axes[0][0] else [""] * len(names), values, (0, 1), "{:.2f}")
        axis.set_title(tier)
    return figure


def strengths(rows: Sequence[Row]) -> dict[str, list[float | None]]:
    """Each solver's pass rate of each component, over all tiers, as a multiple of the mean of all solvers."""
    shares = {name: [component_share(pick(rows, solver=name), part) for part in COMPONENTS] for name in solvers(rows)}
    means = [average(column) for column in zip(*shares.values(), strict=True)]
    return {
        name: [None if one is None or not mean else one / mean for one, mean in zip(own, means, strict=True)]
        for name, own in shares.items()
    }


def strength_heat(rows: Sequence[Row]) -> Figure:
    """`strengths` as a picture."""
    found = strengths(rows)
    figure, axis = plt.subplots(figsize=(7, 1.6 + 0.32 * len(found)))
    _heat(axis, list(found), list(found.values()), (0, 2), "{:.2f}x")
    axis.set_title("pass rate relative to the mean of solvers")
    return figure


def f1_by_horizon(rows: Sequence[Row]) -> Figure:
    """F1 along an episode: M1 segments, M2 intervals and lookaheads by setting, a panel for each solver."""
    names = solvers(rows)
    lines = max(1, math.ceil(len(names) / COLUMNS))
    figure, axes = plt.subplots(lines, COLUMNS, figsize=(12, 2.6 * lines), sharex=True, sharey=True, squeeze=False)
    panels = list(axes.flat)
    for axis, name in zip(panels[: len(names)], names, strict=True):
        _horizon(axis, pick(rows, solver=name))
        axis.set_title(name, fontsize=9)
    for axis in panels[len(names) :]:
        axis.set_axis_off()
    for line in axes:
        line[0].set_ylabel("field F1")
    return _with_legend(figure, panels[0])


KINDS = (("m1", "segment", "tab:blue"), ("m2", "interval", "tab:orange"), ("m2", "lookahead", "tab:grey"))


def _horizon(axis: Any, rows: Sequence[Row]) -> None:
    for mode, kind, colour in KINDS:
        for information, style in (("open", "-"), ("naming", "--")):
            values = curve(pick(rows, mode=mode, information=information), kind)
            shown = _gaps(values)
            places: list[float] = list(range(1, len(values) + 1))
            if kind == "lookahead" and values:  # asked twice: a line across, at the mean
                known = average(values)
                places, shown = [1, 8], [math.nan if known is None else known] * 2
            axis.plot(places, shown, style, color=colour, label=f"{mode} {kind}, {information}")
    axis.set(xlabel="segment", ylim=(-0.03, 1.03))


def _heat(
    axis: Any, names: Sequence[str], values: Sequence[Sequence[float | None]], span: tuple[float, float], form: str
) -> None:
    axis.imshow([_gaps(line) for line in values], vmin=span[0], vmax=span[1], cmap="RdYlGn", aspect="auto")
    axis.set_xticks(range(len(COMPONENTS)), COMPONENTS)
    axis.set_yticks(range(len(names)), names)
    for y, line in enumerate(values):
        for x, value in enumerate(line):
            axis.text(x, y, "-" if value is None else form.format(value), ha="center", va="center", fontsize=7)


def _with_legend(figure: Figure, axis: Any) -> Figure:
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=7)
    return figure


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def save(figure: Figure, path: Path) -> None:
    """Writes a figure and closes it."""
    figure.set_layout_engine("constrained")
    figure.savefig(path, dpi=130)
    plt.close(figure)
