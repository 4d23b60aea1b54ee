# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of cells: for each, how it is asked, read, answered by the references, and what a failure costs.

A new kind is one row; Python refuses it while a member is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.asking import reading
from civworld.civworldbench.asking.reading import Failed, Value
from civworld.errors import ArgumentError

Options = tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """What is true of a cell, and what it is compared with.

    Attributes:
        value: outcome (quantiles), 0 or 1 (probability), the option that came true (distribution, class), or one
            hidden value per option (ranking).
        reference: the reference's forecast: trend (quantiles), base rate (probability), current leader
            (distribution); None for beliefs.
        expected: mean effect over paired rollouts, in units of sigma, of an edited branch; None elsewhere.
        standard_error: that of `expected`.
    """

    value: float | str | tuple[float, ...]
    reference: float | str | None = None
    expected: float | None = None
    standard_error: float | None = None

    @property
    def number(self) -> float:
        """The value of a cell that asks for a number."""
        return _number("value", self.value)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values of a cell that asks for a ranking."""
        if not isinstance(self.value, tuple):
            raise ArgumentError(f"target with value {self.value!r}: one number per option is needed")
        return self.value

    @property
    def name(self) -> str:
        """The option that came true."""
        if not isinstance(self.value, str):
            raise ArgumentError(f"target with value {self.value!r}: the name of an option is needed")
        return self.value

    @property
    def baseline(self) -> float:
        """The reference's number."""
        return _number("reference", self.reference)


def _number(what: str, value: object) -> float:
    """A number as it is; anything else is refused under the name given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentError(f"target with {what} {value!r}: a number is needed")
    return float(value)


@dataclass(frozen=True)
class Kind:
    """A kind of cell: one row of the table below. Options are those of the cell, () for numbers.

    Attributes:
        name: as it stands in query files.
        doc: what is answered.
        penalty: what a cell without a usable answer costs.
        schema: options -> JSON Schema of an answer.
        form: options -> how an answer looks, at the end of a prompt.
        read: (options, JSON value) -> the answer that it gives, or why it gives none.
        floor: (options, target, draw) -> what the reference answers; beliefs are drawn.
        truth: (options, target) -> what came true, as a forecast without doubt.
        pooled: (options, outcomes of several futures) -> the forecast that they make together.
        folds: (options, outcomes of several futures) -> for each future the forecast that all others make together.
    """

    name: str
    doc: str
    penalty: str
    schema: Callable[[Options], dict[str, Any]]
    form: Callable[[Options], str]
    read: Callable[[Options, Any], Value | Failed]
    floor: Callable[[Options, Target, np.random.Generator], Any]
    truth: Callable[[Options, Target], Any]
    pooled: Callable[[Options, Sequence[Any]], Any]
    folds: Callable[[Options, Sequence[Any]], list[Any]]


def _no_forecast(options: Options, members: Sequence[Any]) -> Any:
    raise ArgumentError("beliefs are about now: futures make no forecast of them")


def _number_folds(options: Options, members: Sequence[Any]) -> list[Any]:
    return list(scoring.leave_one_out_quantiles(np.array(members, np.float64)).tolist())


def _share_folds(options: Options, members: Sequence[Any]) -> list[Any]:
    return list(scoring.leave_one_out_mean(np.array(members, np.float64)).tolist())


def _name_folds(options: Options, members: Sequence[Any]) -> list[Any]:
    hits = np.array([[float(name == member) for member in members] for name in options])
    others = scoring.leave_one_out_mean(hits)
    return [dict(zip(options, others[:, k].tolist(), strict=True)) for k in range(len(members))]


def _strongest_first(options: Options, target: Target) -> list[str]:
    return [options[k] for k in np.argsort(-np.array(target.numbers, np.float64), kind="stable")]


SHARE = {"type": "number", "minimum": 0, "maximum": 1}

_ROWS = (
    Kind(
        "quantiles",
        doc="five numbers at levels .1 .25 .5 .75 .9, not descending",
        penalty="the larger of the reference's loss and twice its family's mean",
        schema=lambda options: array({"type": "number"}, len(scoring.TAUS)),
        form=lambda options: "[q10, q25, q50, q75, q90]",
        read=lambda options, value: reading.quantiles(value),
        floor=lambda options, target, draw: [target.reference] * len(scoring.TAUS),
        truth=lambda options, target: [target.value] * len(scoring.TAUS),
        pooled=lambda options, members: scoring.ensemble_quantiles(np.array(members, np.float64)).tolist(),
        folds=_number_folds,
    ),
    Kind(
        "probability",
        doc="a number in 0..1",
        penalty="Brier score 1",
        schema=lambda options: SHARE,
        form=lambda options: "p",
        read=lambda options, value: reading.probability(value),
        floor=lambda options, target, draw: target.reference,
        truth=lambda options, target: target.value,
        pooled=lambda options, members: float(np.mean(members)),
        folds=_share_folds,
    ),
    Kind(
        "distribution",
        doc="option -> probability, sum 1",
        penalty="Brier score 2",
        schema=lambda options: record(dict.fromkeys(options, SHARE)),
        form=lambda options: "{" + ", ".join(f'"{name}": p' for name in options) + "}",
        read=reading.distribution,
        floor=lambda options, target, draw: {name: float(name == target.reference) for name in options},
        truth=lambda options, target: {name: float(name == target.value) for name in options},
        pooled=lambda options, members: {name: list(members).count(name) / len(members) for name in options},
        folds=_name_folds,
    ),
    Kind(
        "ranking",
        doc="all options, highest first",
        penalty="all its pairs wrong",
        schema=lambda options: array({"type": "string", "enum": list(options)}, len(options)),
        form=lambda options: "[" + ", ".join("name" for _ in options) + "]",
        read=reading.ranking,
        floor=lambda options, target, draw: [options[k] for k in draw.permutation(len(options))],
        truth=_strongest_first,
        pooled=_no_forecast,
        folds=_no_forecast,
    ),
    Kind(
        "class",
        doc="one of the options",
        penalty="wrong",
        schema=lambda options: {"type": "string", "enum": list(options)},
        form=lambda options: " or ".join(f'"{name}"' for name in options),
        read=reading.option,
        floor=lambda options, target, draw: options[int(draw.integers(len(options)))],
        truth=lambda options, target: target.value,
        pooled=_no_forecast,
        folds=_no_forecast,
    ),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ROWS})
"""Every kind of cell by its name."""


def record(properties: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object that has exactly these members."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def array(items: dict[str, Any], count: int) -> dict[str, Any]:
    """JSON Schema of an array of exactly so many items."""
    return {"type": "array", "items": items, "minItems": count, "maxItems": count}
