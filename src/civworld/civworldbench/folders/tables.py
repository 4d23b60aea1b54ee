# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes every table and picture of an experiment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.folders.lines import write_text
from civworld.civworldbench.folders.running import SEED
from civworld.civworldbench.reporting import compare, counts, magnitudes
from civworld.civworldbench.reporting.leaderboard import Leaderboard, leaderboard
from civworld.civworldbench.reporting.picture import save_picture
from civworld.civworldbench.reporting.process import Process
from civworld.civworldbench.reporting.process import save_picture as save_process_picture

Place = tuple[str, str]
"""Setting and variant of a query set; "" is the whole prompt."""
Results = Mapping[Place, Mapping[str, Evaluation]]
Limits = Mapping[Place, Mapping[str, float | None]]


def write_tables(
    out: Path,
    queries: Mapping[Place, QuerySet],
    results: Results,
    ceilings: Limits,
    provenance: Mapping[str, Any],
    *,
    resamples: int,
    measured_on: str,
) -> None:
    """Leaderboard of the whole prompts, differences between variants and between models, effects, counts, pictures.

    Args:
        out: folder to write.
        queries: the sets.
        results: set -> forecaster -> evaluation.
        ceilings: set -> metric -> the best that can be known.
        provenance: what query sets and answers come from, as plain values; stands in the leaderboard's JSON.
        resamples: draws of worlds for intervals.
        measured_on: which ceilings completion uses.
    """
    named = {f"{setting}, {ablation or 'whole'}": found for (setting, ablation), found in queries.items()}
    write_text(out / "counts.md", counts.to_markdown(named))
    whole = _by_forecaster(results, "")
    if not whole:
        return
    limits = {setting: values for (setting, ablation), values in ceilings.items() if not ablation}
    rng = np.random.default_rng(SEED)
    board = leaderboard(whole, limits, rng, n_resamples=resamples, measured_on=measured_on)
    write_board(out, board, whole, provenance)
    write_text(out / "effects.md", magnitudes.to_markdown(whole))
    write_text(out / "effects.json", json.dumps(magnitudes.to_dict(whole), indent=1) + "\n")
    found = [
        compare.compare(
            (f"{name}, {ablation}", changed), (f"{name}, whole", {s: whole[name][s] for s in changed}), limits, SEED,
            n_resamples=resamples, measured_on=measured_on,
        )
        for ablation in sorted({a for _, a in results if a})
        for name, changed in _by_forecaster(results, ablation).items()
        if name in whole
    ]  # fmt: skip
    _write_comparisons(out / "ablations", found)


def _by_forecaster(results: Results, ablation: str) -> dict[str, dict[str, Evaluation]]:
    """Forecaster -> setting -> evaluation, of those evaluated in every setting of a variant."""
    there = {setting: found for (setting, variant), found in results.items() if variant == ablation}
    names = [name for name in next(iter(there.values()), {}) if all(name in found for found in there.values())]
    return {name: {setting: found[name] for setting, found in there.items()} for name in names}


def write_board(
    out: Path, board: Leaderboard, whole: Mapping[str, Mapping[str, Evaluation]], provenance: Mapping[str, Any]
) -> None:
    """Write leaderboard.md, leaderboard.json with what it rests on, and a picture per setting."""
    write_text(out / "leaderboard.md", board.to_markdown())
    write_text(out / "leaderboard.json", json.dumps({**board.to_dict(), "provenance": provenance}, indent=1) + "\n")
    for setting in board.settings:
        save_picture(out / f"{setting}.png", board, whole, setting)


def write_process(out: Path, told: Process) -> None:
    """Write process.md, process.json and process.png: what the way to answers tells, by protocol."""
    write_text(out / "process.md", told.to_markdown())
    write_text(out / "process.json", json.dumps(told.to_dict(), indent=1) + "\n")
    save_process_picture(out / "process.png", told)


def _write_comparisons(path: Path, found: list[compare.Comparison]) -> None:
    if found:
        write_text(path.with_suffix(".md"), "\n".join(one.to_markdown() for one in found))
        write_text(path.with_suffix(".json"), json.dumps([one.to_dict() for one in found], indent=1) + "\n")
