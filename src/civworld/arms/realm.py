# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators on what a civilization has: cities, advances, knowledge of the map."""

from __future__ import annotations

import numpy as np

from civworld.arms.operator import Intervention, Reason, Told, operator
from civworld.arms.view import cities_of, neighbours, squared_distance
from civworld.edits import GrantAdvance, GrowCity, RenameCity, RevealMap, TransferCity
from civworld.state import StateView

GROWTH, GROWN_CITIES = 3, 3
"""Citizens that a city gains, and how many cities do."""
ROOM = 8
"""Size to which every city may grow without further buildings, in the shipped rulesets."""


def listed_cities(told: Told) -> str:
    """Names of the cities edited, in the order of the edits."""
    *most, last = [told.cities[fields["city"]] for _, fields in told.edits]
    return f"{', '.join(most)} and {last}" if most else last


def _another_name(told: Told) -> str:
    return f"One city of the {told.who} gets another name."


@operator(
    real=lambda told: (
        f"{listed_cities(told)}, {GROWN_CITIES} cities of the {told.who}, grow by {GROWTH} citizens each at once."
    ),
    placebo=_another_name,
)
def city_growth(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: 3 more citizens in three cities: the capital first, then the largest, of those that have room below size 8.

    Placebo: the capital (or the largest city without one) gets another name."""
    cities = cities_of(view, player)
    growing = cities[cities["size"] + GROWTH <= ROOM][:GROWN_CITIES]
    if len(growing) < GROWN_CITIES:
        return Reason.FEW_CITIES
    ids = [int(c) for c in growing["id"]]
    return Intervention(
        "city_growth", variant, player, None, tuple(GrowCity(c, GROWTH) for c in ids),
        (_renamed(view, int(cities["id"][0])),), ("population", "production", "score"), expected={"population": 1},
        watched=tuple(("cities", c, "size") for c in ids),
    )  # fmt: skip


@operator(
    real=lambda told: f"The {told.who} hand over their city {listed_cities(told)} to the {told.other}.",
    placebo=_another_name,
)
def city_transfer(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the city nearest to the nearest neighbour, capital aside, goes to that neighbour.

    Placebo: that city gets another name."""
    others = neighbours(view, player)
    if not others:
        return Reason.NO_NEIGHBOUR
    cities = cities_of(view, player)
    given = cities[cities["capital"] != b"Primary"]
    if len(cities) < 2 or not len(given):
        return Reason.FEW_CITIES
    theirs = cities_of(view, others[0])["tile"]
    apart = squared_distance(view, given["tile"][:, None], theirs[None, :]).min(axis=1)
    city = int(given["id"][np.lexsort((given["id"], apart))[0]])
    return Intervention(
        "city_transfer", variant, player, others[0], (TransferCity(city, others[0]),), (_renamed(view, city),),
        ("cities", "territory", "score"), expected={"cities": -1}, watched=(("cities", city, "owner"),),
    )  # fmt: skip


def _renamed(view: StateView, city: int) -> RenameCity:
    """The city under a name that no city has; in ASCII, as names that are in no list of the ruleset must be."""
    name = bytes(view.city(city)["name"]).decode().encode("ascii", "ignore").decode()
    taken = {bytes(n).decode() for n in view.cities["name"]}
    new = next(n for n in (f"{word} {name}" for word in ("New", "Newer", "Newest", "Other")) if n not in taken)
    return RenameCity(city, new)


@operator(
    real=lambda told: (
        f"The {told.who} are given the advance {told.only('advance')}, without the advances that it builds on."
    ),
    placebo=lambda told: f"The {told.who} are taught an advance that they know already.",
)
def government_access(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the advance that unlocks the best government out of reach: the one that takes most advances from the root.

    Placebo: an advance that is known already, which the world must refuse as doing nothing."""
    research = view.research_of(player)[0]
    known = StateView.bits(research["known"])
    advances = view.rules.advances
    at = {int(a["id"]): a for a in advances}
    needed = {int(g["advance"]) for g in view.rules.governments if g["advance"] >= 0}
    locked = [a for a in needed if not known[a] and at[a]["exists"]]
    learned = [int(a["id"]) for a in advances if a["id"] > 0 and known[int(a["id"])]]
    if not locked or not learned:
        return Reason.NO_GOVERNMENT
    best = max(locked, key=lambda a: (int(at[a]["requirements"]), a))
    name = {a: bytes(at[a]["name"]).decode() for a in (best, learned[0])}
    return Intervention(
        "government_access", variant, player, None, (GrantAdvance(player, name[best]),), (),
        ("production", "treasury", "techs"), refused=(GrantAdvance(player, name[learned[0]]),), expected={"techs": 1},
        watched=(("research", int(research["id"]), "known"),),
    )  # fmt: skip


@operator(
    real=lambda told: (
        f"The {told.who} are shown all the land of the nearest neighbour whose land they do not wholly know."
    ),
    placebo=lambda told: f"The {told.who} are shown their own land, which they know.",
)
def map_reveal(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the territory of the nearest neighbour that is not all known is shown to the civilization.

    Placebo: its own territory, which it knows already; the world must refuse that as doing nothing."""
    tiles = view.tiles
    knows = (tiles["known"].astype(np.uint64) >> np.uint64(player) & np.uint64(1)).astype(bool)
    own = np.flatnonzero((tiles["owner"] == player) & knows)
    others = neighbours(view, player)
    if not others:
        return Reason.NO_NEIGHBOUR
    hidden = {other: np.flatnonzero((tiles["owner"] == other) & ~knows) for other in others}
    shown = next((other for other in others if len(hidden[other])), None)
    if shown is None or not len(own):
        return Reason.NOTHING_HIDDEN
    return Intervention(
        "map_reveal", variant, player, None, (RevealMap(player, territory_of=shown),), (),
        ("cities", "military_units", "enemies"), refused=(RevealMap(player, tiles=tuple(own.tolist())),),
        watched=(("tiles", int(hidden[shown][0]), "known"),),
    )  # fmt: skip
