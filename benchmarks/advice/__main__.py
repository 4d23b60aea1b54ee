# SPDX-License-Identifier: GPL-2.0-or-later
"""Run a study: play what is missing, write its tables and plot, print the verdict.

    python -m benchmarks.advice NAME [--quick] [--finished] [--workers 2]

Results of jobs are kept in out/advice/ line by line, so a run that was stopped goes on where it was. A whole study
writes its tables to benchmarks/advice/results/ and its plot to docs/; a quick one both to out/advice/.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.advice import calibration, forking
from benchmarks.validity.study import command

STUDIES = {study.name: study for study in (m.STUDY for m in (calibration, forking))}

if __name__ == "__main__":
    command("advice", STUDIES, __doc__)
