# SPDX-License-Identifier: GPL-2.0-or-later
"""What is wrong with a case file, with line numbers: `civworld world-agent check`."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from civworld.errors import ArgumentError, CivworldError
from civworld.world_agent import deduction, maintenance
from civworld.world_agent.kernel import library

FILLINGS = 10


class Finding(NamedTuple):
    """One finding: the line of the file that it is most likely about (0: none), and what is wrong."""

    line: int
    text: str


def track_of(path: str) -> str:
    """Whether a file is a case of `maintenance` (it has rounds) or of `deduction`."""
    text = library.text_of(library.find("maintenance", path))
    return "maintenance" if re.search(r"^\[\[rounds\]\]", text, re.MULTILINE) else "deduction"


def check(path: str, mutants: int = 20) -> Iterator[Finding]:
    """Everything that is wrong with a case; yields nothing for a good one.

    Args:
        path: the TOML file. A deduction case has its module and timeline beside it; the module is run.
        mutants: how many changed witnesses of a deduction case to try.
    """
    if not path.endswith(".toml"):
        raise ArgumentError(f"case {path!r}: give the path of its TOML file")
    text = library.text_of(library.find("maintenance", path))
    name = Path(path).stem
    try:
        if track_of(path) == "maintenance":
            found = _maintenance(maintenance.read(name, text))
        else:
            found = _deduction(deduction.read(name, text, Path(path).parent), mutants)
        for one in found:
            yield Finding(line_of(text, one), one)
    except CivworldError as error:
        yield Finding(line_of(text, str(error)), str(error))


def line_of(text: str, finding: str) -> int:
    """The line that a finding is about: its longest quoted text, else the definition of the first name it has."""
    toml = re.search(r"at line (\d+)", finding)
    if toml:
        return int(toml[1])
    quoted = sorted(re.findall(r"'([^']{3,})'", finding), key=len, reverse=True)
    words = re.findall(r"[a-z][a-z0-9_]*", finding)
    needles = [*quoted, *(f'{key} = "{word}"' for word in words for key in ("id", "name")), *words[1:]]
    lines = text.splitlines()
    for needle in needles:
        for number, line in enumerate(lines, 1):
            if re.search(rf"(?<![\w]){re.escape(needle)}(?![\w])", line):
                return number
    return 0


def _maintenance(case: maintenance.MaintenanceCase) -> Iterator[str]:
    yield from (f"event or relation {one}" for one in maintenance.untold(case))
    used = {event.do for event in case.events} | {row["capability"] for p in case.probes for row in p.violate}
    for spec in case.structures["capabilities"]:
        if spec["name"] not in used:
            yield f"capability {spec['name']}: no event and no violation uses it"
    for tier in maintenance.TIERS:
        yield from _scores_one(case, tier, "the reference solution", maintenance.solution(case, tier))
        for seed in range(FILLINGS):
            yield from _scores_one(case, tier, f"filling {seed}", maintenance.filling(case, tier, seed))
    nothing = maintenance.score(maintenance.run(case, "easy", maintenance.do_nothing(case)), maintenance.RuleJudge())
    for item in nothing.items:
        if item.part == "E" and item.passed:
            yield f"event {item.id}: doing nothing passes it"
    for probe in case.probes:
        steps = [*maintenance.plan_of(case), *maintenance.violations(probe)]
        session = maintenance.run(case, "easy", maintenance.solution(case, "easy", steps))
        if f"P {probe.id}" not in maintenance.score(session, maintenance.RuleJudge()).lost():
            yield f"probe {probe.id}: its own violation does not break it"


def _scores_one(
    case: maintenance.MaintenanceCase, tier: str, who: str, agent: maintenance.ScriptedAgent
) -> Iterator[str]:
    result = maintenance.score(maintenance.run(case, tier, agent), maintenance.RuleJudge())
    for item, why in result.to_data()["failed"].items():
        yield f"{item}: lost by {who} at tier {tier}: {why}"


def _deduction(case: deduction.DeductionCase, mutants: int) -> Iterator[str]:
    wrong = list(deduction.disagreements(case))
    yield from wrong
    yield from deduction.idle(case)
    if wrong:
        return
    changed: list[tuple[str, deduction.DeductionCase, str | None]] = [
        (f"specification {what}", twin, None) for what, twin in deduction.mutants.specifications(case)
    ]
    changed += [(f"module {what}", case, source) for what, source in deduction.mutants.modules(case.module())]
    for what, twin, source in random.Random(case.name).sample(changed, min(mutants, len(changed))):
        try:
            unnoticed = next(deduction.disagreements(twin, source), None) is None
        except CivworldError:
            continue
        if unnoticed:
            yield f"{what}: this change goes unnoticed"
