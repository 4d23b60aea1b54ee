# SPDX-License-Identifier: GPL-2.0-or-later
"""A privileged observer of beliefs: learns from other worlds what hidden values leave behind, ranks and classifies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from civworld.civworldbench.answering import traces
from civworld.civworldbench.answering.fitting import Floats, ridge, softmax
from civworld.civworldbench.answering.predictors import Predictor, as_text, reference
from civworld.civworldbench.asking import belief, rules, trait
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.asking.scene import Scene
from civworld.corpus import Corpus

T = TypeVar("T")
Model = Callable[[Floats], Any]

BELIEFS = (trait.NAME, rules.NAME, belief.NAME)
"""Tasks that it answers itself."""
RIDGE = 100.0
"""Penalty of the regressions of traits."""
SOFTMAX = 1.0
"""Penalty of the classification of rules."""


@dataclass(frozen=True)
class Case:
    """One hidden value with what it left behind.

    Attributes:
        world: where it was.
        features: a row of `civworld.civworldbench.answering.traces`.
        value: a trait less its mean in the world, or the number of a rule's class.
    """

    world: str
    features: Floats = field(repr=False)
    value: float


@dataclass(frozen=True, eq=False)
class Lessons:
    """What the decision points of a corpus teach about hidden values; each world is left out of its own lessons.

    Attributes:
        cases: trait or rule -> its cases.
    """

    cases: Mapping[str, Sequence[Case]] = field(repr=False)
    _fitted: dict[tuple[str, str], Model] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, corpus: Corpus) -> Lessons:
        """Lessons of a corpus with its hidden tables."""
        found: dict[str, list[Case]] = {name: [] for name in (*trait.TRAITS, *rules.RULES)}
        for world in corpus.worlds:
            hidden = corpus.hidden(world)
            for point in corpus.decision_points(world):
                scene = Scene(corpus, world, point, "omni-id")
                if scene.living:
                    _learn(scene, hidden.civs[hidden.civs["turn"] == scene.turn], traces.characters(scene), found)
                    (rule,) = hidden.rules[hidden.rules["turn"] == scene.turn]
                    for name, row in traces.rules(scene).items():
                        number = rules.CLASSES.index(rules.classify(name, float(rule[name])))
                        found[name].append(Case(world, row, number))
        return cls(found)

    def trait(self, name: str, world: str, features: Floats) -> float:
        """How strong a trait seems in a civilization of a world, against the others there."""
        return float(self._model(name, world, _regression, lambda row: 0.0)(features))

    def rule(self, name: str, world: str, features: Floats) -> str:
        """The class that a rule of a world seems to be in; "normal" for want of cases."""
        even = np.eye(len(rules.CLASSES))[rules.CLASSES.index("normal")]
        shares = self._model(name, world, _classification, lambda row: even)(features)
        return rules.CLASSES[int(np.argmax(shares))]

    def _model(self, name: str, world: str, fit: Callable[[Floats, Floats], Model], none: Model) -> Model:
        """The model of the cases of other worlds, fitted once."""
        known = [case for case in self.cases[name] if case.world != world]
        key = (name, world if len(known) < len(self.cases[name]) else "")
        if key not in self._fitted:
            x, y = np.array([case.features for case in known]), np.array([case.value for case in known])
            self._fitted[key] = fit(x, y) if known else none
        return self._fitted[key]


def _learn(scene: Scene, hidden: Any, rows: Mapping[int, Floats], found: Mapping[str, list[Case]]) -> None:
    """Add the traits of the living."""
    living = {int(r["player"]): r for r in hidden if int(r["player"]) in rows}
    for name in trait.TRAITS:
        mean = np.mean([float(r[name]) for r in living.values()])
        found[name] += [Case(scene.world, rows[civ], float(r[name] - mean)) for civ, r in living.items()]


def _regression(x: Floats, y: Floats) -> Model:
    return ridge(x, y, RIDGE)


def _classification(x: Floats, y: Floats) -> Model:
    return softmax(x, y.astype(np.int64), len(rules.CLASSES), SOFTMAX)


def observer(corpus: Corpus, queries: QuerySet, lessons: Lessons | None = None) -> Predictor:
    """Answers Trait and Rules from full records of the world, whatever the setting shows; the floor's answer else.

    It reads no hidden value of a world that it is asked about.

    Args:
        corpus: where the worlds asked about are recorded.
        queries: the queries.
        lessons: what it has learnt; None learns from the corpus itself, for each world from the others.
    """
    floor = reference(queries)
    learnt = Lessons.of(corpus) if lessons is None else lessons
    kept: dict[tuple[Any, str, int], Any] = {}

    def rows(query: Query, measure: Callable[[Scene], T]) -> T:
        key = (measure, query.world, query.turn)
        if key not in kept:
            kept[key] = measure(Scene(corpus, query.world, corpus.point(query.world, query.turn), "omni-id"))
        found: T = kept[key]
        return found

    def believed(query: Query, cell: Cell) -> Any:
        if cell.subject in rules.RULES:
            return learnt.rule(cell.subject, query.world, rows(query, traces.rules)[cell.subject])
        civs = rows(query, traces.characters)
        strength = {n: learnt.trait(cell.subject, query.world, civs[int(n.removeprefix("c"))]) for n in cell.options}
        return sorted(cell.options, key=lambda name: -strength[name])

    def predict(query: Query) -> str:
        if query.task not in BELIEFS:
            return floor(query)
        return as_text({cell.id: believed(query, cell) for cell in query.cells})

    return predict
