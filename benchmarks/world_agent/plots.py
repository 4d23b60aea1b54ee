# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's plots from result rows: score by round and tier, component radar, F1 by horizon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from tables import Row, by_round, component_share, curve, pick, solvers

from civworld.world_agent.maintenance import COMPONENTS, TIERS

COLOURS = plt.get_cmap("tab10").colors


def score_by_round(rows: Sequence[Row], path: Path) -> None:
    """Completion (solid) and relation (dashed) by round within each tier."""
    figure, axes = plt.subplots(1, len(TIERS), figsize=(10, 3.2), sharey=True)
    for axis, tier in zip(axes, TIERS, strict=True):
        for colour, solver in zip(COLOURS, solvers(rows), strict=False):
            found = pick(rows, solver=solver, tier=tier)
            for score, style in (("completion", "-"), ("relation", "--")):
                values = by_round(found, score)
                label = solver if score == "completion" else None
                axis.plot(
                    range(1, len(values) + 1),
                    _gaps(values),
                    style,
                    color=colour,
                    label=label,
                    marker="o",
                    ms=3,
                )
        axis.set(title=tier, xlabel="round", ylim=(-0.03, 1.03))
        axis.set_xticks(range(1, len(values) + 1))
    axes[0].set_ylabel("completion (solid), relation (dashed)")
    axes[-1].legend(fontsize=7, loc="upper left", bbox_to_anchor=(1, 1))
    _save(figure, path)


def component_radar(rows: Sequence[Row], path: Path) -> None:
    """Pass rate of each component by solver, one radar per tier; components without items are left out."""
    figure, axes = plt.subplots(1, len(TIERS), figsize=(11, 3.8), subplot_kw={"projection": "polar"})
    for axis, tier in zip(axes, TIERS, strict=True):
        parts = [part for part in COMPONENTS if component_share(pick(rows, tier=tier), part) is not None]
        angles = [2 * math.pi * place / len(parts) for place in range(len(parts))]
        for colour, solver in zip(COLOURS, solvers(rows), strict=False):
            found = pick(rows, solver=solver, tier=tier)
            values = [component_share(found, part) or 0.0 for part in parts]
            axis.plot([*angles, angles[0]], [*values, values[0]], color=colour, label=solver)
        axis.set_xticks(angles, parts)
        axis.set(title=tier, ylim=(0, 1))
    axes[-1].legend(fontsize=7, loc="lower left", bbox_to_anchor=(0.9, -0.1))
    _save(figure, path)


def f1_by_horizon(rows: Sequence[Row], path: Path) -> None:
    """F1 along an episode: M1 segments and M2 intervals by setting, with the mean lookahead as a line."""
    names = [solver for solver in solvers(rows) if solver != "nothing_changes"]
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.2), sharey=True, squeeze=False)
    for axis, solver in zip(axes[0], names, strict=True):
        for colour, (mode, kind) in zip(COLOURS, (("m1", "segment"), ("m2", "interval")), strict=False):
            for information, style in (("open", "-"), ("naming", "--")):
                found = pick(rows, solver=solver, mode=mode, information=information)
                values = curve(found, kind)
                axis.plot(
                    range(1, len(values) + 1),
                    _gaps(values),
                    style,
                    color=colour,
                    label=f"{mode} {information}",
                )
        ahead = [value for value in curve(pick(rows, solver=solver, mode="m2"), "lookahead") if value is not None]
        if ahead:
            axis.axhline(sum(ahead) / len(ahead), color="grey", ls=":", label="lookahead")
        axis.set(title=solver, xlabel="segment", ylim=(-0.03, 1.03))
    axes[0][0].set_ylabel("field F1")
    axes[0][-1].legend(fontsize=7)
    _save(figure, path)


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def _save(figure: Any, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    plt.close(figure)
