# SPDX-License-Identifier: GPL-2.0-or-later
"""Epochs in inspect_ai: each is scored by itself, then averaged, with the spread between them (extra `eval`)."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai.scorer import Metric, SampleScore, metric

EPOCH = "epoch"
"""Key of a score's metadata that says in which epoch the sample was answered."""


def by_epoch(scores: Sequence[SampleScore]) -> dict[int, list[SampleScore]]:
    """The scores of each epoch, epochs in order; scores that say none belong to the first."""
    found: dict[int, list[SampleScore]] = defaultdict(list)
    for one in scores:
        found[int((one.score.metadata or {}).get(EPOCH, 1))].append(one)
    return dict(sorted(found.items()))


def averaged(values: Sequence[float]) -> dict[str, float]:
    """The mean over epochs, and for two or more their standard deviation as `spread`."""
    spread = {"spread": statistics.stdev(values)} if len(values) > 1 else {}
    return {"mean": statistics.fmean(values), **spread}


@metric(scores="unreduced")
def epoch_mean() -> Metric:
    """The mean of the samples of an epoch, averaged over epochs, with the spread between epochs."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return averaged([statistics.fmean(one.score.as_float() for one in part) for part in by_epoch(scores).values()])

    return compute
