# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures: the map as pixels, and where two moments of it differ."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.errors import ArgumentError
from civworld.extras import needs
from civworld.state import StateView, TableView
from civworld.terms import ISOMETRIC

# ground colours by terrain rule name; what a ruleset adds beyond these is shown grey
TERRAIN = {
    "Inaccessible": (20, 20, 20), "Lake": (90, 140, 200), "Ocean": (50, 95, 160), "Deep Ocean": (30, 65, 125),
    "Glacier": (235, 240, 245), "Desert": (225, 205, 140), "Forest": (60, 110, 60), "Grassland": (120, 170, 80),
    "Hills": (150, 140, 90), "Jungle": (50, 130, 80), "Mountains": (120, 110, 105), "Plains": (180, 185, 105),
    "Swamp": (100, 120, 95), "Tundra": (185, 190, 175),
}  # fmt: skip
_OTHER = (128, 128, 128)
_FOG = (0.0, 0.55, 1.0)  # brightness of tiles never seen, seen before, in sight


def player_colors(view: TableView) -> dict[int, tuple[int, int, int]]:
    """RGB colour (0-255) of each player, as the engine assigned it."""
    return {int(p["id"]): (int(p["color"][0]), int(p["color"][1]), int(p["color"][2])) for p in view.players}


def map_pixels(view: TableView, scale: int = 8, known: npt.NDArray[Any] | None = None) -> npt.NDArray[np.uint8]:
    """The whole map seen from above: terrain, owned land tinted, borders, cities as squares, units as dots.

    Args:
        view: the moment to show, or what a player knows of it.
        scale: pixels per tile, 4 or more.
        known: per tile 0 never seen (dark), 1 seen before (dimmed, units hidden), 2 in sight; a player view
            brings its own.

    Returns:
        uint8 (height, width, 3). Isometric maps are drawn with odd rows shifted by half a tile.

    Raises:
        ArgumentError: `scale` is below 4.
    """
    if scale < 4:
        raise ArgumentError(f"map_pixels: scale={scale}, 4 or more pixels per tile are needed")
    if known is None and "known" in (view.tiles.dtype.names or ()) and view.tiles["known"].dtype == np.int8:
        known = view.tiles["known"]
    sight = np.full((view.ysize, view.xsize), 2) if known is None else np.reshape(known, (view.ysize, view.xsize))
    ground, owner, city = _planes(view)
    owner = np.where(sight > 0, owner, -1)
    colors = player_colors(view)
    tint = ground.astype(np.float64)
    for player, rgb in colors.items():
        mine = owner == player
        tint[mine] = 0.55 * tint[mine] + 0.45 * np.array(rgb)
    tiles = (tint * np.array(_FOG)[sight][..., None]).astype(np.uint8)
    pixels = np.repeat(np.repeat(tiles, scale, 0), scale, 1)
    _draw_borders(pixels, owner, colors, scale)
    for unit in view.units:
        y, x = divmod(int(unit["tile"]), view.xsize)
        if sight[y, x] == 2:
            _draw_unit(pixels, y, x, colors.get(int(unit["owner"]), _OTHER), scale)
    for y, x in zip(*np.nonzero((city >= 0) & (sight > 0)), strict=True):
        _draw_city(pixels, int(y), int(x), colors.get(int(city[y, x]), _OTHER), scale)
    return _shift_odd_rows(pixels, scale) if view.topology & ISOMETRIC else pixels


def _planes(view: TableView) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    shape = (view.ysize, view.xsize)
    names = {int(t["id"]): bytes(t["name"]).decode() for t in view.rules.terrains}
    palette = np.full((256, 3), _OTHER, np.uint8)
    for number, name in names.items():
        palette[number] = TERRAIN.get(name, _OTHER)
    ground = palette[view.tiles["terrain"].astype(np.int64) & 255].reshape(*shape, 3)
    owner = view.tiles["owner"].astype(np.int64).reshape(shape)
    city = np.full(view.xsize * view.ysize, -1, np.int64)
    city[view.cities["tile"]] = view.cities["owner"]
    return ground, owner, city.reshape(shape)


def _draw_borders(
    pixels: npt.NDArray[np.uint8],
    owner: npt.NDArray[np.int64],
    colors: Mapping[int, tuple[int, int, int]],
    scale: int,
) -> None:
    for axis in (0, 1):
        edge = (owner != np.roll(owner, -1, axis)) & (owner >= 0)
        for y, x in zip(*np.nonzero(edge), strict=True):
            rgb = colors.get(int(owner[y, x]), _OTHER)
            if axis == 0:
                pixels[(y + 1) * scale - 1, x * scale : (x + 1) * scale] = rgb
            else:
                pixels[y * scale : (y + 1) * scale, (x + 1) * scale - 1] = rgb


def _draw_city(pixels: npt.NDArray[np.uint8], y: int, x: int, rgb: tuple[int, int, int], scale: int) -> None:
    block = pixels[y * scale : (y + 1) * scale, x * scale : (x + 1) * scale]
    block[1:-1, 1:-1] = 0
    block[2:-2, 2:-2] = rgb


def _draw_unit(pixels: npt.NDArray[np.uint8], y: int, x: int, rgb: tuple[int, int, int], scale: int) -> None:
    """A round dot of the owner's colour in a white ring, in the middle of the tile; cities are square and larger."""
    block = pixels[y * scale : (y + 1) * scale, x * scale : (x + 1) * scale]
    off = np.arange(scale) - (scale - 1) / 2
    far = np.hypot(off[:, None], off)
    block[far <= 0.36 * scale] = 255
    block[far <= 0.36 * scale - 1] = rgb


def _shift_odd_rows(pixels: npt.NDArray[np.uint8], scale: int) -> npt.NDArray[np.uint8]:
    """Odd rows of an isometric map lie half a tile to the right; tiles are twice as wide as high."""
    wide = np.repeat(pixels, 2, 1)
    for top in range(scale, len(wide), 2 * scale):
        wide[top : top + scale] = np.roll(wide[top : top + scale], scale, 1)
    return wide


def changed_tiles(before: StateView, after: StateView) -> npt.NDArray[np.bool_]:
    """Whether a tile's owner, ground, city or units differ between two moments of one map, bool (tiles,).

    Raises:
        ArgumentError: the maps are not of one size.
    """
    if (before.xsize, before.ysize) != (after.xsize, after.ysize):
        raise ArgumentError(
            f"changed_tiles: maps of {before.xsize} x {before.ysize} and {after.xsize} x {after.ysize} tiles"
        )
    differs = np.zeros(len(before.tiles), bool)
    for field in ("owner", "terrain"):
        differs |= before.tiles[field] != after.tiles[field]
    differs |= (_bits(before.tiles["extras"]) != _bits(after.tiles["extras"])).any(axis=1)
    stand = [_standing(view) for view in (before, after)]
    for tile in set(stand[0]) | set(stand[1]):
        differs[tile] |= stand[0].get(tile) != stand[1].get(tile)
    return differs


def _bits(column: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(column), -1)


def _standing(view: StateView) -> dict[int, list[tuple[str, int, int]]]:
    """Tile -> its cities (owner, size) and units (owner, type), sorted."""
    found: dict[int, list[tuple[str, int, int]]] = {}
    for name, what in (("cities", "size"), ("units", "type")):
        for row in view.table(name):
            found.setdefault(int(row["tile"]), []).append((name, int(row["owner"]), int(row[what])))
    return {tile: sorted(rows) for tile, rows in found.items()}


def save_map(
    path: str | os.PathLike[str], view: TableView, scale: int = 10, known: npt.NDArray[Any] | None = None
) -> None:
    """Write the map as a picture with a legend: whose colour is whose, what cities and units look like.

    Args:
        path: file to write; the ending chooses the format.
        view: the moment to show, or what a player knows of it.
        scale: pixels per tile, 4 or more.
        known: shape (tiles,), as in `map_pixels`.
    """
    with needs("plot", "save_map"):
        from matplotlib.figure import Figure

    pixels = map_pixels(view, scale, known)
    height, width = (n / 100 for n in pixels.shape[:2])
    legend = 2.2  # inches beside the map
    figure = Figure(figsize=(width + legend, max(height, 0.25 * (3 + len(view.players)))), dpi=100)
    axes = figure.add_axes((0, 0, width / (width + legend), 1))
    axes.imshow(pixels, interpolation="nearest")
    axes.axis("off")
    figure.legend(handles=_legend(view), loc="center right", frameon=False, fontsize=8, title=f"turn {view.turn}")
    figure.savefig(path)


def _legend(view: TableView) -> list[Any]:
    """A line for each player that owns a tile or a unit, then the signs of the map."""
    from matplotlib.lines import Line2D

    there = {*np.unique(view.tiles["owner"]).tolist(), *np.unique(view.units["owner"]).tolist()}
    colors = player_colors(view)
    named: list[tuple[str, str, str]] = [
        (player["nation"].decode(), "s", "#{:02x}{:02x}{:02x}".format(*colors[int(player["id"])]))
        for player in view.players
        if int(player["id"]) in there
    ]
    signs = [("city", "s", "white"), ("unit", "o", "white")]
    return [
        Line2D([], [], linestyle="", marker=marker, markerfacecolor=color, markeredgecolor="black", label=label)
        for label, marker, color in (*named, *signs)
    ]
