# SPDX-License-Identifier: GPL-2.0-or-later
"""The plan file of an experiment: which corpora, tasks, variants and answers."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from civworld.civworldbench.asking.build import TASKS, task_name
from civworld.civworldbench.asking.query import SETTINGS
from civworld.civworldbench.asking.scene import ABLATIONS
from civworld.civworldbench.evaluating.metrics import VARIANTS
from civworld.civworldbench.folders.lines import read_text
from civworld.errors import ArgumentError, UnknownNameError


@dataclass(frozen=True)
class Source:
    """Where a setting's worlds come from.

    Attributes:
        corpus: folder of the corpus.
        suite: suite to build there what is missing of; empty when the folder is to be complete already.
        practice: folder of a disjoint corpus that references learn from; None takes the other worlds of the corpus.
        practice_suite: suite to build there what is missing of.
    """

    corpus: Path
    suite: str = ""
    practice: Path | None = None
    practice_suite: str = ""


@dataclass(frozen=True)
class Experiment:
    """What `civworld bench` does.

    Attributes:
        settings: setting -> where its worlds come from.
        answers: forecaster -> file with its answers to the queries of all settings and variants.
        tasks: versioned names of tasks.
        ablations: variants of the prompts, "" for the whole prompt, which tables of forecasters rest on.
        notes: file of study notes, for the ablation that shows them.
        anchors: how many decision points are asked about, drawn by strata, one a world; 0 for all.
        resamples: draws of worlds for intervals.
        ceilings: `published` or `all`, see `civworld score`.
    """

    settings: Mapping[str, Source]
    answers: Mapping[str, Path] = field(default_factory=dict)
    tasks: tuple[str, ...] = tuple(TASKS)
    ablations: tuple[str, ...] = ("",)
    notes: Path | None = None
    anchors: int = 0
    resamples: int = 1000
    ceilings: str = "published"


def read_plan(path: str | os.PathLike[str]) -> Experiment:
    """The experiment that a TOML file describes; its paths are relative to the file.

    Raises:
        ArgumentError: no TOML, an unknown member, or a value of the wrong kind.
        UnknownNameError: no such setting, task, variant or kind of ceilings.
    """
    where = Path(path)
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{where}: {error}") from None
    base = where.parent
    settings = {name: _source(where, base, name, part) for name, part in _table(where, values, "settings").items()}
    answers = {name: base / _typed(where, name, file, str) for name, file in _table(where, values, "answers").items()}
    if not settings:
        raise ArgumentError(f"{where}: no table [settings.NAME]; one or more of {', '.join(SETTINGS)} are needed")
    rest = {key: value for key, value in values.items() if key not in ("settings", "answers")}
    kinds = {"tasks": list, "ablations": list, "notes": str, "anchors": int, "resamples": int, "ceilings": str}
    for key, value in rest.items():
        if key not in kinds:
            raise UnknownNameError(f"member of {where}", key, ("settings", "answers", *kinds))
        _typed(where, key, value, kinds[key])
    if "tasks" in rest:
        rest["tasks"] = tuple(task_name(name) for name in rest["tasks"])
    if "ablations" in rest:
        rest["ablations"] = tuple(rest["ablations"])
    if "notes" in rest:
        rest["notes"] = base / rest["notes"]
    found = Experiment(settings, answers, **rest)
    for name in found.ablations:
        if name not in ABLATIONS:
            raise UnknownNameError("ablation", name, ABLATIONS)
    if "study_notes" in found.ablations and (found.notes is None or not found.notes.exists()):
        raise ArgumentError(f"{where}: study_notes needs `notes`, a file that is there; `civworld notes` makes one")
    if found.ceilings not in VARIANTS:
        raise UnknownNameError("ceilings", found.ceilings, VARIANTS)
    return found


def _source(where: Path, base: Path, name: str, part: Any) -> Source:
    if name not in SETTINGS:
        raise UnknownNameError("setting", name, SETTINGS)
    fields = [f.name for f in dataclasses.fields(Source)]
    for key, value in _typed(where, f"settings.{name}", part, dict).items():
        if key not in fields:
            raise UnknownNameError(f"member of settings.{name}", key, fields)
        _typed(where, f"settings.{name}.{key}", value, str)
    if "corpus" not in part:
        raise ArgumentError(f"{where}: settings.{name} names no corpus")
    folders = {key: base / part[key] for key in ("corpus", "practice") if key in part}
    return Source(**{**part, **folders})


def _table(where: Path, values: dict[str, Any], key: str) -> dict[str, Any]:
    found: dict[str, Any] = _typed(where, key, values.get(key, {}), dict)
    return found


def _typed(where: Path, key: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ArgumentError(f"{where}: {key} is {value!r}; {kind.__name__} is needed")
    return value
