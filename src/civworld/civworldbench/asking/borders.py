# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether two civilizations' lands touch, from the recorded changes of the map."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.corpus import WorldInfo
from civworld.terms import HEXAGONAL, ISOMETRIC, WRAP_X, WRAP_Y

Ints = npt.NDArray[np.int64]


def owners(world: WorldInfo, changes: npt.NDArray[Any], turn: int) -> Ints:
    """Owner of each tile at a turn, -1 for none, shape (tiles,)."""
    found = np.full(world.xsize * world.ysize, -1, np.int64)
    past = changes[changes["turn"] <= turn]
    found[past["tile"]] = past["owner"]  # rows are in order of turns: the last change stays
    return found


def touch(world: WorldInfo, changes: npt.NDArray[Any], turn: int, a: int, b: int) -> bool:
    """Whether any tile of `a` is next to a tile of `b` at a turn."""
    owner = owners(world, changes, turn)
    tiles = np.flatnonzero(owner == a)
    return any(bool((owner[near] == b).any()) for near in neighbours(world, tiles))


def neighbours(world: WorldInfo, tiles: Ints) -> list[Ints]:
    """For each direction the tiles that lie that way of the given ones, where there are any.

    Tile indexes count along rows of the engine's native coordinates; on isometric maps every second row is
    shifted by half a tile (common/map.h, NATIVE_TO_MAP_POS).
    """
    column, row = tiles % world.xsize, tiles // world.xsize
    isometric, hexagonal = bool(world.topology & ISOMETRIC), bool(world.topology & HEXAGONAL)
    x, y = column, row
    if isometric:
        x = (row + (row & 1)) // 2 + column
        y = row - x + world.xsize
    found = []
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            diagonal = dx * dy
            if (dx, dy) == (0, 0) or (hexagonal and diagonal == (-1 if isometric else 1)):
                continue
            found.append(_index(world, x + dx, y + dy, isometric))
    return found


def _index(world: WorldInfo, x: Ints, y: Ints, isometric: bool) -> Ints:
    column, row = x, y
    if isometric:
        row = x + y - world.xsize
        column = (2 * x - row - (row & 1)) // 2
    inside = np.ones(len(column), bool)
    if world.topology & WRAP_X:
        column = column % world.xsize
    else:
        inside &= (column >= 0) & (column < world.xsize)
    if world.topology & WRAP_Y:
        row = row % world.ysize
    else:
        inside &= (row >= 0) & (row < world.ysize)
    found: Ints = (row * world.xsize + column)[inside]
    return found
