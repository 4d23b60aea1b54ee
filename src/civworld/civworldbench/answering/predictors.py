# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasters that need no model: references and oracles, on the interface that a model has."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from civworld.civworldbench.answering.programs import as_program
from civworld.civworldbench.asking.protocols import CODE
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.scoring import TAUS

Predictor = Callable[[Query], str]
"""Gives the text of an answer to a query, as a model would."""


def answer_all(predictor: Predictor, queries: QuerySet) -> dict[str, str]:
    """Query id -> the predictor's text."""
    return {name: as_asked(query, predictor(query)) for name, query in queries.queries.items()}


def as_asked(query: Query, text: str) -> str:
    """An answer in numbers as the query's protocol wants it: as a program that draws from them, or as it is."""
    return as_program(text) if query.protocol == CODE and text.startswith("{") else text


def as_text(values: Mapping[str, Any]) -> str:
    """An answer in the form that `answers.parse` reads."""
    return json.dumps({"answers": dict(values)})


def reference(queries: QuerySet) -> Predictor:
    """The floor: trend for quantities, base rates for events, and chance for beliefs.

    Edited branches get the answer of their control, that is no effect.
    """

    def predict(query: Query) -> str:
        known = queries.targets[query.control or query.id]
        return as_text({c.id: c.row.floor(c.options, known[c.id], _draw(query, c)) for c in query.cells})

    return predict


def oracle(queries: QuerySet) -> Predictor:
    """What came true, as a forecast without doubt: the end of every scale."""

    def predict(query: Query) -> str:
        known = queries.targets[query.id]
        return as_text({c.id: c.row.truth(c.options, known[c.id]) for c in query.cells})

    return predict


def even(queries: QuerySet) -> Predictor:
    """One half for every event and the last known value for every number: what knows nothing of the question."""

    def predict(query: Query) -> str:
        known = queries.targets[query.id]
        return as_text(
            {c.id: 0.5 if c.kind == "probability" else [known[c.id].baseline] * len(TAUS) for c in query.cells}
        )

    return predict


def scripted(texts: Mapping[str, str]) -> Predictor:
    """Answers made elsewhere; an empty text where there is none."""
    return lambda query: texts.get(query.id, "")


def _draw(query: Query, cell: Cell) -> np.random.Generator:
    """Draws a cell's belief where the reference has none: the same one at all times."""
    return np.random.default_rng(zlib.crc32(f"{query.id}/{cell.id}".encode()))
