# SPDX-License-Identifier: GPL-2.0-or-later
"""Do placebos leave the others alone? Each operator's placebo against its control, field by field.

From turn 60 of each world, every operator's placebo is played beside one control. It leaves the others alone for as
long as every exported field of every other civilization, of its cities and of its units equals the control's; the
first turn in which one differs is noted. The holder of a shifted attitude counts as concerned, not as another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import civworld
from benchmarks.validity.study import Job, Row, Study, passed
from civworld import arms
from civworld.state import StateView

CIVS = 6
START = 60
TURNS = 30
RNGS = ("stock", "keyed")
WORLDS = {"keyed": 10, "stock": 4}


def jobs(quick: bool) -> list[Job]:
    """One job per world and generator."""
    turns = 5 if quick else TURNS
    return [
        {"world": world, "rng": rng, "turns": turns}
        for rng in reversed(RNGS)
        for world in range(1, (1 if quick else WORLDS[rng]) + 1)
    ]


def run(job: Job) -> dict[str, Any]:
    """First turn after the edit at which others differ, by operator: None never, "ineligible" where it cannot be."""
    config = civworld.WorldConfig(seed=job["world"], players=CIVS, map_size=2, rng=job["rng"])
    with civworld.World(config) as world:
        start = world.advance(START - 1).checkpoint()
        view = world.state()
    plans: dict[str, arms.Intervention] = {}
    found: dict[str, Any] = {}
    for name, operator in arms.OPERATORS.items():
        eligible = operator.eligible(view)
        if eligible:
            plans[name] = operator.plan(view, eligible[job["world"] % len(eligible)])
        else:
            found[name] = "ineligible"
    found |= first_differences(start, plans, job["turns"])
    return {name: found[name] for name in arms.OPERATORS}


def first_differences(
    start: civworld.Checkpoint, plans: dict[str, arms.Intervention], turns: int
) -> dict[str, int | None]:
    """Play all placebos in step with one control; those that differ stop."""
    worlds = {name: start.fork() for name in plans}
    found: dict[str, int | None] = dict.fromkeys(plans)
    for name, world in worlds.items():
        for edit in plans[name].placebo:
            world.apply(edit)
    with start.fork() as control:
        for turn in range(1, turns + 1):
            base = control.advance().state()
            for name in [n for n in worlds if found[n] is None]:
                plan = plans[name]
                concerned = [p for p in (plan.player, plan.other) if p is not None]
                if not others_equal(base, worlds[name].advance().state(), concerned):
                    found[name] = turn
    for world in worlds.values():
        world.close()
    return found


def others_equal(a: StateView, b: StateView, concerned: list[int]) -> bool:
    """Whether all exported fields of all other civilizations, their cities and units are equal."""
    return all(
        np.array_equal(_others(a, table, owner, concerned), _others(b, table, owner, concerned))
        for table, owner in (("players", "id"), ("cities", "owner"), ("units", "owner"))
    )


def _others(view: StateView, table: str, owner: str, concerned: list[int]) -> Any:
    civs = view.players["id"][~view.players["is_barbarian"]]
    rows = view.table(table)
    return rows[np.isin(rows[owner], civs) & ~np.isin(rows[owner], concerned)]


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Per operator and generator: worlds, and in how many the others stayed as they are."""
    worlds = [
        {"world": job["world"], "rng": job["rng"], "operator": name, "first_difference": turn}
        for job, result in results
        for name, turn in result.items()
        if turn != "ineligible"
    ]
    rows: list[Row] = []
    for name in arms.OPERATORS:
        for rng in RNGS:
            turns = [w["first_difference"] for w in worlds if (w["operator"], w["rng"]) == (name, rng)]
            same = sum(t is None for t in turns)
            share = same / len(turns) if turns else None
            rows.append({"operator": name, "rng": rng, "worlds": len(turns), "unmoved": same, "share": share})
    return {"placebo_worlds": worlds, "placebo": rows}


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Share of worlds in which the placebo moved nobody else, by operator."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row["operator"] for row in found["placebo"]))
    figure, axis = plt.subplots(figsize=(6, 3.4))
    for shift, rng, colour in ((0.2, "stock", "tab:gray"), (-0.2, "keyed", "tab:blue")):
        share = {r["operator"]: r["share"] or 0 for r in found["placebo"] if r["rng"] == rng}
        at = [i + shift for i in range(len(names))]
        axis.barh(at, [share[n] for n in names], 0.38, color=colour, label=rng)
    axis.axvline(0.8, color="black", lw=0.8, ls=":")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.set(xlabel="share of worlds in which no other civilization's field differs", xlim=(0, 1))
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """The median placebo moves nobody else in at least 80 % of worlds."""
    lines = []
    for rng in ("keyed", "stock"):
        shares = [r["share"] for r in found["placebo"] if r["rng"] == rng and r["share"] is not None]
        if not shares:
            continue
        median = float(np.median(shares))
        text = f"{rng}: median over {len(shares)} operators {median:.2f}, lowest {min(shares):.2f}"
        lines.append(passed("the median placebo moves nobody else in 80 % of worlds", median >= 0.8, text))
    return lines[:1] + [line.split(": ", 1)[1] for line in lines[1:]]


STUDY = Study("placebo", jobs, run, tables, plot, verdict)
