# SPDX-License-Identifier: GPL-2.0-or-later
"""Observations: a view of the world as numpy arrays of fixed shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from civworld.commands import clauses
from civworld.state import StateView, Table, TableView, diplomatic_states
from civworld.view import PlayerView

Observation = dict[str, npt.NDArray[Any]]
"""Arrays by name, as `observation_space` describes them."""

MAX_CITIES = 160
MAX_UNITS = 320
MAX_CLAUSES = 40
SPARE_PLAYERS = 12  # room for barbarians, animals and civilizations born of civil war
ADVANCES = 256
EXTRAS = 128

PLANES = (
    "known", "age", "terrain", "resource", "owner", "city_owner", "city_size", "units", "unit_owner", "own_units",
    "worked",
)  # fmt: skip
"""Map planes of an observation, in order; numbers of terrains, extras and players are shifted by 1, 0 is unknown."""

GLOBALS = ("turn", "year", "player", "step_of_turn", "turn_ended", "cities", "units", "players")
"""The vector of globals, in order; the last three count what the tables would hold if they had room for all."""

ACTIVITIES = (
    "Idle", "Pollution", "?act:Mine", "Irrigate", "Fortified", "Sentry", "Pillage", "Goto", "Explore", "Transform",
    "Fortifying", "Fallout", "Base", "Road", "Convert", "Cultivate", "Plant",
)  # fmt: skip
UNIT_TYPES_FROM = 1000  # numbers of unit types in the column "production"; buildings have their own

# text columns that observations hold as numbers, and the table whose numbers these are
_NUMBERED = {
    "players": {"government": "governments", "target_government": "governments", "researching": "advances",
                "tech_goal": "advances"},
    "cities": {"production": "items"},
    "units": {"activity": "activities"},
    "treaties": {"kind": "clauses"},
}  # fmt: skip
# what bounds a plane below 255
_HIGHEST = {"known": 2, "worked": 1}
# what a state view has no column for, when everything is observed
_OMNISCIENT = {"level": 3, "age": 0, "known": 2}


class Encoder:
    """Turns views into observations of one shape.

    Attributes:
        fields: names of the columns of the tables "players", "cities", "units" and "treaties".
    """

    def __init__(self, xsize: int, ysize: int, players: int, menu: int, extras: int = EXTRAS) -> None:
        self._shape = (ysize, xsize)
        self._rooms = {"players": players + SPARE_PLAYERS, "cities": MAX_CITIES, "units": MAX_UNITS,
                       "treaties": MAX_CLAUSES}  # fmt: skip
        self._menu = menu
        self._extras = extras
        self._codes: dict[str, dict[bytes, int]] = {}
        self._plans: dict[tuple[str, int], tuple[list[int], list[int], list[int]]] = {}
        self.fields = {table: _columns(table) for table in self._rooms}

    def space(self) -> spaces.Dict:
        """The space of observations.

        Planes are bounded by what they can hold. That also tells them from pictures, which libraries take
        three-dimensional bytes from 0 to 255 for.
        """
        players = self._rooms["players"]
        return spaces.Dict(
            {
                "map": self._bytes([_HIGHEST.get(name, 255) for name in PLANES]),
                "extras": self._bytes([(1 << min(max(self._extras - at, 1), 8)) - 1 for at in range(0, EXTRAS, 8)]),
                **{t: _whole(n, len(self.fields[t])) for t, n in self._rooms.items()},
                "diplomacy": spaces.Box(0, len(diplomatic_states()), (players, players), np.uint8),
                "advances": spaces.Box(0, 1, (ADVANCES,), np.uint8),
                "globals": _whole(len(GLOBALS)),
                "action_mask": spaces.Box(0, 1, (self._menu,), np.int8),
            }
        )

    def _bytes(self, highest: Sequence[int]) -> spaces.Box[Any]:
        planes = np.array(highest, np.uint8)[:, None, None]
        return spaces.Box(np.uint8(0), np.broadcast_to(planes, (len(highest), *self._shape)), dtype=np.uint8)

    def encode(self, view: TableView, player: int, step: int, ended: bool, mask: npt.NDArray[np.int8]) -> Observation:
        """The observation of a player.

        Args:
            view: what is observed.
            player: number of the observing player.
            step: steps taken in this turn.
            ended: whether the agent has ended its turn.
            mask: the action mask, int8 (menu,).
        """
        if not self._codes:
            self._codes = _codes(view)
        cities = _own_first(view.cities, player)
        units = _own_first(view.units, player)
        counts = (len(cities), len(units), len(view.players))
        return {
            "map": self._map(view, player),
            "extras": _planes(view.tiles["extras"]).reshape(EXTRAS // 8, *self._shape),
            "players": self._table("players", view.players, player),
            "cities": self._table("cities", cities, player),
            "units": self._table("units", units, player),
            "treaties": self._table("treaties", view.treaties if isinstance(view, PlayerView) else units[:0], player),
            "diplomacy": self._diplomacy(view.diplomacy),
            "advances": self._advances(view, player),
            "globals": np.array([view.turn, view.year, player, step, ended, *counts], np.int32),
            "action_mask": mask,
        }

    def _map(self, view: TableView, player: int) -> npt.NDArray[np.uint8]:
        tiles, cities, units = view.tiles, view.cities, view.units
        out = np.zeros((len(PLANES), len(tiles)), np.uint8)
        known = _column(tiles, "known") if isinstance(view, PlayerView) else np.full(len(tiles), 2)
        plane = dict(zip(PLANES, out, strict=True))
        plane["known"][:] = known
        plane["age"][:] = np.minimum(np.maximum(_column(tiles, "age"), 0), 255)
        for name in ("terrain", "resource", "owner"):
            plane[name][:] = tiles[name] + 1
        plane["city_owner"][cities["tile"]] = cities["owner"] + 1
        plane["city_size"][cities["tile"]] = cities["size"]
        plane["units"][:] = np.minimum(tiles["units"], 255)
        plane["unit_owner"][units["tile"]] = units["owner"] + 1
        own = np.bincount(units["tile"][units["owner"] == player], minlength=len(tiles))
        plane["own_units"][:] = np.minimum(own, 255)
        plane["worked"][:] = np.isin(tiles["worked"], cities["id"][cities["owner"] == player])
        return out.reshape(len(PLANES), *self._shape)

    def _table(self, name: str, rows: Table, player: int) -> npt.NDArray[np.int32]:
        room, columns, numbered = self._rooms[name], self.fields[name], _NUMBERED[name]
        rows = rows[rows["id"] < room] if name == "players" else rows[:room]
        out = np.full((room, len(columns)), -1, np.int32)
        if not len(rows):
            return out
        words, offsets, others = self._plan(name, rows.dtype)
        values = np.empty((len(rows), len(columns)), np.int32)
        values[:, words] = np.frombuffer(rows.tobytes(), np.int32).reshape(len(rows), -1)[:, offsets]
        for i in others:
            field = columns[i]
            if field in numbered:
                codes = self._codes[numbered[field]]
                values[:, i] = [codes.get(value, -1) for value in rows[field].tolist()]
            elif field == "full" and field not in (rows.dtype.names or ()):
                values[:, i] = rows["owner"] == player
            else:
                values[:, i] = _column(rows, field)
        out[rows["id"] if name == "players" else slice(len(rows))] = values
        return out

    def _plan(self, name: str, dtype: np.dtype[Any]) -> tuple[list[int], list[int], list[int]]:
        """Which columns are plain words of a record and where these lie, in words; which columns are not."""
        key = (name, dtype.itemsize)
        if key not in self._plans:
            fields: Any = dtype.fields
            words = [
                i
                for i, field in enumerate(self.fields[name])
                if field in fields and fields[field][0] == np.int32 and fields[field][1] % 4 == 0
            ]
            offsets = [fields[self.fields[name][i]][1] // 4 for i in words]
            self._plans[key] = (words, offsets, sorted(set(range(len(self.fields[name]))) - set(words)))
        return self._plans[key]

    def _diplomacy(self, rows: Table) -> npt.NDArray[np.uint8]:
        room = self._rooms["players"]
        out = np.zeros((room, room), np.uint8)
        kept = rows[(rows["player"] < room) & (rows["other"] < room)]
        codes = self._codes["states"]
        out[kept["player"], kept["other"]] = [codes.get(state, 0) for state in kept["state"].tolist()]
        return out

    def _advances(self, view: TableView, player: int) -> npt.NDArray[np.uint8]:
        known = view.research_of(player)["known"]
        return np.unpackbits(known[0], bitorder="little") if len(known) else np.zeros(ADVANCES, np.uint8)


def _whole(*shape: int) -> spaces.Box[Any]:
    return spaces.Box(-(2**31), 2**31 - 1, shape, np.int32)


def _columns(table: str) -> tuple[str, ...]:
    """Columns of a view's table that an observation can hold: whole numbers, truth values and numbered texts."""
    fields = PlayerView.fields(table)
    return tuple(f.name for f in fields if f.name in _NUMBERED[table] or (f.dtype.kind in "ib" and not f.dtype.shape))


def _planes(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """(tiles, bytes) as (bytes, tiles); packed together first, which is several times as fast on wide records."""
    return np.ascontiguousarray(np.ascontiguousarray(packed).T)


def _column(rows: Table, field: str) -> Any:
    """A column, or what an all-seeing observer would find in it."""
    if field in (rows.dtype.names or ()):
        return rows[field]
    return np.full(len(rows), _OMNISCIENT.get(field, 0))


def _own_first(rows: Table, player: int) -> Table:
    order: Table = rows[np.argsort(rows["owner"] != player, kind="stable")]
    return order


def _codes(view: TableView) -> dict[str, dict[bytes, int]]:
    def numbers(table: str) -> dict[bytes, int]:
        rows = view.rules.__getattr__(table)
        return dict(zip(rows["name"].tolist(), rows["id"].tolist(), strict=True))

    return {
        "governments": numbers("governments"),
        "advances": numbers("advances"),
        "items": numbers("buildings") | {n: i + UNIT_TYPES_FROM for n, i in numbers("unit_types").items()},
        "clauses": {name.encode(): i for i, name in enumerate(clauses())},
        "activities": {name.encode(): i for i, name in enumerate(ACTIVITIES)},
        "states": {name.encode(): i for i, name in enumerate(diplomatic_states(), 1)},
    }


def view_of(world: Any, player: int, view: str) -> StateView | PlayerView:
    """What is observed of a world: `fog` what the player knows, `omni` everything."""
    seen: StateView | PlayerView = world.view(player) if view == "fog" else world.state()
    return seen
