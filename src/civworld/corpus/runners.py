# SPDX-License-Identifier: GPL-2.0-or-later
"""Runners: where the jobs of a build are done. They decide when and on which machine, never what comes out."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Protocol, Self

from civworld.corpus.jobs import Done, Job
from civworld.errors import ArgumentError, EngineCrashed, EngineError, UnknownNameError
from civworld.extras import needs
from civworld.pool import TRIES, Failure, Pool


class Runner(Protocol):
    """What a build needs of a runner. Results come in any order; a job is tried anew when its worker is lost."""

    @property
    def workers(self) -> int:
        """Jobs at the same time, as far as can be told."""

    def submit(self, job: Job) -> None:
        """Hand a job over; may be called while results are being read."""

    def results(self) -> Iterator[tuple[Job, Done | Failure]]:
        """Each submitted job with what came of it, until none is left."""

    def close(self) -> None:
        """Give up jobs that are not done, and every process that was started."""


class _Closing:
    """Use a runner as a context manager."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing to give up."""


class SingleRunner(_Closing):
    """Every job in this process, one after the other."""

    workers = 1

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()

    def submit(self, job: Job) -> None:
        """Put a job last."""
        self._jobs.append(job)

    def results(self) -> Iterator[tuple[Job, Done | Failure]]:
        """Do each job when its result is asked for."""
        index = -1
        while self._jobs:
            job, index = self._jobs.popleft(), index + 1
            yield job, _tried(job, index)


def _tried(job: Job, index: int) -> Done | Failure:
    """The job's result; an engine's failure is given a second try."""
    for attempt in range(1, TRIES + 1):
        try:
            return job()
        except Exception as error:
            if not isinstance(error, EngineError) or attempt == TRIES:
                return Failure(index, error, attempt)
    raise AssertionError("the last try returns")


class LocalRunner(_Closing):
    """Worker processes of this machine, see `civworld.pool`.

    Args:
        workers: number of processes; None takes one per core.
        seconds: wall-clock limit of one job, None for no limit.
    """

    def __init__(self, workers: int | None = None, seconds: float | None = None) -> None:
        self._pool = Pool(workers, seconds=seconds, progress=False)
        self._jobs: list[tuple[Job, None]] = []
        self.workers = self._pool.workers

    def submit(self, job: Job) -> None:
        """Put a job last."""
        self._jobs.append((job, None))

    def results(self) -> Iterator[tuple[Job, Done | Failure]]:
        """Results as they come."""
        jobs = self._jobs
        try:
            for index, outcome in self._pool.stream(jobs):
                yield jobs[index][0], outcome
        finally:
            self._jobs = []  # a next build begins with none

    def close(self) -> None:
        """End every worker."""
        self._pool.close()


class RayRunner(_Closing):
    """The machines of a Ray cluster. Jobs and results travel through Ray; no shared file system is needed.

    A lost worker or node costs the jobs it was at; Ray does them anew on another.

    Args:
        workers: jobs at the same time; None takes one per core of the cluster, as it grows.
        address: the cluster's address; None joins the one that RAY_ADDRESS names or this machine is part of, or
            starts one on this machine.

    Raises:
        ArgumentError: `workers` is below 1.
        MissingExtra: Ray is not installed.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        with needs("ray", "runner 'ray'"):
            import ray
        if workers is not None and workers < 1:
            raise ArgumentError(f"workers={workers!r}: a positive whole number is needed")
        self._ray = ray
        self._started = not ray.is_initialized()
        if self._started:
            _connect(ray, address, workers)
        self._limit = workers
        self._call = ray.remote(num_cpus=1, max_retries=_LOST_WORKERS)(_tried)
        self._jobs: deque[Job] = deque()
        self._running: dict[Any, Job] = {}

    @property
    def workers(self) -> int:
        """Jobs at the same time, on the cluster as it is now."""
        return self._room()

    def _room(self) -> int:
        """Jobs to have at Ray at the same time; somewhat more than cores, so that none waits for the next."""
        resources: Callable[[], dict[str, float]] = self._ray.cluster_resources
        cores = 1.5 * resources().get("CPU", 1.0)
        return self._limit or max(2, round(cores))

    def submit(self, job: Job) -> None:
        """Put a job last."""
        self._jobs.append(job)

    def results(self) -> Iterator[tuple[Job, Done | Failure]]:
        """Results as they come."""
        while self._jobs or self._running:
            while self._jobs and len(self._running) < self._room():
                job = self._jobs.popleft()
                self._running[self._call.remote(job, 0)] = job
            ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=5)
            for ref in ready:
                job = self._running.pop(ref)
                yield job, self._outcome(ref, job)

    def _outcome(self, ref: Any, job: Job) -> Done | Failure:
        try:
            outcome: Done | Failure = self._ray.get(ref)
            return outcome
        except self._ray.exceptions.RayError as error:
            what = f"world {job.spec.id}, job {job.id}: Ray lost it {_LOST_WORKERS + 1} times: {error}"
            return Failure(0, EngineCrashed(what, seed=job.seed, turn=job.turn), _LOST_WORKERS + 1)

    def close(self) -> None:
        """Give up what is running, and leave the cluster if this runner joined it."""
        for ref in self._running:
            with contextlib.suppress(Exception):
                self._ray.cancel(ref, force=True)
        self._running.clear()
        if self._started:
            self._ray.shutdown()


# how often Ray does a job anew because its worker or node was lost
_LOST_WORKERS = 3


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    """Join the cluster, or start one here when there is none to join."""
    quiet = {"log_to_driver": False, "include_dashboard": False, "configure_logging": False}
    if address is not None:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        return
    try:
        ray.init(address="auto", log_to_driver=False, configure_logging=False)
    except ConnectionError:
        ray.init(num_cpus=workers, **quiet)


RUNNERS = {"local": LocalRunner, "single": SingleRunner, "ray": RayRunner}
"""Every runner by its name."""


def runner(name: str, workers: int | None = None) -> SingleRunner | LocalRunner | RayRunner:
    """The runner of that name.

    Raises:
        UnknownNameError: there is no such runner.
        ArgumentError: a number of workers that it cannot have, or what it needs is not installed.
    """
    if name not in RUNNERS:
        raise UnknownNameError("runner", name, RUNNERS)
    if name == "single":
        if workers not in (None, 1):
            raise ArgumentError(f"runner 'single' has one worker, not {workers!r}")
        return SingleRunner()
    return LocalRunner(workers) if name == "local" else RayRunner(workers)
