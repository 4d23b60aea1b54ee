# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripted players to measure agents against: from what a player knows and may do to its orders for a turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.commands import AutoWorker, Buy, Command, Explore, Fortify, Goal, Goto, Legal, Produce
from civworld.state import Table
from civworld.view import PlayerView

GROUND = (b"Grassland", b"Plains", b"Hills", b"Desert")
BUILDINGS = ("Library", "Temple", "Marketplace", "Amphitheater", "Aqueduct", "City Walls", "Coinage")
GOALS = ("Bronze Working", "Currency", "Writing", "Ceremonial Burial", "Philosophy", "Sanitation")
SPACING = 3
"""Steps between cities."""

Able = dict[tuple[int, str], list[Any]]
"""(actor, kind of command) -> the legal commands of it."""


def random_orders(legal: Sequence[Legal], draw: np.random.Generator, orders: int = 8) -> list[Command]:
    """Orders drawn at random, without weight, from those that are legal when the turn begins."""
    chosen = draw.choice(len(legal), min(orders, len(legal)), replace=False) if len(legal) else ()
    return [legal[int(i)].command for i in chosen]


def expander(
    view: PlayerView, legal: Sequence[Legal], cities: int = 12, buildings: Sequence[str] = BUILDINGS, reserve: int = 60
) -> list[Command]:
    """Found cities, guard each with one unit, then build, buy and learn. Made for the civ2civ3 ruleset.

    Args:
        view: what the player knows.
        legal: its legal orders.
        cities: how many to found before anything else.
        buildings: what to build then, the first possible one.
        reserve: gold to keep.
    """
    able: Able = {}
    for entry in legal:
        able.setdefault((entry.actor, entry.kind), []).append(entry.command)
    sites = _sites(view)
    orders = [order for unit in view.own_units for order in _unit_orders(view, unit, sites, able)]
    orders += _city_orders(view, able, cities if len(sites) else 0, buildings, reserve)
    if view.me["tech_goal"] == b"":
        possible = {command.tech for command in able.get((0, "goal"), ())}
        orders += [Goal(goal) for goal in GOALS if goal in possible][:1]
    return orders


def _apart(view: PlayerView, tiles: Any, others: Any) -> npt.NDArray[Any]:
    """Steps from each of the tiles to each of the others, (tiles, others); maps are taken to wrap in x."""
    across = np.abs(view.tiles["x"][tiles][:, None].astype(int) - view.tiles["x"][others])
    down = np.abs(view.tiles["y"][tiles][:, None].astype(int) - view.tiles["y"][others])
    steps: npt.NDArray[Any] = np.maximum(np.minimum(across, view.xsize - across), down)
    return steps


def _sites(view: PlayerView) -> npt.NDArray[Any]:
    """Known tiles of good ground, nobody else's, far enough from every known city."""
    ground = view.rules.terrains["id"][np.isin(view.rules.terrains["name"], GROUND)]
    free = np.isin(view.tiles["terrain"], ground) & np.isin(view.tiles["owner"], (-1, view.viewer))
    tiles = np.flatnonzero(free)
    far: npt.NDArray[Any] = tiles[_apart(view, tiles, view.cities["tile"]).min(1, initial=SPACING) >= SPACING]
    return far


def _unit_orders(view: PlayerView, unit: np.void, sites: npt.NDArray[Any], able: Able) -> list[Command]:
    who, here, kind = int(unit["id"]), int(unit["tile"]), unit["type_name"]
    if unit["activity"] != b"Idle" or unit["controller"] != b"None" or unit["has_orders"]:
        return []
    founding = [c for c in able.get((who, "unit_action"), ()) if c.action == "Found City"]
    if founding and here in sites:
        return founding[:1]
    if kind == b"Settlers" and len(sites):
        nearest = int(sites[_apart(view, [here], sites)[0].argmin()])
        return [Goto(who, nearest)]
    if (who, "auto_worker") in able and kind == b"Workers":
        return [AutoWorker(who)]
    if (who, "explore") in able and kind == b"Explorer":
        return [Explore(who)]
    return [Fortify(who)] if unit["military"] and here in view.own_cities["tile"] else []


def _city_orders(view: PlayerView, able: Able, cities: int, buildings: Sequence[str], reserve: int) -> list[Command]:
    own: Table = view.own_cities
    orders: list[Command] = []
    settling = sum((rows[name] == b"Settlers").sum() for rows, name in ((view.own_units, "type_name"),
                                                                        (own, "production")))  # fmt: skip
    for city in own:
        home = int(city["id"])
        possible = {command.item for command in able.get((home, "produce"), ())}
        if not city["defenders"]:
            item = "Warriors"
        elif len(own) + settling < cities and city["size"] > 1:
            item, settling = "Settlers", settling + 1
        else:
            item = next((b for b in buildings if b in possible), "Coinage")
        started = city["shield_stock"] >= 10 or city["production"] == b"Settlers"
        if item in possible and not started:
            orders.append(Produce(home, item))
        if (home, "buy") in able and view.me["gold"] > reserve:
            orders.append(Buy(home))
    return orders
