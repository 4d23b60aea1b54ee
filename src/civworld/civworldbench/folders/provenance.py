# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a query set and answers come from: the corpus and its build, and the run that asked a model."""

from __future__ import annotations

import hashlib
import json
from importlib import metadata
from pathlib import Path
from typing import Any

from civworld.civworldbench.folders.lines import Path_, read_json, write_text
from civworld.civworldbench.folders.sets import QUERIES
from civworld.corpus import MANIFEST

PROVENANCE = "provenance.json"
RUN = ".run.json"
"""Ending of the record of a run, beside its answers."""


def file_digest(path: Path_) -> str:
    """The sha256 of a file's bytes."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def value_digest(value: Any) -> str:
    """The sha256 of a plain value, however its members are ordered."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=list).encode()).hexdigest()


def corpus_identity(folder: Path_) -> dict[str, Any]:
    """Suite, version, definition and build of a corpus, and the digest of its manifest, which lists every file."""
    path = Path(folder) / MANIFEST
    held = read_json(path)
    named = {key: held[key] for key in ("suite", "version", "definition", "build_id")}
    return {**named, "worlds": len(held["order"]), "manifest": file_digest(path)}


def write_provenance(queries: Path_, corpus: Path_, practice: Path_ | None, **made_with: Any) -> None:
    """Write beside a query set what it was made from.

    Args:
        queries: folder of the set.
        corpus: folder of its corpus.
        practice: folder of the corpus that references learned from, None for the corpus itself.
        made_with: arguments that shaped it, plain values.
    """
    where = Path(queries)
    about = {
        "civworld": metadata.version("civworld"),
        "queries": file_digest(where / QUERIES),
        "corpus": corpus_identity(corpus),
        "practice": None if practice is None else corpus_identity(practice),
        **made_with,
    }
    write_text(where / PROVENANCE, json.dumps(about, indent=1) + "\n")


def of_queries(folder: Path_) -> dict[str, Any]:
    """What a query set was made from; its digest alone where nothing else is told."""
    where = Path(folder)
    path = where / PROVENANCE
    found: dict[str, Any] = read_json(path) if path.exists() else {"queries": file_digest(where / QUERIES)}
    return found


def run_path(answers: Path_) -> Path:
    """Where the record of a run lies: beside its answers."""
    path = Path(answers)
    return path.with_name(path.name.removesuffix(".jsonl") + RUN)


def of_answers(path: Path_) -> dict[str, Any]:
    """Digest of an answer file, and the record of the run that made it where there is one."""
    record = run_path(path)
    return {"answers": file_digest(path), "run": read_json(record) if record.exists() else None}
