# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of the study of effects: what pairs save, what each operator moves, what one half tells of the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.validity.study import Row

COLOURS = {"stock": "tab:gray", "keyed": "tab:blue", "real": "tab:blue", "placebo": "tab:orange"}


def pairing(rows: Sequence[Row], path: Path) -> None:
    """Share of rollouts that pairs need, by operator and turns."""
    names = list(dict.fromkeys(row["operator"] for row in rows))
    turns = sorted({row["turns"] for row in rows}) or [0]
    figure, axes = _panels(1, len(turns), 3.4, 0.3 * len(names) + 1)
    for axis, horizon in zip(axes[0], turns, strict=True):
        for shift, rng in ((0.2, "stock"), (-0.2, "keyed")):
            share = {row["operator"]: row[rng] or 0 for row in rows if row["turns"] == horizon}
            places = [i + shift for i in range(len(names))]
            axis.barh(places, [share.get(n, 0) for n in names], 0.38, color=COLOURS[rng], label=rng)
        axis.axvline(1, color="black", lw=0.8, ls=":")
        axis.set(title=f"{horizon} turns", xlabel="variance, paired / unpaired")
        axis.set_yticks(range(len(names)), names if axis is axes[0][0] else [""] * len(names), fontsize=8)
        axis.invert_yaxis()
    axes[0][0].legend(fontsize=8)
    figure.savefig(path)


def effects(rows: Sequence[Row], path: Path) -> None:
    """Expected effect with its 95 % band over the turns: a row per operator, a column per target, keyed pairs."""
    keyed = [row for row in rows if row["rng"] == "keyed"]
    operators = list(dict.fromkeys(row["operator"] for row in keyed))
    targets = {name: list(dict.fromkeys(r["target"] for r in keyed if r["operator"] == name)) for name in operators}
    figure, axes = _panels(len(operators), max(map(len, targets.values()), default=1), 2.3, 1.5 * len(operators) + 0.4)
    for line, name in zip(axes, operators, strict=False):
        for axis in line[len(targets[name]) :]:
            axis.axis("off")
        for axis, target in zip(line, targets[name], strict=False):
            for arm in ("placebo", "real"):
                chosen = [r for r in keyed if (r["operator"], r["target"], r["arm"]) == (name, target, arm)]
                _band(axis, sorted(chosen, key=lambda r: int(r["turns"])), arm)
            axis.axhline(0, color="black", lw=0.6)
            axis.set_title(f"{name}: {target}", fontsize=7)
            axis.tick_params(labelsize=6)
    figure.savefig(path)


def _band(axis: Any, rows: Sequence[Row], arm: str) -> None:
    turns = [0, *(r["turns"] for r in rows)]
    axis.plot(turns, [0, *(r["effect"] for r in rows)], color=COLOURS[arm], lw=1.2)
    low, high = ([0, *(r[side] for r in rows)] for side in ("low", "high"))
    axis.fill_between(turns, low, high, color=COLOURS[arm], alpha=0.25, lw=0)


def capture(rows: Sequence[Row], path: Path) -> None:
    """Capture of one half's mean effect by the other's, over the number of pairs."""
    turns = sorted({row["turns"] for row in rows}) or [0]
    figure, axes = _panels(1, len(turns), 2.6, 2.6)
    for axis, horizon in zip(axes[0], turns, strict=True):
        for rng in ("stock", "keyed"):
            line = [r for r in rows if (r["turns"], r["rng"]) == (horizon, rng) and r["capture"] is not None]
            error = [2 * (r["standard_error"] or np.nan) for r in line]
            axis.errorbar([r["pairs"] for r in line], [r["capture"] for r in line], error, color=COLOURS[rng],
                          marker="o", ms=3, capsize=2, label=rng)  # fmt: skip
        axis.set_xscale("log", base=2)
        axis.set(title=f"{horizon} turns", xlabel="pairs", ylim=(-1, 1))
        axis.axhline(0, color="black", lw=0.6)
    axes[0][0].set_ylabel("Capture by halves")
    axes[0][0].legend(fontsize=8)
    figure.savefig(path)


def _panels(lines: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * max(columns, 1), height), layout="constrained")
    return figure, figure.subplots(max(lines, 1), max(columns, 1), squeeze=False)
