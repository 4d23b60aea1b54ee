# SPDX-License-Identifier: GPL-2.0-or-later
"""How large the effects are that a forecaster predicts: beside the realized ones, and beside those of placebos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.tables import Effects, Flags, Floats, Shifts

QUARTILES = (0.25, 0.5, 0.75)
ALL_OPERATORS = "all"


@dataclass(frozen=True)
class Magnitudes:
    """Figures of one forecaster, setting and operator; None where no cell counts.

    Attributes:
        cells: cells whose true outcome moved.
        answered: share of these with a usable answer.
        responds: share of these with a predicted effect other than 0.
        right: share of the responses that have the realized sign.
        over_twice: share of the responses more than twice as large as the realized effect.
        ratio: quartiles of |predicted| / |realized| over the responses with the right sign.
        capture: the metric over these cells, None for fewer than three.
    """

    cells: int
    answered: float | None
    responds: float | None
    right: float | None
    over_twice: float | None
    ratio: tuple[float, float, float] | None
    capture: float | None


@dataclass(frozen=True)
class Shares:
    """Mean absolute predicted effects in units of sigma, over cells with both answers; None without any."""

    real: float | None
    placebo: float | None
    cells: int


def magnitudes(found: Evaluation) -> dict[str, Magnitudes]:
    """Operator, or `all` -> figures.

    Args:
        found: an evaluation that asked about edits.
    """
    table = found.tables["capture"]
    assert isinstance(table, Effects)
    rows = {ALL_OPERATORS: np.ones(len(table.world), bool)}
    rows |= {name: table.operator == k for k, name in enumerate(table.names)}
    return {name: _figures(table, chosen) for name, chosen in rows.items()}


def shifts(found: Evaluation) -> Shares:
    """How far predictions move under edits and under their placebos."""
    t = found.tables["specificity"]
    assert isinstance(t, Shifts)
    if not len(t.world):
        return Shares(None, None, 0)
    s = scoring.specificity(t.real, t.placebo, missing_real=t.missing_real, missing_placebo=t.missing_placebo)
    return Shares(s.mean_real, s.mean_placebo, s.n_valid)


def _figures(t: Effects, chosen: Flags) -> Magnitudes:
    moved = chosen & (t.realized != 0)
    answered = moved & ~t.missing
    responds = answered & (t.predicted != 0)
    right = responds & (np.sign(t.predicted) == np.sign(t.realized))
    large = responds & (np.abs(t.predicted) > 2 * np.abs(t.realized))
    return Magnitudes(
        int(moved.sum()),
        _share(answered, moved),
        _share(responds, moved),
        _share(right, responds),
        _share(large, responds),
        _quartiles(np.abs(t.predicted[right] / t.realized[right])),
        scoring.capture(t.realized[moved], t.predicted[moved], np.zeros(int(moved.sum()), np.int64)),
    )


def _share(part: Flags, whole: Flags) -> float | None:
    return float(part.sum() / whole.sum()) if whole.any() else None


def _quartiles(values: Floats) -> tuple[float, float, float] | None:
    if not len(values):
        return None
    low, middle, high = np.quantile(values, QUARTILES).tolist()
    return low, middle, high


def to_dict(evaluations: Mapping[str, Mapping[str, Evaluation]]) -> dict[str, Any]:
    """Forecaster -> setting -> figures by operator and mean shifts, as plain values."""
    return {
        name: {
            setting: {
                "operators": {o: asdict(m) for o, m in magnitudes(found).items()},
                "shifts": asdict(shifts(found)),
            }
            for setting, found in by_setting.items()
        }
        for name, by_setting in evaluations.items()
    }


def to_markdown(evaluations: Mapping[str, Mapping[str, Evaluation]]) -> str:
    """For each setting a table of all forecasters over all operators, then one by operator."""
    settings = list(next(iter(evaluations.values()), {}))
    parts: list[str] = []
    for setting in settings:
        parts += [f"**{setting}**: predicted effects beside realized ones", "", *_HEADER]
        for name, by_setting in evaluations.items():
            for operator, m in magnitudes(by_setting[setting]).items():
                label = f"**{name}**" if operator == ALL_OPERATORS else f"{name}, {operator}"
                parts.append(_line(label, m, shifts(by_setting[setting]) if operator == ALL_OPERATORS else None))
        parts.append("")
    return "\n".join(parts)


_HEADER = (
    "| forecaster, operator | moved cells | answered | responds | sign right | over twice the realized | "
    "size / realized, quartiles | Capture | shift real | shift placebo |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
)


def _line(label: str, m: Magnitudes, s: Shares | None) -> str:
    ratio = "-" if m.ratio is None else " / ".join(f"{value:.2f}" for value in m.ratio)
    cells = [str(m.cells), *(_percent(v) for v in (m.answered, m.responds, m.right, m.over_twice)), ratio]
    cells += [_number(m.capture), *(("", "") if s is None else (_number(s.real), _number(s.placebo)))]
    return f"| {label} | {' | '.join(cells)} |"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"
