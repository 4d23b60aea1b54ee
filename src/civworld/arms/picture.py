# SPDX-License-Identifier: GPL-2.0-or-later
"""What an edit does, as curves with bands: the real edit against its placebo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.arms.trial import Trial
from civworld.errors import ArgumentError
from civworld.extras import needs

# 97.5 % points of Student's t for 1, 2, ... 30 degrees of freedom (any statistics text book)
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
NORMAL = 1.96
COLORS = {"real": "tab:blue", "placebo": "tab:orange"}


def band(
    trial: Trial, quantity: str, player: int, arm: str = "real"
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """An arm's expected effect and half the width of its 95 % band, float64 (turns,) each.

    The band is Student's t over the paired seeds, None with fewer than two. An arm that was played under no seed gives
    its effect in the world's own future.

    Raises:
        UnknownNameError: there is no such arm.
    """
    mean, error = trial.expected(quantity, player, arm)
    if mean is None:
        alone = trial.real if arm == "real" else trial.placebo
        return (alone.of(quantity, player) - trial.control.of(quantity, player)).astype(np.float64), None
    if error is None:
        return mean, None
    freedom = len(trial.shifts(quantity, player, arm)) - 1
    return mean, error * (STUDENT[freedom - 1] if freedom <= len(STUDENT) else NORMAL)


def plot(trial: Trial, names: Sequence[str] | None = None, *, title: str | None = None) -> Any:
    """Draw expected effects with 95 % bands over the turns, real against placebo; needs matplotlib (extra `plot`).

    Args:
        trial: what `run` returned; with seeds for bands, with `placebos=True` for a placebo's band.
        names: quantities to draw, a row each; None takes the operator's targets.
        title: None says operator, civilization and seeds.

    Returns:
        A `matplotlib.figure.Figure`; `savefig` writes it.

    Raises:
        UnknownNameError: there is no such quantity.
        ArgumentError: `names` is empty.
        MissingExtra: matplotlib is missing.
    """
    chosen = tuple(trial.plan.targets if names is None else (quantities.get(name).name for name in names))
    if not chosen:
        raise ArgumentError("plot: names=(): at least one quantity is needed")
    with needs("plot", "arms.plot"):
        from matplotlib.figure import Figure

    players = trial.players()
    figure = Figure(figsize=(5.2 * len(players), 2.1 * len(chosen) + 0.6), layout="constrained")
    grid = figure.subplots(len(chosen), len(players), squeeze=False, sharex=True)
    for axes, quantity, player in _panels(grid, chosen, players):
        _curves(axes, trial, quantity, player)
        axes.set_ylabel(f"{quantity} ({quantities.get(quantity).unit})", fontsize=9)
    for column, player in enumerate(players):
        grid[0, column].set_title(f"civilization {player}", fontsize=10)
        grid[-1, column].set_xlabel("turn")
    grid[0, 0].legend(fontsize=8)
    figure.suptitle(title or f"{trial.plan.operator} ({trial.plan.variant}), {len(trial.paired)} paired seeds")
    return figure


def _panels(grid: Any, names: Sequence[str], players: Sequence[int]) -> Iterator[tuple[Any, str, int]]:
    for row, quantity in enumerate(names):
        for column, player in enumerate(players):
            yield grid[row, column], quantity, player


def _curves(axes: Any, trial: Trial, quantity: str, player: int) -> None:
    turns = trial.control.turns
    axes.axhline(0, color="black", linewidth=0.8)
    for arm, color in COLORS.items():
        mean, half = band(trial, quantity, player, arm)
        if half is not None:
            axes.fill_between(turns, mean - half, mean + half, color=color, alpha=0.2, linewidth=0)
        axes.plot(turns, mean, color=color, linewidth=1.8, label=arm)
    axes.grid(alpha=0.3)
