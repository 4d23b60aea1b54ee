# SPDX-License-Identifier: GPL-2.0-or-later
"""What a world is like at one moment, as read-only numpy tables.

The tables, their fields, types and descriptions come from the engine's own list, so nothing here names a
field except the key that tells the records of a table apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol, Self

import numpy as np
import numpy.typing as npt

from civworld import dataframes
from civworld._engine import words
from civworld.display import html_page, html_table
from civworld.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Table = npt.NDArray[Any]
Value = bool | int | float | str | tuple[int, ...]
# name of a table -> (number, dtype, field name -> description)
Schema = Mapping[str, tuple[int, np.dtype[Any], Mapping[str, str]]]

_RULES, _HIDDEN = "rules_", "hidden_"
_INFO = ("turn", "year", "xsize", "ysize", "topology")
# fields that tell the records of a table apart, first match; a table with none has one record
_KEYS = (("player", "other"), ("id",), ("index",), ("player",))


class TableSource(Protocol):
    """What a view is read from: the engine with a world mounted, or a fake in tests."""

    @property
    def tables(self) -> Schema:
        """Every table."""

    @property
    def views(self) -> Schema:
        """The tables of which a player has a view of its own."""

    def records(self, names: Iterable[str]) -> Mapping[str, Table]:
        """Records of the named tables, at one moment."""

    def view(self, name: str, viewer: int) -> Table:
        """Records of one table as a player knows it."""

    def info(self) -> Mapping[str, int]:
        """Turn, year, map size and topology."""


class Field(NamedTuple):
    """One field of a table."""

    name: str
    dtype: np.dtype[Any]
    doc: str


class Change(NamedTuple):
    """One value that differs between two views.

    `row` is the record's id (a pair of ids for tables of pairs, 0 for a table of one record). The field "row"
    stands for the record itself: False where it is missing, True where it is there.
    """

    table: str
    row: int | tuple[int, int]
    field: str
    old: Value
    new: Value


class TableGroup:
    """Tables that share a prefix, as attributes: `view.rules.unit_types`, `view.hidden.players`."""

    __slots__ = ("_names", "_prefix", "_tables")

    def __init__(self, tables: Mapping[str, Table], prefix: str) -> None:
        self._tables = tables
        self._prefix = prefix
        self._names = tuple(name.removeprefix(prefix) for name in tables if name.startswith(prefix))

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._tables[self._prefix + name]
        except KeyError:
            known = ", ".join(self._names)
            raise AttributeError(f"no table {name!r} here; there are: {known}") from None

    def __dir__(self) -> list[str]:
        return [*self._names, "id", "name"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __repr__(self) -> str:
        return f"<{self._prefix.rstrip('_')}: {', '.join(self._names)}>"

    def name(self, table: str, number: int) -> str:
        """Rule name of a number, for example `rules.name("advances", 3)`.

        Raises:
            UnknownNameError: there is no such table or number.
        """
        rows = self._named(table)
        found = rows["name"][rows["id"] == number]
        if not len(found):
            raise UnknownNameError(f"number in {self._prefix}{table}", number, map(str, rows["id"]))
        return _text(found[0])

    def id(self, table: str, name: str) -> int:
        """Number of a rule name, for example `rules.id("unit_types", "Settlers")`.

        Raises:
            UnknownNameError: there is no such table or name.
        """
        rows = self._named(table)
        found = rows["id"][rows["name"] == name.encode()]
        if not len(found):
            raise UnknownNameError(f"name in {self._prefix}{table}", name, map(_text, rows["name"]))
        return int(found[0])

    def _named(self, table: str) -> Table:
        if table not in self._names:
            raise UnknownNameError("table", table, self._names)
        return self._tables[self._prefix + table]


class TableView:
    """Tables of one moment of a world. A value: it never changes, whatever the world does later.

    Text is UTF-8 in fixed fields (`view.players["nation"] == b"Zulu"`; `text` decodes a column). Bit fields
    hold one bit per number, low bit of the first byte first (`bits` unpacks a column). `describe` explains
    each field. `StateView` is everything, `PlayerView` what one player knows.

    Attributes:
        rules: the ruleset's tables: `rules.terrains`, `rules.unit_types`, `rules.buildings`, ...
        turn: the turn whose command window this is.
        year: the game's year.
        xsize: width of the map, tiles.
        ysize: height of the map, tiles.
        topology: shape of the map, sum of 1 wraps in x, 2 wraps in y, 4 isometric, 8 hexagonal.
    """

    __slots__ = ("_info", "_tables", "rules")

    _info: dict[str, int]
    _tables: dict[str, Table]
    rules: TableGroup

    def __init__(self, tables: Mapping[str, Table], info: Mapping[str, int]) -> None:
        frozen = {name: _freeze(rows) for name, rows in tables.items()}
        _set(self, "_tables", frozen)
        _set(self, "_info", {key: int(info[key]) for key in _INFO})
        _set(self, "rules", TableGroup(frozen, _RULES))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed ({name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed ({name!r})")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self._tables, self._info))

    def __copy__(self) -> Self:
        return self  # nothing of it can change

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        shown = ("players", "cities", "units", "tiles")
        sizes = " ".join(f"{name}={len(self.table(name))}" for name in shown)
        return f"<{type(self).__name__} turn={self.turn} year={self.year} {sizes}>"

    def _repr_html_(self) -> str:
        return html_page(repr(self), civilizations_html(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TableView) or type(self) is not type(other):
            return NotImplemented
        return (
            self._info == other._info
            and self._tables.keys() == other._tables.keys()
            and all(_same(rows, other._tables[name]) for name, rows in self._tables.items())
        )

    def __hash__(self) -> int:
        # of columns, since the bytes between the fields of a record mean nothing
        return hash(
            (*self._info.values(), *(self.table(name).size for name in self.tables), *self.players["id"].tolist())
        )

    # ---- tables ----------------------------------------------------------------------------------------

    def table(self, name: str) -> Table:
        """A table by its name, for example "players" or "rules_advances".

        Raises:
            UnknownNameError: there is no such table.
        """
        if name not in self._tables:
            raise UnknownNameError("table", name, self._tables)
        return self._tables[name]

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of all tables."""
        return tuple(self._tables)

    @property
    def players(self) -> Table:
        """Every player, living or dead."""
        return self.table("players")

    @property
    def cities(self) -> Table:
        """Every city."""
        return self.table("cities")

    @property
    def units(self) -> Table:
        """Every unit."""
        return self.table("units")

    @property
    def tiles(self) -> Table:
        """Every tile, in the order of tile indexes."""
        return self.table("tiles")

    @property
    def diplomacy(self) -> Table:
        """One record per ordered pair of players."""
        return self.table("diplomacy")

    @property
    def research(self) -> Table:
        """One record per player, or per team where teams pool research."""
        return self.table("research")

    @property
    def wonders(self) -> Table:
        """Every great wonder of the ruleset, built or not."""
        return self.table("wonders")

    @property
    def turn(self) -> int:
        """The turn whose command window this is."""
        return self._info["turn"]

    @property
    def year(self) -> int:
        """The game's year."""
        return self._info["year"]

    @property
    def xsize(self) -> int:
        """Width of the map, tiles."""
        return self._info["xsize"]

    @property
    def ysize(self) -> int:
        """Height of the map, tiles."""
        return self._info["ysize"]

    @property
    def topology(self) -> int:
        """Shape of the map: sum of 1 wraps in x, 2 wraps in y, 4 isometric, 8 hexagonal."""
        return self._info["topology"]

    # ---- single records --------------------------------------------------------------------------------

    def row(self, table: str, key: int | str) -> np.void:
        """One record by its number or its name.

        Raises:
            UnknownNameError: there is no such table or record.
        """
        rows = self.table(table)
        by_name = isinstance(key, str)
        if by_name:
            found = np.flatnonzero(rows["name"] == str(key).encode())
        else:
            found = np.flatnonzero(rows[_key_fields(rows.dtype)[0]] == key)
        if not len(found):
            known = map(_text, rows["name"]) if by_name else map(str, rows[_key_fields(rows.dtype)[0]])
            raise UnknownNameError(f"record of {table}", key, known)
        record: np.void = rows[found[0]]
        return record

    def value(self, table: str, row: int | tuple[int, int], field: str) -> Value:
        """One value by table, record id (a pair of ids in tables of pairs, 0 in tables of one) and field.

        The field "row" tells whether the record is there.

        Raises:
            UnknownNameError: there is no such table, record or field.
        """
        keys = _row_keys(self.table(table))
        if field == "row":
            return row in keys
        if row not in keys:
            raise UnknownNameError(f"record of {table}", row, map(str, keys))
        names = self.table(table).dtype.names or ()
        if field not in names:
            raise UnknownNameError(f"field of {table}", field, names)
        return _value(self.table(table)[field][keys.index(row)])

    def player(self, key: int | str) -> np.void:
        """A player by number, leader's name or nation."""
        if isinstance(key, str):
            nation = np.flatnonzero(self.players["nation"] == key.encode())
            if len(nation):
                record: np.void = self.players[nation[0]]
                return record
        return self.row("players", key)

    def city(self, key: int | str) -> np.void:
        """A city by id or name."""
        return self.row("cities", key)

    def unit(self, key: int) -> np.void:
        """A unit by id."""
        return self.row("units", key)

    def between(self, player: int, other: int) -> np.void:
        """How player stands to other: a record of `diplomacy`."""
        rows = self.diplomacy
        found = np.flatnonzero((rows["player"] == player) & (rows["other"] == other))
        if not len(found):
            known = (f"({p}, {q})" for p, q in rows[["player", "other"]].tolist())
            raise UnknownNameError("pair of players", (player, other), known)
        record: np.void = rows[found[0]]
        return record

    def research_of(self, player: int) -> Table:
        """The record of `research` that a player takes part in, its own or its team's; none for who is not known."""
        rows: Table = self.research
        mine: Table = rows[rows["players"] >> np.uint64(player) & np.uint64(1) != 0]
        return mine

    # ---- columns ---------------------------------------------------------------------------------------

    @staticmethod
    def text(column: Table | bytes) -> Any:
        """A text column as numpy strings, or one text value as str."""
        if isinstance(column, bytes):
            return column.decode()
        return np.char.decode(column, "utf-8")

    @staticmethod
    def bits(column: Table) -> npt.NDArray[np.bool_]:
        """A bit field unpacked along a new last axis: element n tells whether bit n is set."""
        packed = column
        if column.dtype == np.uint64:
            packed = np.ascontiguousarray(column).view(np.uint8).reshape(*column.shape, 8)
        return np.unpackbits(packed, axis=-1, bitorder="little").astype(np.bool_)

    # ---- for people --------------------------------------------------------------------------------------

    def to_pandas(self, table: str) -> pandas.DataFrame:
        """A table as a pandas frame, see `civworld.dataframes`: text decoded, arrays within records as lists."""
        return dataframes.to_pandas(self.table(table))

    def to_polars(self, table: str) -> polars.DataFrame:
        """A table as a polars frame, see `civworld.dataframes`."""
        return dataframes.to_polars(self.table(table))

    def to_arrow(self, table: str) -> pyarrow.Table:
        """A table as an Arrow table, see `civworld.dataframes`."""
        return dataframes.to_arrow(self.table(table))

    # ---- comparing -------------------------------------------------------------------------------------

    def changes(self, after: Self) -> Iterator[Change]:
        """Every value that differs in a later (or another) view, table by table, in the order of records."""
        for name, old in self._tables.items():
            new = after.table(name)
            if not _same(old, new):
                yield from _table_changes(name, old, new)


class StateView(TableView):
    """Everything about a world at one moment, see `TableView`.

    Attributes:
        players: every player, barbarians and animals among them (`is_barbarian`), living or dead.
        cities: every city.
        units: every unit.
        tiles: every tile, in the order of tile indexes.
        diplomacy: one record per ordered pair of players.
        research: one record per player, or per team where teams pool research.
        wonders: every great wonder of the ruleset, built or not.
        achievements: every achievement of the ruleset, and who has reached it.
        hidden: what no player can see: AI characters, attitudes, plans, world rules, seeds. Never to be shown
            to whoever forecasts the world.
    """

    __slots__ = ("hidden",)

    hidden: TableGroup

    def __init__(self, tables: Mapping[str, Table], info: Mapping[str, int]) -> None:
        super().__init__(tables, info)
        _set(self, "hidden", TableGroup(self._tables, _HIDDEN))

    @property
    def achievements(self) -> Table:
        """Every achievement of the ruleset, and who has reached it."""
        return self.table("achievements")

    @classmethod
    def read(cls, source: TableSource) -> StateView:
        """The whole state of the source's world, now."""
        return cls(source.records(source.tables), source.info())

    @classmethod
    def fields(cls, table: str, source: TableSource | None = None) -> list[Field]:
        """Fields of a table with their types and meanings.

        Args:
            table: name of the table.
            source: whose tables; the engine's when not given.

        Raises:
            UnknownNameError: there is no such table.
        """
        return fields_of(_source(source).tables, table)

    @classmethod
    def describe(cls, table: str, source: TableSource | None = None) -> str:
        """The fields of a table as readable text, one line each."""
        return describe_fields(cls.fields(table, source))


def fields_of(schema: Schema, table: str) -> list[Field]:
    """Fields of one table of a schema.

    Raises:
        UnknownNameError: there is no such table.
    """
    if table not in schema:
        raise UnknownNameError("table", table, schema)
    _, dtype, docs = schema[table]
    return [Field(name, dtype[name], docs[name]) for name in dtype.names or ()]


def describe_fields(fields: list[Field]) -> str:
    """Fields as readable text, one line each."""
    rows = [(f.name, _type_text(f.dtype), f.doc) for f in fields]
    widths = [max(len(row[i]) for row in rows) for i in (0, 1)]
    return "\n".join(f"{name:{widths[0]}}  {kind:{widths[1]}}  {doc}" for name, kind, doc in rows)


def diplomatic_states() -> tuple[str, ...]:
    """How one player may stand to another: names of the states in the engine's order (`common/player.h`)."""
    return words("diplomatic_states")


def document(source: TableSource | None = None) -> str:
    """All tables and fields as Markdown: the text of docs/tables.md."""
    parts = [
        "# Tables of a state view",
        "",
        "Written by `civworld.state.document()` from `csrc/export/` and `csrc/view/`; do not edit by hand.",
        "`view.rules.x` is the table `rules_x`, `view.hidden.x` the table `hidden_x`; hidden tables must",
        "never be shown to whoever forecasts the world. Text is UTF-8 padded with zeros.",
        "",
        *_tables_text(_source(source).tables),
        "# Tables of a player view",
        "",
        "What `world.view(player)` holds beside the rules. A field that the viewer does not know is -1; text is empty",
        "then, bits and truth values are zero. Nobody sees a field marked `own only` of what is another's.",
        "",
        *_tables_text(_source(source).views),
    ]
    return "\n".join(parts)


def _tables_text(schema: Schema) -> Iterator[str]:
    for table in schema:
        yield from (f"## {table}", "", "| field | type | meaning |", "|---|---|---|")
        yield from (f"| `{f.name}` | {_type_text(f.dtype)} | {f.doc} |" for f in fields_of(schema, table))
        yield ""


def _source(source: TableSource | None) -> TableSource:
    if source is None:
        from civworld._engine import engine

        return engine()
    return source


def _set(view: TableView, name: str, value: object) -> None:
    object.__setattr__(view, name, value)


def _freeze(rows: Table) -> Table:
    """The same records over bytes, which no one can make writeable again."""
    if isinstance(rows.base, bytes):
        return rows
    if not len(rows):
        empty = np.empty(0, rows.dtype)
        empty.flags.writeable = False
        return empty
    return np.frombuffer(rows.tobytes(), rows.dtype)


def _same(a: Table, b: Table) -> bool:
    """Whether two tables hold equal values; the bytes between the fields of a record mean nothing."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tobytes() == b.tobytes() or all(a[name].tobytes() == b[name].tobytes() for name in a.dtype.names or ())


def _key_fields(dtype: np.dtype[Any]) -> tuple[str, ...]:
    names = dtype.names or ()
    return next((key for key in _KEYS if all(name in names for name in key)), ())


def _row_keys(rows: Table) -> list[Any]:
    key = _key_fields(rows.dtype)
    if not key:
        return [0] * len(rows)
    columns = [rows[name].tolist() for name in key]
    return columns[0] if len(key) == 1 else list(zip(*columns, strict=True))


def _table_changes(name: str, old: Table, new: Table) -> Iterator[Change]:
    old_at = {key: i for i, key in enumerate(_row_keys(old))}
    new_at = {key: i for i, key in enumerate(_row_keys(new))}
    common = [key for key in old_at if key in new_at]
    a = old[[old_at[key] for key in common]]
    b = new[[new_at[key] for key in common]]
    found: list[tuple[Any, int, Change]] = []
    for order, field in enumerate(old.dtype.names or ()):
        differs = a[field] != b[field]
        if differs.ndim > 1:
            differs = differs.any(axis=-1)
        for i in np.flatnonzero(differs):
            change = Change(name, common[i], field, _value(a[field][i]), _value(b[field][i]))
            found.append((common[i], order, change))
    found += [(key, -1, Change(name, key, "row", True, False)) for key in old_at if key not in new_at]
    found += [(key, -1, Change(name, key, "row", False, True)) for key in new_at if key not in old_at]
    for _, _, change in sorted(found, key=lambda item: item[:2]):
        yield change


def _value(value: Any) -> Value:
    """A numpy scalar or sub-array as a plain Python value."""
    if isinstance(value, bytes):
        return _text(value)
    plain = value.tolist()
    return tuple(plain) if isinstance(plain, list) else plain


def _text(value: bytes) -> str:
    return value.decode()


def _type_text(dtype: np.dtype[Any]) -> str:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{base.name}[{','.join(map(str, shape))}]"
    return f"text {dtype.itemsize}" if dtype.kind == "S" else dtype.name


def civilizations_html(view: TableView) -> str:
    """The players of a view as a small HTML table, of columns that every kind of view has."""
    columns = ("id", "nation", "is_alive", "score", "gold")
    rows = [[player[name] for name in columns] for player in view.players]
    return html_table(columns, rows, "players")
