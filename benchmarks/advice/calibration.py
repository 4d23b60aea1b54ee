# SPDX-License-Identifier: GPL-2.0-or-later
"""Is the chance of leading calibrated? Eight seeds forecast, a ninth that none of them saw is the outcome.

200 positions: 25 worlds of 3 civilizations on 1,000 tiles, 8 turns of each, 12 turns ahead. The expected calibration
error is over bins of equal width. Even a perfect forecaster's is not 0 with 200 outcomes: its noise is simulated twice,
with outcomes drawn from the forecasts, and with the outcome being any one of the nine rollouts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import civworld
from benchmarks.validity.study import Job, Row, Study, passed
from civworld.advice.rollouts import Rollout, play

SEEDS, TURNS, BINS = 8, 12, 10
POSITIONS = tuple(range(17, 49, 4))


def jobs(quick: bool) -> list[Job]:
    """One job per world."""
    positions = POSITIONS[:2] if quick else POSITIONS
    return [{"world": 900 + world, "positions": list(positions)} for world in range(2 if quick else 25)]


def run(job: Job) -> list[dict[str, Any]]:
    """Lead and share at the end of each rollout of each position; the last rollout is the outcome."""
    found = []
    with civworld.World(civworld.WorldConfig(seed=job["world"], players=3, map_size=1)) as world:
        for number, turn in enumerate(job["positions"]):
            world.advance(turn - world.turn)
            player = (job["world"] + number) % 3
            if not world.state().player(player)["is_alive"]:
                continue
            ends = play(world.checkpoint(), [Rollout(player, seed, TURNS) for seed in range(1, SEEDS + 2)])
            found.append({"turn": turn, "player": player, "lead": ends[:, 1].tolist(), "share": ends[:, 0].tolist()})
    return found


def calibration_error(forecasts: npt.NDArray[np.float64], outcomes: npt.NDArray[np.float64]) -> float:
    """Expected calibration error of forecasts and outcomes of shape (n,): |mean difference| of each bin, weighted."""
    bins = np.minimum((forecasts * BINS).astype(int), BINS - 1)
    sums = np.bincount(bins, outcomes - forecasts, BINS)
    return float(np.abs(sums).sum() / len(forecasts))


def tables(done: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """The bins of the reliability diagram, and the errors with their noise."""
    positions = [p for _, found in done for p in found]
    leads = np.array([p["lead"] for p in positions])
    shares = np.array([p["share"] for p in positions])
    forecasts, outcomes = leads[:, :SEEDS].mean(1), leads[:, SEEDS]
    draw = np.random.default_rng(0)
    perfect = [calibration_error(forecasts, draw.random(len(forecasts)) < forecasts) for _ in range(2000)]
    swapped = [_swapped(leads, draw) for _ in range(2000)]
    error = shares[:, :SEEDS].std(1, ddof=1) * np.sqrt(1 + 1 / SEEDS)
    inside = np.abs(shares[:, SEEDS] - shares[:, :SEEDS].mean(1)) <= 1.895 * error  # t, 7 degrees, 90 %
    summary = {
        "positions": len(positions),
        "ece": calibration_error(forecasts, outcomes),
        "noise_mean": float(np.mean(perfect)),
        "noise_95": float(np.quantile(perfect, 0.95)),
        "exchange_mean": float(np.mean(swapped)),
        "exchange_95": float(np.quantile(swapped, 0.95)),
        "brier": float(np.mean((forecasts - outcomes) ** 2)),
        "share_inside_90": float(inside.mean()),
        "build": civworld.build_info().build_id,
    }
    bins = np.minimum((forecasts * BINS).astype(int), BINS - 1)
    rows = [
        {"bin": b, "n": int(m.sum()), "forecast": float(forecasts[m].mean()), "outcome": float(outcomes[m].mean())}
        for b in range(BINS)
        if (m := bins == b).any()
    ]
    return {"calibration": rows, "calibration_summary": [summary]}


def _swapped(leads: npt.NDArray[np.float64], draw: np.random.Generator) -> float:
    held = np.arange(len(leads)), draw.integers(0, leads.shape[1], len(leads))
    outcomes = leads[held]
    return calibration_error((leads.sum(1) - outcomes) / (leads.shape[1] - 1), outcomes)


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """The reliability diagram; areas of the dots are numbers of positions."""
    from matplotlib import pyplot as plt

    rows, summary = found["calibration"], found["calibration_summary"][0]
    figure, axes = plt.subplots(figsize=(4.6, 4.4), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.7", lw=1)
    axes.scatter([r["forecast"] for r in rows], [r["outcome"] for r in rows], s=[4 * r["n"] for r in rows], alpha=0.7)
    axes.set(xlabel="forecast chance of leading", ylabel="led in the held-out rollout", xlim=(-0.05, 1.05))
    axes.set_title(f"{summary['positions']} positions, ECE {summary['ece']:.3f}; build {summary['build'][:12]}", size=9)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """Is the error below 0.05 or within its noise?"""
    s = found["calibration_summary"][0]
    holds = s["ece"] < 0.05 or s["ece"] <= s["noise_95"]
    noise = f"noise {s['noise_mean']:.3f}, 95 % below {s['noise_95']:.3f}; exchanged {s['exchange_95']:.3f}"
    return [passed("expected calibration error below 0.05 or its noise", holds, f"{s['ece']:.3f}; {noise}")]


STUDY = Study("calibration", jobs, run, tables, plot, verdict)
