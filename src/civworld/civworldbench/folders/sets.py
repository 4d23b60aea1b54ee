# SPDX-License-Identifier: GPL-2.0-or-later
"""Query sets as folders: what a forecaster gets, and apart from it the targets."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.folders.lines import read_lines, write_lines, write_text


def save(queries: QuerySet, folder: str | os.PathLike[str]) -> None:
    """Write `queries.jsonl` (what a forecaster gets), `targets.jsonl` and `scales.json`, apart."""
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    write_lines(
        where / "queries.jsonl", (asdict(query) | {"schema": query.schema()} for query in queries.queries.values())
    )
    write_lines(
        where / "targets.jsonl",
        (
            {"id": name, "targets": {cell: asdict(target) for cell, target in cells.items()}}
            for name, cells in queries.targets.items()
        ),
    )
    write_text(where / "scales.json", json.dumps(dict(queries.scales), indent=1, sort_keys=True) + "\n")


def load(folder: str | os.PathLike[str]) -> QuerySet:
    """The set that `save` wrote.

    Raises:
        FileNotFoundError: one of the three files is missing.
        ArgumentError: the files do not belong together.
    """
    where = Path(folder)
    queries = [_query(row) for row in read_lines(where / "queries.jsonl")]
    targets = {row["id"]: _targets(row["targets"]) for row in read_lines(where / "targets.jsonl")}
    scales = json.loads((where / "scales.json").read_text(encoding="utf-8"))
    return QuerySet.of(((query, targets.get(query.id, {})) for query in queries), scales)


def _query(row: dict[str, Any]) -> Query:
    values = {key: value for key, value in row.items() if key != "schema"}
    cells = tuple(Cell(**{**cell, "options": tuple(cell["options"])}) for cell in values.pop("cells"))
    return Query(**values, cells=cells)


def _targets(row: dict[str, dict[str, Any]]) -> dict[str, Target]:
    return {cell: Target(**_tuples(values)) for cell, values in row.items()}


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
