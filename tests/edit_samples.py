# SPDX-License-Identifier: GPL-2.0-or-later
"""For every edit: one that works in a given state, ones that cannot, and random ones of both kinds."""

import numpy as np

from civworld import edits
from civworld.config import RULES, TRAITS
from civworld.state import diplomatic_states

PLAYER = 1  # alive in every world these are used with


def works(name, view):
    """An edit of that name that can be applied to this state."""
    return WORKS[name](view)


def cannot(name, view):
    """Edits of that name that would do nothing or are impossible in this state."""
    return CANNOT[name](view)


def _advances(view, column, player=PLAYER):
    """Rule names of the advances in a bit column of a player's research."""
    mask = view.research["players"] >> np.uint64(player) & np.uint64(1)
    bits = view.bits(view.research[column][mask.astype(bool)][0])
    rows = view.rules.advances
    return [a["name"].decode() for a in rows if a["exists"] and a["id"] > 0 and bits[a["id"]]]


def _leaf(view):
    """A known advance that no other known advance needs."""
    known = _advances(view, "known")
    rows = {a["name"].decode(): a for a in view.rules.advances if a["exists"]}
    needed = {int(rows[k][f]) for k in known for f in ("requires_1", "requires_2")}
    return next(k for k in known if int(rows[k]["id"]) not in needed)


def _cities(view, player=PLAYER):
    return view.cities[view.cities["owner"] == player]


def _big(view):
    """The largest city of all."""
    return view.cities[np.argmax(view.cities["size"])]


def _other(view):
    alive = view.players["is_alive"] & ~view.players["is_barbarian"] & (view.players["id"] != PLAYER)
    return int(view.players["id"][alive][0])


def _other_government(view):
    now = view.player(PLAYER)["government"]
    return "Tribal" if now != b"Tribal" and b"Tribal" in view.rules.governments["name"] else "Despotism"


def _research(view):
    now = view.player(PLAYER)["researching"].decode()
    return next(a for a in _advances(view, "available") if a != now)


def _unknown_tile(view):
    return int(np.flatnonzero(~view.bits(view.tiles["known"])[:, PLAYER])[0])


def _forgettable(view):
    known, seen = (view.bits(view.tiles[c])[:, PLAYER] for c in ("known", "seen"))
    return int(np.flatnonzero(known & ~seen & (view.tiles["city"] == 0))[0])


def _rates(view):
    now = view.player(PLAYER)
    return (40, 0, 60) if int(now["science"]) != 60 else (60, 0, 40)


def _city_id(view):
    return int(_cities(view)["id"][0])


def _idle(view):
    """A unit without cargo."""
    return int(view.units["id"][view.units["cargo"] == 0][0])


def _state(view):
    return "Peace" if view.between(PLAYER, _other(view))["state"] != b"Peace" else "Cease-fire"


WORKS = {
    "add_gold": lambda v: edits.AddGold(PLAYER, 77),
    "add_bulbs": lambda v: edits.AddBulbs(PLAYER, 9),
    "set_trait": lambda v: edits.SetTrait(PLAYER, "builder", 140),
    "set_attitude": lambda v: edits.SetAttitude(PLAYER, _other(v), -900),
    "rename_city": lambda v: edits.RenameCity(_city_id(v), "Ultima Thule"),
    "set_rule": lambda v: edits.SetRule("sciencebox", 60),
    "grant_advance": lambda v: edits.GrantAdvance(PLAYER, v.player(PLAYER)["researching"].decode()),
    "revoke_advance": lambda v: edits.RevokeAdvance(PLAYER, _leaf(v)),
    "set_research": lambda v: edits.SetResearch(PLAYER, _research(v), sticky=True),
    "set_tech_goal": lambda v: edits.SetTechGoal(PLAYER, "Sanitation", sticky=True),
    "city_size": lambda v: edits.CitySize(int(_big(v)["id"]), int(_big(v)["size"]) - 1),
    "grow_city": lambda v: edits.GrowCity(_city_id(v), 1),
    "transfer_city": lambda v: edits.TransferCity(int(_cities(v, _other(v))["id"][-1]), PLAYER),
    "create_unit": lambda v: edits.CreateUnit(PLAYER, "Warriors", int(_cities(v)["tile"][0]), home=_city_id(v)),
    "remove_unit": lambda v: edits.RemoveUnit(_idle(v)),
    "set_government": lambda v: edits.SetGovernment(PLAYER, _other_government(v), sticky=True),
    "set_rates": lambda v: edits.SetRates(PLAYER, *_rates(v), sticky=True),
    "kill_player": lambda v: edits.KillPlayer(_other(v)),
    "set_diplomacy": lambda v: edits.SetDiplomacy(PLAYER, _other(v), _state(v), embassies=True),
    "give_embassy": lambda v: edits.GiveEmbassy(*_strangers(v)),
    "reveal_map": lambda v: edits.RevealMap(PLAYER),
    "hide_map": lambda v: edits.HideMap(PLAYER),
}

CANNOT = {
    "add_gold": lambda v: [edits.AddGold(PLAYER, 0), edits.AddGold(99, 5), edits.AddGold(PLAYER, -(10**6))],
    "add_bulbs": lambda v: [edits.AddBulbs(PLAYER, 0), edits.AddBulbs(PLAYER, -(10**6))],
    "set_trait": lambda v: [edits.SetTrait(PLAYER, "builder", 5000), edits.SetTrait(99, "trader", 3)],
    "set_attitude": lambda v: [edits.SetAttitude(PLAYER, 2, 1001), edits.SetAttitude(PLAYER, PLAYER, 5)],
    "rename_city": lambda v: [edits.RenameCity(999_999, "Nowhere")],
    "set_rule": lambda v: [edits.SetRule("foodbox", -4)],
    "grant_advance": lambda v: [
        edits.GrantAdvance(PLAYER, _leaf(v)),
        edits.GrantAdvance(PLAYER, "Alchemistry"),
        edits.GrantAdvance(99, "Pottery"),
    ],
    "revoke_advance": lambda v: [
        edits.RevokeAdvance(PLAYER, "Theory of Gravity"),
        edits.RevokeAdvance(PLAYER, "Alphabet"),
        edits.RevokeAdvance(PLAYER, "None"),
    ],
    "set_research": lambda v: [
        edits.SetResearch(PLAYER, "Theory of Gravity"),
        edits.SetResearch(PLAYER, _leaf(v)),
        edits.SetResearch(PLAYER, *_held_research(v)),
    ],
    "set_tech_goal": lambda v: [edits.SetTechGoal(PLAYER, _leaf(v)), edits.SetTechGoal(PLAYER, "Alchemistry")],
    "city_size": lambda v: [edits.CitySize(_city_id(v), 200), edits.CitySize(999_999, 3), _same_size(v)],
    "grow_city": lambda v: [edits.GrowCity(_city_id(v), 0), edits.GrowCity(_city_id(v), -100)],
    "transfer_city": lambda v: [
        edits.TransferCity(_city_id(v), PLAYER),
        edits.TransferCity(_city_id(v), 99),
        edits.TransferCity(999_999, PLAYER),
    ],
    "create_unit": lambda v: [
        edits.CreateUnit(PLAYER, "Trireme", _desert(v)),
        edits.CreateUnit(PLAYER, "Tricycle", _desert(v)),
        edits.CreateUnit(PLAYER, "Warriors", 10**6),
        edits.CreateUnit(PLAYER, "Warriors", int(_cities(v, _other(v))["tile"][0]), home=999_999),
        edits.CreateUnit(PLAYER, "Warriors", int(_cities(v)["tile"][0]), veteran=77),
    ],
    "remove_unit": lambda v: [edits.RemoveUnit(999_999)],
    "set_government": lambda v: [
        edits.SetGovernment(PLAYER, *_held_government(v)),
        edits.SetGovernment(PLAYER, "Anarchy"),
        edits.SetGovernment(PLAYER, "Technocracy"),
        edits.SetGovernment(PLAYER, "Democracy"),
    ],
    "set_rates": lambda v: [edits.SetRates(PLAYER, 0, 0, 100), edits.SetRates(99, 40, 0, 60)],
    "kill_player": lambda v: [edits.KillPlayer(99)],
    "set_diplomacy": lambda v: [
        edits.SetDiplomacy(PLAYER, PLAYER, "War"),
        edits.SetDiplomacy(PLAYER, _other(v), "Cease-fire", turns=0),
        edits.SetDiplomacy(PLAYER, 99, "War"),
    ],
    "give_embassy": lambda v: [edits.GiveEmbassy(PLAYER, PLAYER), edits.GiveEmbassy(99, PLAYER)],
    "reveal_map": lambda v: [
        edits.RevealMap(PLAYER, tiles=(int(_cities(v)["tile"][0]),)),
        edits.RevealMap(PLAYER, tiles=()),
        edits.RevealMap(PLAYER, tiles=(10**6,)),
        edits.RevealMap(PLAYER, territory_of=99),
    ],
    "hide_map": lambda v: [
        edits.HideMap(PLAYER, tiles=(int(_cities(v)["tile"][0]), _unknown_tile(v))),
        edits.HideMap(99),
    ],
}


def _strangers(view):
    rows = view.diplomacy
    alive = dict(zip(view.players["id"].tolist(), view.players["is_alive"].tolist(), strict=True))
    return next(
        (int(r["player"]), int(r["other"]))
        for r in rows
        if not r["has_real_embassy"] and alive[int(r["player"])] and alive[int(r["other"])]
    )


def _held_research(view):
    held = bool(view.row("hidden_players", PLAYER)["research_held"])
    return view.player(PLAYER)["researching"].decode(), held


def _held_government(view):
    held = bool(view.row("hidden_players", PLAYER)["government_held"])
    return view.player(PLAYER)["government"].decode(), False, held


def _same_size(view):
    city = _cities(view)[0]
    return edits.CitySize(int(city["id"]), int(city["size"]))


def _desert(view):
    """A tile on land without anybody."""
    free = (view.tiles["city"] == 0) & (view.tiles["units"] == 0)
    return int(np.flatnonzero((view.tiles["continent"] > 0) & free)[0])


# ---- random edits, valid or not -----------------------------------------------------------------------


def random_edit(rng, view):
    """An edit of a random kind with random arguments, most of them within the tables of the state."""
    return RANDOM[rng.choice(sorted(RANDOM))](rng, view)


def _any(rng, column):
    """A random value of a column; now and then one that is not there."""
    if rng.random() < 0.03 or not len(column):
        return 987_654
    return int(rng.choice(column))


def _player(rng, view):
    return _any(rng, view.players["id"])


def _name(rng, view, table):
    return str(rng.choice(view.table(f"rules_{table}")["name"]).decode())


def _advance(rng, view):
    player = int(rng.choice(view.players["id"]))
    column = rng.choice(["known", "available"])
    names = _advances(view, column, player)
    return str(rng.choice(names)) if names and rng.random() < 0.9 else _name(rng, view, "advances")


def _flag(rng):
    return bool(rng.random() < 0.5)


def _random_rates(rng, view):
    tax, luxury = sorted(rng.integers(0, 11, 2) * 10)
    return edits.SetRates(_player(rng, view), int(tax), int(luxury - tax), int(100 - luxury), _flag(rng))


def _random_area(rng, view, kind):
    player, choice = _player(rng, view), rng.integers(3)
    if choice == 0:
        return kind(player)
    if choice == 1:
        return kind(player, territory_of=_player(rng, view))
    return kind(player, tiles=tuple(int(t) for t in rng.integers(0, len(view.tiles), 40)))


def _random_unit(rng, view):
    tile = _any(rng, view.units["tile"] if _flag(rng) else view.cities["tile"])
    home = _any(rng, view.cities["id"]) if _flag(rng) else 0
    return edits.CreateUnit(_player(rng, view), _name(rng, view, "unit_types"), tile, int(rng.integers(3)), home)


def _random_goal(rng, view):
    advance = None if rng.random() < 0.2 else _name(rng, view, "advances")
    return edits.SetTechGoal(_player(rng, view), advance, _flag(rng))


RANDOM = {
    "add_gold": lambda r, v: edits.AddGold(_player(r, v), int(r.integers(-300, 600))),
    "add_bulbs": lambda r, v: edits.AddBulbs(_player(r, v), int(r.integers(-100, 300))),
    "set_trait": lambda r, v: edits.SetTrait(_player(r, v), str(r.choice(TRAITS)), int(r.integers(0, 260))),
    "set_attitude": lambda r, v: edits.SetAttitude(_player(r, v), _player(r, v), int(r.integers(-1100, 1100))),
    "rename_city": lambda r, v: edits.RenameCity(_any(r, v.cities["id"]), f"City {r.integers(10**6)}"),
    "set_rule": lambda r, v: edits.SetRule(str(r.choice(list(RULES))), int(r.integers(0, 300))),
    "grant_advance": lambda r, v: edits.GrantAdvance(_player(r, v), _advance(r, v), _flag(r)),
    "revoke_advance": lambda r, v: edits.RevokeAdvance(_player(r, v), _advance(r, v)),
    "set_research": lambda r, v: edits.SetResearch(_player(r, v), _advance(r, v), _flag(r)),
    "set_tech_goal": _random_goal,
    "city_size": lambda r, v: edits.CitySize(_any(r, v.cities["id"]), int(r.integers(1, 20))),
    "grow_city": lambda r, v: edits.GrowCity(_any(r, v.cities["id"]), int(r.integers(-3, 4))),
    "transfer_city": lambda r, v: edits.TransferCity(_any(r, v.cities["id"]), _player(r, v)),
    "create_unit": _random_unit,
    "remove_unit": lambda r, v: edits.RemoveUnit(_any(r, v.units["id"])),
    "set_government": lambda r, v: edits.SetGovernment(_player(r, v), _name(r, v, "governments"), _flag(r), _flag(r)),
    "set_rates": _random_rates,
    "kill_player": lambda r, v: edits.KillPlayer(_player(r, v) if r.random() < 0.01 else 987_654),
    "set_diplomacy": lambda r, v: edits.SetDiplomacy(
        _player(r, v), _player(r, v), str(r.choice(diplomatic_states()[:-1])), int(r.integers(0, 30)), _flag(r)
    ),
    "give_embassy": lambda r, v: edits.GiveEmbassy(_player(r, v), _player(r, v)),
    "reveal_map": lambda r, v: _random_area(r, v, edits.RevealMap),
    "hide_map": lambda r, v: _random_area(r, v, edits.HideMap),
}
