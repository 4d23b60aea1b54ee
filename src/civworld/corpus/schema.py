# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tables a corpus has, and what their columns mean: one list, from which files and documentation are made."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from civworld import quantities
from civworld.errors import UnknownNameError
from civworld.events import Event
from civworld.state import Field, StateView

Rows = npt.NDArray[Any]
Columns = Mapping[str, Any]

_WORLD = ("world", "text", "id of the world")
_TURN = ("turn", "int32", "turn whose command window this is")
_PLAYER = ("player", "int32", "player number of the civilization")
_T1 = ("t1", "int32", "turn of the decision point that this starts from")
_FUTURE = ("future", "int32", "number of the future")
_OPERATOR = ("operator", "text", "name of the operator, empty for futures")
_ARM = ("arm", "text", "recheck (the mainline once more), real or placebo; future")
_SEED = ("seed", "int64", "what the world was re-seeded with, -1 if it was not")
_ARROW = {"text": pa.string(), "bool": pa.bool_(), "int32": pa.int32(), "int64": pa.int64(), "uint32": pa.uint32()}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: its name.
        type: "text", "bool", "int32", "int64" or "uint32".
        doc: what it holds.
        source: the engine's table that it is a field of, empty for columns of the corpus' own.
    """

    name: str
    type: str
    doc: str
    source: str = ""


@dataclass(frozen=True)
class Table:
    """One table of a corpus; every world has one file of it.

    Attributes:
        name: its name, and of the folder that holds its files.
        doc: what one row is.
        columns: its columns in order.
        hidden: whether it tells what no forecaster may see; its files then lie under `hidden/`.
    """

    name: str
    doc: str
    columns: tuple[Column, ...]
    hidden: bool = False

    @property
    def folder(self) -> str:
        """Where its files lie, relative to the corpus."""
        return f"hidden/{self.name.removeprefix('hidden_')}" if self.hidden else self.name

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema, with each column's meaning as metadata."""
        fields = [pa.field(c.name, _ARROW[c.type], nullable=False, metadata={"doc": c.doc}) for c in self.columns]
        return pa.schema(fields)

    def make(self, columns: Columns) -> pa.Table:
        """An Arrow table from one array (or list) per column."""
        arrays = [_array(columns[c.name], c.type) for c in self.columns]
        return pa.Table.from_arrays(arrays, schema=self.arrow)


def _array(values: Any, kind: str) -> pa.Array:
    if isinstance(values, np.ndarray) and values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    if isinstance(values, np.ndarray) and values.dtype.kind == "U":
        values = values.tolist()
    return pa.array(values, _ARROW[kind])


def rows_of(table: pa.Table) -> Rows:
    """An Arrow table as a structured numpy array; text becomes fixed-width unicode."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_numpy()
        columns[name] = values.astype(np.str_) if values.dtype == object else values
    dtype = [(name, values.dtype) for name, values in columns.items()]
    rows = np.empty(table.num_rows, dtype)
    for name, values in columns.items():
        rows[name] = values
    return rows


def _columns(*columns: tuple[str, str, str] | Column) -> tuple[Column, ...]:
    return tuple(c if isinstance(c, Column) else Column(*c) for c in columns)


def _quantity_columns() -> tuple[tuple[str, str, str], ...]:
    def doc(q: quantities.Quantity) -> str:
        level = "; the level, of which forecasts ask the gain" if q.as_gain else ""
        return f"{q.doc.rstrip('.')} ({q.unit}{level})"

    return tuple((name, "int64", doc(q)) for name, q in quantities.table().items())


def engine_fields(table: str, leave_out: Iterable[str] = ()) -> list[Field]:
    """Fields of an engine table that a column can hold: one number, flag or text."""
    left_out = set(leave_out)
    return [f for f in StateView.fields(table) if f.dtype.subdtype is None and f.name not in left_out]


def _engine_columns(table: str, leave_out: Iterable[str] = ()) -> tuple[Column, ...]:
    kinds = {"S": "text", "b": "bool"}
    return tuple(
        Column(f.name, kinds.get(f.dtype.kind, f.dtype.name), f.doc, table) for f in engine_fields(table, leave_out)
    )


def _event_columns() -> tuple[tuple[str, str, str], ...]:
    docs = {
        "turn": "turn of the first command window that shows it",
        "stage": "part of the turn",
        "kind": "name of the kind",
        "player": "player it is about, -1 none",
        "other": "second player, -1 none",
        "city": "city id, 0 none",
        "unit": "unit id, 0 none",
        "tile": "tile index, -1 none",
        "number": "a number, -1 none",
        "cause": "why or how",
        "name": "a name",
        "former": "what was before",
    }
    text = {name for name, value in Event(0, "", "")._asdict().items() if isinstance(value, str)}
    return tuple((name, "text" if name in text else "int32", docs[name]) for name in Event._fields)


# what `records` has already, under this or its quantity's name
_IN_RECORDS = ("id", "nation", "is_alive", "is_barbarian", "barbarian_type", "team", "government", "gold", "cities",
               "territory", "production", "military_units", "techs", "culture", "score")  # fmt: skip
_TRACK = (_TURN, _PLAYER, ("is_alive", "bool", "whether the player is still in the game"))


@functools.cache
def tables() -> Mapping[str, Table]:
    """Every table by its name, in the order of the documentation."""
    amounts = _quantity_columns()
    all_tables = (
        Table(
            "worlds",
            "A world: what everyone may know about it.",
            _columns(
                _WORLD,
                ("map_class", "text", "small, medium or large"),
                ("ruleset", "text", "ruleset"),
                ("difficulty", "text", "level of the built-in AI"),
                ("players", "int32", "civilizations at the start"),
                ("map_size", "int32", "thousands of tiles"),
                ("xsize", "int32", "width of the map, tiles"),
                ("ysize", "int32", "height of the map, tiles"),
                ("topology", "int32", "shape of the map, see StateView.topology"),
                ("teams", "int32", "civilizations per team, 1 = every civilization for itself"),
                ("budget", "int32", "turns of play that are reported"),
                ("last_turn", "int32", "last turn of the mainline"),
            ),
        ),
        Table("points", "A decision point.", _columns(_WORLD, _T1, ("spacing", "int32", "turns between frames"))),
        Table(
            "turns",
            "A turn of the mainline.",
            _columns(
                _WORLD,
                _TURN,
                ("year", "int32", "the game's year"),
                ("digest", "text", "hash of the canonical game state"),
            ),
        ),
        Table(
            "records",
            "A civilization in a turn of the mainline, living or dead; barbarians are none.",
            _columns(
                _WORLD,
                *_TRACK,
                ("nation", "text", "nation, rule name"),
                ("team", "int32", "team number"),
                ("government", "text", "government, rule name"),
                *amounts,
            ),
        ),
        Table(
            "civs",
            "The same civilization in the same turn: everything else the engine's table of players tells of it.",
            _columns(
                _WORLD,
                _TURN,
                _PLAYER,
                ("color", "text", "colour on maps, #rrggbb"),
                *_engine_columns("players", _IN_RECORDS),
            ),
        ),
        Table(
            "pairs",
            "How one civilization stands to another in a turn of the mainline.",
            _columns(_WORLD, _TURN, *_engine_columns("diplomacy")),
        ),
        Table(
            "maps",
            "A tile whose looks changed since the turn before; in turn 1, every tile.",
            _columns(
                _WORLD,
                _TURN,
                ("tile", "int32", "tile index"),
                ("terrain", "text", "terrain, rule name"),
                ("owner", "int32", "player number of the owner, -1 none"),
                ("city", "int32", "city id of the city on the tile, 0 none"),
                ("city_owner", "int32", "player number of the city's owner, -1 without a city"),
                ("city_size", "int32", "citizens, 0 without a city"),
            ),
        ),
        Table(
            "briefings",
            "A part of what a forecaster is told at a decision point.",
            _columns(
                _WORLD,
                _T1,
                ("viewer", "int32", "player whose knowledge is told, -1 for everything about everyone"),
                (
                    "part",
                    "text",
                    "frames (three moments), frame (the last of them alone), narrative, policies; future: what will "
                    "happen, which only privileged forecasters may see",
                ),
                ("text", "text", "the part itself"),
            ),
        ),
        Table(
            "events",
            "Something that happened on the mainline; what a column means depends on the kind, see events.md.",
            _columns(_WORLD, *_event_columns()),
        ),
        Table(
            "futures",
            "A civilization in a turn of a future: the world re-seeded at a decision point and played on.",
            _columns(
                _WORLD,
                _T1,
                _FUTURE,
                ("seed", "int64", "what the world was re-seeded with"),
                *_TRACK,
                ("government", "text", "government, rule name"),
                *amounts,
            ),
        ),
        Table(
            "future_events",
            "Something that happened in a future after its decision point.",
            _columns(_WORLD, _T1, _FUTURE, *_event_columns()),
        ),
        Table(
            "cells",
            "An operator at a decision point: on whom it was tried, and what became of its edit.",
            _columns(
                _WORLD,
                _T1,
                _OPERATOR,
                ("variant", "text", "form of the operator, empty if it is not eligible"),
                ("eligible", "bool", "whether it could be used on a civilization here"),
                ("reason", "text", "why not: nobody (is eligible) or refused (the world refused an edit); else empty"),
                ("player", "int32", "player number of the civilization it is about, -1 none"),
                ("other", "int32", "player number of a second civilization it changes, -1 none"),
                ("targets", "text", "names of the quantities it is meant to move, JSON"),
                ("expected", "text", "target -> 1 or -1 where the rules leave one direction, JSON"),
                ("undone", "text", "edited fields that went back: field, turn, by whom, JSON"),
            ),
        ),
        Table(
            "arms",
            "A civilization in a turn of an arm. Controls are not repeated: that of seed -1 is the mainline, that of "
            "another seed the future of that seed.",
            _columns(_WORLD, _T1, _OPERATOR, _ARM, _SEED, _TURN, _PLAYER, *amounts),
        ),
        Table(
            "branches",
            "A future or an arm: where it ended.",
            _columns(
                _WORLD,
                _T1,
                _OPERATOR,
                _ARM,
                _SEED,
                _TURN,
                ("digest", "text", "hash of the canonical game state there"),
            ),
        ),
        Table(
            "hidden_civs",
            "Character and plans of a civilization in a turn of the mainline.",
            _columns(_WORLD, _TURN, *_engine_columns("hidden_players")),
            hidden=True,
        ),
        Table(
            "hidden_pairs",
            "What one civilization's AI thinks of another in a turn of the mainline.",
            _columns(_WORLD, _TURN, *_engine_columns("hidden_pairs")),
            hidden=True,
        ),
        Table(
            "hidden_edits",
            "The edits of an arm; some say what the edited field was before.",
            _columns(
                _WORLD,
                _T1,
                _OPERATOR,
                _ARM,
                ("edits", "text", "name and fields of each edit, JSON"),
                ("refusal", "text", "what the world said when it refused an edit of the cell, else empty"),
            ),
            hidden=True,
        ),
        Table(
            "hidden_rules",
            "World rules and seeds in a turn of the mainline.",
            _columns(_WORLD, _TURN, *_engine_columns("hidden_world")),
            hidden=True,
        ),
    )
    return {t.name: t for t in all_tables}


def table(name: str) -> Table:
    """The table of that name; UnknownNameError when there is none."""
    if name not in tables():
        raise UnknownNameError("table", name, tables())
    return tables()[name]


def document() -> str:
    """All tables and columns as Markdown: the text of docs/corpus-tables.md."""
    parts = [
        "# Tables of a corpus",
        "",
        "Written by `civworld.corpus.schema.document()`; do not edit by hand. The file of world W of a table T is",
        "`T/W.parquet`, of a hidden table `hidden_T` it is `hidden/T/W.parquet`. No value is ever missing.",
        "",
    ]
    for t in tables().values():
        parts += [f"## {t.name}", "", f"{'Hidden. ' if t.hidden else ''}{t.doc}", ""]
        parts += ["| column | type | meaning |", "|---|---|---|"]
        parts += [f"| `{c.name}` | {c.type} | {c.doc} |" for c in t.columns if not c.source]
        parts += [""]
        for source in dict.fromkeys(c.source for c in t.columns if c.source):
            what = (
                "fields" if len(engine_fields(source)) == sum(c.source == source for c in t.columns) else "other fields"
            )
            parts += [f"And all {what} of [`{source}`](tables.md#{source}) that are one number, flag or text.", ""]
    return "\n".join(parts)
