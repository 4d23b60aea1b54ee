# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers that are programs: taken out of a text, run in the sandbox, their draws turned into quantiles."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from civworld import sandbox
from civworld.civworldbench import scoring
from civworld.civworldbench.asking.protocols import CODE, SEEDS
from civworld.civworldbench.asking.query import Query, QuerySet

FAILED = "failed"
"""Member of a cell's value that names why a program gave none."""
LIMITS = sandbox.Limits()

_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)


def source(text: str) -> str:
    """The program in an answer: the last Markdown fence, or the whole text where there is none."""
    fences = _FENCE.findall(text)
    return str(fences[-1]) if fences else text


def run_program(query: Query, text: str, *, unsafe: bool = False) -> str:
    """The answer that comes of a program, as `answers.parse` reads it: quantiles of its draws, or why there are none.

    Args:
        query: what was asked, by the protocol `code`.
        text: what a forecaster answered.
        unsafe: run it without walls, see `sandbox.run`.

    Raises:
        SandboxUnavailable: this machine cannot wall programs in, and `unsafe` was not given.
    """
    names = [cell.id for cell in query.cells]
    return told(query, sandbox.run(source(text), range(SEEDS), names, LIMITS, unsafe=unsafe))


def told(query: Query, found: sandbox.Draws | sandbox.Failure) -> str:
    """What came of a program, as the text of an answer."""
    if isinstance(found, sandbox.Failure):
        return json.dumps({"answers": {cell.id: {FAILED: found.name} for cell in query.cells}})
    values: dict[str, Any] = {name: {FAILED: why} for name, why in found.failures.items()}
    for name, draws in found.values.items():
        values[name] = scoring.ensemble_quantiles(draws, scoring.TAUS).tolist()
    values |= {f"?{k}": None for k in range(found.unknown)}
    return json.dumps({"answers": values})


def run_programs(queries: QuerySet, answers: Mapping[str, str], *, unsafe: bool = False) -> dict[str, str]:
    """Answers with every program run: those to queries of other protocols stay as they are.

    Raises:
        SandboxUnavailable: as `run_program`; only where there is a program to run.
    """
    asked = {name: queries.queries[name] for name in answers if name in queries.queries}
    programs = [name for name, query in asked.items() if query.protocol == CODE]
    if not programs:
        return dict(answers)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ran = pool.map(lambda name: run_program(asked[name], answers[name], unsafe=unsafe), programs)
        return {**answers, **dict(zip(programs, ran, strict=True))}


def as_program(text: str) -> str:
    """An answer in quantiles as a program that draws from them: one uniform number a draw for all cells."""
    values = json.loads(text)["answers"]
    lines = ["import numpy as np", "", f"LEVELS = {list(scoring.TAUS)}", "QUANTILES = {"]
    lines += [f"    {json.dumps(name)}: {quantiles}," for name, quantiles in values.items()]
    lines += ["}", "", "def simulate(seed):", "    level = np.random.default_rng(seed).random()"]
    lines += ["    return {name: np.interp(level, LEVELS, values) for name, values in QUANTILES.items()}"]
    return "\n".join(["```python", *lines, "```"])
