# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of difficulty of all deduction cases; `--write` puts what was measured into the case files."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from tables import table

from civworld.world_agent.deduction import (
    KINDS,
    DeductionCase,
    KernelTask,
    RuleSimulator,
    difficulty_text,
    load,
    measure_difficulty,
    names,
    play,
)
from civworld.world_agent.kernel import library

MEDIUM, LARGE = 80, 300
"""From how many fields on a case counts as of medium and of large size."""


def size_of(case: DeductionCase) -> tuple[str, int]:
    """A case's size in a word, and its fields."""
    fields = len(case.backend().public_state())
    return ("large" if fields >= LARGE else "medium" if fields >= MEDIUM else "small"), fields


def line(name: str) -> list[Any]:
    """One case's row: size, what baselines reach, what code reaches in Open-M1 and what Naming leaves it."""
    case = load(name)
    size, fields = size_of(case)
    found = measure_difficulty(case)
    code = [play(KernelTask(case), told, "m1", RuleSimulator()).f1("segment") for told in ("open", "naming")]
    again = [float(found["repeat_last"][kind]) if kind in found["repeat_last"] else None for kind in KINDS]
    careless = [float(found["careless"][key]) for key in ("segment", "first", "last")]
    return [name, size, fields, len(case.spec["processes"]), case.horizon, *again, *careless, *code]


def write(name: str) -> None:
    """Puts the measured difficulty at the end of a packaged case's file."""
    path = Path(str(library.find("deduction", name)))
    text = re.sub(r"\n\[difficulty\]\n.*", "", path.read_text("utf-8"), flags=re.DOTALL)
    path.write_text(text.rstrip("\n") + "\n\n" + difficulty_text(measure_difficulty(load(name))), encoding="utf-8")


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write it into the packaged cases first")
    parser.add_argument("cases", nargs="*", help="only these")
    options = parser.parse_args()
    asked = options.cases or names()
    for name in asked if options.write else ():
        write(name)
    rows = sorted((line(name) for name in asked), key=lambda row: row[2])
    kinds = [f"repeat last, {kind}" for kind in KINDS]
    careless = ["careless code", "first segment", "last segment", "code, open M1", "code, naming M1"]
    print(table(["case", "size", "fields", "rules", "units", *kinds, *careless], rows))


if __name__ == "__main__":
    main()
