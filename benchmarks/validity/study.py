# SPDX-License-Identifier: GPL-2.0-or-later
"""What all studies share: jobs that survive a kill, intervals over worlds, tables as CSV."""

from __future__ import annotations

import argparse
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
ROOT = Path(__file__).resolve().parents[2]


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


def command(room: str, studies: Mapping[str, Study], about: str | None) -> None:
    """Parse the command line of `python -m benchmarks.ROOM`, run one study, write its tables and plot.

    Args:
        room: folder of benchmarks/ whose results/ holds the tables of whole runs.
        studies: what may be asked for, by name.
        about: what the help says.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{room}", description=about)
    parser.add_argument("name", choices=studies)
    parser.add_argument("--quick", action="store_true", help="a minute's worth, to see that it runs")
    parser.add_argument("--finished", action="store_true", help="play nothing: tables of the jobs that are done")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    asked = parser.parse_args()
    study = studies[asked.name]
    out = ROOT / "out" / room
    log = out / f"{study.name}{'-quick' if asked.quick else ''}.jsonl"
    jobs = study.jobs(asked.quick)
    found = study.tables(finished(jobs, log) if asked.finished else play(study, jobs, log, asked.workers))
    for name, rows in found.items():
        write_csv((out if asked.quick else ROOT / "benchmarks" / room / "results") / f"{name}.csv", rows)
    study.plot(found, (out if asked.quick else ROOT / "docs") / f"{room}-{study.name}.svg")
    print("\n".join(study.verdict(found)))


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
