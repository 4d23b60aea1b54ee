# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages to browse query sets: every question with its prompt, answers, truth and scores, cell by cell.

One page and a file of data for each decision point of a set. The data are scripts, so that a browser takes them from
disk; nothing else is loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

from civworld import quantities
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.evaluating.each import Judged, Place, judge

Answers = Mapping[str, Mapping[str, str]]
"""Forecaster -> query id -> text."""


def pages(name: str, sets: Mapping[str, QuerySet], answers: Mapping[str, Answers]) -> Iterator[tuple[str, str]]:
    """Every file of the browser, as (path below its folder, content).

    Args:
        name: what the dataset is called.
        sets: setting and variant, as one name -> queries with targets.
        answers: the same name -> answers of each forecaster.
    """
    index: dict[str, list[dict[str, Any]]] = {}
    for key, queries in sets.items():
        judged = {who: judge(queries, given) for who, given in answers[key].items()}
        points: dict[tuple[str, int], list[Query]] = {}
        for query in queries.queries.values():
            points.setdefault((query.world, query.turn), []).append(query)
        index[key] = [{"world": world, "turn": turn, "file": _file(key, world, turn)} for world, turn in points]
        for (world, turn), asked in points.items():
            yield _file(key, world, turn), f"loaded({_text(_point(queries, asked, judged))});\n"
    template = (files("civworld.civworldbench.reporting") / "browse.html").read_text(encoding="utf-8")
    about = {"name": name, "sets": index, "units": {n: q.unit for n, q in quantities.table().items()}}
    yield "index.html", template.replace("/*INDEX*/", _text(about))


def _file(key: str, world: str, turn: int) -> str:
    return f"data/{key}/{world}-t{turn:04}.js"


def _text(value: Any) -> str:
    """A value as JSON that may stand in a script."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")


def _point(queries: QuerySet, asked: list[Query], judged: Mapping[str, Mapping[Place, Judged]]) -> dict[str, Any]:
    """A decision point: what all prompts begin with once, then each query."""
    # what the first and the last in alphabetical order begin with, all do
    first, last = min(query.prompt for query in asked), max(query.prompt for query in asked)
    alike = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    common = first[: first.rfind("\n", 0, alike) + 1]
    return {"common": common, "queries": [_query(queries, q, len(common), judged) for q in asked]}


def _query(queries: QuerySet, query: Query, skip: int, judged: Mapping[str, Mapping[Place, Judged]]) -> dict[str, Any]:
    targets = queries.targets[query.id]
    return {
        "id": query.id,
        "task": query.task,
        "arm": query.arm,
        "operator": query.operator,
        "prompt": query.prompt[skip:],
        "cells": [
            _cell(c, targets[c.id], {who: found[query.id, c.id] for who, found in judged.items()}) for c in query.cells
        ],
    }


def _cell(cell: Cell, target: Target, judged: Mapping[str, Judged]) -> dict[str, Any]:
    best = next((j.best for j in judged.values() if j.best is not None), None)
    return {
        "id": cell.id,
        "kind": cell.kind,
        "subject": cell.subject,
        "options": cell.options,
        "truth": target.value,
        "reference": target.reference,
        "realized": best,
        "answers": {who: {"value": j.value, "failure": j.failure, "score": j.score} for who, j in judged.items()},
    }
