# SPDX-License-Identifier: GPL-2.0-or-later
"""Deduction cases: an authored specification (TOML), and beside it a rules module and a reference timeline.

The specification is what the kernel runs and what Open prompts disclose. The module states the same
dynamics in plain Python and is run by `agreement` as a second witness. The timeline is what happens when
nobody intervenes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

from civworld.errors import ArgumentError, CivworldError, UnknownNameError
from civworld.world_agent.deduction.backend import WAIT, KernelBackend
from civworld.world_agent.kernel import KernelWorld, library
from civworld.world_agent.kernel.shapes import (
    CAPABILITY,
    MAP,
    PROCESS,
    SCHEDULED,
    TYPES,
    Anything,
    ListOf,
    MapOf,
    Share,
    Table,
    Text,
    Whole,
    entity,
)

ROOM = "deduction"

LOOKAHEAD = 48
"""Units of time that a decision is looked ahead from."""
SEGMENTS = 8
"""Segments or decisions of an episode, unless a case says otherwise."""
WORLD_SECTIONS = ("map", "types", "entities", "capabilities", "processes", "schedule")
NUMBER_WORDS = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|hundred|"
    r"once|twice|thrice|half|halves|third|quarter|double|doubles|triple)\b",
    re.IGNORECASE,
)
_ACTION = Table({"do": Text(), "about": Text()}, {"args": MapOf(Anything())})
_TRIAL = Table({"entities": MapOf(MapOf(Anything()), 1, "fields that start otherwise")}, {"actions": ListOf(Text())})
_TASK = Table({"about": Text(), "outcome": Text(), "upkeep": MapOf(Text(), 1)}, {})
FORM = Table(
    {
        "title": Text(),
        "genre": Text(),
        "intro": Text(),
        "actor": Text(about="the controlled entity"),
        "interval": Whole(1, LOOKAHEAD, "units of a segment; divides the lookahead of 48"),
        "types": TYPES,
        "entities": MapOf(entity({}), 1),
        "processes": ListOf(PROCESS, 1),
        "capabilities": ListOf(CAPABILITY, 1),
        "menu": MapOf(_ACTION, 1, "the actor's actions"),
        "task": _TASK,
    },
    {
        "segments": Whole(2, 60, "how many, 8 if not said"),
        "map": MAP,
        "schedule": ListOf(SCHEDULED),
        "trials": ListOf(_TRIAL, about="further runs that both witnesses are compared in; `wait` is no action"),
        "difficulty": MapOf(MapOf(Share()), about="measured scores by solver and kind of query"),
    },
    about="a deduction case of civworld's World Agent",
)
"""The form of a case file."""


@dataclass(frozen=True, slots=True)
class DeductionCase:
    """One deduction case.

    Attributes:
        interval: units of a segment and between decision points; it divides `LOOKAHEAD`.
        segments: how many segments or decisions an episode has.
        spec: the world specification, as `KernelWorld` takes it.
        menu: the controlled actor's actions: name -> {do, args, about}.
        task: {about, outcome, upkeep}.
        trials: runs from other beginnings in which both witnesses are compared: {entities, actions}.
        difficulty: what `measure_difficulty` found when the case was made, empty where nobody measured.
        text: the TOML text it was read from.
        folder: where its module and timeline lie beside it.
    """

    name: str
    title: str
    genre: str
    intro: str
    actor: str
    interval: int
    segments: int
    spec: Mapping[str, Any]
    menu: Mapping[str, Mapping[str, Any]]
    task: Mapping[str, Any]
    text: str
    folder: Traversable
    difficulty: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    trials: Sequence[Mapping[str, Any]] = ()

    def backend(self) -> KernelBackend:
        """A fresh world at time 0."""
        return KernelBackend(KernelWorld(self.spec), self.actor, self.menu, self.task)

    def beginning(self, entities: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """The specification with some fields of some entities starting otherwise."""
        rows = self.spec["entities"]
        return {**self.spec, "entities": {name: {**row, **entities.get(name, {})} for name, row in rows.items()}}

    @property
    def horizon(self) -> int:
        """Units of a whole episode."""
        return self.interval * self.segments

    def module(self) -> str:
        """The source text of the rules module, the second witness."""
        return self._beside(f"{self.name}.py")

    def timeline(self) -> str:
        """The committed zero-intervention timeline."""
        return self._beside(f"{self.name}.timeline.txt")

    def _beside(self, file: str) -> str:
        try:
            return (self.folder / file).read_text("utf-8")
        except OSError:
            raise ArgumentError(f"case {self.name}: {file} is missing beside {self.name}.toml") from None


def read(name: str, text: str, folder: Traversable | None = None) -> DeductionCase:
    """Reads a case from its TOML text; raises ArgumentError where it contradicts itself."""
    data = library.parse(name, text, FORM)
    case = DeductionCase(
        name=name,
        title=data["title"],
        genre=data["genre"],
        intro=data["intro"].strip(),
        actor=data["actor"],
        interval=data["interval"],
        segments=data.get("segments", SEGMENTS),
        spec={section: data[section] for section in WORLD_SECTIONS if section in data},
        menu=data["menu"],
        task=data["task"],
        text=text,
        folder=folder or library.packaged(ROOM),
        difficulty=data.get("difficulty", {}),
        trials=data.get("trials", ()),
    )
    try:
        _check(case)
    except CivworldError as error:
        raise ArgumentError(f"case {name}: {error}") from None
    return case


CASES = library.Shelf(ROOM, read)
names, load = CASES.names, CASES.load


def _check(case: DeductionCase) -> None:
    if LOOKAHEAD % case.interval:
        raise ArgumentError(f"interval {case.interval} must divide {LOOKAHEAD}")
    rules = [*case.spec["processes"], *case.spec["capabilities"]]
    abouts = {rule["name"]: rule["about"] for rule in rules}
    if len(abouts) != len(rules):
        raise ArgumentError("names of processes and capabilities must be unique")
    abouts |= {action: entry["about"] for action, entry in case.menu.items()}
    abouts |= {"intro": case.intro, "title": case.title, "task": case.task["about"]}
    for subject, about in abouts.items():
        if NUMBER_WORDS.search(about) or NUMBER_WORDS.search(subject):
            raise ArgumentError(f"{subject}: descriptions name no numbers: {about!r}")
    backend = case.backend()
    backend.outcome(), backend.upkeep()
    if case.actor not in backend.world.entities():
        raise UnknownNameError("actor", case.actor, backend.world.entities())
    for action, entry in case.menu.items():
        _check_action(case, backend.world, action, entry)
    for trial in case.trials:
        _check_trial(case, trial)


def _check_trial(case: DeductionCase, trial: Mapping[str, Any]) -> None:
    for name in trial["entities"]:
        if name not in case.spec["entities"]:
            raise UnknownNameError("entity of a trial", name, case.spec["entities"])
    for action in trial.get("actions", ()):
        if action not in (WAIT, *case.menu):
            raise UnknownNameError("action of a trial", action, (WAIT, *case.menu))
    KernelWorld(case.beginning(trial["entities"]))


def _check_action(case: DeductionCase, world: KernelWorld, action: str, entry: Mapping[str, Any]) -> None:
    if entry["do"] not in world.capabilities():
        raise UnknownNameError(f"menu.{action}.do", entry["do"], world.capabilities())
    spec, args = world.capabilities()[entry["do"]], entry.get("args", {})
    if spec.get("actor", "") not in ("", world.entities()[case.actor]):
        raise ArgumentError(f"menu.{action}: {case.actor} is no {spec['actor']}")
    if set(args) != set(spec.get("params", {})):
        raise ArgumentError(f"menu.{action}.args: asked for are {', '.join(spec.get('params', {})) or 'none'}")
