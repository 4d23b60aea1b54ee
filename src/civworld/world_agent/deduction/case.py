# SPDX-License-Identifier: GPL-2.0-or-later
"""Deduction cases: an authored specification (TOML), and beside it a rules module and a reference timeline.

The specification is what the kernel runs and what Open prompts disclose. The module states the same
dynamics in plain Python and is run by `agreement` as a second witness. The timeline is what happens when
nobody intervenes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.deduction.backend import KernelBackend
from civworld.world_agent.kernel import KernelWorld

LOOKAHEAD = 48
SEGMENTS = 8
WORLD_SECTIONS = ("map", "types", "entities", "capabilities", "processes", "schedule")
NUMBER_WORDS = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|hundred|"
    r"once|twice|thrice|half|halves|third|quarter|double|doubles|triple)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Case:
    """One deduction case.

    Attributes:
        interval: units of a segment and between decision points; it divides `LOOKAHEAD`.
        spec: the world specification, as `KernelWorld` takes it.
        menu: the controlled actor's actions: name -> {do, args, about}.
        task: {about, outcome, upkeep}.
        text: the TOML text it was read from.
    """

    name: str
    title: str
    genre: str
    intro: str
    actor: str
    interval: int
    spec: Mapping[str, Any]
    menu: Mapping[str, Mapping[str, Any]]
    task: Mapping[str, Any]
    text: str

    def backend(self) -> KernelBackend:
        """A fresh world at time 0."""
        return KernelBackend(KernelWorld(self.spec), self.actor, self.menu, self.task)

    @property
    def horizon(self) -> int:
        """Units of a whole episode."""
        return self.interval * SEGMENTS


def names() -> list[str]:
    """The names of all kernel cases."""
    folder = resources.files("civworld.world_agent.deduction") / "cases"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


@cache
def load(name: str) -> Case:
    """A case by its name."""
    if name not in names():
        raise UnknownNameError("deduction case", name, names())
    return read(name, (resources.files("civworld.world_agent.deduction") / "cases" / f"{name}.toml").read_text("utf-8"))


def timeline(name: str) -> str:
    """The committed zero-intervention timeline of a case."""
    return (resources.files("civworld.world_agent.deduction") / "cases" / f"{name}.timeline.txt").read_text("utf-8")


def read(name: str, text: str) -> Case:
    """Reads a case from its TOML text; raises ArgumentError where it contradicts itself."""
    data = tomllib.loads(text, parse_float=Decimal)
    case = Case(
        name=name,
        title=data["title"],
        genre=data["genre"],
        intro=data["intro"].strip(),
        actor=data["actor"],
        interval=data["interval"],
        spec={section: data[section] for section in WORLD_SECTIONS if section in data},
        menu=data["menu"],
        task=data["task"],
        text=text,
    )
    if LOOKAHEAD % case.interval:
        raise ArgumentError(f"case {name}: interval {case.interval} must divide {LOOKAHEAD}")
    rules = [*data["processes"], *data["capabilities"]]
    abouts = {rule["name"]: rule["about"] for rule in rules}
    abouts |= {action: entry["about"] for action, entry in data["menu"].items()}
    abouts |= {"intro": case.intro, "title": case.title, "task": case.task["about"]}
    for subject, about in abouts.items():
        if NUMBER_WORDS.search(about) or NUMBER_WORDS.search(subject):
            raise ArgumentError(f"case {name}: {subject}: descriptions name no numbers: {about!r}")
    backend = case.backend()
    backend.outcome(), backend.upkeep(), backend.legal_actions()
    return case
