# SPDX-License-Identifier: GPL-2.0-or-later
"""Building a corpus: every job of every world once, whatever interrupts it; equal bytes whoever does the jobs.

While a world is being made, the files of each finished job lie in a folder of their own under `.parts/`. When the
last one is there they become the world's files, its receipt is written, and the parts go. What is there is
complete, since files and folders appear by being renamed; what a killed build left half-written is thrown away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from civworld._engine import build_info
from civworld.corpus.card import CARD, card
from civworld.corpus.jobs import Done, Image, Job, image_name, plan
from civworld.corpus.progress import Progress
from civworld.corpus.runners import LocalRunner, Runner
from civworld.corpus.schema import tables
from civworld.corpus.storage import (
    checksum,
    drop_leftovers,
    drop_orphans,
    json_bytes,
    parquet_bytes,
    read_json,
    read_parquet,
    write_file,
    write_folder,
)
from civworld.corpus.suites import Suite, WorldSpec
from civworld.errors import ArgumentError, CorpusMismatch, EngineError
from civworld.pool import Failure

FORMAT = 1
MANIFEST = "manifest.json"
"""Name of the file that lists what a corpus holds."""
SUITE = "hidden/suite.json"
PARTS = ".parts"
RECEIPTS = "receipts"
IMAGES = "images"


@dataclass(frozen=True)
class WorldFailure:
    """A world that could not be made.

    Attributes:
        world: its id.
        job: the job that failed.
        seed: the world's seed.
        turn: turn during which it failed, as far as that is known.
        error: class and text of what went wrong.
    """

    world: str
    job: str
    seed: int
    turn: int
    error: str

    def __str__(self) -> str:
        return f"world {self.world} (seed {self.seed}), job {self.job}, turn {self.turn}: {self.error}"


@dataclass
class Report:
    """What a build did.

    Attributes:
        made: ids of the worlds that it finished.
        found: ids of the worlds that were there already.
        failures: worlds that could not be made; a later build tries them again.
        seconds: wall-clock time.
        core_seconds: processor time of the jobs, by kind.
        turns: turns of worlds that were played, by kind of job.
        estimates: (seconds since the start, estimated seconds left) at each finished job, from the first estimate.
    """

    made: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    failures: list[WorldFailure] = field(default_factory=list)
    seconds: float = 0.0
    core_seconds: dict[str, float] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    estimates: list[tuple[float, float]] = field(default_factory=list)

    def _count(self, job: Job, done: Done) -> None:
        self.core_seconds[job.kind] = self.core_seconds.get(job.kind, 0.0) + done.seconds
        self.turns[job.kind] = self.turns.get(job.kind, 0) + done.turns


def build(
    suite: Suite,
    out: str | os.PathLike[str],
    *,
    worlds: slice | Sequence[str] | None = None,
    runner: Runner | None = None,
    progress: bool | None = None,
) -> Report:
    """Make the worlds of a suite into a corpus; goes on where an earlier build was interrupted.

    Several builds may work on one folder at the same time, each on worlds of its own.

    Args:
        suite: what to make.
        out: folder of the corpus; made when it is not there.
        worlds: which worlds, a slice of the suite's list or their ids; None makes all.
        runner: where the jobs are done; None takes one process per core of this machine.
        progress: show progress on standard error; None shows it when that is a terminal.

    Raises:
        CorpusMismatch: the folder holds a corpus of another suite, engine build or format.
        UnknownNameError: the suite has no such world.
    """
    root = Path(out)
    chosen = _chosen(suite, worlds)
    _begin(root, suite)
    report = Report()
    begin = time.monotonic()
    own = runner if runner is not None else LocalRunner()
    shown = sys.stderr.isatty() if progress is None else progress
    try:
        with Progress(shown, own.workers) as bar:
            _Build(root, suite, own, report, bar).run(chosen)
            report.estimates = bar.estimates
    finally:
        if runner is None:
            own.close()
        write_manifest(root, suite, report.failures)
        drop_orphans(root / PARTS)
        with contextlib.suppress(OSError):  # parts of worlds that are not complete
            (root / PARTS).rmdir()
        report.seconds = time.monotonic() - begin
    return report


def _chosen(suite: Suite, worlds: slice | Sequence[str] | None) -> list[WorldSpec]:
    if worlds is None:
        return list(suite.worlds)
    found = list(suite.worlds[worlds]) if isinstance(worlds, slice) else [suite.world(w) for w in worlds]
    if not found:
        asked = "of an empty list"
        if isinstance(worlds, slice):
            asked = ":".join("" if n is None else str(n) for n in (worlds.start, worlds.stop))
        raise ArgumentError(f"worlds {asked}: {suite.id} has worlds 0:{len(suite.worlds)}, none of them is among these")
    return found


def identity(suite: Suite) -> dict[str, Any]:
    """What must agree between a folder and whoever adds to it."""
    return {
        "format": FORMAT,
        "suite": suite.name,
        "version": suite.version,
        "definition": checksum(json_bytes(suite.to_dict())),
        "build_id": build_info().build_id,
        "arrow": pa.__version__,
    }


def _begin(root: Path, suite: Suite) -> None:
    """Make the folder a corpus of this suite, or see that it is one."""
    path = root / MANIFEST
    if path.exists():
        found = read_json(path)
        for name, mine in identity(suite).items():
            if found.get(name) != mine:
                raise CorpusMismatch(
                    f"{root}: holds a corpus with {name} {found.get(name)!r}, this build has {mine!r}: "
                    "a corpus is of one suite and one build",
                    field=name,
                )
        return
    if root.exists() and any(p.name not in ("hidden", PARTS) for p in root.iterdir()):
        raise CorpusMismatch(f"{root}: the folder is not empty and has no {MANIFEST}", field=MANIFEST)
    write_file(root / SUITE, json_bytes(suite.to_dict()), root / PARTS)
    write_manifest(root, suite, [])


def write_manifest(root: Path, suite: Suite, failures: Sequence[WorldFailure]) -> None:
    """Sum up the receipts of all finished worlds, in the order of the suite, and put the card beside it."""
    worlds = {}
    for spec in suite.worlds:
        receipt = root / RECEIPTS / f"{spec.id}.json"
        if receipt.exists():
            worlds[spec.id] = read_json(receipt)
    failed = [vars(f) for f in sorted(failures, key=lambda f: (f.world, f.job)) if f.world not in worlds]
    order = [spec.id for spec in suite.worlds if spec.id in worlds]
    held = {**identity(suite), "order": order, "worlds": worlds, "failures": failed}
    held["suite_file"] = checksum((root / SUITE).read_bytes())
    write_file(root / MANIFEST, json_bytes(held), root / PARTS)
    write_file(root / CARD, card(suite).encode(), root / PARTS)


class _Build:
    """One build under way."""

    def __init__(self, root: Path, suite: Suite, runner: Runner, report: Report, bar: Progress) -> None:
        self._root = root
        self._suite = suite
        self._runner = runner
        self._report = report
        self._bar = bar
        self._after: dict[str, list[Job]] = {}
        self._missing: dict[str, set[str]] = {}
        self._failed: set[str] = set()

    def run(self, specs: Sequence[WorldSpec]) -> None:
        """Every job that is not done yet."""
        first: list[Job] = []
        for spec in specs:
            if (self._root / RECEIPTS / f"{spec.id}.json").exists():
                shutil.rmtree(self._root / PARTS / spec.id, ignore_errors=True)
                self._report.found.append(spec.id)
                mainline, after = plan(self._suite, spec)
                self._bar.had([mainline, *after])
            else:
                first += self._prepare(spec)
        for job in first:
            self._runner.submit(job)
        for job, outcome in self._runner.results():
            if isinstance(outcome, Failure):
                self._fail(job, outcome)
            else:
                write_folder(self._part(job), outcome.files)
                self._report._count(job, outcome)
                self._bar.did(job, outcome)
                self._follow(job)

    def _part(self, job: Job) -> Path:
        return self._root / PARTS / job.spec.id / job.id

    def _prepare(self, spec: WorldSpec) -> list[Job]:
        """The jobs of a world that can be done now."""
        folder = self._root / PARTS / spec.id
        if folder.is_dir():
            drop_leftovers(folder)
        mainline, after = plan(self._suite, spec)
        todo = [job for job in (mainline, *after) if not self._part(job).is_dir()]
        self._bar.had(job for job in (mainline, *after) if job not in todo)
        self._bar.expect(todo)
        self._missing[spec.id] = {job.id for job in todo}
        if mainline in todo:
            self._after[spec.id] = todo[1:]
            return [mainline]
        if not todo:
            self._assemble(spec)
        return [self._with_image(job) for job in todo]

    def _with_image(self, job: Job) -> Job:
        assert job.point is not None
        mainline, t1 = self._root / PARTS / job.spec.id / "mainline", job.point.turn
        digests = read_parquet(mainline / "turns.parquet").column("digest").to_pylist()
        # turn 1 comes first
        return job.at(Image(mainline / image_name(t1)), digests[t1 - 1 : t1 + job.point.horizons[-1]])

    def _follow(self, job: Job) -> None:
        """What a finished job makes possible."""
        name = job.spec.id
        self._missing[name].discard(job.id)
        for later in self._after.pop(name, []) if job.kind == "mainline" else []:
            self._runner.submit(self._with_image(later))
        if not self._missing[name] and name not in self._failed:
            self._assemble(job.spec)

    def _fail(self, job: Job, failure: Failure) -> None:
        error = failure.error
        turn = error.turn if isinstance(error, EngineError) and error.turn is not None else job.turn
        found = WorldFailure(job.spec.id, job.id, job.seed, turn, f"{type(error).__name__}: {error}")
        self._failed.add(job.spec.id)
        self._report.failures.append(found)
        self._bar.say(str(found))
        self._bar.forget([job, *self._after.pop(job.spec.id, [])])

    def _assemble(self, spec: WorldSpec) -> None:
        """Put the parts of a world together."""
        folder = self._root / PARTS / spec.id
        mainline, after = plan(self._suite, spec)
        files: dict[str, dict[str, Any]] = {}
        for t in tables().values():
            parts = [folder / job.id / f"{t.name}.parquet" for job in (mainline, *after)]
            found = [read_parquet(path) for path in parts if path.exists()]
            data = parquet_bytes(pa.concat_tables(found) if found else t.arrow.empty_table())
            path = f"{t.folder}/{spec.id}.parquet"
            write_file(self._root / path, data, folder)
            files[path] = {"bytes": len(data), "blake2b": checksum(data)}
        for point in spec.points:
            target = self._root / IMAGES / spec.id / image_name(point.turn)
            source = folder / mainline.id / image_name(point.turn)
            if source.exists():
                write_file(target, source.read_bytes(), folder)
        write_file(self._root / RECEIPTS / f"{spec.id}.json", json_bytes({"files": files}), folder)
        shutil.rmtree(folder)
        self._report.made.append(spec.id)
        write_manifest(self._root, self._suite, self._report.failures)
