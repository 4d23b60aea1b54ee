# SPDX-License-Identifier: GPL-2.0-or-later
"""External leaderboards from a CSV file with the columns `panel`, `model` and `score`, a row per panel and model."""

from __future__ import annotations

import csv
import io
import math
import os

from civworld.civworldbench.folders.lines import Path_, read_text
from civworld.errors import ArgumentError

COLUMNS = ("panel", "model", "score")


def read_panels(path: Path_) -> dict[str, dict[str, float]]:
    """Panel -> model -> score, larger is better; further columns, such as a source, are not read.

    Raises:
        ArgumentError: a column is missing, a score is no number, or a model stands twice in a panel.
    """
    rows = csv.DictReader(io.StringIO(read_text(path)))
    absent = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
    if absent:
        raise ArgumentError(f"{os.fspath(path)}: no column {', '.join(absent)}; needed are {', '.join(COLUMNS)}")
    found: dict[str, dict[str, float]] = {}
    for number, row in enumerate(rows, 2):
        panel, model, text = (row[name] or "" for name in COLUMNS)
        try:
            score = float(text)
        except ValueError:
            score = math.nan
        if not math.isfinite(score) or not panel or not model:
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {row}; a panel, a model and a number are needed")
        if model in found.setdefault(panel, {}):
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {model!r} stands twice in panel {panel!r}")
        found[panel][model] = score
    if not found:
        raise ArgumentError(f"{os.fspath(path)}: no row")
    return found
