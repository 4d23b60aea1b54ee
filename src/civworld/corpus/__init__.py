# SPDX-License-Identifier: GPL-2.0-or-later
"""Corpora: suites of worlds played once, with futures and arms, as tables that anyone can read.

>>> from civworld import corpus
>>> corpus.suite("tiny").worlds[0].id
'tiny-000'

Needs the extra `data` (pyarrow); the runner `ray` needs the extra `ray`.
"""

from civworld.extras import needs

with needs("data", "civworld.corpus"):
    import pyarrow as _pyarrow  # noqa: F401

from civworld.corpus.build import MANIFEST, Report, WorldFailure, build
from civworld.corpus.page import page
from civworld.corpus.reading import Corpus
from civworld.corpus.runners import RUNNERS, LocalRunner, RayRunner, Runner, SingleRunner, runner
from civworld.corpus.suites import PRACTICE, SUITES, DecisionPoint, Suite, WorldSpec, suite
from civworld.corpus.tracks import ArmSet, Hidden, WorldInfo
from civworld.corpus.verify import Verdict, verify

open = Corpus

__all__ = [
    "MANIFEST",
    "PRACTICE",
    "RUNNERS",
    "SUITES",
    "ArmSet",
    "Corpus",
    "DecisionPoint",
    "Hidden",
    "LocalRunner",
    "RayRunner",
    "Report",
    "Runner",
    "SingleRunner",
    "Suite",
    "Verdict",
    "WorldFailure",
    "WorldInfo",
    "WorldSpec",
    "build",
    "open",
    "page",
    "runner",
    "suite",
    "verify",
]
