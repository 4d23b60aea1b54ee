# SPDX-License-Identifier: GPL-2.0-or-later
"""What do 300 gold change? Forks a world into control, recheck, gift and placebo, and plays each 30 turns."""

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

import civworld
from civworld import quantities, report
from civworld.civworldbench.answering import live
from civworld.edits import AddGold

SHOWN = ("score", "treasury", "production", "population", "territory", "techs", "culture", "military_units")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--branch-turn", type=int, default=61)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--player", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out"))
    o = parser.parse_args()

    world = civworld.World(civworld.WorldConfig(seed=o.seed, players=6, ruleset="civ2civ3"))
    frames = []
    for turn in tqdm(range(1, o.branch_turn), desc="mainline"):
        if turn in (o.branch_turn - 40, o.branch_turn - 20):
            frames.append(world.state())
        world.advance()
    frames.append(world.state())
    start = world.checkpoint()
    print(report.standings(frames[-1]), "\n")

    gifts = {"control": None, "recheck": None, "gift": AddGold(o.player, 300), "placebo": AddGold(o.player, 1)}
    arms = {name: start.fork() for name in gifts}
    views: dict[str, list[civworld.StateView]] = {name: [] for name in gifts}
    for name, edit in gifts.items():
        if edit:
            arms[name].apply(edit)
    equal = 0
    for step in tqdm(range(o.turns + 1), desc="arms"):
        for name, arm in arms.items():
            views[name].append(arm.advance(min(step, 1)).state())
        equal += arms["recheck"].digest() == arms["control"].digest()
    print(f"recheck equals control at {equal} of {o.turns + 1} turns")
    last = {name: seen[-1] for name, seen in views.items()}
    print(report.effect_table(last["control"], {n: last[n] for n in ("recheck", "gift", "placebo")}), "\n")

    scales = live.scales_of(frames)
    for horizon in (10, 20):
        future = views["control"][min(horizon, o.turns)]
        cells = {f: live.score(f(frames, horizon), frames[-1], future, scales)
                 for f in (live.trend, live.persistence)}  # fmt: skip
        skill = live.skill(cells[live.persistence], cells[live.trend])
        losses = ", ".join(f"{f.__name__} loss {np.mean(c.loss):.3f}" for f, c in cells.items())
        print(f"{horizon} turns ahead: {losses}; persistence has skill {skill:+.3f} over trend")

    o.out.mkdir(exist_ok=True)
    row = int(np.flatnonzero(quantities.civ_ids(frames[-1]) == o.player)[0])
    series = {n: {q: np.array([quantities.get(q)(v)[row] for v in seen]) for q in SHOWN} for n, seen in views.items()}
    turns = [v.turn for v in views["control"]]
    report.plot_arms(o.out / "intervention.png", turns, series, last["control"], f"300 gold to civilization {o.player}")
    report.save_map(o.out / "map.png", last["control"])
    print(f"wrote {o.out / 'intervention.png'} and {o.out / 'map.png'}")


if __name__ == "__main__":
    main()
