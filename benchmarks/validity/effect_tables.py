# SPDX-License-Identifier: GPL-2.0-or-later
"""From rollouts to tables: expected effects, what pairing leaves of their variance, what one half tells of the other.

An effect is real minus control of the edited civilization. Its variance is taken in two ways from the same rollouts:
paired (of the differences under equal seeds) and unpaired (of real plus that of control). Their ratio is the share of
rollouts that pairing leaves to be played for one standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.validity.study import Job, Row, interval
from civworld import quantities
from civworld.civworldbench.scoring.intervention import MIN_CELLS

CONTROL = "control"
KEY = ("operator", "arm", "target", "rng", "turns")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cell:
    """One quantity of the edited civilization of one world, under equal seeds without and with the edit.

    Attributes:
        operator: name of the operator.
        arm: real or placebo.
        target: name of the quantity.
        rng: who drew from the edit on, stock or keyed.
        turns: how long after the edit.
        world: seed of the world.
        scale: standard deviation of the quantity over all civilizations of all controls; what effects are measured in.
        control: values without the edit, shape (seeds,).
        edited: values with it, in the same order.
    """

    operator: str
    arm: str
    target: str
    rng: str
    turns: int
    world: int
    scale: float
    control: Floats
    edited: Floats

    @property
    def shift(self) -> Floats:
        """Effect under each seed, in the quantity's unit."""
        return self.edited - self.control

    @property
    def paired(self) -> float:
        """Variance of an effect from one pair of rollouts."""
        return float(self.shift.var(ddof=1))

    @property
    def unpaired(self) -> float:
        """Variance of an effect from two rollouts that share nothing."""
        return float(self.edited.var(ddof=1) + self.control.var(ddof=1))


def cells(results: Sequence[tuple[Job, Any]]) -> list[Cell]:
    """Every cell of which two seeds at least were played with and without the edit."""
    played: dict[tuple[str, str, int, int], dict[int, Any]] = {}
    about: dict[tuple[str, int], tuple[int, list[str]]] = {}
    for job, found in results:
        for number, rows in enumerate(found["values"]):
            for turns, civs in zip(job["horizons"], rows, strict=True):
                place = job["arm"], job["rng"], turns, job["world"]
                played.setdefault(place, {})[job["seeds"][0] + number] = civs
        if found["player"] is not None:
            about[job["arm"], job["world"]] = found["player"], found["targets"]
    names, scales = list(quantities.table()), _scales(played)
    made = []
    for (arm, rng, turns, world), edited in played.items():
        control = played.get((CONTROL, rng, turns, world), {})
        seeds = sorted(edited.keys() & control.keys())
        if arm == CONTROL or len(seeds) < 2:
            continue
        player, targets = about[arm, world]
        operator, _, placebo = arm.partition("/")
        for target in targets:
            column = names.index(target)
            both = (np.array([side[s][player][column] for s in seeds], float) for side in (control, edited))
            scale = scales[turns][column]
            made.append(Cell(operator, placebo or "real", target, rng, turns, world, scale, *both))
    return made


def _scales(played: dict[tuple[str, str, int, int], dict[int, Any]]) -> dict[int, Floats]:
    """Turns -> standard deviation of each quantity over all civilizations of all controls."""
    rows: dict[int, list[Any]] = {}
    for (arm, _, turns, _), by_seed in played.items():
        if arm == CONTROL:
            rows.setdefault(turns, []).extend(civ for civs in by_seed.values() for civ in civs)
    return {turns: np.array(civs, float).std(axis=0) for turns, civs in rows.items()}


def by_world(found: Iterable[Cell]) -> list[Row]:
    """One row per cell."""
    return [
        {name: getattr(c, name) for name in (*KEY, "world")}
        | {"seeds": c.shift.size, "effect": float(c.shift.mean()), "paired": c.paired, "unpaired": c.unpaired}
        for c in found
    ]


def effects(found: Sequence[Cell]) -> list[Row]:
    """Mean effect over worlds with its interval; the standard error is that of rollouts within worlds."""
    rows = []
    for key, group in _grouped(found, KEY).items():
        means = [float(c.shift.mean()) for c in group]
        _, low, high = interval(means)
        error = float(np.sqrt(sum(c.paired / c.shift.size for c in group)) / len(group))
        row: Row = dict(zip(KEY, key, strict=True))
        row |= {"worlds": len(group), "pairs": sum(c.shift.size for c in group), "effect": float(np.mean(means))}
        row |= {"low": low, "high": high, "standard_error": error, "moves": low > 0 or high < 0}
        rows.append(row | {"moved_rollouts": float(np.mean(np.concatenate([c.shift != 0 for c in group])))})
    return rows


def pairing(found: Sequence[Cell], seconds: float) -> list[Row]:
    """Share of rollouts that pairs need against unpaired ones, mean over the cells that vary, by operator and turns."""
    rows = []
    varying = [c for c in found if c.arm == "real" and c.unpaired > 0]
    for (operator, turns), group in _grouped(varying, ("operator", "turns")).items():
        row: Row = {"operator": operator, "turns": turns}
        for rng in ("stock", "keyed"):
            ratios = [c.paired / c.unpaired for c in group if c.rng == rng]
            row |= {rng: float(np.mean(ratios)) if ratios else None, f"{rng}_cells": len(ratios)}
        rows.append(row | {"core_seconds_of_a_rollout": seconds * turns})
    return rows


def capture_halves(found: Sequence[Cell], operators: Sequence[str]) -> list[Row]:
    """How much of the mean effect of one half of n pairs the other half foresees, for n = 2, 4, 8, ...

    A cell counts when its forecasting half says that it moved: by more than twice its standard error, or at all where
    that half is one pair. The target is the mean of the other half, so that chance does not choose it. Capture is
    averaged over operators, over both directions and over all disjoint stretches of n pairs. All n are of the same
    cells, those that were played under most seeds.
    """
    rows = []
    chosen = [c for c in found if c.arm == "real" and c.operator in operators and c.scale > 0]
    for (rng, turns), group in _grouped(chosen, ("rng", "turns")).items():
        most = max(c.shift.size for c in group)
        group = [c for c in group if c.shift.size == most]
        pairs = 2
        while pairs <= most:
            values, moved = _halves(group, pairs)
            row: Row = {"rng": rng, "turns": turns, "pairs": pairs, "splits": len(values)}
            row |= {"cells": len(group), "moved_cells": moved}
            mean = float(np.mean(values)) if values else None
            error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
            rows.append(row | {"capture": mean, "standard_error": error})
            pairs *= 2
    return rows


def _halves(group: Sequence[Cell], pairs: int) -> tuple[list[float], float]:
    """Capture of each split, and the mean number of moved cells."""
    found: list[float] = []
    moved: list[int] = []
    half = pairs // 2
    for first in range(0, group[0].shift.size - pairs + 1, pairs):
        for turn in (0, half):
            rows = []
            for cell in group:
                both = np.roll(cell.shift[first : first + pairs], turn) / cell.scale
                forecast, target = both[:half], both[half:]
                if moves(forecast):
                    rows.append((cell.operator, float(forecast.mean()), float(target.mean())))
            moved.append(len(rows))
            scores = [_capture([r[1:] for r in rows if r[0] == name]) for name in dict.fromkeys(r[0] for r in rows)]
            known = [score for score in scores if score is not None]
            found += [float(np.mean(known))] if known else []
    return found, float(np.mean(moved))


def _capture(rows: Sequence[tuple[float, float]]) -> float | None:
    """1 - sum |forecast - target| / sum |target|, within -1 and 1; None of fewer than three cells, or without effect.

    Unlike `scoring.capture` it keeps cells whose target is exactly 0: the other half has said that they moved.
    """
    forecast, target = np.array(rows, float).T
    size = np.abs(target).sum()
    if len(rows) < MIN_CELLS or size == 0:
        return None
    return float(np.clip(1 - np.abs(forecast - target).sum() / size, -1, 1))


def moves(shift: Floats) -> bool:
    """Whether a mean effect is beyond twice its standard error; of one pair, whether it is anything."""
    if shift.size < 2:
        return bool(shift.any())
    return bool(abs(shift.mean()) > 2 * shift.std(ddof=1) / np.sqrt(shift.size))


def median(values: Iterable[float | None]) -> float | None:
    """Median of what is there."""
    found = [value for value in values if value is not None]
    return float(np.median(found)) if found else None


def _grouped(found: Iterable[Cell], names: Sequence[str]) -> dict[tuple[Any, ...], list[Cell]]:
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in found:
        groups.setdefault(tuple(getattr(cell, name) for name in names), []).append(cell)
    return groups
