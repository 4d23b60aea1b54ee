# SPDX-License-Identifier: GPL-2.0-or-later
"""What does a gift of gold change? Plays a world with and without it, under paired luck, and draws the difference."""

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

import civworld
from civworld import arms, report
from civworld.civworldbench.answering import live
from civworld.pool import Pool

SHOWN = ("treasury", "production", "population", "score")


def main() -> None:
    o = options()
    world = civworld.World(civworld.WorldConfig(seed=o.seed, players=5, map_size=2, ruleset="civ2civ3"))
    frames = []
    for turn in tqdm(range(1, o.branch_turn), desc="mainline"):
        if turn in (o.branch_turn - 40, o.branch_turn - 20):
            frames.append(world.state())
        world.advance()
    start, frames = world.checkpoint(), [*frames, world.state()]
    print(report.standings(frames[-1]), "\n")

    with Pool() as pool:
        trial = arms.run(start, "treasury_grant", o.turns, o.seeds, player=o.player, placebos=True, pool=pool)
    equal = sum(a == b for a, b in zip(trial.recheck.digests, trial.control.digests, strict=True))
    print(f"recheck equals control at {equal} of {o.turns + 1} turns")
    ends = {}
    for arm, edits in (("control", ()), ("real", trial.plan.real), ("placebo", trial.plan.placebo)):
        with start.fork() as fork:
            for edit in edits:
                fork.apply(edit)
            ends[arm] = fork.advance(o.turns).state()
    print(report.effect_table(ends["control"], {name: ends[name] for name in ("real", "placebo")}), "\n")
    print(f"expected after {o.turns} turns, with the half-width of the 95 % band over {o.seeds} pairs of futures:")
    for arm in ("real", "placebo"):
        bands = ((q, *arms.band(trial, q, o.player, arm)) for q in SHOWN)
        told = (f"{q} {mean[-1]:+.1f}" + ("" if half is None else f" +- {half[-1]:.1f}") for q, mean, half in bands)
        print(f"{arm:8}", ", ".join(told))
    skill(frames, ends["control"], o.turns)

    o.out.mkdir(exist_ok=True)
    amount = trial.plan.real[0].to_dict()["amount"]
    title = f"What {amount} gold do, and what 1 gold does: {o.seeds} pairs of futures"
    arms.plot(trial, SHOWN, title=title).savefig(o.out / "intervention.png", dpi=110)
    changed = report.changed_tiles(ends["control"], ends["real"])
    report.save_map(o.out / "map.png", ends["real"], known=1 + changed.astype(int))
    print(f"{changed.sum()} of {len(changed)} tiles differ from the control: they are bright in {o.out / 'map.png'}")
    print(f"wrote {o.out / 'intervention.png'}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--branch-turn", type=int, default=61)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--player", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args()


def skill(frames: list[civworld.StateView], future: civworld.StateView, horizon: int) -> None:
    """How two simple forecasts of the control fare."""
    scales = live.scales_of(frames)
    cells = {f: live.score(f(frames, horizon), frames[-1], future, scales)
             for f in (live.trend, live.persistence)}  # fmt: skip
    losses = ", ".join(f"{f.__name__} loss {np.mean(c.loss):.3f}" for f, c in cells.items())
    better = live.skill(cells[live.persistence], cells[live.trend])
    print(f"{horizon} turns ahead: {losses}; persistence has skill {better:+.3f} over trend")


if __name__ == "__main__":
    main()
