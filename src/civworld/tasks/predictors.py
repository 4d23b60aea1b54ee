# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasters that need no model: references and oracles, on the interface that a model has."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from civworld.scoring import TAUS
from civworld.tasks.query import Cell, Query, QuerySet, Target

Predictor = Callable[[Query], str]
"""Gives the text of an answer to a query, as a model would."""


def answer_all(predictor: Predictor, queries: QuerySet) -> dict[str, str]:
    """Query id -> the predictor's text."""
    return {name: predictor(query) for name, query in queries.queries.items()}


def as_text(values: Mapping[str, Any]) -> str:
    """An answer in the form that `answers.parse` reads."""
    return json.dumps({"answers": dict(values)})


def reference(queries: QuerySet) -> Predictor:
    """The floor: trend for quantities, base rates for events, and chance for beliefs.

    Edited branches get the answer of their control, that is no effect.
    """

    def predict(query: Query) -> str:
        known = queries.targets[query.control or query.id]
        return as_text({cell.id: _reference(query, cell, known[cell.id]) for cell in query.cells})

    return predict


def oracle(queries: QuerySet) -> Predictor:
    """What came true, as a forecast without doubt: the end of every scale."""

    def predict(query: Query) -> str:
        return as_text({cell.id: _truth(cell, queries.targets[query.id][cell.id]) for cell in query.cells})

    return predict


def scripted(texts: Mapping[str, str]) -> Predictor:
    """Answers made elsewhere; an empty text where there is none."""
    return lambda query: texts.get(query.id, "")


def _reference(query: Query, cell: Cell, target: Target) -> Any:
    if cell.kind == "quantiles":
        return [target.reference] * len(TAUS)
    if cell.kind == "probability":
        return target.reference
    if cell.kind == "distribution":
        return {name: float(name == target.reference) for name in cell.options}
    draw = np.random.default_rng(zlib.crc32(f"{query.id}/{cell.id}".encode()))
    if cell.kind == "ranking":
        return [cell.options[k] for k in draw.permutation(len(cell.options))]
    return cell.options[int(draw.integers(len(cell.options)))]


def _truth(cell: Cell, target: Target) -> Any:
    if cell.kind == "quantiles":
        return [target.value] * len(TAUS)
    if cell.kind == "distribution":
        return {name: float(name == target.value) for name in cell.options}
    if cell.kind == "ranking":
        assert isinstance(target.value, tuple)
        order = np.argsort(-np.array(target.value, np.float64), kind="stable")
        return [cell.options[k] for k in order]
    return target.value
