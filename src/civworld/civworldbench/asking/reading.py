# SPDX-License-Identifier: GPL-2.0-or-later
"""How a value in an answer is read: strictly, every failure under its name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from civworld.civworldbench.scoring import TAUS
from civworld.errors import UnknownNameError
from civworld.sandbox import FAILURES as PROGRAM_FAILURES
from civworld.sandbox.inside import LARGEST

FAILURES = {
    "not_json": "the text is not one JSON object (a single Markdown fence around it is allowed)",
    "no_answers": "the object has no member `answers` that is an object",
    "extra_key": "a member beside `answers`; it is not read",
    "unknown_id": "an id that the query does not ask for; it is not read",
    "missing": "no answer for a cell",
    "duplicate": "two answers for one cell: neither counts",
    "wrong_type": "text, null, true or false, or another shape where numbers or names are needed",
    "not_finite": "NaN, an infinity or a number beyond 1e50",
    "crossed": "quantiles that descend",
    "out_of_range": "a probability outside 0..1",
    "not_a_distribution": "probabilities that do not sum to 1 within 0.01, or options left out or made up",
    "not_a_ranking": "options left out, repeated or made up",
    "unknown_option": "a class that is not among the options",
    **PROGRAM_FAILURES,
}
"""Every way an answer can fail. All but `extra_key` and `unknown_id` cost a cell its answer."""

SUM_TOLERANCE = 0.01

Value = float | str | tuple[float, ...] | tuple[str, ...] | dict[str, float]
"""A usable answer: a probability, a class, quantiles, a ranking or a distribution."""


@dataclass(frozen=True)
class Failed:
    """A value that cannot be used, and why."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in FAILURES:
            raise UnknownNameError("failure", self.name, FAILURES)


class Repeated:
    """Stands for the values of a key that occurs more than once."""


def number(value: Any) -> float | Failed:
    """A finite number of a sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Failed("wrong_type")
    if isinstance(value, float) and not math.isfinite(value):
        return Failed("not_finite")
    return float(value) if abs(value) <= LARGEST else Failed("not_finite")


def numbers(values: Sequence[Any]) -> list[float] | Failed:
    """Numbers, or the first failure among them."""
    read = []
    for value in values:
        found = number(value)
        if isinstance(found, Failed):
            return found
        read.append(found)
    return read


def quantiles(value: Any) -> tuple[float, ...] | Failed:
    """As many numbers as there are levels, not descending."""
    if not isinstance(value, list) or len(value) != len(TAUS):
        return Failed("wrong_type")
    read = numbers(value)
    if isinstance(read, Failed):
        return read
    return tuple(read) if read == sorted(read) else Failed("crossed")


def probability(value: Any) -> float | Failed:
    """A number in 0..1."""
    read = number(value)
    if isinstance(read, Failed):
        return read
    return read if 0 <= read <= 1 else Failed("out_of_range")


def distribution(options: Sequence[str], value: Any) -> dict[str, float] | Failed:
    """A probability for each option, scaled to sum to 1 exactly."""
    if not isinstance(value, dict):
        return Failed("wrong_type")
    if any(isinstance(item, Repeated) for item in value.values()):
        return Failed("duplicate")
    if set(value) != set(options):
        return Failed("not_a_distribution")
    read = numbers([value[name] for name in options])
    if isinstance(read, Failed):
        return read
    if not all(0 <= p <= 1 for p in read):
        return Failed("out_of_range")
    if abs(sum(read) - 1) > SUM_TOLERANCE:
        return Failed("not_a_distribution")
    return {name: p / sum(read) for name, p in zip(options, read, strict=True)}


def ranking(options: Sequence[str], value: Any) -> tuple[str, ...] | Failed:
    """All options, each once."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return Failed("wrong_type")
    return tuple(value) if sorted(value) == sorted(options) else Failed("not_a_ranking")


def option(options: Sequence[str], value: Any) -> str | Failed:
    """One of the options."""
    if not isinstance(value, str):
        return Failed("wrong_type")
    return value if value in options else Failed("unknown_option")
