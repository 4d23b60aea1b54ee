# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that are each played in a fork of one checkpoint, here or by a pool, and the seeds that they play under."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from civworld.checkpoint import Checkpoint
from civworld.checks import whole
from civworld.world import MAX_RESEED, World

Result = TypeVar("Result")


class Workers(Protocol):
    """What is needed of a `civworld.pool.Pool`."""

    def each(self, jobs: Sequence[tuple[Callable[[World], Any], Checkpoint]], *, label: str = ...) -> list[Any]:
        """`fn(world)` for each (fn, source), in order; something with an `error` where a job failed."""


def play_all(
    checkpoint: Checkpoint,
    jobs: Sequence[Callable[[World], Result]],
    kind: type[Result],
    pool: Workers | None,
    *,
    label: str,
) -> list[Result]:
    """What each job gives in a fork of the checkpoint, in their order.

    Args:
        checkpoint: where all begin.
        jobs: called with a world each.
        kind: what a job gives; anything else that a pool gives is a failure.
        pool: where to play; None plays here, one after another.
        label: what a pool calls them.

    Raises:
        CivworldError: of the first job that failed.
    """
    if pool is None:
        return [_play_here(checkpoint, job) for job in jobs]
    results = pool.each([(job, checkpoint) for job in jobs], label=label)
    for result in results:
        if not isinstance(result, kind):
            raise result.error
    return results


def _play_here(checkpoint: Checkpoint, job: Callable[[World], Result]) -> Result:
    with checkpoint.fork() as world:
        return job(world)


def listed_seeds(what: str, seeds: int | Iterable[int]) -> tuple[int, ...]:
    """Seeds as given, or 1, 2, ... where their number is.

    Raises:
        ArgumentError: a seed, or their number, is out of range; `what` begins the message.
    """
    if isinstance(seeds, Iterable):
        return tuple(whole(f"{what}: seed", seed, 0, MAX_RESEED) for seed in seeds)
    return tuple(range(1, whole(f"{what}: seeds", seeds, 0) + 1))
