# SPDX-License-Identifier: GPL-2.0-or-later
"""Query sets as Parquet files, for `datasets`, DuckDB and polars; targets in a file of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path

from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.folders.sets import query_row
from civworld.extras import needs

TEXTS = ("id", "task", "world", "setting", "arm", "control", "ablation", "operator", "prompt")


def to_parquet(queries: QuerySet, folder: str | os.PathLike[str]) -> None:
    """Write `queries.parquet` (what a forecaster gets) and `targets.parquet`; needs pyarrow (extra `data`)."""
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    write_queries(queries, where / "queries.parquet")
    write_targets(queries, where / "targets.parquet")


def write_queries(queries: QuerySet, path: Path) -> None:
    """One row a query: its fields as texts, `turn` int32, and `schema` and `cells` as JSON texts."""
    with needs("data", "a query set as Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    found = list(queries.queries.values())
    columns: dict[str, pa.Array] = {name: pa.array([getattr(q, name) for q in found], pa.string()) for name in TEXTS}
    columns["turn"] = pa.array([q.turn for q in found], pa.int32())
    columns["schema"] = pa.array([json.dumps(q.schema()) for q in found], pa.string())
    columns["cells"] = pa.array([json.dumps(query_row(q)["cells"]) for q in found], pa.string())
    pq.write_table(pa.table(columns), path)


def write_targets(queries: QuerySet, path: Path) -> None:
    """One row a cell: `id` of the query, `cell`, `value` and `reference` as JSON texts, `expected` and
    `standard_error` float64 with nulls where there is none."""
    with needs("data", "a query set as Parquet files"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    rows = [(name, cell, target) for name, cells in queries.targets.items() for cell, target in cells.items()]
    answers = pa.table(
        {
            "id": pa.array([name for name, _, _ in rows], pa.string()),
            "cell": pa.array([cell for _, cell, _ in rows], pa.string()),
            "value": pa.array([json.dumps(t.value) for _, _, t in rows], pa.string()),
            "reference": pa.array([json.dumps(t.reference) for _, _, t in rows], pa.string()),
            "expected": pa.array([t.expected for _, _, t in rows], pa.float64()),
            "standard_error": pa.array([t.standard_error for _, _, t in rows], pa.float64()),
        }
    )
    pq.write_table(answers, path)
