# SPDX-License-Identifier: GPL-2.0-or-later
"""How hard a case is, measured: what solvers reach that do not understand it, or understand it and are careless."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from statistics import fmean

from civworld.world_agent.deduction.case import DeductionCase
from civworld.world_agent.deduction.episode import KINDS
from civworld.world_agent.deduction.runner import play
from civworld.world_agent.deduction.simulator import CarelessSimulator
from civworld.world_agent.deduction.solvers import RepeatLast
from civworld.world_agent.deduction.tasks import KernelTask

CARELESS = (0, 1, 2)
"""Seeds over which the careless simulator is averaged."""
Difficulty = dict[str, dict[str, Decimal]]


def measure_difficulty(case: DeductionCase) -> Difficulty:
    """Field F1 by solver and kind of query, to three places.

    `repeat_last` says what persistence is worth; `careless` how far a simulator of the open rules gets in M1 that
    overlooks one rule in a hundred: all segments together, the first and the last one.
    """
    task = KernelTask(case)
    m1, m2 = (play(task, "open", mode, RepeatLast()) for mode in ("m1", "m2"))
    again = {kind: (m1 if kind == "segment" else m2).f1(kind) for kind in KINDS}
    runs = [play(task, "open", "m1", CarelessSimulator(seed=seed)) for seed in CARELESS]
    curves = [run.curve("segment") for run in runs]
    careless = {
        "segment": fmean(run.f1("segment") or 0 for run in runs),
        "first": fmean(curve[0] for curve in curves),
        "last": fmean(curve[-1] for curve in curves),
    }
    return {
        "repeat_last": {kind: _places(value) for kind, value in again.items() if value is not None},
        "careless": {kind: _places(value) for kind, value in careless.items()},
    }


def difficulty_text(found: Difficulty) -> str:
    """The section of a case file that says it."""
    lines = [f"{who} = {{ {', '.join(f'{k} = {v}' for k, v in scores.items())} }}" for who, scores in found.items()]
    return "\n".join(["[difficulty]", *lines, ""])


def _places(value: float) -> Decimal:
    return Decimal(str(value)).quantize(Decimal("0.001"), ROUND_HALF_EVEN)
