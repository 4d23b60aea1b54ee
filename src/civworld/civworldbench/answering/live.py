# SPDX-License-Identifier: GPL-2.0-or-later
"""Reference forecasts of a live world from its views, scored against what happened: the Quantity task in small."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.civworldbench import scoring
from civworld.civworldbench.asking import forecasts
from civworld.errors import ArgumentError
from civworld.state import StateView

Floats = npt.NDArray[np.float64]
Predictor = Callable[[Sequence[StateView], int], dict[str, Floats]]


@dataclass(frozen=True)
class Cells:
    """Losses of one forecast, one element per civilization, quantity and horizon.

    Attributes:
        loss: normalised loss of each cell, float64 (n,).
        family: index into FAMILIES of each cell, int64 (n,).
    """

    loss: Floats
    family: npt.NDArray[np.int64]


def persistence(frames: Sequence[StateView], horizon: int) -> dict[str, Floats]:
    """Nothing changes: the last value of every quantity, or no gain, as a point forecast.

    Args:
        frames: views in order of time; the last is the moment of the forecast.
        horizon: turns ahead; not used.

    Returns:
        quantity -> quantiles, float64 (civs, 5).
    """
    return {
        name: _point(np.zeros(len(now)) if q.as_gain else now)
        for name, q in quantities.table().items()
        for now in [q(frames[-1]).astype(np.float64)]
    }


def trend(frames: Sequence[StateView], horizon: int) -> dict[str, Floats]:
    """The straight line through the last two frames, on the scale of the loss, as a point forecast.

    Args:
        frames: views in order of time, two or more; the last is the moment of the forecast.
        horizon: turns ahead.

    Returns:
        quantity -> quantiles, float64 (civs, 5). A gain goes on at its recent pace.
    """
    if len(frames) < 2 or frames[-1].turn <= frames[-2].turn:
        raise ArgumentError("trend: two frames in order of time are needed")
    ahead = horizon / (frames[-1].turn - frames[-2].turn)
    forecast = {}
    for name, q in quantities.table().items():
        before, now = (_aligned(q, view, frames[-1]) for view in frames[-2:])
        forecast[name] = _point(forecasts.trend(name, before, now, ahead))
    return forecast


def score(forecast: dict[str, Floats], now: StateView, future: StateView, scales: dict[str, float]) -> Cells:
    """Losses of a forecast made at `now` about `future`, living civilizations only.

    Args:
        forecast: quantity -> quantiles, float64 (civs, 5), civilizations as in `quantities.civ_ids(now)`.
        now: the moment of the forecast.
        future: what came.
        scales: quantity -> typical change over a horizon; 1 for quantities on the logarithmic scale.
    """
    alive = np.array([bool(now.player(int(i))["is_alive"]) for i in quantities.civ_ids(now)])
    losses, families = [], []
    for name, q in quantities.table().items():
        outcome = _aligned(q, future, now)
        if q.as_gain:
            outcome = outcome - q(now)
        losses.append(forecasts.losses([name] * int(alive.sum()), outcome[alive], forecast[name][alive], scales))
        families.append(np.full(int(alive.sum()), forecasts.FAMILIES.index(q.family)))
    return Cells(np.concatenate(losses), np.concatenate(families))


def scales_of(frames: Sequence[StateView]) -> dict[str, float]:
    """Typical change of each quantity between the given frames; 1 where nothing changed.

    A corpus states its scales in its manifest; a single world can only estimate them from its own past.
    """
    found = {}
    for name, q in quantities.table().items():
        steps = [_aligned(q, b, a) - q(a) for a, b in itertools.pairwise(frames)]
        spread = float(np.std(np.concatenate(steps))) if steps else 0.0
        found[name] = spread or 1.0
    return found


def skill(cells: Cells, reference: Cells) -> float | None:
    """Skill of one world's forecast over a reference: 1 is perfect, 0 no better; None where undefined."""
    world = np.zeros(len(cells.loss), np.int64)
    return scoring.quantity_score(cells.loss, reference.loss, world, cells.family)


def _point(values: npt.NDArray[Any]) -> Floats:
    return np.repeat(np.asarray(values, np.float64)[:, None], len(scoring.TAUS), axis=1)


def _aligned(q: quantities.Quantity, view: StateView, like: StateView) -> Floats:
    """Values of a quantity in the order of another view's civilizations; 0 where one is not there yet."""
    have = {int(i): v for i, v in zip(quantities.civ_ids(view), q(view), strict=True)}
    return np.array([have.get(int(i), 0) for i in quantities.civ_ids(like)], np.float64)
