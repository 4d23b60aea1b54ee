# SPDX-License-Identifier: GPL-2.0-or-later
"""A frame: one moment of a world as text, complete or as one player knows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from civworld.report.layout import (
    CONTACT,
    EMBASSY,
    OWN,
    UNKNOWN,
    Record,
    civilizations,
    counted,
    listed,
    lost_sight_of,
    named,
    nations,
    peoples,
    records,
)
from civworld.state import TableView
from civworld.view import PlayerView

LEGEND = (
    "Cities: name #id (x,y) size; surplus per turn of food F, shields S, trade T, gold G, bulbs B; "
    "granary and shield stock; what is being built (shields it costs); garrison as units/defenders."
)


def frame(
    view: TableView,
    *,
    ruleset: str = "",
    previous: TableView | None = None,
    earlier: Sequence[TableView] = (),
) -> str:
    """One moment as text. Pure and deterministic; it reads no hidden table.

    Args:
        view: a StateView for everything about every civilization, a PlayerView for what that player knows.
        ruleset: name for the header; left out when empty.
        previous: an earlier view of the same kind; what has changed since it makes the last section.
        earlier: earlier views of the same kind, oldest first, for what was last known of those out of contact.
    """
    civs, lost = civilizations(view), lost_sight_of(view)
    parts = [_header(view, ruleset), "", "Civilizations"]
    for rank, civ in enumerate(civs, 1):
        parts += _civilization(view, civ, rank, len(civs))
    parts += [line for civ in lost for line in _last_known(view, civ, earlier)]
    parts += ["", LEGEND, *_cities(view, [*civs, *lost])]
    parts += ["", "Units", *_units(view, [*civs, *lost])]
    parts += ["", "Diplomacy", *_diplomacy(view, [*civs, *lost])]
    if previous is not None:
        parts += ["", f"Changes since turn {previous.turn}", *_changes(previous, view, civs)]
    return "\n".join(parts) + "\n"


def _header(view: TableView, ruleset: str) -> str:
    size = f"map {view.xsize}x{view.ysize} ({view.xsize * view.ysize} tiles)"
    parts = [f"== Turn {view.turn}", f"year {view.year}", *([f"ruleset {ruleset}"] if ruleset else []), size]
    if isinstance(view, PlayerView):
        seen = view.tiles["known"]
        parts += [
            f"as known to the {peoples(view)[view.viewer]}: "
            f"{int((seen > 0).sum())} tiles explored, {int((seen == 2).sum())} in sight"
        ]
    return ", ".join(parts) + " =="


# ---- civilizations ---------------------------------------------------------------------------------------


def _civilization(view: TableView, p: Record, rank: int, of: int) -> Iterator[str]:
    level = p["level"]
    team = f", team {p['team']}" if (view.players["team"] == p["team"]).sum() > 1 else ""
    if not p["is_alive"]:
        yield f"{p['nation']} (player {p['id']}{team}): destroyed"
        return
    revolution = f", revolution towards {p['target_government']}" if p["target_government"] else ""
    yield (
        f"{p['nation']} (player {p['id']}{team}): score {p['score']}, rank {rank} of {of}; "
        f"{p['government'] or UNKNOWN}{revolution}"
    )
    yield f"  {listed(_economy(p, level))}"
    yield f"  {listed(_size(view, p, level))}"
    yield from _knowledge(view, p, level)
    if level == OWN:
        yield f"  {_military(view, p)}"
    yield f"  wonders: {listed(_wonders(view, p['id']))}"
    if p["spaceship"] not in ("", "None"):
        yield f"  spaceship: {p['spaceship']}, {p['spaceship_parts']} parts"


def _last_known(view: TableView, p: Record, earlier: Sequence[TableView]) -> Iterator[str]:
    """A civilization that was met and is out of contact: what the last frame with contact told."""
    name = f"{p['nation']} (player {p['id']})"
    if not p["is_alive"]:
        yield f"{name}: destroyed"
        return
    for then in reversed(earlier):
        was = next((civ for civ in civilizations(then) if civ["id"] == p["id"]), None)
        if was is not None:
            yield f"{name}: out of contact, last known on turn {then.turn}: score {was['score']}; {was['government']}"
            yield f"  {listed(_economy(was, min(was['level'], EMBASSY)))}"
            break
    else:
        yield f"{name}: met, out of contact when the reports were made"
    yield f"  {listed(_size(view, p, CONTACT))}"


def _economy(p: Record, level: int) -> Iterator[str]:
    income = f" ({p['expected_income']:+d} per turn)" if level == OWN else ""
    yield f"treasury {p['gold']} gold{income}"
    if level >= EMBASSY:
        yield f"tax/luxury/science {p['tax']}/{p['luxury']}/{p['science']} %"
    if level == OWN:
        yield f"production {p['production']} shields"
        yield f"science {p['science_output']} bulbs, trade {p['trade_output']} when the turn began"


def _size(view: TableView, p: Record, level: int) -> Iterator[str]:
    if level == OWN:
        yield f"cities {p['cities']}, citizens {p['citizens']} ({p['population']} thousand people)"
        yield f"territory {p['territory']} tiles"
        yield f"citizens happy/content/unhappy/angry {p['happy']}/{p['content']}/{p['unhappy']}/{p['angry']}"
    else:
        mine = view.cities["owner"] == p["id"]
        yield f"cities known {int(mine.sum())}, citizens in them {int(view.cities['size'][mine].sum())}"
        yield f"tiles known {int((view.tiles['owner'] == p['id']).sum())}"
    if level >= EMBASSY:
        yield f"culture {p['culture']}"


def _knowledge(view: TableView, p: Record, level: int) -> Iterator[str]:
    if level < EMBASSY:
        return
    future = f" and {p['future_tech']} future" if p["future_tech"] else ""
    now = f"{p['researching']} ({p['bulbs']}/{p['bulbs_cost']} bulbs)" if p["researching"] else "nothing"
    yield f"  advances {p['techs']}{future}, researching {now}: {listed(_advances(view, p['id']))}"


def _advances(view: TableView, player: int) -> list[str]:
    names = {a["id"]: a["name"] for a in records(view.rules.advances[["id", "name"]])}
    for research in records(view.research_of(player)[["players", "known"]]):
        return [names[i] for i in sorted(research["known"]) if i > 0 and i in names]
    return []


def _wonders(view: TableView, player: int) -> Iterator[str]:
    where = dict(zip(view.cities["id"].tolist(), view.text(view.cities["name"]).tolist(), strict=True))
    for wonder in records(view.wonders):
        if wonder["owner"] == player and wonder["built"]:
            place = where.get(wonder["city"])
            yield named(wonder["name"]) + (f" ({place})" if place else "")


def _military(view: TableView, p: Record) -> str:
    types = {t["id"]: t for t in records(view.rules.unit_types)}
    mine = [types[u] for u in view.units["type"][view.units["owner"] == p["id"]].tolist()]
    fighters = [t for t in mine if t["military"]]
    return (
        f"units {len(mine)} ({counted(t['unit_class'] for t in mine) or 'none'}), military {len(fighters)} with attack "
        f"{sum(t['attack'] for t in fighters)} and defence {sum(t['defense'] for t in fighters)} in all; "
        f"built {p['units_built']}, destroyed {p['units_killed']}, lost {p['units_lost']} so far"
    )


# ---- cities ------------------------------------------------------------------------------------------------


def _cities(view: TableView, civs: Iterable[Record]) -> Iterator[str]:
    names = {b["id"]: named(b["name"]) for b in records(view.rules.buildings[["id", "name"]])}
    by_owner = defaultdict(list)
    for city in records(view.cities):
        by_owner[city["owner"]].append(city)
    for civ in civs:
        if by_owner[civ["id"]]:
            yield f"{civ['nation']}:"
        for city in sorted(by_owner[civ["id"]], key=lambda c: c["id"]):
            yield f"  {_city(city, names)}"


def _city(c: Record, building_names: dict[int, str]) -> str:
    capital = {"Primary": ", capital", "Secondary": ", second capital"}.get(c["capital"], "")
    parts = [f"{c['name'] or UNKNOWN} #{c['id']} ({c['x']},{c['y']}) size {c['size']}{capital}"]
    if c.get("full", True):
        parts += [
            f"F{c['food']:+d} S{c['shields']:+d} T{c['trade']:+d} G{c['gold']:+d} B{c['science']:+d}",
            f"stock {c['food_stock']}/{c['granary_size']} and {c['shield_stock']}",
            f"makes {named(c['production']) or 'nothing'} ({c['production_cost']})",
            f"garrison {c['garrison']}/{c['defenders']}",
        ]
        parts += ["celebrating"] * c["celebrating"]
    else:
        parts += [f"seen {c['age']} turns ago" if c["age"] else "in sight", "occupied" if c["occupied"] else "empty"]
    parts += ["disorder"] * c["disorder"]
    buildings = [building_names[i] for i in sorted(c["buildings"]) if i in building_names]
    walled = "walled, " if any("Wall" in name for name in buildings) else ""
    return "; ".join(parts) + f"; {walled}buildings: {listed(buildings)}"


# ---- units --------------------------------------------------------------------------------------------------


def _units(view: TableView, civs: Iterable[Record]) -> Iterator[str]:
    places = _places(view)
    by_owner = defaultdict(list)
    for unit in records(view.units[["owner", "type_name", "tile"]]):
        by_owner[unit["owner"]].append(unit)
    barbarians = [p for p in records(view.players) if p["is_barbarian"]]
    for civ in [*civs, *barbarians]:
        mine = by_owner[civ["id"]]
        if not mine:
            continue
        seen = "" if civ.get("level", OWN) == OWN else " in sight"
        yield f"{civ['nation']}{seen}: {counted(u['type_name'] for u in mine)}"
        where = defaultdict(list)
        for unit in mine:
            where[places[unit["tile"]]].append(unit["type_name"])
        yield "  " + "; ".join(f"{place[1]}: {counted(where[place])}" for place in sorted(where))


def _places(view: TableView) -> dict[int, tuple[int, str]]:
    """Tile -> where that is, with a number to sort by: in a city, on somebody's land, at sea."""
    names = nations(view)
    oceans = {t["id"] for t in records(view.rules.terrains) if t["terrain_class"] == "Oceanic"}
    cities = {c["tile"]: c["name"] or f"#{c['id']}" for c in records(view.cities[["id", "name", "tile"]])}
    found = {}
    tiles = sorted(set(view.units["tile"].tolist()))
    rows = view.tiles[tiles]
    for tile, owner, terrain in zip(tiles, rows["owner"].tolist(), rows["terrain"].tolist(), strict=True):
        if tile in cities:
            found[tile] = (0, f"in {cities[tile]}")
        elif terrain in oceans:
            found[tile] = (2, "at sea")
        else:
            found[tile] = (1, f"on {names[owner]} land" if owner >= 0 else "on unclaimed land")
    return found


# ---- diplomacy ------------------------------------------------------------------------------------------------


def _diplomacy(view: TableView, civs: list[Record]) -> Iterator[str]:
    known = {c["id"]: c for c in civs if c["is_alive"]}
    stance = {(d["player"], d["other"]): d for d in records(view.diplomacy)}
    for p in known.values():
        others = []
        for q in known.values():
            between = stance.get((p["id"], q["id"]))
            if between is not None and between["state"]:
                others.append(f"{q['nation']} {_stance(between)}")
        yield f"{p['nation']}: {'; '.join(others) or 'nothing known'}"


def _stance(d: Record) -> str:
    state = "never met" if d["state"] == "Never met" else d["state"]
    left = f" ({d['turns_left']} turns left)" if d["state"] in ("Cease-fire", "Armistice") else ""
    extras = [", embassy"] * d["has_real_embassy"] + [", gives shared vision"] * d["gives_shared_vision"]
    return state + left + "".join(extras)


# ---- changes ----------------------------------------------------------------------------------------------------

# field, name, least level at which the viewer knows it
CHANGING = (
    ("score", "score", CONTACT),
    ("gold", "gold", CONTACT),
    ("culture", "culture", EMBASSY),
    ("cities", "cities", OWN),
    ("citizens", "citizens", OWN),
    ("territory", "territory", OWN),
    ("production", "production", OWN),
    ("military_units", "military units", OWN),
    ("units_killed", "units destroyed", OWN),
    ("units_lost", "units lost", OWN),
)


def _changes(before: TableView, now: TableView, civs: Iterable[Record]) -> Iterator[str]:
    old = {p["id"]: p for p in civilizations(before)}
    for p in civs:
        was = old.get(p["id"])
        if was is None:
            yield f"{p['nation']}: new"
            continue
        if not p["is_alive"]:
            if was["is_alive"]:
                yield f"{p['nation']}: destroyed"
            continue
        level = min(was["level"], p["level"])
        parts = [f"{name} {p[key] - was[key]:+d}" for key, name, need in CHANGING if level >= need]
        if p["government"] != was["government"]:
            parts.append(f"government {was['government'] or UNKNOWN} -> {p['government'] or UNKNOWN}")
        if level >= EMBASSY:
            had = set(_advances(before, p["id"]))
            learned = [name for name in _advances(now, p["id"]) if name not in had]
            parts.append(f"{len(learned)} advances ({listed(learned)})")
        yield f"{p['nation']}: {', '.join(parts)}"
