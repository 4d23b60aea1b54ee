# SPDX-License-Identifier: GPL-2.0-or-later
"""Selections of anchors as files, drawn over one corpus or over several together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields

from civworld import corpus as corpora
from civworld.civworldbench.asking.anchors import PUBLISHED, Anchor, select, subset
from civworld.civworldbench.folders.lines import Path_, read_json, write_text
from civworld.errors import ArgumentError

ANCHORS = "anchors.json"


def draw(folders: Sequence[Path_], count: int = PUBLISHED, few: int = 0) -> tuple[Anchor, ...]:
    """Anchors of all these corpora together.

    Args:
        folders: built corpora of different suites.
        count: how many anchors.
        few: only so many of them, every operator and suite in turn; 0 for all.

    Raises:
        ArgumentError: fewer worlds than anchors, or two corpora of one suite.
    """
    opened = [corpora.open(folder) for folder in folders]
    suites = [corpus.suite for corpus in opened]
    if len(set(suites)) != len(suites):
        raise ArgumentError(f"anchors: corpora of suites {suites}; an anchor names its suite, so they must differ")
    found = select(opened, count)
    return subset(found, few) if few else found


def write_anchors(path: Path_, anchors: Sequence[Anchor]) -> None:
    """Write a selection."""
    write_text(path, json.dumps([asdict(anchor) for anchor in anchors], indent=1) + "\n")


def read_anchors(path: Path_) -> tuple[Anchor, ...]:
    """The selection that `write_anchors` wrote.

    Raises:
        ArgumentError: the file holds something else.
    """
    members = {field.name for field in fields(Anchor)}
    rows = read_json(path)
    if not isinstance(rows, list) or not all(isinstance(row, dict) and set(row) == members for row in rows):
        raise ArgumentError(
            f"{path}: a list of anchors with {sorted(members)} is needed; `civworld anchors` writes one"
        )
    return tuple(Anchor(**row) for row in rows)
