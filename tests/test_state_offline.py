# SPDX-License-Identifier: GPL-2.0-or-later
"""State views and quantities on a fake table source, without an engine."""

import pickle

import numpy as np
import pytest

from adding import forgotten
from civworld import quantities
from civworld.errors import ArgumentError, UnknownNameError
from civworld.quantities.base import quantity
from civworld.state import Change, StateView, document

BITS = "(2,)u1"
PLAYERS = [
    # id, name, nation, is_alive, is_barbarian, gold, production, cities, citizens, territory, techs, culture,
    # military_units, score
    (0, "Shaka", "Zulu", True, False, 100, 10, 3, 12, 40, 5, 300, 4, 55),
    (1, "Zoë", "Danish", True, False, 0, -2, 1, 3, 15, 7, 250, 0, 31),
    (2, "Pirates", "Pirate", True, True, 9, 0, 0, 0, 0, 0, 0, 6, 0),
    (3, "Gone", "Hun", False, False, 77, 5, 1, 9, 8, 3, 20, 2, 12),
    (4, "Mao", "Chinese", True, False, 40, 8, 2, 7, 21, 6, 100, 1, 28),
]
PAIRS = [
    (0, 1, "War"),
    (0, 2, "War"),
    (0, 3, "War"),
    (0, 4, "Alliance"),
    (1, 0, "War"),
    (1, 2, "War"),
    (1, 3, "Team"),
    (1, 4, "Never met"),
    (4, 0, "Team"),
    (4, 1, "Never met"),
    (3, 0, "War"),
]
COUNTS = ["gold", "production", "cities", "citizens", "territory"]
COUNTS += ["techs", "culture", "military_units", "score"]


def rows(spec, records):
    return np.array([tuple(v.encode() if isinstance(v, str) else v for v in r) for r in records], spec)


def tables():
    players = [("id", "<i4"), ("name", "S48"), ("nation", "S48"), ("is_alive", "?"), ("is_barbarian", "?")]
    return {
        "players": rows([*players, *((name, "<i4") for name in COUNTS)], PLAYERS),
        "cities": rows(
            [("id", "<i4"), ("name", "S80"), ("size", "<i4"), ("buildings", BITS)],
            [(101, "Ulundi", 8, (3, 128)), (107, "Århus", 3, (0, 0))],
        ),
        "units": rows([("id", "<i4"), ("hp", "<i4")], [(110, 10), (111, 4)]),
        "tiles": rows([("index", "<i4"), ("owner", "<i4"), ("known", "<u8")], [(0, -1, 0), (1, 0, 5)]),
        "diplomacy": rows([("player", "<i4"), ("other", "<i4"), ("state", "S16")], PAIRS),
        "research": rows([("id", "<i4"), ("known", BITS)], [(0, (7, 0))]),
        "wonders": rows([("id", "<i4"), ("owner", "<i4")], []),
        "hidden_players": rows([("player", "<i4"), ("aggressive", "<i4")], [(0, 50), (1, 150)]),
        "hidden_world": rows([("disasters", "<i4")], [(10,)]),
        "rules_unit_types": rows([("id", "<i4"), ("name", "S48")], [(0, "Settlers"), (1, "Warriors")]),
    }


class FakeSource:
    """Stands in for the engine: tables that a test may change, as a world that moves on would."""

    def __init__(self):
        self.data = tables()
        self.numbers = {"turn": 7, "year": -3700, "xsize": 2, "ysize": 1, "topology": 3, "players": 5}

    @property
    def tables(self):
        schema = enumerate(self.data.items())
        return {name: (i, a.dtype, {f: f"what {f} of {name} means" for f in a.dtype.names}) for i, (name, a) in schema}

    @property
    def views(self):
        kept = enumerate(("players", "units"))
        return {
            name: (i, self.data[name].dtype, {f: f"what is known of {f}" for f in self.data[name].dtype.names})
            for i, name in kept
        }

    def records(self, names):
        return {name: self.data[name] for name in names}

    def view(self, name, viewer):
        return self.data[name][: viewer + 1]

    def info(self):
        return self.numbers


@pytest.fixture
def source():
    return FakeSource()


@pytest.fixture
def view(source):
    return StateView.read(source)


def test_a_view_shows_every_table_and_where_it_stands(view, source):
    assert repr(view) == "<StateView turn=7 year=-3700 players=5 cities=2 units=2 tiles=2>"
    assert (view.turn, view.year, view.xsize, view.ysize, view.topology) == (7, -3700, 2, 1, 3)
    assert view.tables == tuple(source.data)
    for name, rows_ in source.data.items():
        assert view.table(name).dtype == rows_.dtype
        assert view.table(name).tobytes() == rows_.tobytes()
    for name in ("players", "cities", "units", "tiles", "diplomacy", "research", "wonders"):
        assert getattr(view, name) is view.table(name)


def test_a_view_stays_as_it_is_when_the_world_moves_on(view, source):
    source.data["players"]["gold"] += 1000
    source.numbers["turn"] = 8
    assert view.players["gold"].tolist() == [100, 0, 9, 77, 40]
    assert view.turn == 7
    assert StateView.read(source) != view


def test_nobody_can_change_a_view(view):
    for name in view.tables:
        rows_ = view.table(name)
        assert not rows_.flags.writeable
        if len(rows_):
            with pytest.raises(ValueError):
                rows_[rows_.dtype.names[0]] = 0
            with pytest.raises(ValueError):
                rows_.flags.writeable = True
    with pytest.raises(AttributeError):
        view.turn = 8
    with pytest.raises(AttributeError):
        view.note = "x"
    with pytest.raises(AttributeError):
        del view.rules
    with pytest.raises(AttributeError):
        view.rules.unit_types = None


def test_equal_views_are_equal_and_survive_pickling(view, source):
    again, copy = StateView.read(source), pickle.loads(pickle.dumps(view))
    for other in (again, copy):
        assert other == view
        assert hash(other) == hash(view)
        assert other.rules.unit_types.tolist() == view.rules.unit_types.tolist()
        assert not other.players.flags.writeable
    with pytest.raises(ValueError):
        copy.players.flags.writeable = True
    assert view != "something else"


def test_records_are_found_by_number_and_name(view):
    assert view.player(4)["name"] == b"Mao"
    assert view.player("Zulu")["id"] == 0
    assert view.player("Zoë")["id"] == 1
    assert view.city("Århus")["id"] == 107
    assert view.city(101)["size"] == 8
    assert view.unit(111)["hp"] == 4
    assert view.row("tiles", 1)["owner"] == 0
    assert view.between(1, 4)["state"] == b"Never met"
    for lookup, text in [
        (lambda: view.player(9), "9"),
        (lambda: view.player("Zullu"), "Zulu|Zullu"),
        (lambda: view.city("Arhus"), "did you mean 'Århus'"),
        (lambda: view.between(4, 4), r"\(4, 4\)"),
        (lambda: view.table("player"), "did you mean 'players'"),
        (lambda: view.rules.id("unit_types", "Settler"), "did you mean 'Settlers'"),
        (lambda: view.rules.name("unit_types", 9), "known: 0, 1"),
        (lambda: view.rules.name("units", 0), "unit_types"),
    ]:
        with pytest.raises(UnknownNameError, match=text):
            lookup()


def test_rules_and_hidden_tables_are_apart(view):
    assert view.rules.id("unit_types", "Warriors") == 1
    assert view.rules.name("unit_types", 0) == "Settlers"
    assert list(view.rules) == ["unit_types"]
    assert list(view.hidden) == ["players", "world"]
    assert view.hidden.players["aggressive"].tolist() == [50, 150]
    assert repr(view.hidden) == "<hidden: players, world>"
    assert "unit_types" in dir(view.rules)
    with pytest.raises(AttributeError, match="there are: unit_types"):
        _ = view.rules.buildings


def test_text_and_bits_are_unpacked(view):
    assert view.text(view.players["name"]).tolist()[1] == "Zoë"
    assert view.text(view.players["name"][1]) == "Zoë"
    built = view.bits(view.cities["buildings"])
    assert built.shape == (2, 16)
    assert np.flatnonzero(built[0]).tolist() == [0, 1, 15]
    assert np.flatnonzero(view.bits(view.tiles["known"])[1]).tolist() == [0, 2]


def test_changes_name_every_value_that_differs(view, source):
    assert list(view.changes(StateView.read(source))) == []
    source.data["players"]["gold"][0] += 5
    source.data["players"]["name"][1] = "Åse".encode()
    source.data["cities"]["buildings"][1] = (1, 0)
    source.data["diplomacy"]["state"][4] = b"Peace"
    source.data["hidden_world"]["disasters"] = 100
    source.data["units"] = rows([("id", "<i4"), ("hp", "<i4")], [(111, 4), (112, 20)])
    assert list(view.changes(StateView.read(source))) == [
        Change("players", 0, "gold", 100, 105),
        Change("players", 1, "name", "Zoë", "Åse"),
        Change("cities", 107, "buildings", (0, 0), (1, 0)),
        Change("units", 110, "row", True, False),
        Change("units", 112, "row", False, True),
        Change("diplomacy", (1, 0), "state", "War", "Peace"),
        Change("hidden_world", 0, "disasters", 10, 100),
    ]


def test_every_field_is_documented(source):
    for name, rows_ in source.data.items():
        fields = StateView.fields(name, source)
        assert [f.name for f in fields] == list(rows_.dtype.names)
        assert all(f.dtype == rows_.dtype[f.name] and f.doc for f in fields)
    assert StateView.describe("units", source) == (
        "id  int32  what id of units means\nhp  int32  what hp of units means"
    )
    assert "buildings  uint8[2]" in StateView.describe("cities", source)
    text = document(source)
    assert all(f"## {name}\n" in text for name in source.data)
    assert "| `state` | text 16 | what state of diplomacy means |" in text
    with pytest.raises(UnknownNameError, match="did you mean 'units'"):
        StateView.fields("unit", source)


# ---- quantities ------------------------------------------------------------------------------------------

EXPECTED = {
    # name: (family, transform, values of civilizations 0, 1, 3 (dead) and 4)
    "treasury": ("economy", "signed_log", [100, 0, 0, 40]),
    "production": ("economy", "identity", [10, -2, 0, 8]),
    "cities": ("scale", "identity", [3, 1, 0, 2]),
    "population": ("scale", "signed_log", [12, 3, 0, 7]),
    "territory": ("scale", "identity", [40, 15, 0, 21]),
    "techs": ("technology-culture", "identity", [5, 7, 0, 6]),
    "culture": ("technology-culture", "signed_log", [300, 250, 0, 100]),
    "military_units": ("military", "identity", [4, 0, 0, 1]),
    "enemies": ("diplomacy", "identity", [1, 1, 0, 0]),
    "allies": ("diplomacy", "identity", [1, 0, 0, 1]),
    "score": ("score", "identity", [55, 31, 0, 28]),
}


def test_the_registry_holds_every_quantity_in_order():
    assert list(quantities.table()) == list(EXPECTED), forgotten("A quantity")
    for name, item in quantities.table().items():
        assert (item.name, item.family, item.transform) == (name, *EXPECTED[name][:2])
        assert item.doc and item.unit
        assert item.as_gain == (name == "culture")
        assert quantities.get(name) is item
    with pytest.raises(UnknownNameError, match="did you mean 'treasury'"):
        quantities.get("tresury")
    with pytest.raises(TypeError):
        quantities.table()["gold"] = None
    with pytest.raises(ArgumentError, match="registered twice"):
        quantity("score", "points")(quantities.get("score").function)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_quantity_has_one_value_per_civilization(view, name):
    values = quantities.get(name)(view)
    assert values.dtype == np.int64
    assert values.shape == quantities.civ_ids(view).shape
    assert values.tolist() == EXPECTED[name][2]


def test_measuring_gives_all_quantities_at_once(view):
    measured = quantities.measure(view)
    assert measured.dtype.names == ("player", *EXPECTED)
    assert measured["player"].tolist() == quantities.civ_ids(view).tolist() == [0, 1, 3, 4]
    for name, (_, _, values) in EXPECTED.items():
        assert measured[name].dtype == np.int64
        assert measured[name].tolist() == values
