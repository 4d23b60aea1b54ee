# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for people: structured numpy arrays as pandas, polars and Arrow tables (extra `tables`).

One column per field, one row per record, in their order. Text is decoded, arrays within a record become lists, numbers
and truth values keep their types.

>>> world.state().to_pandas("cities").groupby("owner")["size"].sum()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from civworld.extras import needs

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def to_pandas(table: npt.NDArray[Any]) -> pandas.DataFrame:
    """Records (a structured array of one dimension) as a pandas frame."""
    with needs("tables", "to_pandas"):
        import pandas

    columns = {name: _column(table, name) for name in _names(table)}
    return pandas.DataFrame({name: column if column.ndim == 1 else column.tolist() for name, column in columns.items()})


def to_polars(table: npt.NDArray[Any]) -> polars.DataFrame:
    """Records (a structured array of one dimension) as a polars frame."""
    with needs("tables", "to_polars"):
        import polars

    def series(name: str) -> polars.Series:
        column = _column(table, name)
        if column.ndim == 1:
            return polars.Series(name, column, polars.String if column.dtype.kind == "U" else None)
        lists = polars.List(polars.Series(column[:0].ravel()).dtype)
        return polars.Series(name, column).cast(lists) if len(column) else polars.Series(name, [], lists)

    return polars.DataFrame([series(name) for name in _names(table)])


def to_arrow(table: npt.NDArray[Any]) -> pyarrow.Table:
    """Records (a structured array of one dimension) as an Arrow table."""
    with needs("tables", "to_arrow"):
        import pyarrow as pa

    def array(column: npt.NDArray[Any]) -> Any:
        if column.ndim == 1:
            return pa.array(column, pa.string() if column.dtype.kind == "U" else None)
        ends = np.arange(len(column) + 1, dtype=np.int32) * column.shape[1]
        return pa.ListArray.from_arrays(ends, pa.array(column.ravel()))

    names = _names(table)
    return pa.Table.from_arrays([array(_column(table, name)) for name in names], names=list(names))


def _names(table: npt.NDArray[Any]) -> tuple[str, ...]:
    return table.dtype.names or ()


def _column(table: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """A field's values, texts as str; what has more dimensions than two keeps its first and is flat within."""
    column = np.ascontiguousarray(table[name])
    if column.dtype.kind == "S":
        return np.char.decode(column, "utf-8")
    return column if column.ndim == 1 else column.reshape(len(column), int(np.prod(column.shape[1:])))
