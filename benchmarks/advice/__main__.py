# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a study: play what is missing, write its tables and plot, print the verdict.

    python -m benchmarks.advice NAME [--quick] [--finished] [--workers 2]

Results of jobs are kept in out/advice/ line by line, so a run that was stopped goes on where it was. A whole study
writes its tables to benchmarks/advice/results/ and its plot to docs/; a quick one both to out/advice/.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.advice import calibration, forking
from benchmarks.validity.study import finished, play, write_csv

STUDIES = {study.name: study for study in (m.STUDY for m in (calibration, forking))}
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Parse the command line and run one study."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.advice", description=__doc__)
    parser.add_argument("name", choices=STUDIES)
    parser.add_argument("--quick", action="store_true", help="a minute's worth, to see that it runs")
    parser.add_argument("--finished", action="store_true", help="play nothing: tables of the jobs that are done")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    asked = parser.parse_args()
    study = STUDIES[asked.name]
    out = ROOT / "out" / "advice"
    log = out / f"{study.name}{'-quick' if asked.quick else ''}.jsonl"
    jobs = study.jobs(asked.quick)
    found = study.tables(finished(jobs, log) if asked.finished else play(study, jobs, log, asked.workers))
    for name, rows in found.items():
        write_csv((out if asked.quick else Path(__file__).parent / "results") / f"{name}.csv", rows)
    study.plot(found, (out if asked.quick else ROOT / "docs") / f"advice-{study.name}.svg")
    print("\n".join(study.verdict(found)))


if __name__ == "__main__":
    main()
