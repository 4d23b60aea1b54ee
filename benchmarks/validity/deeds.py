# SPDX-License-Identifier: GPL-2.0-or-later
"""What do built-in players do, and what do they leave undone although the rules reward it?

Worlds of 5 civilizations on 2,000 tiles, 150 turns, with all behaviour patches and with none, on the same maps. Each
turn notes what every civilization has done so far: purchases, sales and the like as the server tells of them
(`hidden_players`), cities, wonders, huts and governments by events, trade routes and cargo by the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from benchmarks.validity.wars import BEHAVIOURS, config_of
from civworld.events import Event

CIVS = 5
TURNS = 150
WORLDS = 10
MARKS = (60, 100, 150)
"""Turns at which totals are written down."""
MANY = 3
"""Buildings sold in one turn that count as obsolete, not as sold by choice."""
COUNTED = ("bought", "sold", "auctioned", "upgraded", "caravans", "diplomats", "celebrations")
LEVELS = ("gold", "score", "cities", "buildings")
TOLD = ("sold_singly", "units_unpaid", "bankrupt")
"""Sales of one or two buildings at once, by choice (an advance makes many obsolete at once); units lost because gold
ran out; turns in which a civilization lost a building or a unit for that reason."""
# deeds in the order of the table, and what they are in words
DEEDS = {
    "bought": "pays for a production",
    "upgraded": "upgrades a unit, or has it upgraded by a wonder",
    "sold": "sells a building, at will or as obsolete",
    "auctioned": "loses a building because gold ran out",
    "caravans": "has a caravan trade, enter a marketplace or help a wonder",
    "trade_route": "has a trade route",
    "wonder": "completes a great wonder",
    "diplomats": "has a diplomat or spy bribe, incite, poison, sabotage or steal",
    "embassy": "establishes an embassy",
    "celebrations": "has a city celebrate",
    "hut": "enters a hut",
    "settlers_at_sea": "carries a founder of cities over water",
    "soldiers_at_sea": "carries a military unit over water",
    "airlift": "has a city that can airlift",
    "city_founded": "founds a city after turn 50",
    "city_captured": "conquers a city",
    "city_transferred": "gains a city without conquest",
    "government": "changes government",
    "luxury": "sets luxury above nothing",
    "tax_extreme": "sets one rate to its most",
}
KINDS = {
    "wonder_built": "wonder", "hut_entered": "hut", "embassy": "embassy", "city_captured": "city_captured",
    "city_transferred": "city_transferred", "government_changed": "government",
}  # fmt: skip


def jobs(quick: bool) -> list[Job]:
    """One job per world and set of behaviours."""
    return [
        {"world": world, "behaviour": behaviour, "turns": 60 if quick else TURNS}
        for world in range(1, (1 if quick else WORLDS) + 1)
        for behaviour in BEHAVIOURS
    ]


def run(job: Job) -> dict[str, Any]:
    """Levels and totals at the marks, and the first turn of every deed, by civilization."""
    first: list[dict[str, int]] = [{} for _ in range(CIVS)]
    marks: dict[str, Any] = {}
    auctioned = [0] * CIVS
    empty: list[set[int]] = [set() for _ in range(CIVS)]
    with civworld.World(config_of(job, players=CIVS, map_size=2)) as world:
        while world.turn <= job["turns"]:
            view = world.advance().state()
            before, auctioned = auctioned, view.table("hidden_players")["auctioned"][:CIVS].tolist()
            for player in range(CIVS):
                empty[player].update([view.turn] * (auctioned[player] > before[player]))
            for player, deed in done_at(view):
                first[player].setdefault(deed, view.turn)
            if view.turn in MARKS:
                marks[str(view.turn)] = levels(view)
        log = world.events()
        for turn, found in marks.items():
            found |= told(log, int(turn), empty)
        changes: Counter[int] = Counter()
        for event in log:
            changes[event.player] += event.kind == "government_changed"
            deed = "city_founded" if event.kind == "city_founded" and event.turn > 50 else KINDS.get(event.kind)
            if deed is not None and 0 <= event.player < CIVS:
                first[event.player][deed] = min(event.turn, first[event.player].get(deed, event.turn))
    return {"first": first, "marks": marks, "governments": [changes[p] for p in range(CIVS)]}


def levels(view: civworld.StateView) -> dict[str, list[int]]:
    """Name -> value of each civilization."""
    players, hidden, cities = view.players, view.table("hidden_players"), view.cities
    found = {name: players[name][:CIVS].tolist() for name in ("gold", "score", "cities")}
    found["buildings"] = [int(cities["improvements"][cities["owner"] == p].sum()) for p in range(CIVS)]
    return found | {name: hidden[name][:CIVS].tolist() for name in COUNTED}


def told(log: Sequence[Event], turn: int, empty: Sequence[set[int]]) -> dict[str, list[int]]:
    """Totals of `TOLD` up to a turn, by civilization.

    Args:
        log: all events of the world.
        turn: the last turn that counts.
        empty: turns in which each civilization lost a building to an empty treasury.
    """
    past = [event for event in log if event.turn <= turn]
    sales = Counter((e.player, e.turn) for e in past if (e.kind, e.cause) == ("gold_moved", "sold"))
    unpaid = [(e.player, e.turn) for e in past if (e.kind, e.cause) == ("unit_lost", "sold")]
    singly = [sum(n for (player, _), n in sales.items() if player == p and n < MANY) for p in range(CIVS)]
    units = [sum(player == p for player, _ in unpaid) for p in range(CIVS)]
    bankrupt = [{t for t in empty[p] if t <= turn} | {t for player, t in unpaid if player == p} for p in range(CIVS)]
    return {"sold_singly": singly, "units_unpaid": units, "bankrupt": [len(turns) for turns in bankrupt]}


def done_at(view: civworld.StateView) -> list[tuple[int, str]]:
    """(civilization, deed) of what a moment shows."""
    found = []
    hidden, players, cities, units = view.table("hidden_players"), view.players, view.cities, view.units
    for player in range(min(CIVS, len(players))):
        row = players[player]
        found += [(player, deed) for deed in COUNTED if hidden[deed][player] > 0]
        rates = [int(row[rate]) for rate in ("tax", "luxury", "science")]
        found += [(player, "luxury")] * (rates[1] > 0) + [(player, "tax_extreme")] * (max(rates) == 100)
        own = cities[cities["owner"] == player]
        found += [(player, "trade_route")] * bool((own["trade_routes"] > 0).any())
        found += [(player, "airlift")] * bool((own["airlift"] > 0).any())
    land = {int(t["id"]): bytes(t["name"]).decode() for t in view.rules.terrains}
    sea = {number for number, name in land.items() if name in ("Lake", "Ocean", "Deep Ocean")}
    for unit in units[units["transporter"] > 0]:
        if int(unit["owner"]) < CIVS and int(view.tiles["terrain"][unit["tile"]]) in sea:
            if unit["military"]:
                found.append((int(unit["owner"]), "soldiers_at_sea"))
            elif bytes(unit["type_name"]) in (b"Settlers", b"Migrants"):
                found.append((int(unit["owner"]), "settlers_at_sea"))
    return found


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """What each civilization had and had done at the marks, and shares that had done a deed by then."""
    worlds = [
        {"world": job["world"], "behaviour": job["behaviour"], "turn": int(turn), "civilization": p}
        | {name: values[p] for name, values in found.items()}
        for job, result in results
        for turn, found in result["marks"].items()
        for p in range(CIVS)
    ]
    shares: list[Row] = []
    for deed, words in DEEDS.items():
        row: Row = {"deed": deed, "meaning": words}
        for behaviour in BEHAVIOURS:
            firsts = [f.get(deed, TURNS * 9) for job, r in results if job["behaviour"] == behaviour for f in r["first"]]
            for turn in MARKS:
                row[f"{behaviour}_{turn}"] = float(np.mean([t <= turn for t in firsts])) if firsts else None
        shares.append(row)
    governments = {b: [n for job, r in results if job["behaviour"] == b for n in r["governments"]] for b in BEHAVIOURS}
    changes = [
        _spread({"behaviour": b, "turn": TURNS, "what": "government changes"}, v) for b, v in governments.items()
    ]
    return {"deeds_worlds": worlds, "deeds": shares, "deeds_levels": [*_levels(worlds), *changes]}


def _levels(worlds: list[Row]) -> list[Row]:
    rows = []
    for name in (*LEVELS, *COUNTED, *TOLD):
        for turn in MARKS:
            for behaviour in BEHAVIOURS:
                values = [w[name] for w in worlds if (w["turn"], w["behaviour"]) == (turn, behaviour)]
                row = _spread({"behaviour": behaviour, "turn": turn, "what": name}, values)
                by_world: dict[int, int] = {}
                for w in worlds:
                    if (w["turn"], w["behaviour"]) == (turn, behaviour):
                        by_world[w["world"]] = by_world.get(w["world"], 0) + w[name]
                sums = list(by_world.values())
                mean, low, high = interval(sums) if sums else (float("nan"),) * 3
                rows.append(row | {"sum_by_world": mean, "sum_low": low, "sum_high": high})
    return rows


def _spread(row: Row, values: list[int]) -> Row:
    if not values:
        return row | {"median": None, "least": None, "most": None, "civilizations": 0}
    return row | {
        "median": float(np.median(values)), "least": min(values), "most": max(values), "civilizations": len(values)
    } | {"sum_by_world": None, "sum_low": None, "sum_high": None}  # fmt: skip


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Share of civilizations that had done each deed by the last mark."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = found["deeds"]
    figure, axis = plt.subplots(figsize=(7, 0.28 * len(rows) + 0.8))
    for shift, behaviour, colour in ((0.2, "stock", "tab:gray"), (-0.2, "patched", "tab:blue")):
        shares = [row[f"{behaviour}_{MARKS[-1]}"] or 0 for row in rows]
        axis.barh([i + shift for i in range(len(rows))], shares, 0.38, color=colour, label=behaviour)
    axis.set_yticks(range(len(rows)), [row["meaning"] for row in rows], fontsize=7)
    axis.invert_yaxis()
    axis.set(xlabel=f"share of civilizations by turn {MARKS[-1]}", xlim=(0, 1))
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """Civilizations buy with the behaviours, and go bankrupt no more often."""
    at = {(r["what"], r["behaviour"], r["turn"]): r for r in found["deeds_levels"]}
    turn = 100
    buys = [at["bought", b, turn]["median"] for b in BEHAVIOURS]
    lines = [
        passed(
            "civilizations buy",
            (buys[BEHAVIOURS.index("patched")] or 0) >= 5,
            f"median {dict(zip(BEHAVIOURS, buys, strict=True))}",
        )
    ]
    for what in ("bankrupt", "auctioned", "units_unpaid", "sold", "sold_singly"):
        for turn in MARKS[1:]:
            sums = {b: at[what, b, turn]["sum_by_world"] for b in BEHAVIOURS}
            claim = f"{what}: no more than in stock worlds by turn {turn}"
            lines.append(passed(claim, sums["patched"] <= sums["stock"], f"sums of a world {sums}"))
    return lines


STUDY = Study("deeds", jobs, run, tables, plot, verdict)
