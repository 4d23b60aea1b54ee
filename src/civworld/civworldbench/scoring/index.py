# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion between floor and ceiling, and the composite index over metrics, levels and settings."""

from __future__ import annotations

from collections.abc import Mapping

from civworld.civworldbench.scoring._check import number
from civworld.errors import ArgumentError, UnknownNameError

LEVELS: Mapping[int, tuple[str, ...]] = {
    1: ("quantity", "event"),
    2: ("trait", "rules"),
    3: ("capture", "direction", "specificity"),
}
"""The metrics of each level: association, belief, intervention."""


def completion(score: float, floor: float, ceiling: float) -> float | None:
    """Gives where a score lies between a metric's floor and its ceiling.

    Formula: r = (x - f) / (c - f).
    Range: not clipped; floor 0, ceiling 1.
    Orientation: larger is better.
    Properness: as the score, of which it is an increasing function.
    Reference: arXiv 2610.16450, section 4.2.

    Args:
        score: x, larger = better.
        floor: f.
        ceiling: c.

    Returns:
        The completion, or None when the ceiling does not lie above the floor.

    Example:
        >>> completion(-0.5, -1.0, 0.0), completion(0.5, 0.5, 0.5)
        (0.5, None)
    """
    x = number("completion", "score", score)
    low = number("completion", "floor", floor)
    high = number("completion", "ceiling", ceiling)
    return (x - low) / (high - low) if high > low else None


def level_completion(completions: Mapping[str, float | None], level: int) -> float | None:
    """Gives the mean completion of a level's metrics in one setting.

    Formula: (1/|K_l|) sum_{k in K_l} r_k.
    Range: not clipped; floor 0, ceiling 1.
    Orientation: larger is better.
    Properness: as the scores.
    Reference: arXiv 2610.16450, equation (5), innermost sum.

    Args:
        completions: metric name -> completion; may hold metrics of other levels too.
        level: 1, 2 or 3.

    Returns:
        The mean, or None when one of the completions is None.

    Raises:
        ArgumentError: a level or metric that does not exist, or a metric of the level that is absent.

    Example:
        >>> level_completion({"capture": 0.5, "direction": 0.25, "specificity": 0.0}, 3)
        0.25
    """
    where = "level_completion"
    if level not in LEVELS:
        raise ArgumentError(f"{where}: level is {level!r}; allowed: {', '.join(map(str, LEVELS))}")
    known = [metric for metrics in LEVELS.values() for metric in metrics]
    for metric in completions:
        if metric not in known:
            raise UnknownNameError("metric", metric, known)
    absent = [metric for metric in LEVELS[level] if metric not in completions]
    if absent:
        raise ArgumentError(
            f"{where}: level {level} has no {', '.join(absent)}; allowed: all of {', '.join(LEVELS[level])}"
        )
    values = [completions[metric] for metric in LEVELS[level]]
    defined = [number(where, "completions", value) for value in values if value is not None]
    return sum(defined) / len(defined) if len(defined) == len(values) else None


def composite_index(completions: Mapping[str, Mapping[str, float | None]]) -> float | None:
    """Gives the mean completion over metrics, levels and settings: over the published three, the Sandbox-World
    Forecasting Index (SWFI).

    Metrics weigh equally within a level, levels within a setting, and settings in the index.

    Formula: 100 / (3 |S|) sum_s sum_l (1/|K_l|) sum_{k in K_l} r_sk; 100/9 for the three settings.
    Range: not clipped; all floors 0, all ceilings 100.
    Orientation: larger is better.
    Properness: as the scores.
    Reference: arXiv 2610.16450, equation (5).

    Args:
        completions: setting -> metric -> completion, all seven metrics; the settings given are averaged over. Other
            settings than the published three make another index: who prints it says so.

    Returns:
        The index, or None when one of the completions is None: an undefined part never drops out silently.

    Raises:
        ArgumentError: an unknown metric, an absent one, or no setting.

    Example:
        >>> one = {"quantity": 1.0, "event": 0.0, "trait": 0.5, "rules": 1.0}
        >>> one |= {"capture": 0.0, "direction": 0.25, "specificity": 0.5}
        >>> composite_index({"omni-id": one, "ego": one, "omni-ood": one})
        50.0
    """
    if not completions:
        raise ArgumentError("composite_index: no setting; allowed: one or more")
    parts = [level_completion(found, level) for found in completions.values() for level in LEVELS]
    defined = [part for part in parts if part is not None]
    return 100.0 * sum(defined) / len(defined) if len(defined) == len(parts) else None
