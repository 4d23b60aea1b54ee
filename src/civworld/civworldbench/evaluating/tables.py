# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells of each metric as arrays, from which the metric can be computed for any choice of worlds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from civworld.civworldbench import scoring

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Table(Protocol):
    """Cells of one metric, from which it can be computed for any choice of rows."""

    @property
    def world(self) -> Ints:
        """World key of each cell."""

    def score(self, rows: Ints, world: Ints) -> float | None:
        """The metric over the rows, whose worlds count as the keys given."""


@dataclass(frozen=True, eq=False)
class Losses:
    """Cells of Quantity: loss of the forecaster and of the trend, shape (n,) each."""

    world: Ints
    family: Ints
    loss: Floats
    reference: Floats

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Skill over the trend, equation (2)."""
        return scoring.quantity_score(self.loss[rows], self.reference[rows], world, self.family[rows])


@dataclass(frozen=True, eq=False)
class Supports:
    """Forecasts with those on the way to them: whether each exceeds the trend at the end, and on the way; (n,)."""

    world: Ints
    above: Flags
    supported: Flags

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Share that exceeds the trend at the end without exceeding it on the way."""
        return float((self.above & ~self.supported)[rows].mean()) if len(rows) else None


@dataclass(frozen=True, eq=False)
class Gains:
    """Cells of Event: Brier gain over the reference, shape (n,); probability given and outcome of the yes-or-no
    cells that were answered, shape (m,)."""

    world: Ints
    gain: Floats
    probability: Floats
    happened: Floats

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Mean gain over all cells."""
        return float(self.gain[rows].mean()) if len(rows) else None


@dataclass(frozen=True, eq=False)
class Rankings:
    """Civilizations ranked in Trait: hidden value, place in the answer, question and trait, shape (n,) each."""

    world: Ints
    question: Ints
    value: Floats
    rank: Floats
    missing: Flags
    min_gap: float = 0.0

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Share of pairs in the right order."""
        question = world * (int(self.question.max(initial=0)) + 1) + self.question[rows]
        found = scoring.ranking_accuracy(
            self.value[rows], self.rank[rows], question, min_gap=self.min_gap, missing=self.missing[rows]
        )
        return found.accuracy


@dataclass(frozen=True, eq=False)
class Classes:
    """Cells of Rules: true and answered class, rule, shape (n,) each."""

    world: Ints
    rule: Ints
    truth: Ints
    answer: Ints
    missing: Flags

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Accuracy, rules weighing equally."""
        return scoring.classification_accuracy(
            self.truth[rows], self.answer[rows], self.rule[rows], missing=self.missing[rows]
        )


@dataclass(frozen=True, eq=False)
class Effects:
    """Cells of edited branches: realized and predicted effect in units of sigma, shape (n,) each.

    `operator` counts in `names`.
    """

    world: Ints
    operator: Ints
    realized: Floats
    predicted: Floats
    missing: Flags
    names: tuple[str, ...] = ()

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Capture, equation (3)."""
        return scoring.capture(self.realized[rows], self.predicted[rows], self.operator[rows])


@dataclass(frozen=True, eq=False)
class Signs(Effects):
    """The same cells, judged by sign."""

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Direction accuracy."""
        return scoring.direction(
            self.realized[rows], self.predicted[rows], self.operator[rows], missing=self.missing[rows]
        ).accuracy


@dataclass(frozen=True, eq=False)
class Shifts:
    """Predicted effects of edits and of their placebos on the same cells, shape (n,) each."""

    world: Ints
    real: Floats
    placebo: Floats
    missing_real: Flags
    missing_placebo: Flags

    def score(self, rows: Ints, world: Ints) -> float | None:
        """Specificity, equation (4)."""
        return scoring.specificity(
            self.real[rows],
            self.placebo[rows],
            missing_real=self.missing_real[rows],
            missing_placebo=self.missing_placebo[rows],
        ).score


def score_of(table: Table) -> float | None:
    """A table's metric over all its rows; None for an empty table."""
    return table.score(np.arange(len(table.world)), table.world) if len(table.world) else None
