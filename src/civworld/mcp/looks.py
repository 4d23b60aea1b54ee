# SPDX-License-Identifier: GPL-2.0-or-later
"""What a player knows, in short lines for readers that pay by the word. Everything here comes from a `PlayerView`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from civworld.checks import named
from civworld.report.layout import civilizations, peoples, records
from civworld.report.layout import named as quoted
from civworld.view import PlayerView

LINES = 60
"""Lines of a page."""

NEAR = 4
"""How far the map around a place reaches, in tiles."""


def summary(view: PlayerView) -> Iterator[str]:
    """The player's own state in a few lines, and how many rows the other sections have."""
    me = view.me
    own = records(view.own_cities)
    yield f"turn {view.turn}, year {view.year}; you are the {peoples(view)[view.viewer]} (player {view.viewer})"
    yield (
        f"{me['government'].decode()}; gold {me['gold']} ({me['expected_income']:+d} a turn); rates tax {me['tax']} "
        f"luxury {me['luxury']} science {me['science']}; score {me['score']}; culture {me['culture']}"
    )
    goal, now = (me[name].decode() or "nothing" for name in ("tech_goal", "researching"))
    yield f"advances {me['techs']}; researching {now} {me['bulbs']}/{me['bulbs_cost']} bulbs, towards {goal}"
    idle = sum(not u["has_orders"] and u["activity"] == "Idle" and u["moves_left"] > 0 for u in records(view.own_units))
    riot = [c["name"] for c in own if c["disorder"]]
    yield f"cities {len(own)} ({me['citizens']} citizens); units {len(view.own_units)}, {idle} without orders"
    if riot:
        yield f"in disorder: {', '.join(map(quoted, riot))}"


def cities(view: PlayerView) -> Iterator[str]:
    """Cities that the player knows, its own first; what is not known is left out."""
    for c in sorted(records(view.cities), key=lambda c: (c["owner"] != view.viewer, c["owner"], c["id"])):
        line = f"city {c['id']} {quoted(c['name'])} ({c['x']},{c['y']}) tile {c['tile']} size {c['size']}"
        if c["owner"] != view.viewer:
            yield f"{line} of player {c['owner']}"
            continue
        gains = f"food {c['food']:+d} shields {c['shields']:+d} trade {c['trade']:+d}"
        builds = f"builds {c['production']} {c['shield_stock']}/{c['production_cost']}"
        riot = "; disorder" if c["disorder"] else ""
        yield f"{line} {gains}; {builds}; granary {c['food_stock']}/{c['granary_size']}; units {c['garrison']}{riot}"


def units(view: PlayerView) -> Iterator[str]:
    """Units in sight, one line for each of the player's, others by place."""
    for u in records(view.own_units):
        busy = "has orders" if u["has_orders"] else u["activity"].lower()
        yield (
            f"unit {u['id']} {u['type_name']} ({u['x']},{u['y']}) tile {u['tile']} moves left {u['moves_left']} "
            f"hp {u['hp']} {busy}"
        )
    others = [u for u in records(view.units) if u["owner"] != view.viewer]
    key = lambda u: (u["owner"], u["tile"])  # noqa: E731
    for (owner, tile), there in groupby(sorted(others, key=key), key=key):
        found = list(there)
        kinds = ", ".join(f"{u['type_name']} {u['id']}" for u in found)
        yield f"player {owner} at ({found[0]['x']},{found[0]['y']}) tile {tile}: {kinds}"


def others(view: PlayerView) -> Iterator[str]:
    """Civilizations that were met, and how they stand to the player."""
    stands = {(d["player"], d["other"]): d for d in records(view.diplomacy)}
    for p in civilizations(view):
        if p["id"] == view.viewer:
            continue
        d = stands.get((view.viewer, p["id"]))
        state = d["state"] if d else "unknown"
        left = f", {d['turns_left']} turns left" if d and d["turns_left"] > 0 else ""
        embassy = "; you have an embassy" if d and d["has_embassy"] else ""
        yield f"player {p['id']} {p['nation']}: score {p['score']}, {state}{left}{embassy}"
    for t in records(view.treaties):
        yield f"treaty with player {t['other']}: {t['kind']} {t['value']} from player {t['giver']}"


def around(view: PlayerView, x: int, y: int) -> Iterator[str]:
    """Known tiles near a place: terrain, extras' count, who owns them, what stands there."""
    known = view.tiles[view.tiles["known"] > 0]
    apart = (abs(known["x"] - x), abs(known["y"] - y))
    wraps = (view.topology & 1, view.topology & 2)
    across = [
        (d <= NEAR) | ((size - d <= NEAR) & bool(wrap))
        for d, size, wrap in zip(apart, (view.xsize, view.ysize), wraps, strict=True)
    ]
    near = known[across[0] & across[1]]
    towns = {c["tile"]: c["name"] for c in records(view.cities)}
    for t in records(near):
        owner = f" player {t['owner']}" if t["owner"] >= 0 else ""
        town = f" city {quoted(towns[t['index']])}" if t["index"] in towns else ""
        stand = f" units {t['units']}" if t["units"] > 0 else ""
        yield f"tile {t['index']} ({t['x']},{t['y']}) {view.rules.name('terrains', t['terrain'])}{owner}{town}{stand}"


SECTIONS: Mapping[str, Callable[[PlayerView], Iterator[str]]] = {
    "summary": summary,
    "cities": cities,
    "units": units,
    "others": others,
}
"""What can be asked for by name alone; the map needs a place besides."""


def section(view: PlayerView, name: str) -> Iterator[str]:
    """Lines of one section.

    Raises:
        UnknownNameError: there is no such section.
    """
    return SECTIONS[named("section", name, SECTIONS)](view)


def page(lines: Iterable[str], number: int) -> str:
    """One page of lines, numbered from 1, with how many there are when there are several."""
    found = list(lines)
    pages = max(1, -(-len(found) // LINES))
    shown = found[(number - 1) * LINES : number * LINES]
    tail = [f"(page {number} of {pages})"] if pages > 1 else []
    return "\n".join([*(shown or ["nothing"]), *tail])
