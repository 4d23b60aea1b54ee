# SPDX-License-Identifier: GPL-2.0-or-later
"""Protocols: how an answer comes about, and which intermediate cells it has to pass on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

FREE, TABLE, CODE = "free", "table", "code"
SEEDS = 50
"""How often a program is run; its draws become the distribution."""


@dataclass(frozen=True)
class Protocol:
    """One way to ask.

    Attributes:
        doc: what is asked for.
        stepwise: whether intermediate cells are asked too.
        told: (turns ahead of the intermediate cells, of the final ones) -> what a prompt says of it.
        form: rows of the answer's form, `"id": value` each -> the end of a prompt.
    """

    doc: str
    stepwise: bool
    told: Callable[[Sequence[int], Sequence[int]], str]
    form: Callable[[Sequence[tuple[str, str]]], str]


def intermediate(horizons: Sequence[int]) -> tuple[int, ...]:
    """Turns ahead of the intermediate cells: a quarter and three quarters of the last horizon, in whole turns.

    One lies before each horizon; the first horizon is the half of the last.
    """
    last = horizons[-1]
    return (last // 4, 3 * last // 4)


def _answers(rows: Sequence[tuple[str, str]]) -> str:
    body = ",\n".join(f" {cell}: {value}" for cell, value in rows)
    lines = ["Answer with one JSON object and nothing else, of this form, every id once:", "", '{"answers": {', body]
    return "\n".join([*lines, "}}"])


def _program(rows: Sequence[tuple[str, str]]) -> str:
    body = ",\n".join(f"        {cell}: ..." for cell, _ in rows)
    lines = ["Answer with one Python program in a Markdown fence, of this form, every id once:", "", "```python"]
    return "\n".join([*lines, "import numpy as np", "", "def simulate(seed):", "    rng = np.random.default_rng(seed)",
                      "    ...", "    return {", body, "    }", "```"])  # fmt: skip


def _turns(ahead: Sequence[int]) -> str:
    return " and ".join(f"h{h}" for h in ahead)


PROTOCOLS: Mapping[str, Protocol] = MappingProxyType(
    {
        FREE: Protocol("the answer alone, by whatever thoughts", False, lambda steps, ends: "", _answers),
        TABLE: Protocol(
            "a table of intermediate states before the answer, in one JSON object",
            True,
            lambda steps, ends: (
                f"Work through the states on the way first: forecast the same quantities at {_turns(steps)} too, in "
                f"the same way, and let the answers at {_turns(ends)} follow from them. Both are scored."
            ),
            _answers,
        ),
        CODE: Protocol(
            "a program that simulates the way and the end, run with 50 seeds",
            True,
            lambda steps, ends: (
                "Answer with a stochastic simulator: a Python program with a function `simulate(seed)` that plays "
                f"one possible future and gives a dictionary with one number for each id, at {_turns(steps)} on the "
                f"way and at {_turns(ends)}. It is run with the seeds 0 to {SEEDS - 1}, and its draws become the "
                "quantiles. Both the way and the end are scored. The program has Python's standard library and "
                "numpy, one thread, no network and no files; all its runs together may take 20 seconds and 1 GiB. "
                "The same seed must give the same result."
            ),
            _program,
        ),
    }
)
"""Every protocol by its name; `free` is how all other tasks are asked."""
