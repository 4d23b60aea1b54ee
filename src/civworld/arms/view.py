# SPDX-License-Identifier: GPL-2.0-or-later
"""What operators ask of a view: a civilization's neighbours, cities and research."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.state import StateView
from civworld.terms import ISOMETRIC, WRAP_X, WRAP_Y


def squared_distance(view: StateView, a: Any, b: Any) -> npt.NDArray[np.int64]:
    """How far apart tiles (indexes, broadcast) lie on the map as it is drawn, squared, around the wrapped edges.

    It ranks what is near; the unit is half a tile's width on isometric maps.
    """
    (ax, ay), (bx, by) = (_drawn(view, np.asarray(t, np.int64)) for t in (a, b))
    width = view.xsize * (2 if view.topology & ISOMETRIC else 1)
    dx = _apart(ax - bx, width, bool(view.topology & WRAP_X))
    dy = _apart(ay - by, view.ysize, bool(view.topology & WRAP_Y))
    return dx * dx + dy * dy


def _drawn(view: StateView, tile: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    y, x = np.divmod(tile, view.xsize)
    return (2 * x + y % 2, y) if view.topology & ISOMETRIC else (x, y)


def _apart(delta: npt.NDArray[np.int64], size: int, wraps: bool) -> npt.NDArray[np.int64]:
    return (delta + size // 2) % size - size // 2 if wraps else delta


def cities_of(view: StateView, player: int) -> npt.NDArray[Any]:
    """Cities of a player: the capital first, then by size, larger first, then by id."""
    found = view.cities[view.cities["owner"] == player]
    order = np.lexsort((found["id"], -found["size"], found["capital"] != b"Primary"))
    ordered: npt.NDArray[Any] = found[order]
    return ordered


def neighbours(view: StateView, player: int) -> tuple[int, ...]:
    """Living civilizations that a player has met and that have cities, nearest city first."""
    own = cities_of(view, player)["tile"]
    players = view.players
    living = players["id"][players["is_alive"] & ~players["is_barbarian"] & (players["cities"] > 0)]
    pairs = view.diplomacy
    met = (pairs["player"] == player) & (pairs["state"] != b"Never met") & np.isin(pairs["other"], living)
    if not len(own):
        return ()

    def nearest(other: int) -> tuple[int, int]:
        theirs = view.cities["tile"][view.cities["owner"] == other]
        return int(squared_distance(view, own[:, None], theirs[None, :]).min()), other

    return tuple(sorted((int(p) for p in pairs["other"][met]), key=nearest))
