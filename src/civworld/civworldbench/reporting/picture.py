# SPDX-License-Identifier: GPL-2.0-or-later
"""A leaderboard as a picture: completion, calibration of probabilities, direction against size of effects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.evaluating.tables import Effects, Gains
from civworld.civworldbench.reporting.leaderboard import Leaderboard
from civworld.extras import needs

BINS = 10
"""Bins of the calibration curve, of equal width."""


def save_picture(
    path: str | os.PathLike[str],
    board: Leaderboard,
    evaluations: Mapping[str, Mapping[str, Evaluation]],
    setting: str,
) -> None:
    """Write the picture of one setting; needs matplotlib (extra `plot`).

    Args:
        path: file to write; its ending chooses the format.
        board: the table.
        evaluations: what it was made from.
        setting: which setting to show.
    """
    with needs("plot", "the picture of a leaderboard"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.6), layout="constrained")
    bars, curve, effects = figure.subplots(1, 3, width_ratios=(2.2, 1, 1))
    names = list(board.lines)
    colours = [f"C{k}" for k in range(len(names))]
    _completions(bars, board, setting, names, colours)
    tables = {name: evaluations[name][setting].tables for name in names}
    _calibration(curve, {name: t["event"] for name, t in tables.items()}, colours)
    _effects(effects, {name: t["direction"] for name, t in tables.items()}, colours)
    figure.suptitle(f"CivWorldBench, {setting}")
    figure.savefig(path, dpi=110)


def _completions(axes: Any, board: Leaderboard, setting: str, names: list[str], colours: list[str]) -> None:
    width = 0.8 / len(names)
    for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
        done = board.lines[name][setting].completion
        heights = [np.nan if (value := done[m]) is None else 100 * value for m in METRICS]
        axes.bar(np.arange(len(METRICS)) + (k + 0.5) * width - 0.4, heights, width, label=name, color=colour)
    axes.axhline(0, color="black", linewidth=1)
    axes.axhline(100, color="black", linewidth=1, linestyle="--")
    axes.text(len(METRICS) - 0.5, 0, " floor", va="center")
    axes.text(len(METRICS) - 0.5, 100, " ceiling", va="center")
    axes.set_ylim(-110, 130)
    axes.set_title("How far from the floor to the ceiling")
    axes.set_xticks(np.arange(len(METRICS)), METRICS, rotation=20)
    axes.set_ylabel("completion, %")
    axes.legend(fontsize="small", ncols=3, loc="lower left")


def _calibration(axes: Any, tables: Mapping[str, Any], colours: list[str]) -> None:
    axes.plot([0, 1], [0, 1], color="black", linewidth=1)
    for (name, table), colour in zip(tables.items(), colours, strict=True):
        assert isinstance(table, Gains)
        place = np.minimum((table.probability * BINS).astype(int), BINS - 1)
        used = np.flatnonzero(np.bincount(place, minlength=BINS))
        given = [table.probability[place == k].mean() for k in used]
        seen = [table.happened[place == k].mean() for k in used]
        axes.plot(given, seen, marker="o", markersize=3, color=colour, label=name)
    axes.set_title("Are probabilities kept?")
    axes.set_xlabel("probability given")
    axes.set_ylabel("share that happened")


def _effects(axes: Any, tables: Mapping[str, Any], colours: list[str]) -> None:
    for (name, table), colour in zip(tables.items(), colours, strict=True):
        assert isinstance(table, Effects)
        moved = (table.realized != 0) & (table.predicted != 0) & ~table.missing
        if not moved.any():
            continue
        right = np.sign(table.realized[moved]) == np.sign(table.predicted[moved])
        ratio = np.abs(table.predicted[moved][right] / table.realized[moved][right])
        low, middle, high = np.quantile(100 * ratio, (0.25, 0.5, 0.75)) if right.any() else (np.nan,) * 3
        axes.errorbar(100 * right.mean(), middle, [[middle - low], [high - middle]], fmt="o", color=colour, label=name)
    axes.axhline(100, color="black", linewidth=1, linestyle="--")
    axes.axvline(50, color="black", linewidth=1, linestyle=":")
    axes.set_yscale("symlog", linthresh=10)
    axes.set_title("Effects: direction and size")
    axes.set_xlabel("direction right, %")
    axes.set_ylabel("size predicted / realized, % (quartiles)")
