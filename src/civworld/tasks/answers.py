# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a forecaster's answer: strict JSON, cell by cell, every failure counted under its name."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from civworld.errors import UnknownNameError
from civworld.scoring import TAUS
from civworld.tasks.query import Cell, Query

FAILURES = {
    "not_json": "the text is not one JSON object (a single Markdown fence around it is allowed)",
    "no_answers": "the object has no member `answers` that is an object",
    "extra_key": "a member beside `answers`; it is not read",
    "unknown_id": "an id that the query does not ask for; it is not read",
    "missing": "no answer for a cell",
    "duplicate": "two answers for one cell: neither counts",
    "wrong_type": "text, null, true or false, or another shape where numbers or names are needed",
    "not_finite": "NaN, an infinity or a number beyond 1e300",
    "crossed": "quantiles that descend",
    "out_of_range": "a probability outside 0..1",
    "not_a_distribution": "probabilities that do not sum to 1 within 0.01, or options left out or made up",
    "not_a_ranking": "options left out, repeated or made up",
    "unknown_option": "a class that is not among the options",
}
"""Every way an answer can fail. All but `extra_key` and `unknown_id` cost a cell its answer."""

LARGEST = 1e300
SUM_TOLERANCE = 0.01
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)

Value = float | str | tuple[float, ...] | tuple[str, ...] | dict[str, float]


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
        found = _cell(cell, given)
        if isinstance(found, _Failed):
            failures[cell.id] = found.name
        else:
            values[cell.id] = found
    known = {cell.id for cell in query.cells}
    loose["unknown_id"] += sum(key not in known for key in given)
    return Answer(values, failures, dict(Counter(failures.values()) + loose))


@dataclass(frozen=True)
class _Failed:
    name: str

    def __post_init__(self) -> None:
        if self.name not in FAILURES:
            raise UnknownNameError("failure", self.name, FAILURES)


class _Repeated:
    """Stands for the values of a key that occurs more than once."""


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
    return {key: value if times[key] == 1 else _Repeated() for key, value in pairs}


def _cell(cell: Cell, given: dict[str, Any]) -> Value | _Failed:
    if cell.id not in given:
        return _Failed("missing")
    value = given[cell.id]
    if isinstance(value, _Repeated):
        return _Failed("duplicate")
    return _READERS[cell.kind](cell, value)


def _number(value: Any) -> float | _Failed:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _Failed("wrong_type")
    if isinstance(value, float) and not math.isfinite(value):
        return _Failed("not_finite")
    return float(value) if abs(value) <= LARGEST else _Failed("not_finite")


def _numbers(values: list[Any]) -> list[float] | _Failed:
    read = []
    for value in values:
        number = _number(value)
        if isinstance(number, _Failed):
            return number
        read.append(number)
    return read


def _quantiles(cell: Cell, value: Any) -> Value | _Failed:
    if not isinstance(value, list) or len(value) != len(TAUS):
        return _Failed("wrong_type")
    read = _numbers(value)
    if isinstance(read, _Failed):
        return read
    return tuple(read) if read == sorted(read) else _Failed("crossed")


def _probability(cell: Cell, value: Any) -> Value | _Failed:
    read = _number(value)
    if isinstance(read, _Failed):
        return read
    return read if 0 <= read <= 1 else _Failed("out_of_range")


def _distribution(cell: Cell, value: Any) -> Value | _Failed:
    if not isinstance(value, dict):
        return _Failed("wrong_type")
    if any(isinstance(item, _Repeated) for item in value.values()):
        return _Failed("duplicate")
    if set(value) != set(cell.options):
        return _Failed("not_a_distribution")
    read = _numbers([value[name] for name in cell.options])
    if isinstance(read, _Failed):
        return read
    if not all(0 <= p <= 1 for p in read):
        return _Failed("out_of_range")
    if abs(sum(read) - 1) > SUM_TOLERANCE:
        return _Failed("not_a_distribution")
    return {name: p / sum(read) for name, p in zip(cell.options, read, strict=True)}


def _ranking(cell: Cell, value: Any) -> Value | _Failed:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return _Failed("wrong_type")
    return tuple(value) if sorted(value) == sorted(cell.options) else _Failed("not_a_ranking")


def _class(cell: Cell, value: Any) -> Value | _Failed:
    if not isinstance(value, str):
        return _Failed("wrong_type")
    return value if value in cell.options else _Failed("unknown_option")


_READERS: dict[str, Callable[[Cell, Any], Value | _Failed]] = {
    "quantiles": _quantiles,
    "probability": _probability,
    "distribution": _distribution,
    "ranking": _ranking,
    "class": _class,
}
