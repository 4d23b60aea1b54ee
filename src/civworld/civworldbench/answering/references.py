# SPDX-License-Identifier: GPL-2.0-or-later
"""Every reference by its name, from the floor to what the exact state lets one know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from civworld.civworldbench.answering.futures import futures_predictor
from civworld.civworldbench.answering.observer import Lessons
from civworld.civworldbench.answering.predictors import Predictor, oracle, reference
from civworld.civworldbench.answering.simulators import growth, random_walk
from civworld.civworldbench.answering.statistical import ensemble, persistence, trend_plus_noise
from civworld.civworldbench.asking.query import QuerySet
from civworld.corpus import Corpus

Maker = Callable[[Corpus, QuerySet, Lessons | None], Predictor]
REFERENCES: Mapping[str, Maker] = MappingProxyType(
    {
        "floor": lambda corpus, queries, lessons: reference(queries),
        "persistence": lambda corpus, queries, lessons: persistence(corpus, queries),
        "trend-plus-noise": lambda corpus, queries, lessons: trend_plus_noise(corpus, queries),
        "ensemble": lambda corpus, queries, lessons: ensemble(corpus, queries),
        "futures": futures_predictor,
    }
)
"""Every reference by its name."""

Solver = Callable[[Corpus, QuerySet, Corpus], Predictor]
SOLVERS: Mapping[str, Solver] = MappingProxyType(
    {
        "random-walk": random_walk,
        "growth": growth,
        "oracle": lambda corpus, queries, practice: oracle(queries),
    }
)
"""Scripted forecasters beside the references, where protocols are compared: (corpus, queries, practice worlds)."""


def reference_predictors(corpus: Corpus, queries: QuerySet, lessons: Lessons | None = None) -> dict[str, Predictor]:
    """The references by name, from the floor to what the exact state lets one know."""
    return {name: make(corpus, queries, lessons) for name, make in REFERENCES.items()}
