# SPDX-License-Identifier: GPL-2.0-or-later
"""What query sets hold, counted: prompts and cells by task, worlds, decision points, arms, and length of prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from civworld.civworldbench.asking import rules, trait
from civworld.civworldbench.asking.query import Query, QuerySet


@dataclass(frozen=True)
class Count:
    """One task in one query set.

    Attributes:
        prompts: how many.
        cells: things asked in them.
        worlds: worlds they are about.
        points: decision points they are about.
        characters: median length of a prompt.
    """

    prompts: int
    cells: int
    worlds: int
    points: int
    characters: int


def counts(queries: QuerySet) -> dict[str, Count]:
    """Task -> what is asked of it, tasks in the order of their first query; `all` last.

    Where Trait and Rules have a prompt each, `trait and rules` counts the prompts that they would make together, one
    a decision point, as the published benchmark counts them.
    """
    asked = list(queries.queries.values())
    by_task: dict[str, list[Query]] = {}
    for query in asked:
        by_task.setdefault(query.task, []).append(query)
    found = {task: _count(queries) for task, queries in by_task.items()}
    apart = [q for task in (trait.NAME, rules.NAME) for q in by_task.get(task, [])]
    if apart:
        joined = {(q.world, q.turn, q.setting, q.ablation) for q in apart}
        found["trait and rules"] = replace(_count(apart), prompts=len(joined))
    return found | {"all": _count(asked)}


def _count(asked: list[Query]) -> Count:
    return Count(
        len(asked),
        sum(len(q.cells) for q in asked),
        len({q.world for q in asked}),
        len({(q.world, q.turn) for q in asked}),
        int(np.median([len(q.prompt) for q in asked])) if asked else 0,
    )


def to_markdown(sets: Mapping[str, QuerySet]) -> str:
    """One table: a line per set (named by setting and variant) and task."""
    lines = [
        "| queries | task | prompts | cells | worlds | decision points | median characters |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, queries in sets.items():
        for task, c in counts(queries).items():
            lines.append(
                f"| {name} | {task} | {c.prompts:,} | {c.cells:,} | {c.worlds} | {c.points} | {c.characters:,} |"
            )
    return "\n".join(lines) + "\n"
