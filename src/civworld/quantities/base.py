# SPDX-License-Identifier: GPL-2.0-or-later
"""What a quantity is, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from civworld.display import html_table, html_text, text_table
from civworld.errors import ArgumentError, UnknownNameError
from civworld.state import StateView

Values = npt.NDArray[np.int64]
Family = Literal["economy", "scale", "technology-culture", "military", "diplomacy", "score"]
Transform = Literal["identity", "signed_log"]

_registry: dict[str, Quantity] = {}


@dataclass(frozen=True)
class Quantity:
    """A number that every civilization has at every moment.

    Calling it with a view gives int64 of shape (n,), one value per civilization in the order of
    `civ_ids(view)`. Nothing is ever missing: a dead civilization has 0 of everything, whatever the engine
    still records of it.

    Attributes:
        name: what it is called in queries and records.
        family: group whose members are weighed together in scores.
        unit: what one of it is.
        transform: scale on which errors are measured: "identity", or "signed_log" for sign(x) log(1 + |x|).
        as_gain: whether forecasts ask for the gain between two turns rather than the level given here.
        doc: what it counts exactly.
    """

    name: str
    family: Family
    unit: str
    transform: Transform
    as_gain: bool
    doc: str
    function: Callable[[StateView], Values]

    def __call__(self, view: StateView) -> Values:
        """Values of all civilizations, int64 (n,)."""
        players = view.players
        civs = ~players["is_barbarian"]
        values: Values = np.where(players["is_alive"], self.function(view), 0)[civs].astype(np.int64)
        return values


def quantity(
    family: Family, unit: str, *, transform: Transform = "identity", as_gain: bool = False
) -> Callable[[Callable[[StateView], Values]], Quantity]:
    """Register a function of a view as a quantity under its own name; its docstring says what it counts.

    The function gives one value per record of `view.players`, dead players and barbarians included.
    """

    def register(function: Callable[[StateView], Values]) -> Quantity:
        name = function.__name__
        if name in _registry:
            raise ArgumentError(f"quantity {name!r} is registered twice")
        doc = (function.__doc__ or "").strip()
        made = Quantity(name, family, unit, transform, as_gain, doc, function)
        _registry[name] = made
        return made

    return register


def table() -> Mapping[str, Quantity]:
    """Every quantity by its name, families together, in a fixed order."""
    return MappingProxyType(_registry)


def get(name: str) -> Quantity:
    """The quantity of that name.

    Raises:
        UnknownNameError: there is no such quantity.
    """
    if name not in _registry:
        raise UnknownNameError("quantity", name, _registry)
    return _registry[name]


def civ_ids(view: StateView) -> npt.NDArray[np.int32]:
    """Player numbers of the civilizations, living and dead, ascending, shape (civilizations,); barbarians are none.

    A civil war can add one; none ever disappears.
    """
    players = view.players
    ids: npt.NDArray[np.int32] = np.sort(players["id"][~players["is_barbarian"]])
    return ids


class Measures(np.ndarray[Any, np.dtype[Any]]):
    """A structured array that prints as a table with names; in all else an array like any other."""

    def __repr__(self) -> str:
        return text_table(self.dtype.names, self) if self._is_table() else repr(np.asarray(self))

    def __str__(self) -> str:
        return text_table(self.dtype.names, self) if self._is_table() else str(np.asarray(self))

    def _repr_html_(self) -> str:
        return html_table(self.dtype.names, self) if self._is_table() else html_text(repr(self))

    def _is_table(self) -> bool:
        return self.dtype.names is not None and self.ndim == 1


def measure(view: StateView) -> Measures:
    """All quantities of all civilizations: structured, `player` (int32) and an int64 each; prints as a table."""
    civs = civ_ids(view)
    out = np.empty(len(civs), [("player", "<i4"), *((name, "<i8") for name in _registry)])
    out["player"] = civs
    for name, item in _registry.items():
        out[name] = item(view)
    return out.view(Measures)


def stack(rows: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """`measure` of several moments as one array (moments, civs); a civilization born on the way has zeros before."""
    players = np.unique(np.concatenate([row["player"] for row in rows]))
    out = np.zeros((len(rows), len(players)), rows[0].dtype)
    out["player"] = players
    for i, row in enumerate(rows):
        out[i, np.searchsorted(players, row["player"])] = row
    return out
