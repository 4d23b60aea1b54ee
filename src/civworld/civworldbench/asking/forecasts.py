# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasts of quantities as arrays: their scale, the trend, and the loss of a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld.civworldbench import scoring
from civworld.errors import ArgumentError

Floats = npt.NDArray[np.float64]

FAMILIES = ("economy", "scale", "technology-culture", "military", "diplomacy", "score")
QUANTITIES = (
    "treasury", "production", "cities", "population", "territory", "techs", "culture", "military_units", "enemies",
    "allies", "score",
)  # fmt: skip
"""The eleven quantities of the benchmark, whatever else is registered."""
COUNTS = ("enemies", "allies")
"""Quantities whose forecast is judged by the error of its median."""


def is_log(quantity: str) -> bool:
    """Whether errors of the quantity are measured on the scale sign(x) log(1 + |x|)."""
    return quantities.get(quantity).transform == "signed_log"


def to_scale(quantity: str, values: npt.ArrayLike) -> Floats:
    """Values on the scale on which the quantity's errors are measured."""
    given = np.asarray(values, np.float64)
    return scoring.signed_log(given) if is_log(quantity) else given


def from_scale(quantity: str, values: npt.ArrayLike) -> Floats:
    """The reverse of `to_scale`."""
    given = np.asarray(values, np.float64)
    return np.asarray(np.sign(given) * np.expm1(np.abs(given))) if is_log(quantity) else given


def kind(quantity: str) -> scoring.LossKind:
    """How a cell of the quantity is scored."""
    if quantity in COUNTS:
        return scoring.LossKind.MEDIAN_ERROR
    return scoring.LossKind.SIGNED_LOG if is_log(quantity) else scoring.LossKind.PLAIN


def sigma(quantity: str, scales: Mapping[str, float]) -> float:
    """Scale of a quantity's errors: 1 on the logarithmic scale, else as given.

    Raises:
        ArgumentError: nothing is given for it.
    """
    if is_log(quantity):
        return 1.0
    if quantity not in scales:
        raise ArgumentError(f"no scale for quantity {quantity!r}; there are scales for {sorted(scales)}")
    return float(scales[quantity])


def trend(quantity: str, before: npt.ArrayLike, now: npt.ArrayLike, ahead: float) -> Floats:
    """The straight line through two values, on the quantity's scale.

    Args:
        quantity: its name.
        before: levels at the earlier frame, shape (n,).
        now: levels at the later frame, shape (n,).
        ahead: turns from the later frame to the forecast's, over the turns between the frames.

    Returns:
        Forecasts, shape (n,): the level reached, or for a quantity asked as a gain, the gain at the same pace.
    """
    a, b = np.asarray(before, np.float64), np.asarray(now, np.float64)
    if quantities.get(quantity).as_gain:
        return np.asarray((b - a) * ahead)
    low, high = to_scale(quantity, a), to_scale(quantity, b)
    return from_scale(quantity, high + (high - low) * ahead)


def losses(
    names: Sequence[str], outcome: npt.ArrayLike, forecast: npt.ArrayLike, scales: Mapping[str, float]
) -> Floats:
    """Normalised losses of quantity cells.

    Args:
        names: quantity of each cell.
        outcome: what came, shape (n,).
        forecast: quantiles, shape (n, 5).
        scales: quantity -> sigma.
    """
    if not names:
        return np.zeros(0)
    scale = [sigma(name, scales) for name in names]
    return scoring.cell_loss(outcome, forecast, scale, [kind(name) for name in names])
