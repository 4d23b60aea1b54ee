# SPDX-License-Identifier: GPL-2.0-or-later
"""The units of work of a build: each depends on its own description alone and gives files as bytes.

A job that is run twice, here or on another machine of the same build, gives the same bytes; only the images
of checkpoints, which lie outside the corpus proper, may differ where the engine never looks.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from civworld import arms
from civworld.arms.play import each_turn
from civworld.checkpoint import Checkpoint
from civworld.corpus.records import Branches, Mainline, event_columns
from civworld.corpus.schema import kept_events, table
from civworld.corpus.storage import parquet_bytes
from civworld.corpus.suites import DecisionPoint, Suite, WorldSpec
from civworld.corpus.trials import Cell, by_column
from civworld.errors import ArgumentError
from civworld.events import Event
from civworld.world import World

Kind = Literal["mainline", "futures", "arms"]
Files = dict[str, bytes]


@dataclass(frozen=True)
class Image:
    """The file of a decision point's checkpoint; pickled, it carries its content instead, to any machine."""

    path: Path | None
    data: bytes | None = None

    def load(self) -> Checkpoint:
        """The checkpoint itself."""
        return Checkpoint.from_bytes(self._bytes(), self.path or "image of a decision point")

    def _bytes(self) -> bytes:
        if self.data is not None:
            return self.data
        assert self.path is not None
        return self.path.read_bytes()

    def __reduce__(self) -> tuple[Any, ...]:
        return Image, (None, self._bytes())


@dataclass(frozen=True)
class Job:
    """One unit of work on one world.

    Attributes:
        spec: the world.
        kind: what to do.
        point: the decision point to start from, None for the mainline.
        operator: name of the operator of arms, empty for others and where one of several is tried.
        candidates: operators of which the first eligible one is tried.
        seeds: what to re-seed branches with.
        image: the checkpoint at the decision point.
        digests: the mainline's digests from the decision point on.
        branched: whether a mainline keeps checkpoints of its decision points, since other jobs start there.
    """

    spec: WorldSpec
    kind: Kind
    point: DecisionPoint | None = None
    operator: str = ""
    candidates: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    image: Image | None = None
    digests: tuple[str, ...] = ()
    branched: bool = True

    @property
    def id(self) -> str:
        """Name of the job among those of its world; also of the folder of its files."""
        parts = ["" if self.point is None else f"t{self.point.turn:04}", self.kind, self.operator]
        return "-".join(filter(None, parts))

    @property
    def seed(self) -> int:
        """The world's seed."""
        return self.spec.config.seed

    @property
    def turn(self) -> int:
        """Where the job starts."""
        return 1 if self.point is None else self.point.turn

    @property
    def turns(self) -> int:
        """How many turns each of its branches plays."""
        return self.spec.last_turn - 1 if self.point is None else self.point.horizons[-1]

    @property
    def branches(self) -> int:
        """How many times it plays on from where it starts."""
        return len(self.seeds) + {"mainline": 1, "futures": 0, "arms": 3}[self.kind]

    @property
    def weight(self) -> float:
        """About how much work this is, for estimates of the time left.

        A turn t is taken to cost players times the root of the map's size times (15 + t) ** 1.6, which follows what
        mainlines of small and medium worlds took.
        """
        config = self.spec.config
        until, since = (math.pow(15 + t, 2.6) / 2.6 for t in (self.turn + self.turns, self.turn))
        return self.branches * config.players * math.sqrt(config.map_size) * (until - since)

    def at(self, image: Image, digests: Sequence[str]) -> Job:
        """The same job with where it starts and how the mainline goes on from there."""
        return replace(self, image=image, digests=tuple(digests))

    def __call__(self) -> Done:
        """Do it."""
        start = time.process_time()
        files, turns = _KINDS[self.kind](self)
        return Done(files, turns, time.process_time() - start)


@dataclass(frozen=True)
class Done:
    """What a job gave.

    Attributes:
        files: name -> content.
        turns: turns of worlds that were played.
        seconds: processor time it took.
    """

    files: Files
    turns: int
    seconds: float


def future_seed(spec: WorldSpec, turn: int, future: int) -> int:
    """What a future is re-seeded with: a function of the world's id and seed, the turn and the future's number."""
    key = f"future {spec.id} {spec.config.seed} {turn} {future}"
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=4).digest(), "little")


def plan(suite: Suite, spec: WorldSpec) -> tuple[Job, list[Job]]:
    """A world's mainline, and the jobs that need it."""
    after = []
    for point in spec.points:
        seeds = tuple(future_seed(spec, point.turn, k) for k in range(suite.futures))
        if seeds:
            after.append(Job(spec, "futures", point, seeds=seeds))
        names = [arms.get(operator).name for operator in suite.operators]
        if suite.one_operator:
            after.append(Job(spec, "arms", point, "", _order(spec, point, names), seeds[: suite.pairs]))
        else:
            after += [Job(spec, "arms", point, name, (name,), seeds[: suite.pairs]) for name in names]
    return Job(spec, "mainline", branched=bool(after)), after


def _order(spec: WorldSpec, point: DecisionPoint, operators: Iterable[str]) -> tuple[str, ...]:
    """Operators in an order drawn for a decision point."""
    key = f"operator {spec.id} {spec.config.seed} {point.turn}"
    return tuple(sorted(operators, key=lambda name: hashlib.blake2b(f"{key} {name}".encode(), digest_size=8).digest()))


def image_name(turn: int) -> str:
    """Name of the file of a decision point's checkpoint."""
    return f"t{turn:04}.checkpoint"


def _mainline(job: Job) -> tuple[Files, int]:
    spec = job.spec
    recorded = Mainline(spec)
    images: Files = {}
    wanted = {p.turn for p in spec.points} if job.branched else set()
    with World(spec.config) as world:
        for now in each_turn(world, spec.last_turn - 1):
            recorded.look(now)
            if now.turn in wanted:
                images[image_name(now.turn)] = now.checkpoint().to_bytes()
        told = recorded.tables(world)
    return {**_files(told), **images}, spec.last_turn - 1


def _futures(job: Job) -> tuple[Files, int]:
    assert job.point is not None and job.image is not None
    spec, t1, turns = job.spec, job.point.turn, job.point.horizons[-1]
    here = {"world": spec.id, "t1": t1}
    recorded = Branches("futures", here, ("future", "seed"))
    ends: list[dict[str, Any]] = []
    happened: list[Event] = []
    whose: list[int] = []
    with World.from_checkpoint(_checked(job)) as world:
        start = world.checkpoint()
        for k, seed in enumerate(job.seeds):
            world.restore(start)
            world.reseed(seed)
            recorded.play(world, turns, future=k, seed=seed)
            happened += kept_events(world.events(since=t1))
            whose += [k] * (len(happened) - len(whose))
            ends.append({**here, "operator": "", "arm": "future", "seed": seed, "turn": world.turn,
                         "digest": world.digest()})  # fmt: skip
    told = [
        (recorded.table, recorded.columns()),
        (table("future_events"), {**event_columns(happened, here), "future": whose}),
        (table("branches"), by_column(ends)),
    ]
    return _files(told), turns * len(job.seeds)


def _arms(job: Job) -> tuple[Files, int]:
    assert job.point is not None
    cell = Cell(job.spec.id, job.turn, job.candidates, job.point.horizons[-1], job.seeds, job.digests)
    told, turns = cell.play(_checked(job))
    return _files(told), turns


def _checked(job: Job) -> Checkpoint:
    """The job's checkpoint, which must be one of its world at its turn."""
    assert job.image is not None
    checkpoint = job.image.load()
    if (checkpoint.config, checkpoint.turn) != (job.spec.config, job.turn):
        raise ArgumentError(
            f"job {job.spec.id}/{job.id}: a checkpoint of turn {job.turn} of its world is needed, found turn "
            f"{checkpoint.turn} of seed {checkpoint.config.seed}"
        )
    return checkpoint


def _files(tables: Iterable[tuple[Any, Mapping[str, Any]]]) -> Files:
    return {f"{t.name}.parquet": parquet_bytes(t.make(columns)) for t, columns in tables}


_KINDS = {"mainline": _mainline, "futures": _futures, "arms": _arms}
