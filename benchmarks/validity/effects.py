# SPDX-License-Identifier: GPL-2.0-or-later
"""What does each operator move, and how many rollouts does it take to see it?

Worlds of 4 civilizations on 1,000 tiles, edited at turn 60. Control, real and placebo play under the same seeds, once
with each generator, all from the very same image: `World.reseed(seed, rng)` chooses who draws from there on, so that
the generators are compared on equal worlds. Operator `gold_300` is a gift of 300 gold, its placebo one of 1 gold.

Effects are real minus control of the edited civilization. The variance of an effect is taken in two ways from the same
rollouts: paired (of the differences under equal seeds) and unpaired (of real plus that of control). Their ratio is the
share of rollouts that pairing leaves to be played for one standard error.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from civworld import arms, quantities
from civworld.arms import Intervention
from civworld.edits import AddGold, Edit

CIVS = 4
START = 60
HORIZONS = (10, 20, 30)
RNGS = ("stock", "keyed")
GOLD = "gold_300"
OPERATORS = (GOLD, *arms.OPERATORS)
WORLDS = {GOLD: 16, "all": 4}
PAIRS = {GOLD: 8, "all": 4}
GOLD_TARGETS = ("production", "cities", "score", "treasury", "population")


def jobs(quick: bool) -> list[Job]:
    """One job per world: the gift in each, the other operators in the first few."""
    if quick:
        return [_job(1, [GOLD, "research_grant"], RNGS, seeds=2, horizons=(2, 4))]
    gifts = [_job(world, [GOLD], ("keyed",), PAIRS[GOLD]) for world in range(1, WORLDS[GOLD] + 1)]
    return gifts + [_job(world, list(OPERATORS), RNGS, PAIRS["all"]) for world in range(1, WORLDS["all"] + 1)]


def _job(
    world: int, operators: list[str], rngs: tuple[str, ...], seeds: int, horizons: tuple[int, ...] = HORIZONS
) -> Job:
    told = {"world": world, "operators": operators, "rngs": list(rngs)}
    return told | {"seeds": seeds, "horizons": list(horizons)}


def run(job: Job) -> dict[str, Any]:
    """Operator -> who and what it is about, and its values: generator -> arm -> [seed][horizon][quantity]."""
    config = civworld.WorldConfig(seed=job["world"], players=CIVS, map_size=1)
    with civworld.World(config) as world:
        start = world.advance(START - 1).checkpoint()
        view = world.state()
    plans = {name: plan for name in job["operators"] if (plan := plan_of(view, name)) is not None}
    began, turns = time.process_time(), 0
    found: dict[str, Any] = {
        name: {"player": p.player, "targets": list(p.targets), "values": {rng: {} for rng in job["rngs"]}}
        for name, p in plans.items()
    }
    for rng in job["rngs"]:
        control = [_rollout(start, (), seed, rng, job["horizons"]) for seed in range(1, job["seeds"] + 1)]
        for name, plan in plans.items():
            values = found[name]["values"][rng]
            values["control"] = [_of(rows, plan.player) for rows in control]
            for arm, edits in (("real", plan.real), ("placebo", plan.placebo)):
                if arm == "real" or name == GOLD:
                    rollouts = (_rollout(start, edits, s, rng, job["horizons"]) for s in range(1, job["seeds"] + 1))
                    values[arm] = [_of(rows, plan.player) for rows in rollouts]
                    turns += job["seeds"] * job["horizons"][-1]
        turns += job["seeds"] * job["horizons"][-1]
    return {"operators": found, "seconds_per_turn": (time.process_time() - began) / max(turns, 1)}


def plan_of(view: civworld.StateView, name: str) -> Intervention | None:
    """The plan of an operator for the first civilization it can be used on; None without one."""
    operator = arms.OPERATORS["treasury_grant" if name == GOLD else name]
    eligible = operator.eligible(view)
    if not eligible:
        return None
    player = eligible[0]
    if name != GOLD:
        return operator.plan(view, player)
    return Intervention(GOLD, "usual", player, None, (AddGold(player, 300),), (AddGold(player, 1),), GOLD_TARGETS)


def _rollout(
    start: civworld.Checkpoint, edits: tuple[Edit, ...], seed: int, rng: str, horizons: list[int]
) -> list[npt.NDArray[Any]]:
    with start.fork() as world:
        world.reseed(seed, rng)
        for edit in edits:
            world.apply(edit)
        rows, turn = [], 0
        for horizon in horizons:
            rows.append(quantities.measure(world.advance(horizon - turn).state()))
            turn = horizon
        return rows


def _of(rows: list[npt.NDArray[Any]], player: int) -> list[list[int]]:
    """[horizon][quantity] of one civilization."""
    return [[int(row[name][row["player"] == player][0]) for name in quantities.table()] for row in rows]


# ---- what is made of it ----------------------------------------------------------------------------------


def played(results: list[tuple[Job, Any]]) -> Iterator[tuple[Job, str, str, dict[str, Any], int]]:
    """(job, operator, target, arrays, column) of everything that was played."""
    names = list(quantities.table())
    for job, result in results:
        for operator, found in result["operators"].items():
            for target in found["targets"]:
                yield job, operator, target, found["values"], names.index(target)


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Effects by operator, target, generator and horizon; what pairing leaves of the variance."""
    best: dict[tuple[Any, ...], Row] = {}
    for job, operator, target, values, column in played(results):
        for rng, by_arm in values.items():
            arrays = {arm: np.array(rows, float)[:, :, column] for arm, rows in by_arm.items()}
            for i, horizon in enumerate(job["horizons"]):
                for row in _world_rows(job, operator, target, rng, horizon, {a: v[:, i] for a, v in arrays.items()}):
                    place = tuple(row[k] for k in ("operator", "arm", "target", "rng", "turns", "world"))
                    if place not in best or best[place]["seeds"] < row["seeds"]:
                        best[place] = row
    worlds = list(best.values())
    seconds = [result["seconds_per_turn"] for _, result in results]
    return {"effects_worlds": worlds, "effects": _effects(worlds), "pairing": _pairing(worlds, float(np.mean(seconds)))}


def _world_rows(
    job: Job, operator: str, target: str, rng: str, horizon: int, values: dict[str, npt.NDArray[np.float64]]
) -> list[Row]:
    rows = []
    control = values["control"]
    for arm in ("real", "placebo"):
        if arm in values:
            shift = values[arm] - control
            row = {"operator": operator, "arm": arm, "target": target, "rng": rng, "turns": horizon}
            row |= {"world": job["world"], "seeds": len(shift), "effect": float(shift.mean())}
            row |= {
                "paired": float(shift.var(ddof=1)),
                "unpaired": float(values[arm].var(ddof=1) + control.var(ddof=1)),
            }
            rows.append(row)
    return rows


def _effects(worlds: list[Row]) -> list[Row]:
    """Mean effect over worlds with its interval; the standard error is that of rollouts within worlds."""
    rows = []
    for key in dict.fromkeys((w["operator"], w["arm"], w["target"], w["rng"], w["turns"]) for w in worlds):
        found = [w for w in worlds if (w["operator"], w["arm"], w["target"], w["rng"], w["turns"]) == key]
        mean, low, high = interval([w["effect"] for w in found])
        error = float(np.sqrt(sum(w["paired"] / w["seeds"] for w in found)) / len(found))
        row = dict(zip(("operator", "arm", "target", "rng", "turns"), key, strict=True))
        row |= {"worlds": len(found), "seeds": found[0]["seeds"], "effect": mean, "low": low, "high": high}
        rows.append(row | {"standard_error": error, "moves": low > 0 or high < 0})
    return rows


def _pairing(worlds: list[Row], seconds: float) -> list[Row]:
    """Share of rollouts that pairs need against unpaired ones, by operator: variances summed over targets in units of
    their unpaired variance, over the worlds in which the target varies."""
    rows = []
    real = [w for w in worlds if w["arm"] == "real" and w["unpaired"] > 0]
    for operator, turns in dict.fromkeys((w["operator"], w["turns"]) for w in real):
        row: Row = {"operator": operator, "turns": turns}
        for rng in RNGS:
            ratios = [
                w["paired"] / w["unpaired"]
                for w in real
                if (w["operator"], w["turns"], w["rng"]) == (operator, turns, rng)
            ]
            row[rng] = float(np.mean(ratios)) if ratios else None
            row[f"{rng}_cells"] = len(ratios)
            row[f"{rng}_rollouts_of_100"] = None if not ratios else float(100 * np.mean(ratios))
        rows.append(row | {"core_seconds_of_a_rollout": seconds * turns})
    return rows


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Share of rollouts that pairs need, by operator and turns."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = found["pairing"]
    names = list(dict.fromkeys(row["operator"] for row in rows))
    turns = sorted({row["turns"] for row in rows})
    figure, axes = plt.subplots(1, len(turns), figsize=(3.6 * len(turns), 0.3 * len(names) + 1), sharey=True)
    for axis, horizon in zip(np.atleast_1d(axes), turns, strict=True):
        for shift, rng, colour in ((0.2, "stock", "tab:gray"), (-0.2, "keyed", "tab:blue")):
            share = {row["operator"]: row[rng] or 0 for row in rows if row["turns"] == horizon}
            axis.barh([i + shift for i in range(len(names))], [share.get(n, 0) for n in names], 0.38, color=colour,
                      label=rng)  # fmt: skip
        axis.axvline(1, color="black", lw=0.8, ls=":")
        axis.set(title=f"{horizon} turns", xlabel="variance, paired / unpaired")
        axis.set_yticks(range(len(names)), names, fontsize=8)
    np.atleast_1d(axes)[0].invert_yaxis()
    np.atleast_1d(axes)[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """The gift moves something and its placebo nothing; keyed pairs need a third of the rollouts at most."""
    last = max(row["turns"] for row in found["effects"])
    lines = []
    for arm, wanted in (("real", True), ("placebo", False)):
        rows = [
            r for r in found["effects"]
            if (r["operator"], r["arm"], r["rng"], r["turns"]) == (GOLD, arm, "keyed", last)
            and r["target"] in ("production", "cities", "score")
        ]  # fmt: skip
        moved = [f"{r['target']} {r['effect']:+.2f} ({r['low']:+.2f} to {r['high']:+.2f})" for r in rows]
        claim = f"{GOLD}: the {arm} edit moves {'something' if wanted else 'nothing'} after {last} turns"
        lines.append(passed(claim, any(r["moves"] for r in rows) == wanted, ", ".join(moved)))
    for turns in sorted({row["turns"] for row in found["pairing"]}):
        at = [r for r in found["pairing"] if r["turns"] == turns]
        shares = {rng: float(np.median([r[rng] for r in at if r[rng] is not None]))
                  for rng in RNGS}  # fmt: skip
        text = f"median over operators: keyed {shares['keyed']:.2f}, stock {shares['stock']:.2f}"
        lines.append(
            passed(f"keyed pairs need a third of the rollouts at {turns} turns", shares["keyed"] <= 1 / 3, text)
        )
    return lines


STUDY = Study("effects", jobs, run, tables, plot, verdict)
