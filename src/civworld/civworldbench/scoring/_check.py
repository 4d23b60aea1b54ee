# SPDX-License-Identifier: GPL-2.0-or-later
"""Argument checks shared by the scores: every array that enters is finite, in range and of the right shape.

Each function returns a plain numpy array of one dtype, or raises `ArgumentError` with what was asked, what
was found and what is allowed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from civworld.errors import ArgumentError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

LIMIT = 1e100
"""Largest magnitude of an input; its square and sums of such squares still fit a double."""


def floats(
    where: str,
    name: str,
    value: ArrayLike,
    *,
    ndim: int | None = None,
    low: float = -LIMIT,
    high: float = LIMIT,
) -> FloatArray:
    """Gives `value` as float64 without NaN or infinity, every entry in [low, high]."""
    array = _plain(where, name, value, "biuf", "real numbers")
    result = array.astype(np.float64)
    _check_ndim(where, name, result, ndim)
    bad = ~((result >= low) & (result <= high))
    if bad.any():
        index = np.unravel_index(int(np.argmax(bad)), bad.shape)
        place = f" at index {tuple(int(i) for i in index)}" if index else ""
        raise ArgumentError(
            f"{where}: {name} holds {result[index]}{place}; allowed: finite numbers from {low:g} to {high:g}"
        )
    return result


def rows_of(where: str, name: str, value: ArrayLike) -> tuple[int, ...]:
    """Gives the shape of a column whose entries are not to be read yet."""
    array = _plain(where, name, value, "biuf", "real numbers")
    _check_ndim(where, name, array, 1)
    return array.shape


def answers(where: str, name: str, value: ArrayLike, missing: BoolArray) -> FloatArray:
    """Gives `value` as floats, 0 in the rows that are missing; those rows are not read and may hold NaN."""
    array = _plain(where, name, value, "biuf", "real numbers").astype(np.float64)
    if array.shape[:1] != missing.shape:
        raise ArgumentError(
            f"{where}: {name} has shape {array.shape}, missing has {missing.shape}; allowed: equal lengths"
        )
    array[missing] = 0.0
    return floats(where, name, array)


def integers(where: str, name: str, value: ArrayLike, *, ndim: int | None = 1) -> IntArray:
    """Gives `value` as int64; floats are refused, an empty list is allowed."""
    array = _plain(where, name, value, "iu", "integers")
    _check_ndim(where, name, array, ndim)
    if array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ArgumentError(f"{where}: {name} holds {int(array.max())}; allowed: 64-bit signed integers")
    return array.astype(np.int64)


def flags(where: str, name: str, value: ArrayLike, shape: tuple[int, ...]) -> BoolArray:
    """Gives `value` as booleans of `shape`."""
    array = _plain(where, name, value, "b", "booleans").astype(np.bool_)
    if array.shape != shape:
        raise ArgumentError(f"{where}: {name} has shape {array.shape}; allowed: {shape}")
    return array


def optional_flags(where: str, name: str, value: ArrayLike | None, shape: tuple[int, ...]) -> BoolArray:
    """Gives `value` as booleans of `shape`, all false for None."""
    return np.zeros(shape, dtype=np.bool_) if value is None else flags(where, name, value, shape)


def number(where: str, name: str, value: float, *, low: float = -LIMIT, high: float = LIMIT) -> float:
    """Gives one finite number in [low, high]."""
    return float(floats(where, name, value, ndim=0, low=low, high=high))


def count(where: str, name: str, value: int, *, low: int) -> int:
    """Gives one integer that is at least `low`."""
    found = int(integers(where, name, value, ndim=0))
    if found < low:
        raise ArgumentError(f"{where}: {name} is {found}; allowed: integers from {low}")
    return found


def same_shape(where: str, **arrays: NDArray[Any]) -> None:
    """Refuses arrays of different shapes."""
    if len({array.shape for array in arrays.values()}) > 1:
        found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ArgumentError(f"{where}: shapes differ: {found}; allowed: equal shapes")


def same_shape_or_scalar(where: str, **arrays: NDArray[Any]) -> None:
    """Refuses arrays of different shapes, single numbers apart."""
    same_shape(where, **{name: array for name, array in arrays.items() if array.ndim})


def quantiles(where: str, name: str, value: ArrayLike, rows: tuple[int, ...], levels: int) -> FloatArray:
    """Gives a forecast of shape `rows + (levels,)`."""
    array = floats(where, name, value)
    if array.shape != (*rows, levels):
        raise ArgumentError(f"{where}: {name} has shape {array.shape}; allowed: {(*rows, levels)}")
    return array


def generator(where: str, value: object) -> np.random.Generator:
    """Gives a numpy generator; scores never make their own."""
    if not isinstance(value, np.random.Generator):
        raise ArgumentError(f"{where}: rng is {type(value).__name__}; allowed: a seeded numpy.random.Generator")
    return value


def _plain(where: str, name: str, value: ArrayLike, kinds: str, wanted: str) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise ArgumentError(f"{where}: {name} is a masked array; allowed: a plain array of {wanted}")
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"{where}: {name} is ragged; allowed: a rectangular array of {wanted}") from error
    if array.dtype.kind not in kinds and not (array.size == 0 and array.dtype.kind == "f"):
        raise ArgumentError(f"{where}: {name} has dtype {array.dtype}; allowed: {wanted}")
    return array


def _check_ndim(where: str, name: str, array: NDArray[Any], ndim: int | None) -> None:
    if ndim is not None and array.ndim != ndim:
        raise ArgumentError(f"{where}: {name} has {array.ndim} dimensions; allowed: {ndim}")
