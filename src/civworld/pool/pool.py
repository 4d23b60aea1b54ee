# SPDX-License-Identifier: GPL-2.0-or-later
"""The pool: which worker gets which job, and what comes of it."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, NoReturn, Self

from civworld.checkpoint import Checkpoint
from civworld.checks import whole
from civworld.config import WorldConfig
from civworld.errors import ArgumentError, CopyError, EngineError, LifecycleError
from civworld.pool.worker import Worker
from civworld.world import World

TRIES = 2
"""How often a job is tried."""


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


class Pool:
    """A fixed number of worker processes, each with an engine of its own.

    A worker that crashes, hangs or is killed costs its one job, which is tried once more from its checkpoint
    and then reported as a Failure; the others go on. Use as a context manager: leaving it, by an exception or
    Ctrl-C too, ends every worker. Scripts need no `if __name__ == "__main__":` guard: workers do not import them.

    Args:
        workers: number of processes; None takes one per core.
        seconds: wall-clock limit of one job, None for no limit; a worker past it is killed (EngineHang).
        progress: show a progress bar on standard error; None shows it when that is a terminal.

    Raises:
        ArgumentError: a number of workers below 1 or above 1,024, or a limit that is not positive.
    """

    def __init__(
        self, workers: int | None = None, *, seconds: float | None = None, progress: bool | None = None
    ) -> None:
        count = len(os.sched_getaffinity(0)) if workers is None else whole("workers", workers, 1, 1024)
        if seconds is not None and seconds <= 0:
            raise ArgumentError(f"seconds={seconds!r}: a positive limit or None is needed")
        self._seconds = seconds
        self._progress = sys.stderr.isatty() if progress is None else progress
        self._workers: list[Worker] = []
        self._closed = False
        try:
            for _ in range(count):
                self._workers.append(Worker())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise CopyError("a Pool cannot be copied or pickled: its workers are this process's; make one where it is used")

    @property
    def workers(self) -> int:
        """How many worker processes there are."""
        return len(self._workers)

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
            fn: a function; one that a worker cannot import, of a notebook or a script, travels by its code. What it
                returns must pickle.
            sources: checkpoints to go on from, or configs to start.
            label: text of the progress bar.
        """
        return self.each([(fn, source) for source in sources], label=label)

    def each(
        self, jobs: Sequence[tuple[Callable[[World], Any], Checkpoint | WorldConfig]], *, label: str = "worlds"
    ) -> list[Any]:
        """`fn(world)` for each pair of a function and a source, as `map`; results in order.

        Args:
            jobs: functions, each with what it is to be called on.
            label: text of the progress bar.
        """
        results: list[Any] = [None] * len(jobs)
        for index, result in self.stream(jobs, label=label):
            results[index] = result
        return results

    # ---- the loop ----------------------------------------------------------------------------------------

    def stream(
        self, jobs: Sequence[tuple[Callable[..., Any], Any]], *, label: str = "jobs"
    ) -> Iterator[tuple[int, Any]]:
        """(index, result or Failure) of each job as it finishes.

        Args:
            jobs: pairs of a function and the checkpoint or config of its world. With None instead, the function is
                called without a world; it then has attributes `seed` and `turn`, for messages. The sequence may
                grow while results are read.
            label: text of the progress bar.

        Raises:
            LifecycleError: the pool is closed, or workers cannot start.
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
                            failed = worker.start(index, attempt, jobs[index], self._seconds)
                            if failed is not None:
                                bar.update()
                                yield index, Failure(index, failed, attempt)
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
                        self._workers[i] = Worker()

    def _finished(self) -> list[tuple[Worker, Any]]:
        """Workers that delivered, died or ran out of time, with what came of their jobs."""
        busy = [w for w in self._workers if w.job is not None]
        soonest = min((w.deadline for w in busy), default=float("inf"))
        timeout = None if soonest == float("inf") else max(0.0, soonest - time.monotonic())
        ready = set(wait([w.pipe for w in busy], timeout))
        done: list[tuple[Worker, Any]] = []
        for worker in busy:
            if worker.pipe in ready and worker.delivers():
                done.append((worker, worker.receive()))
            elif worker.deadline <= time.monotonic():
                done.append((worker, worker.give_up()))
        for worker, _ in done:
            if not worker.process.is_alive():
                worker.revive()
        return done


def _bar(total: int, label: str, show: bool) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, desc=label, disable=not show, leave=False, smoothing=0.1)
