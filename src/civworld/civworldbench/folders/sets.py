# SPDX-License-Identifier: GPL-2.0-or-later
"""Query sets as folders: what a forecaster gets, and apart from it the targets."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.protocols import FREE
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.folders.lines import read_json, read_lines, write_lines, write_text

QUERIES, TARGETS, SCALES = "queries.jsonl", "targets.jsonl", "scales.json"


def save(queries: QuerySet, folder: str | os.PathLike[str]) -> None:
    """Write `queries.jsonl` (what a forecaster gets), `targets.jsonl` and `scales.json`, apart."""
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    write_lines(where / QUERIES, map(query_row, queries.queries.values()))
    rows = ({"id": name, "targets": target_row(cells)} for name, cells in queries.targets.items())
    write_lines(where / TARGETS, rows)
    write_text(where / SCALES, json.dumps(dict(queries.scales), indent=1, sort_keys=True) + "\n")


def load(folder: str | os.PathLike[str]) -> QuerySet:
    """The set that `save` wrote.

    Raises:
        FileNotFoundError: one of the three files is missing.
        ArgumentError: the files do not belong together.
    """
    where = Path(folder)
    queries = [read_query(row) for row in read_lines(where / QUERIES)]
    targets = {row["id"]: read_targets(row["targets"]) for row in read_lines(where / TARGETS)}
    scales = read_json(where / SCALES)
    return QuerySet.of(((query, targets.get(query.id, {})) for query in queries), scales)


def query_row(query: Query) -> dict[str, Any]:
    """A query as plain values, with the schema of its answer."""
    row = asdict(query) | {"schema": query.schema()}
    if query.protocol == FREE:  # files of before protocols stay as they are
        del row["protocol"]
    for cell in row["cells"]:
        if not cell["intermediate"]:
            del cell["intermediate"]
    return row


def target_row(targets: Mapping[str, Target]) -> dict[str, Any]:
    """The targets of a query as plain values."""
    return {cell: asdict(target) for cell, target in targets.items()}


def read_query(row: Mapping[str, Any]) -> Query:
    """The query that `query_row` gave."""
    values = {key: value for key, value in row.items() if key != "schema"}
    cells = tuple(Cell(**{**cell, "options": tuple(cell["options"])}) for cell in values.pop("cells"))
    return Query(**values, cells=cells)


def read_targets(row: Mapping[str, dict[str, Any]]) -> dict[str, Target]:
    """The targets that `target_row` gave."""
    return {cell: Target(**_tuples(values)) for cell, values in row.items()}


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
