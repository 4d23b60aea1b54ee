# SPDX-License-Identifier: GPL-2.0-or-later
"""From live worlds to rows of a corpus' tables. Looking changes nothing: digests are the same without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from civworld import quantities
from civworld.arms.play import each_turn
from civworld.corpus.briefings import Briefings
from civworld.corpus.declared import AMOUNTS
from civworld.corpus.schema import Columns, Rows, Table, engine_fields, kept_events, table
from civworld.corpus.suites import WorldSpec
from civworld.events import Event
from civworld.state import StateView
from civworld.world import World

Values = dict[str, Any]


def civ_rows(view: StateView, names: Iterable[str]) -> Values:
    """The named columns of every civilization, living or dead, ascending by player number."""
    measured = quantities.measure(view)
    players = view.players[np.isin(view.players["id"], measured["player"])]
    players = players[np.argsort(players["id"])]
    own = {"turn": np.full(len(players), view.turn, np.int32), "player": measured["player"]}
    return {name: own[name] if name in own else measured[name] if name in AMOUNTS else players[name] for name in names}


def _stack(parts: list[Values], names: Iterable[str]) -> Values:
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def _with(constant: Mapping[str, Any], columns: Columns) -> Values:
    """The columns with others beside them that hold one value throughout."""
    n = len(next(iter(columns.values())))
    same = {name: [v] * n if isinstance(v, str) else np.full(n, v) for name, v in constant.items()}
    return {**same, **columns}


class _EngineRows:
    """Records of one engine table, turn after turn."""

    def __init__(self, name: str, source: str) -> None:
        self.table = table(name)
        self._source = source
        self._names = [f.name for f in engine_fields(source) if any(c.name == f.name for c in self.table.columns)]
        self._parts: list[Values] = []

    def look(self, view: StateView) -> None:
        rows = view.table(self._source)
        part = {name: rows[name] for name in self._names}
        self._parts.append({"turn": np.full(len(rows), view.turn, np.int32), **part})

    def columns(self) -> Values:
        return _stack(self._parts, ["turn", *self._names])


class _CivRows:
    """Records of civilizations, turn after turn."""

    def __init__(self, name: str, constant: Iterable[str]) -> None:
        self.table = table(name)
        self._names = [c.name for c in self.table.columns if c.name not in set(constant)]
        self._parts: list[Values] = []

    def look(self, view: StateView) -> None:
        part = civ_rows(view, [n for n in self._names if n != "color"])
        if "color" in self._names:
            of = {int(p["id"]): "#{:02x}{:02x}{:02x}".format(*p["color"]) for p in view.players}
            part["color"] = np.array([of[int(p)] for p in part["player"]])
        self._parts.append(part)

    def columns(self) -> Values:
        return _stack(self._parts, self._names)


class _MapRows:
    """Tiles that look different from how they looked a turn ago."""

    _FIELDS = ("terrain", "owner", "city", "city_owner", "city_size")

    def __init__(self) -> None:
        self.table = table("maps")
        self._last: Rows | None = None
        self._names: dict[int, str] = {}
        self._parts: list[Values] = []

    def look(self, view: StateView) -> None:
        now = np.zeros(len(view.tiles), [(name, "<i4") for name in self._FIELDS])
        now["terrain"], now["owner"], now["city"] = (view.tiles[n] for n in ("terrain", "owner", "city"))
        now["city_owner"] = -1
        now["city_owner"][view.cities["tile"]] = view.cities["owner"]
        now["city_size"][view.cities["tile"]] = view.cities["size"]
        changed = np.arange(len(now)) if self._last is None else np.flatnonzero(now != self._last)
        self._last = now
        if not self._names:
            self._names = {int(t["id"]): t["name"].decode() for t in view.rules.terrains}
        part = {name: now[name][changed] for name in self._FIELDS}
        part["terrain"] = np.array([self._names.get(int(t), "") for t in part["terrain"]], np.str_)
        self._parts.append({"turn": np.full(len(changed), view.turn, np.int32), "tile": changed, **part})

    def columns(self) -> Values:
        return _stack(self._parts, ["turn", "tile", *self._FIELDS])


def event_columns(log: Sequence[Event], constant: Mapping[str, Any] | None = None) -> Values:
    """Events as columns, in their order, beside columns that hold one value throughout."""
    columns = zip(*log, strict=True) if log else ([] for _ in Event._fields)
    return _with(constant or {}, dict(zip(Event._fields, map(list, columns), strict=True)))


class Mainline:
    """Everything the tables tell of a world's own course; look at it once in each turn."""

    def __init__(self, spec: WorldSpec) -> None:
        self._spec = spec
        self._rows: tuple[_EngineRows | _CivRows | _MapRows, ...] = (
            _CivRows("records", ["world"]),
            _CivRows("civs", ["world"]),
            _EngineRows("pairs", "diplomacy"),
            _MapRows(),
            _EngineRows("hidden_civs", "hidden_players"),
            _EngineRows("hidden_pairs", "hidden_pairs"),
            _EngineRows("hidden_rules", "hidden_world"),
        )
        self._briefings = Briefings(spec)
        self._turns: list[tuple[int, int, str]] = []
        self._shape: dict[str, int] = {}

    def look(self, world: World) -> None:
        """Take down the turn that the world rests in."""
        view = world.state()
        self._shape = {"xsize": view.xsize, "ysize": view.ysize, "topology": view.topology}
        self._turns.append((view.turn, view.year, world.digest()))
        self._briefings.look(world)
        for rows in self._rows:
            rows.look(view)

    def tables(self, world: World) -> list[tuple[Table, Values]]:
        """Each table with its columns, for the world at the end of its mainline."""
        spec, config = self._spec, self._spec.config
        turns, years, digests = zip(*self._turns, strict=True)
        one = {
            "map_class": spec.map_class,
            "ruleset": config.ruleset,
            "difficulty": config.difficulty,
            "players": config.players,
            "map_size": config.map_size,
            **self._shape,
            "teams": config.teams or 1,
            "budget": spec.budget,
            "last_turn": spec.last_turn,
        }
        points = {"t1": [p.turn for p in spec.points], "spacing": [p.spacing for p in spec.points]}
        made: list[tuple[Table, Values]] = [
            (table("worlds"), {name: [value] for name, value in one.items()}),
            (table("points"), points),
            (table("turns"), {"turn": turns, "year": years, "digest": digests}),
            (table("events"), event_columns(kept_events(world.events()))),
            (table("briefings"), self._briefings.columns(world)),
            *((rows.table, rows.columns()) for rows in self._rows),
        ]
        return [(t, _with({"world": spec.id}, columns)) for t, columns in made]


class Branches:
    """The civilizations of worlds that start from one decision point, turn after turn.

    Args:
        name: the table.
        constant: columns that hold one value in every row.
        each: names of the columns that tell branches apart.
    """

    def __init__(self, name: str, constant: Mapping[str, Any], each: Iterable[str]) -> None:
        self.table = table(name)
        self._constant = dict(constant)
        each = tuple(each)
        self._names = [c.name for c in self.table.columns if c.name not in {*constant, *each}]
        self._parts: list[Values] = []

    def play(self, world: World, turns: int, **each: Any) -> None:
        """Play a branch and take down every turn of it, the first included."""
        for now in each_turn(world, turns):
            self._parts.append(_with(each, civ_rows(now.state(), self._names)))

    def columns(self) -> Values:
        """The table's columns."""
        return _with(self._constant, _stack(self._parts, self._parts[0]))
