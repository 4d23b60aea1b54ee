# SPDX-License-Identifier: GPL-2.0-or-later
"""What agents know, for people: pictures of the map, and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.report.pictures import map_pixels
from civworld.state import TableView
from civworld.view import PlayerView
from civworld.world import World

SCALE = 10
_LAND = {"Grassland": "g", "Plains": "p", "Hills": "h", "Mountains": "m", "Forest": "f", "Desert": "d", "Jungle": "j",
         "Swamp": "s", "Tundra": "t", "Glacier": "a"}  # fmt: skip


def picture(world: World, players: Sequence[int], view: str) -> npt.NDArray[np.uint8]:
    """The map as the players know it together; with one player exactly what it knows."""
    if view == "omni":
        return map_pixels(world.state(), SCALE)
    if len(players) == 1:
        return map_pixels(world.view(players[0]), SCALE)
    known = np.max([world.view(p).tiles["known"] for p in players], axis=0)
    return map_pixels(world.state(), SCALE, known)


def ansi(view: TableView, player: int) -> str:
    """One player's standing, cities, units in sight, and the known map in letters."""
    me = view.player(player)
    own = view.cities[view.cities["owner"] == player]
    units = view.units[view.units["owner"] == player]
    kinds, counts = np.unique(units["type_name"], return_counts=True)
    lines = [
        f"Turn {view.turn}, year {view.year}: player {player}, {_t(me['name'])} of the {_t(me['nation'])}"
        f"{'' if me['is_alive'] else ' (dead)'}",
        f"Score {me['score']}, gold {me['gold']} ({me['expected_income']:+d} a turn), "
        f"government {_t(me['government'])}, rates {me['tax']}/{me['luxury']}/{me['science']} (tax/luxury/science)",
        f"Advances {me['techs']}; researching {_t(me['researching']) or 'nothing'} ({me['bulbs']}/{me['bulbs_cost']} "
        f"bulbs), goal {_t(me['tech_goal']) or 'none'}",
        "Cities: " + ("; ".join(_city(c) for c in own) or "none"),
        "Units: " + (", ".join(f"{n} {_t(k)}" for k, n in zip(kinds, counts, strict=True)) or "none"),
        *(_other(view, p, player) for p in view.players if p["id"] != player and not p["is_barbarian"]),
        *_letters(view, player),
    ]
    return "\n".join(lines)


def _city(city: Any) -> str:
    stock = f"{city['shield_stock']}/{city['production_cost']} shields"
    return f"{_t(city['name'])} ({city['id']}) size {city['size']} makes {_t(city['production'])} ({stock})"


def _other(view: TableView, other: Any, player: int) -> str:
    who = f"Player {other['id']}, {_t(other['nation'])}"
    if not other["is_alive"]:
        return f"{who}: dead"
    state = view.between(player, int(other["id"]))["state"]
    known = [f"{field} {other[field]}" for field in ("score", "gold", "techs") if other[field] >= 0]
    return f"{who}: {_t(state)}{', ' if known else ''}{', '.join(known)}"


def _letters(view: TableView, player: int) -> list[str]:
    """Rows of the map: terrain in small letters, ~ sea, @ own and 0-9 others' cities, U own and ! others' units."""
    letters = {-1: " "}
    for terrain in view.rules.terrains:
        sea = terrain["terrain_class"] == b"Oceanic"
        letters[int(terrain["id"])] = "~" if sea else _LAND.get(_t(terrain["name"]), "?")
    cells = [letters[t] for t in view.tiles["terrain"].tolist()]
    for unit in view.units:
        cells[unit["tile"]] = "U" if unit["owner"] == player else "!"
    for city in view.cities:
        cells[city["tile"]] = "@" if city["owner"] == player else str(city["owner"] % 10)
    rows = ["".join(cells[i : i + view.xsize]) for i in range(0, len(cells), view.xsize)]
    if isinstance(view, PlayerView):
        rows = [row for row in rows if row.strip()]
    return rows


def _t(value: Any) -> str:
    return bytes(value).decode()
