# SPDX-License-Identifier: GPL-2.0-or-later
"""What is an adviser that forks worth, by its budget?

In each of 8 worlds (3 civilizations, 1,000 tiles, turn 31, 20 turns ahead) ten plans are played under 5 seeds of trial
in the true world, the same with what player 0 cannot know redrawn, and under 5 held-out seeds of the true world. A
budget buys so many plans under so many seeds (`adviser.spread`); the plan that does best there is measured on the
held-out seeds. The gain of a budget is the mean over 400 drawings of which plans and which seeds it buys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from civworld.advice.adviser import spread
from civworld.advice.policies import candidates
from civworld.advice.rollouts import KNOWLEDGE, Rollout, play

PLANS, SEEDS, TURN, TURNS = 10, 5, 31, 20
BUDGETS = (1, 2, 4, 8, 16, 32, 50)
DRAWINGS = 400


def jobs(quick: bool) -> list[Job]:
    """One job per world and set of seeds."""
    kinds = [(KNOWLEDGE[0], 1), (KNOWLEDGE[0], 101), (KNOWLEDGE[1], 1)]
    worlds = range(2 if quick else 8)
    return [{"world": 820 + world, "knowledge": k, "first": s} for world in worlds for k, s in kinds]


def run(job: Job) -> list[list[float]]:
    """Scores of player 0 after each plan (rows) under each seed (columns)."""
    with civworld.World(civworld.WorldConfig(seed=job["world"], players=3, map_size=1)) as world:
        start = world.advance(TURN - 1).checkpoint()
        plans = candidates(world.view(0), PLANS, TURNS, job["world"])
    seeds = range(job["first"], job["first"] + SEEDS)
    rollouts = [Rollout(0, seed, TURNS, plan, job["knowledge"]) for plan in plans for seed in seeds]
    scores: list[list[float]] = play(start, rollouts)[:, 2].reshape(PLANS, SEEDS).tolist()
    return scores


def chosen(trial: npt.NDArray[np.float64], held: npt.NDArray[np.float64], budget: int) -> float:
    """Mean held-out gain of what a budget chooses from scores of shape (plans, seeds), over drawings."""
    draw, (n, m) = np.random.default_rng(budget), spread(budget)
    gains = held.mean(1) - held[0].mean()
    total = 0.0
    for _ in range(DRAWINGS):
        plans = np.concatenate(([0], 1 + draw.permutation(len(trial) - 1)[: n - 1]))
        seeds = draw.permutation(trial.shape[1])[:m]
        total += gains[plans[trial[np.ix_(plans, seeds)].mean(1).argmax()]]
    return float(total / DRAWINGS)


def tables(done: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Gain by knowledge and budget: mean over worlds with its 95 % bootstrap interval, and each world's own."""
    scores = {(j["world"], j["knowledge"], j["first"]): np.array(found) for j, found in done}
    complete = sorted({w for w, _, _ in scores if sum(key[0] == w for key in scores) == 3})
    rows, worlds = [], []
    for knowledge in KNOWLEDGE:
        for budget in BUDGETS:
            gains = [chosen(scores[w, knowledge, 1], scores[w, KNOWLEDGE[0], 101], budget) for w in complete]
            mean, low, high = interval(gains)
            rows.append(
                {"knowledge": knowledge, "budget": budget, "worlds": len(complete), "gain": mean, "low": low,
                 "high": high, "build": civworld.build_info().build_id}
            )  # fmt: skip
            worlds += [
                {"knowledge": knowledge, "budget": budget, "world": w, "gain": g}
                for w, g in zip(complete, gains, strict=True)
            ]
    return {"forking": rows, "forking_worlds": worlds}


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Gain by budget with bands."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
    for knowledge in KNOWLEDGE:
        rows = [r for r in found["forking"] if r["knowledge"] == knowledge]
        budgets = [r["budget"] for r in rows]
        axes.plot(budgets, [r["gain"] for r in rows], marker="o", ms=3, label=knowledge)
        axes.fill_between(budgets, [r["low"] for r in rows], [r["high"] for r in rows], alpha=0.2)
    axes.axhline(0, color="0.7", lw=1)
    axes.set_xscale("log", base=2)
    axes.set(xlabel="rollouts spent", ylabel="score gained over keep-course")
    row = found["forking"][0]
    axes.set_title(f"{row['worlds']} worlds, held-out seeds; build {row['build'][:12]}", size=9)
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """Does the gain rise with the budget, and does the largest beat keep-course?"""
    told = []
    for knowledge in KNOWLEDGE:
        rows = [r for r in found["forking"] if r["knowledge"] == knowledge]
        last = rows[-1]
        gains = [r["gain"] for r in rows]
        figures = ", ".join(f"{g:.2f}" for g in gains)
        told.append(passed(f"{knowledge}: the gain rises with the budget", sorted(gains) == gains, figures))
        band = f"{last['gain']:.2f}, {last['low']:.2f} to {last['high']:.2f}"
        told.append(passed(f"{knowledge}: plans beat keep-course", last["low"] > 0, band))
    return told


STUDY = Study("forking", jobs, run, tables, plot, verdict)
