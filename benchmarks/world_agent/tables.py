# SPDX-License-Identifier: GPL-2.0-or-later
"""Result rows to Markdown tables; a row is one run as `Result.to_data` or `Episode.to_data` gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from civworld.world_agent.deduction import KINDS, mean
from civworld.world_agent.maintenance import COMPONENTS, TIERS

Row = Mapping[str, Any]


def average(values: Iterable[float | None]) -> float | None:
    """The mean of the values that exist."""
    return mean(value for value in values if value is not None)


def pick(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """The rows whose fields have these values."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def solvers(rows: Sequence[Row]) -> list[str]:
    """The solvers in order of appearance."""
    return list(dict.fromkeys(row["solver"] for row in rows))


def by_backend(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Deduction rows of kernel cases, and of Freeciv worlds."""
    freeciv = [row["task"].startswith("freeciv_") for row in rows]
    kernel = [row for row, other in zip(rows, freeciv, strict=True) if not other]
    return kernel, [row for row, mine in zip(rows, freeciv, strict=True) if mine]


def component_share(rows: Sequence[Row], part: str) -> float | None:
    """The passed share of one component over all rows together."""
    passed, total = (sum(row["components"][part][place] for row in rows) for place in (0, 1))
    return passed / total if total else None


def by_round(rows: Sequence[Row], score: str) -> list[float | None]:
    """The macro-average of a score in each round."""
    rounds = sorted({one["round"] for row in rows for one in row["by_round"]})
    return [
        average(one[score] for row in rows for one in row["by_round"] if one["round"] == number) for number in rounds
    ]


def curve(rows: Sequence[Row], kind: str) -> list[float | None]:
    """The macro-average of F1 at each position."""
    longest = max((len(row["curve"].get(kind, ())) for row in rows), default=0)
    return [
        average(row["curve"][kind][place] for row in rows if place < len(row["curve"].get(kind, ())))
        for place in range(longest)
    ]


def table(head: Sequence[str], body: Iterable[Sequence[Any]]) -> str:
    """A Markdown table; None reads as a dash."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in body]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def maintenance_table(rows: Sequence[Row]) -> str:
    """Completion, relation and components of each solver at each tier, macro over cases."""
    body = []
    for solver in solvers(rows):
        for tier in TIERS:
            found = pick(rows, solver=solver, tier=tier)
            parts = [component_share(found, part) for part in COMPONENTS]
            scores = [average(row[score] for row in found) for score in ("completion", "relation")]
            body.append([solver, tier, *scores, *parts])
    return table(["solver", "tier", "completion", "relation", *COMPONENTS], body)


def deduction_table(rows: Sequence[Row]) -> str:
    """F1 by setting and kind of query, macro over cases; outcome and upkeep apart."""
    body = []
    for solver in solvers(rows):
        for information, mode in dict.fromkeys((row["information"], row["mode"]) for row in rows):
            found = pick(rows, solver=solver, information=information, mode=mode)
            scores = [average(row["f1"].get(kind) for row in found) for kind in KINDS]
            apart = [average(row[key] for row in found) for key in ("fired_f1", "outcome", "upkeep")]
            body.append([solver, f"{information}-{mode}", *scores, *apart])
    return table(["solver", "setting", *KINDS, "rules fired", "outcome", "upkeep"], body)


def case_table(rows: Sequence[Row]) -> str:
    """Each case's size and how far the strongest baseline that knows no rules gets."""
    body = []
    for task in dict.fromkeys(row["task"] for row in rows):
        found = {mode: pick(rows, solver="repeat_last", task=task, mode=mode) for mode in ("m1", "m2")}
        scores = [average(r["f1"].get("segment") for r in found["m1"])]
        scores += [average(r["f1"].get(kind) for r in found["m2"]) for kind in KINDS[1:]]
        body.append([task, *scores])
    return table(["case (repeat_last)", *KINDS], body)
