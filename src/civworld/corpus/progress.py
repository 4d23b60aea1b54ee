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

    Jobs differ a hundredfold in size, so the bar counts their estimated work, not their number, and the time left is
    the work left over the work done per second since this build began. There is no estimate before the first job
    is done. What an earlier build had done is not counted as speed of this one.

    Args:
        shown: whether to write to standard error.
    """

    def __init__(self, shown: bool) -> None:
        from tqdm import tqdm

        self._bar: Any = tqdm(
            total=0,
            disable=not shown,
            dynamic_ncols=True,
            bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed} gone{postfix}",
        )
        self._begin = time.monotonic()
        self._left = 0.0
        self._done = 0.0
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

    def did(self, job: Job, done: Done) -> None:
        """A job is done."""
        self._left -= job.weight
        self._done += job.weight
        self._jobs[0] += 1
        elapsed = time.monotonic() - self._begin
        self.estimates.append((elapsed, elapsed * self._left / self._done))
        self._draw()

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
        self._bar.total = self._done + self._left
        self._bar.n = self._done
        self._bar.set_description_str(f"corpus: {self._jobs[0]} of {self._jobs[1]} jobs", refresh=False)
        if self.estimates:
            self._bar.set_postfix_str(f"about {_span(self.estimates[-1][1])} left", refresh=False)
        self._bar.refresh()


def _span(seconds: float) -> str:
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"
