# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of a forecaster's answers to a query set: every metric, with what the intervals are made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking.protocols import FREE
from civworld.civworldbench.asking.query import SETTINGS, QuerySet
from civworld.civworldbench.evaluating.cells import Cells
from civworld.civworldbench.evaluating.metrics import measured
from civworld.civworldbench.evaluating.tables import Table, score_of
from civworld.errors import ArgumentError, UnknownNameError


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One forecaster's scores in one setting.

    Attributes:
        setting: which.
        worlds: ids of its worlds; a table's world key is the place in this list.
        raw: metric -> score before any adjustment, None where undefined; those beside the index included.
        tables: metric -> its cells.
        failures: name of a failure -> how often.
        asked: cells asked.
        answered: cells with a usable answer.
    """

    setting: str
    worlds: tuple[str, ...]
    raw: Mapping[str, float | None]
    tables: Mapping[str, Table] = field(repr=False)
    failures: Mapping[str, int]
    asked: int
    answered: int

    @property
    def coverage(self) -> float:
        """Share of the cells asked that have a usable answer."""
        return self.answered / self.asked if self.asked else 0.0


def evaluate(
    queries: QuerySet, answers: Mapping[str, str], setting: str, *, ablation: str = "", protocol: str = FREE
) -> Evaluation:
    """Scores of answers to the queries of one setting.

    Args:
        queries: the set, with targets.
        answers: query id -> text; a query without one counts as unanswered.
        setting: `omni-id`, `ego` or `omni-ood`.
        ablation: which variant of the prompts.
        protocol: which protocol; answers to `code` are what came of the programs, see `run_programs`.

    Raises:
        ArgumentError: an answer to a query that is not in the set, or no query in the setting.
    """
    if setting not in SETTINGS:
        raise UnknownNameError("setting", setting, SETTINGS)
    strange = sorted(set(answers) - set(queries.queries))
    if strange:
        raise ArgumentError(f"answers to {len(strange)} queries that are not in the set, for example {strange[:3]}")
    asked = [
        q for q in queries.queries.values() if (q.setting, q.ablation, q.protocol) == (setting, ablation, protocol)
    ]
    if not asked:
        raise ArgumentError(f"no query in setting {setting!r} with ablation {ablation!r} and protocol {protocol!r}")
    read = {q.id: parse(q, answers.get(q.id, "")) for q in asked}
    worlds = tuple(sorted({q.world for q in asked}))
    cells = Cells.of(queries, asked, read, worlds)
    tables = {name: metric.table(cells) for name, metric in measured(protocol).items()}
    counts: Counter[str] = Counter()
    for answer in read.values():
        counts.update(answer.counts)
    return Evaluation(
        setting,
        worlds,
        MappingProxyType({name: score_of(table) for name, table in tables.items()}),
        MappingProxyType(tables),
        MappingProxyType({name: n for name, n in sorted(counts.items()) if n}),
        sum(len(q.cells) for q in asked),
        sum(len(a.values) for a in read.values()),
    )
