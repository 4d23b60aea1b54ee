# SPDX-License-Identifier: GPL-2.0-or-later
"""What provinces there can be: which parts, how many entities of each type, how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from civworld.errors import UnknownNameError
from civworld.world_agent.deduction.provinces.land import ACRES, GRANARIES, WEATHER
from civworld.world_agent.deduction.provinces.part import Part
from civworld.world_agent.deduction.provinces.people import GUILDS, ROBBERS, WARDS
from civworld.world_agent.deduction.provinces.towns import TOWNS
from civworld.world_agent.deduction.provinces.trade import PITS, ROADS


@dataclass(frozen=True, slots=True)
class Recipe:
    """One kind of province.

    Attributes:
        parts: its parts in the order in which their rules run.
        counts: how many entities there are of each type that is not single.
        actions: how many actions of each row of a part's menu, each about another entity.
    """

    title: str
    genre: str
    intro: str
    parts: tuple[Part, ...]
    counts: Mapping[str, int]
    interval: int
    segments: int
    actions: int = 1


RECIPES: Mapping[str, Recipe] = {
    "grain_valley": Recipe(
        "The valley of the Ister",
        "grain valley",
        "Towns along a river live from their acres. Seasons, rain and frost decide what grows, floods and hunger what\n"
        "is left, and a restless town riots. You are the steward of the valley, with a purse and a crown to pay.",
        (WEATHER, TOWNS, ACRES),
        {"town": 5, "acre": 10},
        interval=8,
        segments=12,
        actions=2,
    ),
    "pit_towns": Recipe(
        "The pits of Harrow Edge",
        "mining country",
        "Pits are dug deeper for ore, fill with water and cave in; their towns pay for pumps and props and fear\n"
        "the fumes. The river that floods the towns also seeps into the pits. You are the steward of these towns.",
        (WEATHER, TOWNS, PITS),
        {"town": 5, "pit": 8},
        interval=8,
        segments=12,
        actions=2,
    ),
    "robber_coast": Recipe(
        "The coast of Saltmere",
        "lawless coast",
        "Coast towns live from acres, granaries and carts. Robbers prowl around them and recruit among the restless,\n"
        "the watch tires, guilds strike over the price of grain and lend to a poor steward: that is you.",
        (WEATHER, TOWNS, ACRES, GRANARIES, ROADS, WARDS, ROBBERS, GUILDS),
        {"town": 7, "acre": 12, "granary": 7, "road": 8, "cart": 9, "ward": 6, "band": 6, "watch": 7, "guild": 6},
        interval=12,
        segments=16,
    ),
}


def recipe(name: str) -> Recipe:
    """A recipe by its name."""
    if name not in RECIPES:
        raise UnknownNameError("province", name, RECIPES)
    return RECIPES[name]
