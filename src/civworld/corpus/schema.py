# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tables a corpus has, and what their columns mean: one list, from which files and documentation are made."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from civworld import quantities
from civworld.corpus.declared import AMOUNTS, EVENT, KINDS, TABLES, Amounts, Column, EventFields, Fields
from civworld.errors import UnknownNameError
from civworld.events import Event
from civworld.state import Field, StateView

Rows = npt.NDArray[Any]
Columns = Mapping[str, Any]

_ARROW = {"text": pa.string(), "bool": pa.bool_(), "int32": pa.int32(), "int64": pa.int64(), "uint32": pa.uint32()}


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


def _expanded(columns: Iterable[Column | Fields | Amounts | EventFields]) -> Iterator[Column]:
    for item in columns:
        match item:
            case Column():
                yield item
            case Fields(source, leave_out):
                kinds = {"S": "text", "b": "bool"}
                for f in engine_fields(source, leave_out):
                    yield Column(f.name, kinds.get(f.dtype.kind, f.dtype.name), f.doc, source)
            case Amounts():
                yield from map(_amount, map(quantities.get, AMOUNTS))
            case EventFields():
                text = {name for name, value in Event(0, "", "")._asdict().items() if isinstance(value, str)}
                yield from (Column(f, "text" if f in text else "int32", EVENT[f]) for f in Event._fields)


def _amount(q: quantities.Quantity) -> Column:
    level = "; the level, of which forecasts ask the gain" if q.as_gain else ""
    return Column(q.name, "int64", f"{q.doc.rstrip('.')} ({q.unit}{level})")


def engine_fields(table: str, leave_out: Iterable[str] = ()) -> list[Field]:
    """Fields of an engine table that a column can hold: one number, flag or text."""
    left_out = set(leave_out)
    return [f for f in StateView.fields(table) if f.dtype.subdtype is None and f.name not in left_out]


def kept_events(log: Iterable[Event]) -> list[Event]:
    """The events of a world that its corpus tells of."""
    return [e for e in log if e.kind in KINDS]


@functools.cache
def tables() -> Mapping[str, Table]:
    """Every table by its name, in the order of the documentation."""
    return {t.name: Table(t.name, t.doc, tuple(_expanded(t.columns)), t.hidden) for t in TABLES}


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
