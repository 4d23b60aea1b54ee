# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds in worker processes: many cores, and a crash that costs one job instead of the program.

Worlds travel to workers as memory files that both sides map, not as copies through a pipe. A script that uses
a pool needs the usual `if __name__ == "__main__":` guard, since workers are started fresh.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from civworld import quantities
from civworld._engine import Image, build_info, engine
from civworld.checkpoint import Checkpoint
from civworld.checks import whole
from civworld.config import WorldConfig
from civworld.edits import Edit
from civworld.errors import ArgumentError, CopyError, EngineCrashed, EngineError, EngineHang, LifecycleError
from civworld.world import World

TRIES = 2


@dataclass(frozen=True)
class Failure:
    """A job that failed in every try.

    Attributes:
        job: its index in the input.
        error: what went wrong the last time; an EngineError carries seed and turn.
        tries: how often it was tried.
    """

    job: int
    error: Exception
    tries: int


@dataclass(frozen=True)
class Rollout:
    """One arm of an experiment, played out.

    Attributes:
        arm: name of the arm.
        seed: what the world was re-seeded with, None if it was not.
        turns: turns of the rows of `values` and `digests`, int64 (n,).
        values: quantities per turn and civilization, structured (n, civs); see `civworld.quantities.measure`.
        digests: digest of the world at each turn.
    """

    arm: str
    seed: int | None
    turns: npt.NDArray[np.int64]
    values: npt.NDArray[Any]
    digests: tuple[str, ...]


@dataclass(frozen=True)
class _Arm:
    name: str
    edits: tuple[Edit, ...]
    seed: int | None
    turns: int


class Pool:
    """A fixed number of worker processes, each with an engine of its own.

    A worker that crashes, hangs or is killed costs its one job, which is tried once more from its checkpoint
    and then reported as a Failure; the others go on. Use as a context manager: leaving it, by an exception or
    Ctrl-C too, ends every worker.

    Args:
        workers: number of processes; None takes one per core.
        seconds: wall-clock limit of one job, None for no limit; a worker past it is killed (EngineHang).
        progress: show a progress bar on standard error; None shows it when that is a terminal.
    """

    def __init__(
        self, workers: int | None = None, *, seconds: float | None = None, progress: bool | None = None
    ) -> None:
        count = len(os.sched_getaffinity(0)) if workers is None else whole("workers", workers, 1, 1024)
        if seconds is not None and seconds <= 0:
            raise ArgumentError(f"seconds={seconds!r}: a positive limit or None is needed")
        self._seconds = seconds
        self._progress = sys.stderr.isatty() if progress is None else progress
        self._workers: list[_Worker] = []
        self._closed = False
        try:
            for _ in range(count):
                self._workers.append(_Worker())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise CopyError("a Pool cannot be copied or pickled: its workers are this process's; make one where it is used")

    def close(self) -> None:
        """End every worker at once."""
        self._closed = True
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    def map(
        self, fn: Callable[[World], Any], sources: Iterable[Checkpoint | WorldConfig], *, label: str = "worlds"
    ) -> list[Any]:
        """`fn(world)` for a fresh world of each source; results in order, a Failure where a job failed.

        Args:
            fn: an importable function; what it returns must pickle.
            sources: checkpoints to go on from, or configs to start.
            label: text of the progress bar.
        """
        return self.each([(fn, source) for source in sources], label=label)

    def each(
        self, jobs: Sequence[tuple[Callable[[World], Any], Checkpoint | WorldConfig]], *, label: str = "worlds"
    ) -> list[Any]:
        """`fn(world)` for each pair of a function and a source, as `map`; results in order.

        Args:
            jobs: importable functions, each with what it is to be called on.
            label: text of the progress bar.
        """
        results: list[Any] = [None] * len(jobs)
        for index, result in self.stream(jobs, label=label):
            results[index] = result
        return results

    def rollouts(
        self,
        checkpoint: Checkpoint,
        arms: Mapping[str, Edit | Sequence[Edit] | None],
        turns: int,
        seeds: Sequence[int | None] = (None,),
    ) -> list[Rollout | Failure]:
        """Every arm under every seed, from one checkpoint; ordered by arm, then seed.

        Args:
            checkpoint: where all arms start.
            arms: name -> edits applied at the start (None or empty: a control).
            turns: how many turns each arm plays.
            seeds: what to re-seed each arm with; arms of one seed share it. None keeps the world's own future.
        """
        plans = [_Arm(name, _as_edits(edits), seed, turns) for name, edits in arms.items() for seed in seeds]
        return self.each([(_PlayArm(plan), checkpoint) for plan in plans], label="rollouts")

    # ---- the loop ----------------------------------------------------------------------------------------

    def stream(
        self, jobs: Sequence[tuple[Callable[..., Any], Any]], *, label: str = "jobs"
    ) -> Iterator[tuple[int, Any]]:
        """(index, result or Failure) of each job as it finishes.

        Args:
            jobs: pairs of an importable function and the checkpoint or config of its world. With None instead, the
                function is called without a world; it then has attributes `seed` and `turn`, for messages. The
                sequence may grow while results are read.
            label: text of the progress bar.
        """
        if self._closed:
            raise LifecycleError("this pool is closed")
        waiting: deque[tuple[int, int]] = deque()
        taken = 0
        with _bar(len(jobs), label, self._progress) as bar:
            try:
                while True:
                    waiting.extend((i, 1) for i in range(taken, len(jobs)))
                    taken = bar.total = len(jobs)
                    if not waiting and all(w.job is None for w in self._workers):
                        break
                    for worker in self._workers:
                        if worker.job is None and waiting:
                            index, attempt = waiting.popleft()
                            worker.start(index, attempt, jobs[index], self._seconds)
                    for worker, outcome in self._finished():
                        assert worker.job is not None
                        index, attempt = worker.job
                        worker.job = None
                        if isinstance(outcome, EngineError) and attempt < TRIES:
                            waiting.append((index, attempt + 1))
                            continue
                        bar.update()
                        yield index, Failure(index, outcome, attempt) if isinstance(outcome, Exception) else outcome
            finally:
                for i, worker in enumerate(self._workers):
                    if worker.job is not None:  # the caller stopped early: its jobs must not linger
                        worker.kill()
                        self._workers[i] = _Worker()

    def _finished(self) -> list[tuple[_Worker, Any]]:
        """Workers that delivered, died or ran out of time, with what came of their jobs."""
        busy = [w for w in self._workers if w.job is not None]
        soonest = min((w.deadline for w in busy), default=float("inf"))
        timeout = None if soonest == float("inf") else max(0.0, soonest - time.monotonic())
        ready = set(wait([w.pipe for w in busy], timeout))
        done: list[tuple[_Worker, Any]] = []
        for worker in busy:
            if worker.pipe in ready:
                done.append((worker, worker.receive()))
            elif worker.deadline <= time.monotonic():
                done.append((worker, worker.give_up()))
        for worker, _ in done:
            if not worker.process.is_alive():
                worker.revive()
        return done


def _as_edits(edits: Edit | Sequence[Edit] | None) -> tuple[Edit, ...]:
    if edits is None:
        return ()
    return (edits,) if isinstance(edits, Edit) else tuple(edits)


class _PlayArm:
    """The job of one arm: edit, play, measure."""

    def __init__(self, arm: _Arm) -> None:
        self.arm = arm

    def __call__(self, world: World) -> Rollout:
        if self.arm.seed is not None:
            world.reseed(self.arm.seed)
        for edit in self.arm.edits:
            world.apply(edit)
        turns, rows, digests = [], [], []
        for step in range(self.arm.turns + 1):
            if step:
                world.advance()
            turns.append(world.turn)
            rows.append(quantities.measure(world.state()))
            digests.append(world.digest())
        return Rollout(self.arm.name, self.arm.seed, np.array(turns, np.int64), quantities.stack(rows), tuple(digests))


# ---- one worker --------------------------------------------------------------------------------------------


class _Worker:
    """A process and the pipe to it, seen from the parent."""

    def __init__(self) -> None:
        self.job: tuple[int, int] | None = None
        self.source: Any = None
        self.deadline = float("inf")
        self.revive()

    def revive(self) -> None:
        """Start a process (again)."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True, name="civworld-worker")
        self.process.start()
        theirs.close()

    def start(self, index: int, attempt: int, job: tuple[Callable[..., Any], Any], limit: float | None) -> None:
        """Hand a job over; a worker that died while idle is replaced first."""
        if not self.process.is_alive():
            self.revive()
        self.job = (index, attempt)
        self.source = job[0] if job[1] is None else job[1]
        self.deadline = float("inf") if limit is None else time.monotonic() + limit
        try:
            self.pipe.send_bytes(_pack(job))
        except OSError:
            self.process.join()

    def receive(self) -> Any:
        """The job's result, or the error that it or the death of the process amounts to."""
        try:
            kind, value = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.process.join(10)
            return self._died()
        return value if kind == "result" else _Raised.unwrap(value)

    def give_up(self) -> EngineHang:
        """Kill a worker that is past its limit."""
        self.kill()
        return EngineHang("a job ran past the pool's time limit and its worker was killed", **self._where())

    def kill(self) -> None:
        """End the process now."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def _where(self) -> dict[str, Any]:
        source = self.source
        seed = source.config.seed if isinstance(source, Checkpoint) else source.seed
        return {"seed": seed, "turn": 1 if isinstance(source, WorldConfig) else source.turn}

    def _died(self) -> EngineCrashed:
        code = self.process.exitcode
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit status {code}"
        where = self._where()
        return EngineCrashed(
            f"a worker died ({how}) while playing seed {where['seed']} from turn {where['turn']}", **where
        )


class _Raised:
    """An exception on its way from a worker; errors of our own keep their attributes."""

    @staticmethod
    def wrap(error: Exception) -> bytes:
        error.add_note("".join(traceback.format_exception(error)).rstrip())
        try:
            return pickle.dumps((error.__class__, error.args, error.__dict__))
        except Exception:
            return pickle.dumps((RuntimeError, (f"{type(error).__name__}: {error}",), {}))

    @staticmethod
    def unwrap(data: bytes) -> Exception:
        cls, args, state = pickle.loads(data)
        error: Exception = cls.__new__(cls, *args)
        error.args = args
        error.__dict__.update(state)
        return error


def _serve(pipe: Connection) -> None:
    """A worker's life: jobs in, results out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    engine()
    while True:
        try:
            fn, source = pickle.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            reply = pickle.dumps(("result", fn() if source is None else _on_a_world(fn, source)))
        except Exception as error:
            reply = pickle.dumps(("error", _Raised.wrap(error)))
        pipe.send_bytes(reply)


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they end themselves, in the middle of a job too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_a_world(fn: Callable[[World], Any], source: Checkpoint | WorldConfig) -> Any:
    with World(source) if isinstance(source, WorldConfig) else World.from_checkpoint(source) as world:
        return fn(world)


# ---- worlds on their way ---------------------------------------------------------------------------------------


class _Pickler(pickle.Pickler):
    """Pickles checkpoints as the name of a memory file of this process instead of their content."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Checkpoint):
            return _attach, (value.header(), os.getpid(), value.image.fd())
        return NotImplemented


def _pack(job: Any) -> bytes:
    out = io.BytesIO()
    _Pickler(out, protocol=5).dump(job)
    return out.getvalue()


def _attach(header: dict[str, Any], pid: int, fd: int) -> Checkpoint:
    """The checkpoint behind a memory file of the parent; its pages are shared, not copied."""
    if header["build_id"] != build_info().build_id:
        raise LifecycleError("the pool's workers run another engine build than their parent")
    own = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
    try:
        return Checkpoint._of(header, Image.from_fd(engine(), own))
    finally:
        os.close(own)


def _bar(total: int, label: str, show: bool) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc=label, disable=not show, leave=False, smoothing=0.1)
