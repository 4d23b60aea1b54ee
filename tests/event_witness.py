# SPDX-License-Identifier: GPL-2.0-or-later
"""A second witness for events: replay those of one turn on the state before, and compare with the state after."""

from collections import Counter
from collections.abc import Iterable, Iterator

from civworld.events import Event
from civworld.state import StateView

# reasons for which the engine counts a lost unit in `players.units_lost`; it counts captured ones twice
COUNTED = {
    "killed": 1, "executed": 1, "sdi": 1, "nuke": 1, "bribed": 1, "captured": 2, "caught": 1, "eliminated": 1,
    "transport_lost": 1, "barb_unleash": 1, "city_lost": 1, "starved": 1, "upkeep": 1, "nonnative_terr": 1,
    "armistice": 1, "hp_loss": 1, "fuel": 1, "stack_conflict": 1, "sold": 1,
}  # fmt: skip
STATES = {
    "war_started": "War", "ceasefire": "Cease-fire", "armistice": "Armistice", "peace": "Peace",
    "alliance": "Alliance", "contact_undone": "Never met",
}  # fmt: skip
SHIPS = {
    "spaceship_started": "Started", "spaceship_launched": "Launched", "spaceship_arrived": "Arrived",
    "spaceship_lost": "None",
}  # fmt: skip

# kinds that leave no trace in the tables of a state, or none of their own
# gold and achievements have a witness of their own, tests/test_traces.py
NO_TRACE = {"pact_cancelled", "treaty", "disaster", "victory", "achievement", "purchase", "gold_moved"}


def mismatches(before: StateView, after: StateView, events: Iterable[Event]) -> list[str]:
    """Everything in which the events between two moments and the difference of their states do not agree."""
    events = tuple(events)
    checks = (cities, capitals, units, losses, wonders, advances, governments, diplomacy, embassies, players, huts)
    return [f"turn {after.turn} {check.__name__}: {text}" for check in checks for text in check(before, after, events)]


def _compare(replayed: dict, found: dict) -> Iterator[str]:
    for key in sorted(replayed.keys() | found.keys(), key=str):
        if replayed.get(key) != found.get(key):
            yield f"{key}: events say {replayed.get(key)}, the state says {found.get(key)}"


def _column(view: StateView, table: str, key: str, field: str) -> dict:
    rows = view.table(table)
    values = view.text(rows[field]).tolist() if rows[field].dtype.kind == "S" else rows[field].tolist()
    return dict(zip(rows[key].tolist(), values, strict=True))


def cities(before, after, events):
    owner, tile = _column(before, "cities", "id", "owner"), _column(before, "cities", "id", "tile")
    for e in events:
        if e.kind == "city_founded":
            if e.city in owner:
                yield f"city {e.city} founded twice"
            owner[e.city], tile[e.city] = e.player, e.tile
        elif e.kind in ("city_captured", "city_transferred"):
            if (owner.get(e.city), tile.get(e.city)) != (e.other, e.tile):
                yield f"{e}: the owner was {owner.get(e.city)}, the tile {tile.get(e.city)}"
            owner[e.city] = e.player
        elif e.kind == "city_destroyed" and (owner.pop(e.city, None), tile.pop(e.city, None)) != (e.player, e.tile):
            yield f"{e}: owner or tile are not its city's"
    yield from _compare(owner, _column(after, "cities", "id", "owner"))
    yield from _compare(tile, _column(after, "cities", "id", "tile"))


def capitals(before, after, events):
    """Whether the first city that a player loses in a turn is called the capital rightly."""
    capital, there = _column(before, "players", "id", "capital"), set(before.cities["id"].tolist())
    for e in events:
        if e.kind in ("city_captured", "city_transferred", "city_destroyed"):
            loser = e.player if e.kind == "city_destroyed" else e.other
            known = capital.pop(loser, None)
            if known is not None and e.city in there and bool(e.number) != (known == e.city):
                yield f"{e}: the capital was {known}"


def units(before, after, events):
    owner, kind = _column(before, "units", "id", "owner"), _column(before, "units", "id", "type")
    left = _column(after, "units", "id", "owner")
    gone = Counter()
    for e in events:
        if e.kind == "unit_lost":
            gone[e.unit] += 1
            if owner.get(e.unit, e.player) != e.player or (e.unit in left):
                yield f"{e}: owned by {owner.get(e.unit)}, still there: {e.unit in left}"
        elif e.kind == "unit_transferred":
            if owner.get(e.unit, e.other) != e.other:
                yield f"{e}: owned by {owner.get(e.unit)}"
            owner[e.unit] = e.player
    missing = owner.keys() - left.keys()
    yield from (f"unit {u} ({kind.get(u)}) lost {gone[u]} times" for u in sorted(missing | gone.keys()) if gone[u] != 1)
    yield from _compare({u: p for u, p in owner.items() if u in left}, {u: p for u, p in left.items() if u in owner})


def losses(before, after, events):
    old, new = (_column(view, "players", "id", "units_lost") for view in (before, after))
    count = Counter()
    for e in events:
        if e.kind == "unit_lost":
            count[e.player] += COUNTED.get(e.cause, 0)
    yield from _compare({p: count[p] for p in new}, {p: new[p] - old.get(p, 0) for p in new})


def wonders(before, after, events):
    city = {w: c for w, c in _column(before, "wonders", "id", "city").items() if c}
    name = _column(before, "wonders", "id", "name")
    for e in events:
        if e.kind == "wonder_built":
            if e.number in city or name.get(e.number) != e.name:
                yield f"{e}: already in city {city.get(e.number)}, named {name.get(e.number)}"
            city[e.number] = e.city
        elif e.kind == "wonder_lost" and city.pop(e.number, None) != e.city:
            yield f"{e}: it stood elsewhere"
    yield from _compare(city, {w: c for w, c in _column(after, "wonders", "id", "city").items() if c})


def _known(view: StateView) -> dict[int, set[int]]:
    found = {}
    for row, known, members in zip(
        view.research, view.bits(view.research["known"]), view.bits(view.research["players"]), strict=True
    ):
        techs = {i for i, has in enumerate(known) if has and i > 0} | {-2 - i for i in range(row["future_tech"])}
        found |= {p: set(techs) for p, member in enumerate(members) if member}
    return found


def advances(before, after, events):
    known, found = _known(before), _known(after)
    for e in events:
        if e.kind == "advance_gained":
            mine = known.setdefault(e.player, set())
            number = e.number if e.number >= 0 else min([-1, *mine]) - 1
            if number in mine:
                yield f"{e}: known before"
            mine.add(number)
        elif e.kind == "advance_lost":
            if e.number not in known[e.player]:
                yield f"{e}: not known before"
            known[e.player].discard(e.number)
    yield from _compare({p: known.get(p, set()) for p in found}, found)


def governments(before, after, events):
    held, found = (_column(view, "players", "id", "government") for view in (before, after))
    for e in events:
        if e.kind == "revolution_started":
            if held.get(e.player, e.former) != e.former:
                yield f"{e}: it was {held[e.player]}"
            held[e.player] = "Anarchy"
        elif e.kind in ("government_changed", "government_restored"):
            held[e.player] = e.name
    yield from _compare({p: held.get(p, g) for p, g in found.items()}, found)


def _pairs(view: StateView) -> dict[tuple[int, int], str]:
    rows = view.diplomacy
    states = view.text(rows["state"]).tolist() if len(rows) else []
    return {(p, q): s for p, q, s in zip(rows["player"].tolist(), rows["other"].tolist(), states, strict=True)}


def diplomacy(before, after, events):
    state, found = _pairs(before), _pairs(after)
    newcomers = {p: "War" for p in (e.player for e in events if e.kind == "player_joined")}
    newcomers |= {p: "Never met" for p in (e.other for e in events if e.kind == "civil_war")}
    for pair in found.keys() - state.keys():
        # rebels are at war from the start with those who have no diplomacy at all
        p, q = pair
        outlaw = any(after.player(i)["is_barbarian"] for i in pair)
        state[pair] = "War" if outlaw else newcomers.get(p, newcomers.get(q, "nothing announced these players"))
    for e in events:
        pair = (e.player, e.other)
        if e.kind == "contact" and state.get(pair) != "Never met":
            yield f"{e}: they were {state.get(pair)}"
        if e.kind in STATES and state.get(pair) != e.former:
            yield f"{e}: they were {state.get(pair)}"
        if e.kind == "contact" or e.kind in STATES:
            state[pair] = state[pair[::-1]] = STATES.get(e.kind, e.name)
    yield from _compare(state, found)


def embassies(before, after, events):
    old, new = (
        {(int(r["player"]), int(r["other"])) for r in view.diplomacy if r["has_real_embassy"]}
        for view in (before, after)
    )
    for e in events:
        pair = (e.player, e.other)
        if e.kind in ("embassy", "embassy_lost") and (pair in old) == (e.kind == "embassy"):
            yield f"{e}: contradicts what was"
        if e.kind == "embassy":
            old.add(pair)
        elif e.kind == "embassy_lost":
            old.discard(pair)
    yield from _compare(dict.fromkeys(old, True), dict.fromkeys(new, True))


def players(before, after, events):
    alive, found = (_column(view, "players", "id", "is_alive") for view in (before, after))
    ship, ships = (_column(view, "players", "id", "spaceship") for view in (before, after))
    for e in events:
        if e.kind in ("player_joined", "civil_war"):
            newcomer = e.player if e.kind == "player_joined" else e.other
            alive[newcomer] = True
            ship.setdefault(newcomer, "None")
        elif e.kind == "player_died":
            alive[e.player], ship[e.player] = False, "None"
        elif e.kind in SHIPS:
            ship[e.player] = SHIPS[e.kind]
    yield from _compare(alive, found)
    yield from _compare(ship, ships)


def huts(before, after, events):
    old, new = (_column(view, "players", "id", "huts") for view in (before, after))
    count = Counter(e.player for e in events if e.kind == "hut_entered")
    yield from _compare({p: count[p] for p in new}, {p: new[p] - old.get(p, 0) for p in new})
