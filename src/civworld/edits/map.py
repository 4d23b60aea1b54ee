# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of what a player knows of the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.edits.base import Edit, Place, must_exist
from civworld.errors import ArgumentError
from civworld.state import StateView


def _check_area(edit: str, territory_of: int | None, tiles: tuple[int, ...] | None) -> None:
    if territory_of is not None and tiles is not None:
        raise ArgumentError(f"edit '{edit}': either territory_of or tiles, not both")


def _area(before: StateView, territory_of: int | None, tiles: Sequence[int] | None) -> list[int]:
    """Indexes of the tiles that an edit is about, each once, ascending."""
    if tiles is not None:
        out = sorted(set(tiles))
        if out and out[-1] >= len(before.tiles):
            raise ArgumentError(f"tile {out[-1]} does not exist (tiles 0-{len(before.tiles) - 1})")
        return out
    if territory_of is not None:
        must_exist(before, "players", territory_of)
        return [int(t) for t in np.flatnonzero(before.tiles["owner"] == territory_of)]
    return list(range(len(before.tiles)))


def _watchers(before: StateView, player: int) -> int:
    """Mask of the player and everybody who sees, directly or through others, what the player sees."""
    shares = {(int(r["player"]), int(r["other"])) for r in before.diplomacy if r["gives_shared_vision"]}
    found, open_ends = {player}, [player]
    while open_ends:
        giver = open_ends.pop()
        new = {other for p, other in shares if p == giver} - found
        found |= new
        open_ends += new
    return sum(1 << p for p in found)


@dataclass(frozen=True)
class RevealMap(Edit, name="reveal_map"):
    """Show a player tiles that it does not know: the whole map, a player's territory, or a list.

    The tiles become known as they are now; they are not seen from now on. Whoever the player shares its vision with
    gets to know them too. Tiles that the player knows already stay as it remembers them.

    Attributes:
        player: number of a living player.
        territory_of: number of the player whose territory is shown.
        tiles: indexes of the tiles to show; with neither, the whole map.
    """

    player: int
    territory_of: int | None = None
    tiles: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_area(self.name, self.territory_of, self.tiles)

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one player's map."""
        area = _area(before, self.territory_of, self.tiles)
        return ("cw_edit_reveal_map", self.player, area, len(area))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """Who knows each tile that the player did not know."""
        must_exist(before, "players", self.player)
        mask = _watchers(before, self.player)
        known = before.tiles["known"].tolist()
        area = _area(before, self.territory_of, self.tiles)
        return {("tiles", t, "known"): known[t] | mask for t in area if not known[t] >> self.player & 1}


@dataclass(frozen=True)
class HideMap(Edit, name="hide_map"):
    """Make a player forget tiles: of the whole map, of a player's territory, or of a list.

    Tiles that the player sees now stay known, as do tiles of cities with trade routes. Others who know the tiles
    keep their knowledge.

    Attributes:
        player: number of a living player.
        territory_of: number of the player whose territory is forgotten.
        tiles: indexes of the tiles to forget; with neither, the whole map.
    """

    player: int
    territory_of: int | None = None
    tiles: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_area(self.name, self.territory_of, self.tiles)

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one player's map."""
        area = _area(before, self.territory_of, self.tiles)
        return ("cw_edit_hide_map", self.player, area, len(area))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """Who still knows each tile that the player knew and does not see."""
        must_exist(before, "players", self.player)
        bit = 1 << self.player
        known, seen = before.tiles["known"].tolist(), before.tiles["seen"].tolist()
        traders = set(before.cities["tile"][before.cities["trade_routes"] > 0].tolist())
        area = _area(before, self.territory_of, self.tiles)
        return {
            ("tiles", t, "known"): known[t] & ~bit
            for t in area
            if known[t] & bit and not seen[t] & bit and t not in traders
        }
