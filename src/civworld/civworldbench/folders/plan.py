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

from civworld.civworldbench.asking.build import IN_ONE, USUAL, task_name
from civworld.civworldbench.asking.protocols import FREE, PROTOCOLS
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
        notes_from: folder of a corpus whose games the notes are made from, where there is no file.
        anchors: decision points that are asked about: a file of `civworld anchors`, or how many are drawn by strata
            over all corpora of the plan together, one a world; 0 for all.
        resamples: draws of worlds for intervals.
        ceilings: `published` or `all`, see `civworld score`.
        protocols: how quantities are asked, `free` among them; more of them also bring the scripted solvers.
    """

    settings: Mapping[str, Source]
    answers: Mapping[str, Path] = field(default_factory=dict)
    tasks: tuple[str, ...] = USUAL
    ablations: tuple[str, ...] = ("",)
    notes: Path | None = None
    notes_from: Path | None = None
    anchors: int | Path = 0
    resamples: int = 1000
    ceilings: str = "published"
    protocols: tuple[str, ...] = (FREE,)


PACKAGED = "plans"
"""Folder of the plans that come with the library, beside this file."""
_KINDS: Mapping[str, tuple[type, ...]] = {
    "tasks": (list,), "beliefs": (str,), "ablations": (list,), "notes": (str,), "notes_from": (str,),
    "anchors": (int, str), "resamples": (int,), "ceilings": (str,), "protocols": (list,),
}  # fmt: skip
"""Members of a plan besides its tables."""


def read_plan(path: str | os.PathLike[str], out: str | os.PathLike[str] = ".") -> Experiment:
    """The experiment that a TOML file describes.

    Args:
        path: the file, whose paths are relative to it; or the name of a plan that comes with the library, whose paths
            are relative to the experiment.
        out: folder of the experiment.

    Raises:
        ArgumentError: no TOML, an unknown member, or a value of the wrong kind.
        UnknownNameError: no such plan, setting, task, variant, protocol or kind of ceilings.
    """
    where, base = _place(path, out)
    try:
        values = tomllib.loads(read_text(where))
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{where}: {error}") from None
    settings = {name: _source(where, base, name, part) for name, part in _table(where, values, "settings").items()}
    answers = {name: base / _typed(where, name, file, str) for name, file in _table(where, values, "answers").items()}
    if not settings:
        raise ArgumentError(f"{where}: no table [settings.NAME]; one or more of {', '.join(SETTINGS)} are needed")
    found = Experiment(settings, answers, **_rest(where, base, values))
    for name in found.ablations:
        if name not in ABLATIONS:
            raise UnknownNameError("ablation", name, ABLATIONS)
    for name in found.protocols:
        if name not in PROTOCOLS:
            raise UnknownNameError("protocol", name, PROTOCOLS)
    if "study_notes" in found.ablations:
        _check_notes(where, found)
    if found.ceilings not in VARIANTS:
        raise UnknownNameError("ceilings", found.ceilings, VARIANTS)
    return found


def _place(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The plan's file, and what its paths are relative to."""
    where = Path(path)
    if where.exists() or where.suffix or len(where.parts) > 1:
        return where, where.parent
    packaged = {file.stem: file for file in sorted((Path(__file__).parent / PACKAGED).glob("*.toml"))}
    if where.name not in packaged:
        raise UnknownNameError("plan", where.name, packaged)
    return packaged[where.name], Path(out)


def _rest(where: Path, base: Path, values: Mapping[str, Any]) -> dict[str, Any]:
    """The members besides tables, as an experiment takes them."""
    rest = {key: value for key, value in values.items() if key not in ("settings", "answers")}
    for key, value in rest.items():
        if key not in _KINDS:
            raise UnknownNameError(f"member of {where}", key, ("settings", "answers", *_KINDS))
        _typed(where, key, value, *_KINDS[key])
    beliefs = rest.pop("beliefs", "two")
    if beliefs not in ("one", "two"):
        raise UnknownNameError("number of prompts of Trait and Rules", beliefs, ("one", "two"))
    rest["tasks"] = tuple(map(task_name, rest.get("tasks", IN_ONE if beliefs == "one" else USUAL)))
    for key in ("ablations", "protocols"):
        if key in rest:
            rest[key] = tuple(rest[key])
    for key in ("notes", "notes_from", "anchors"):
        if isinstance(rest.get(key), str):
            rest[key] = base / rest[key]
    return rest


def _check_notes(where: Path, found: Experiment) -> None:
    """Study notes come from a file, or from games of practice worlds."""
    if found.notes is not None:
        if not found.notes.exists():
            raise ArgumentError(f"{where}: notes {found.notes} does not exist; `civworld notes` makes such a file")
    elif notes_corpus(found) is None:
        raise ArgumentError(
            f"{where}: study_notes needs `notes`, a file of `civworld notes`, or a corpus to make them from: "
            "`notes_from`, or a setting's practice"
        )


def notes_corpus(plan: Experiment) -> Path | None:
    """The corpus that study notes are made from: the one named, or the first practice corpus."""
    return plan.notes_from or next((s.practice for s in plan.settings.values() if s.practice is not None), None)


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


def _typed(where: Path, key: str, value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise ArgumentError(f"{where}: {key} is {value!r}; {' or '.join(k.__name__ for k in kinds)} is needed")
    return value
