# SPDX-License-Identifier: GPL-2.0-or-later
"""What all studies share: jobs that survive a kill, intervals over worlds, tables as CSV."""

from __future__ import annotations

import csv
import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import civworld
from civworld.civworldbench.scoring import resampling

Job = dict[str, Any]
"""Plain values that say what one worker plays; equal jobs give equal results."""
Row = dict[str, Any]
"""One line of a table."""


@dataclass(frozen=True)
class Study:
    """One study: what to play, what to make of it.

    Attributes:
        name: what it is called on the command line and in file names.
        jobs: the list of jobs; given True, a list that takes a minute.
        run: plays one job and gives its result as plain values.
        tables: name of a table -> its rows, from all jobs with their results in order.
        plot: draws the tables to a file.
        verdict: what was to be shown, and whether it was, one line each.
    """

    name: str
    jobs: Callable[[bool], list[Job]]
    run: Callable[[Job], Any]
    tables: Callable[[list[tuple[Job, Any]]], dict[str, list[Row]]]
    plot: Callable[[dict[str, list[Row]], Path], None]
    verdict: Callable[[dict[str, list[Row]]], list[str]]


def play(study: Study, jobs: Sequence[Job], log: Path, workers: int) -> list[tuple[Job, Any]]:
    """Run the jobs that the log does not hold yet, and give all results in the order of the jobs.

    Each result is one line of the log, written as soon as it is there; lines of another engine build are not used.

    Args:
        study: which study.
        jobs: what to play.
        log: file of results, made when missing.
        workers: number of processes.
    """
    build = civworld.build_info().build_id
    done = dict(_read(log, build))
    todo = [job for job in jobs if _key(job) not in done]
    log.parent.mkdir(parents=True, exist_ok=True)
    cut = log.exists() and not log.read_text().endswith("\n")
    with multiprocessing.get_context("spawn").Pool(workers) as pool, log.open("a") as out:
        out.write("\n" if cut else "")
        for job, result in pool.imap_unordered(_Run(study.run), todo):
            out.write(json.dumps({"build": build, "job": job, "result": result}) + "\n")
            out.flush()
            done[_key(job)] = result
            print(f"{study.name}: {len(done)} of {len(jobs)} jobs", flush=True)
    return [(job, done[_key(job)]) for job in jobs]


@dataclass(frozen=True)
class _Run:
    run: Callable[[Job], Any]

    def __call__(self, job: Job) -> tuple[Job, Any]:
        return job, self.run(job)


def _key(job: Job) -> str:
    return json.dumps(job, sort_keys=True)


def finished(jobs: Sequence[Job], log: Path) -> list[tuple[Job, Any]]:
    """Results of those jobs that the log holds, in the order of the jobs; nothing is played."""
    done = dict(_read(log, civworld.build_info().build_id))
    return [(job, done[_key(job)]) for job in jobs if _key(job) in done]


def _read(log: Path, build: str) -> Iterator[tuple[str, Any]]:
    if log.exists():
        for line in log.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:  # the line that a kill cut short
                continue
            if entry["build"] == build:
                yield _key(entry["job"]), entry["result"]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean over worlds and its 95 % bootstrap interval (seeded, percentiles)."""
    found = resampling.paired_bootstrap(values, np.zeros(len(values)), np.random.default_rng(0))
    if found.estimate is None or found.low is None or found.high is None:
        return float("nan"), float("nan"), float("nan")
    return found.estimate, found.low, found.high


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with equal keys as CSV; floats with four digits, None as an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()})


def passed(claim: str, holds: bool, found: str) -> str:
    """One line of a verdict."""
    return f"{'PASS' if holds else 'FAIL'}: {claim} ({found})"
