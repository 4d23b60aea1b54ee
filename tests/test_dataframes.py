# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for people: every table of both views, in pandas, polars and Arrow, value by value."""

import numpy as np
import pytest

from civworld.errors import UnknownNameError

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def plain(column):
    """A column's values as Python's own, texts decoded, arrays as lists."""
    if column.dtype.kind == "S":
        return [value.decode() for value in column.tolist()]
    return column.tolist()


@pytest.mark.parametrize("turn", ["early", "late"])
def test_every_table_holds_the_same_values_in_every_library(turn, request):
    start = request.getfixturevalue(turn)
    texts = lists = 0
    with start.fork() as world:
        for view in (world.state(), world.view(1)):
            for name in view.tables:
                rows = view.table(name)
                frame, other, arrow = view.to_pandas(name), view.to_polars(name), view.to_arrow(name)
                fields = list(rows.dtype.names)
                assert list(frame.columns) == other.columns == arrow.column_names == fields, name
                assert len(frame) == len(other) == len(arrow) == len(rows), name
                for field in fields:
                    values = plain(rows[field])
                    assert frame[field].tolist() == values, (name, field)
                    assert other[field].to_list() == arrow[field].to_pylist() == values, (name, field)
                    texts += rows.dtype[field].kind == "S"
                    lists += rows.dtype[field].subdtype is not None
    assert texts > 50 and lists > 5, "each kind of field was there"


def test_types_do_not_depend_on_whether_there_are_records(world):
    for view in (world.state(), world.view(1)):
        for name in view.tables:
            rows, none = view.table(name), view.table(name)[:0]
            from civworld.dataframes import to_arrow, to_polars

            assert to_arrow(none).schema == view.to_arrow(name).schema, name
            assert to_polars(none).schema == view.to_polars(name).schema, name
            for field in rows.dtype.names:
                kind, arrow = rows.dtype[field], view.to_arrow(name).schema.field(field).type
                base = kind.base
                inner = arrow if kind.subdtype is None else arrow.value_type
                assert inner == (pa.string() if base.kind == "S" else pa.from_numpy_dtype(base)), (name, field)


def test_frames_are_what_people_reckon_with(world):
    state = world.state()
    sizes = state.to_pandas("cities").groupby("owner")["size"].sum()
    for owner, total in sizes.items():
        assert total == state.cities["size"][state.cities["owner"] == owner].sum()
    frame = state.to_polars("players").filter(polars.col("is_alive")).sort("score")
    assert frame["score"].to_list() == sorted(state.players["score"][state.players["is_alive"]].tolist())
    assert isinstance(state.to_pandas("players")["nation"][0], str)


def test_a_table_that_is_not_there_is_named(world):
    for make in (world.state().to_pandas, world.state().to_polars, world.state().to_arrow):
        with pytest.raises(UnknownNameError, match="cities"):
            make("citys")


def test_the_frame_does_not_share_memory_with_the_view(world):
    state = world.state()
    gold = state.players["gold"].copy()
    frame = state.to_pandas("players")
    frame.loc[:, "gold"] = -5
    assert np.array_equal(state.players["gold"], gold)
