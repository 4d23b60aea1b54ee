# SPDX-License-Identifier: GPL-2.0-or-later
"""Field-level F1 and its aggregates.

A predicted field is a hit when path and resulting value are right; everything else predicted is false, every
changed field not hit is missed. F1 = 2 hits / (2 hits + false + missed). Both sides empty counts as correct
and is reported apart; one side empty gives 0. Within an episode counts are added (micro), over episodes F1s
are averaged (macro). Example: 2 hits, 1 false, 1 missed give 4 / 6 = 0.667.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from civworld.world_agent.deduction.predictions import Prediction


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one comparison, or the sum of several."""

    hits: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.hits + other.hits, self.false + other.false, self.missed + other.missed)

    @property
    def empty(self) -> bool:
        """Whether there was nothing to predict and nothing was predicted."""
        return not (self.hits or self.false or self.missed)

    @property
    def f1(self) -> float:
        """F1; 1 when both sides are empty."""
        total = 2 * self.hits + self.false + self.missed
        return 2 * self.hits / total if total else 1.0


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of tallies."""
    out = Tally()
    for tally in tallies:
        out += tally
    return out


def compare(prediction: Prediction, truth: Mapping[str, Any]) -> Tally:
    """Scores predicted changes against the reference; what the parser rejected counts as false."""
    hits = sum(path in truth and equal(value, truth[path]) for path, value in prediction.changes.items())
    return Tally(hits, len(prediction.changes) - hits + prediction.rejected, len(truth) - hits)


def equal(predicted: Any, true: Any) -> bool:
    """Equality of values; booleans are not numbers, decimals may be written as text."""
    if isinstance(predicted, bool) != isinstance(true, bool):
        return False
    if isinstance(true, Decimal) and isinstance(predicted, str):
        return Decimal(predicted) == true
    return bool(predicted == true)


def compare_fired(prediction: Prediction, truth: Set[str]) -> Tally:
    """Scores the rules said to fire against those that fired at least once."""
    hits = len(prediction.fired & truth)
    return Tally(hits, len(prediction.fired) - hits, len(truth) - hits)


def mean(values: Iterable[float]) -> float | None:
    """The average, None of nothing."""
    known = list(values)
    return sum(known) / len(known) if known else None
