# SPDX-License-Identifier: GPL-2.0-or-later
"""How far a build is, and how long the rest will take as far as can be told from what it has done."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import Any, Self

from civworld.corpus.jobs import Done, Job


class Progress:
    """A progress bar over the work of a build.

    Jobs differ a hundredfold in size, so the bar counts their estimated work, not their number. There is no estimate
    of the time left before the first job is done. While few jobs are done most of the work so far is in jobs that
    are not, so the first estimates go by the processor time of those that are, shared among the workers; later ones
    by the work done since this build began. What an earlier build had done is counted as done, not as speed.

    Args:
        shown: whether to write to standard error.
        workers: jobs at the same time.
    """

    def __init__(self, shown: bool, workers: int = 1) -> None:
        from tqdm import tqdm

        self._bar: Any = tqdm(
            total=0,
            disable=not shown,
            dynamic_ncols=True,
            bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed} gone{postfix}",
        )
        self._begin = time.monotonic()
        self._workers = workers
        self._left = 0.0
        self._done = 0.0
        self._before = 0.0
        self._seconds = 0.0
        self._here = 0
        self._jobs = [0, 0]
        self.estimates: list[tuple[float, float]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.close()

    def expect(self, jobs: Iterable[Job]) -> None:
        """There is more to do."""
        for job in jobs:
            self._left += job.weight
            self._jobs[1] += 1
        self._draw()

    def had(self, jobs: Iterable[Job]) -> None:
        """An earlier build did these."""
        for job in jobs:
            self._before += job.weight
            self._jobs[0] += 1
            self._jobs[1] += 1
        self._draw()

    def did(self, job: Job, done: Done) -> None:
        """A job is done."""
        self._left -= job.weight
        self._done += job.weight
        self._jobs[0] += 1
        self._here += 1
        self._seconds += done.seconds
        elapsed = time.monotonic() - self._begin
        spent = elapsed if self._here >= 3 * self._workers else self._seconds / self._at_once()
        self.estimates.append((elapsed, spent * self._left / self._done))
        self._draw()

    def _at_once(self) -> int:
        return max(1, min(self._workers, self._jobs[1] - self._jobs[0]))

    def forget(self, jobs: Iterable[Job]) -> None:
        """These jobs will not be done."""
        for job in jobs:
            self._left -= job.weight
            self._jobs[1] -= 1
        self._draw()

    def say(self, text: str) -> None:
        """Write a line above the bar, on standard error, shown or not."""
        self._bar.write(text, file=sys.stderr)

    def _draw(self) -> None:
        self._bar.total = self._before + self._done + self._left
        self._bar.n = self._before + self._done
        self._bar.set_description_str(f"corpus: {self._jobs[0]} of {self._jobs[1]} jobs", refresh=False)
        if self.estimates:
            self._bar.set_postfix_str(f"about {_span(self.estimates[-1][1])} left", refresh=False)
        self._bar.refresh()


def _span(seconds: float) -> str:
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"
