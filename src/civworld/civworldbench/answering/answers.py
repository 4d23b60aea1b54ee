# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a forecaster's answer: strict JSON, cell by cell, every failure counted under its name."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.civworldbench.answering.programs import FAILED
from civworld.civworldbench.asking.protocols import CODE
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.reading import FAILURES, Failed, Repeated, Value

_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """An answer as far as it could be read.

    Attributes:
        values: cell id -> value, for the cells that have a usable answer.
        failures: cell id -> name of the failure, for all others.
        counts: name of a failure -> how often, those without a cell of their own included.
    """

    values: Mapping[str, Value]
    failures: Mapping[str, str]
    counts: Mapping[str, int]


def parse(query: Query, text: str) -> Answer:
    """The answer that a text gives to a query. Never raises for anything in the text.

    Of a query that asks for a program, the text is what came of the program: `programs.run_programs` gives it.

    A cell without a usable answer is named in `failures`; scores charge it as docs/civworldbench.md says.
    """
    loose: Counter[str] = Counter()
    given = _answers(text, loose)
    if isinstance(given, str):
        failures = {cell.id: given for cell in query.cells}
        return Answer({}, failures, dict(Counter(failures.values()) + loose))
    values: dict[str, Value] = {}
    failures = {}
    for cell in query.cells:
        found = _cell(cell, given, ran=query.protocol == CODE)
        if isinstance(found, Failed):
            failures[cell.id] = found.name
        else:
            values[cell.id] = found
    known = {cell.id for cell in query.cells}
    loose["unknown_id"] += sum(key not in known for key in given)
    return Answer(values, failures, dict(Counter(failures.values()) + loose))


def _answers(text: str, loose: Counter[str]) -> dict[str, Any] | str:
    """The member `answers`, or the name of the failure that leaves nothing to read."""
    fenced = _FENCE.match(text)
    try:
        whole = json.loads(fenced.group(1) if fenced else text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return "not_json"
    if not isinstance(whole, dict):
        return "not_json"
    loose["extra_key"] += sum(key != "answers" for key in whole)
    given = whole.get("answers")
    return given if isinstance(given, dict) else "no_answers"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    times = Counter(key for key, _ in pairs)
    return {key: value if times[key] == 1 else Repeated() for key, value in pairs}


def _cell(cell: Cell, given: dict[str, Any], *, ran: bool) -> Value | Failed:
    if cell.id not in given:
        return Failed("missing")
    value = given[cell.id]
    if isinstance(value, Repeated):
        return Failed("duplicate")
    if ran and isinstance(value, dict) and set(value) == {FAILED} and value[FAILED] in FAILURES:
        return Failed(value[FAILED])
    return cell.row.read(cell.options, value)
