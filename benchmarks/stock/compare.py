# SPDX-License-Identifier: GPL-2.0-or-later
"""Proves that `rng="stock"` plays as the unpatched server does: every field of 120 turns, 3 seeds, 2 rulesets.

Prints one line per world and exits 1 if any field differs. With --write the stock figures become the golden
file that `make test` checks without a stock server.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import civworld
from benchmarks.stock import server
from civworld._engine import engine

GOLDEN = server.ROOT / "tests" / "golden" / "stock_scores.npz"
TURNS = 121
CONFIGS = [
    civworld.WorldConfig(
        seed=seed, players=6, ruleset=ruleset, map_size=4, rng="stock", patches=(), fatal_assertions=False
    )
    for ruleset in ("civ2civ3", "classic")
    for seed in (41, 6, 10)
]


Scores = dict[tuple[int, int, int], int]


def embedded(config: civworld.WorldConfig, turns: int) -> tuple[Scores, set[int]]:
    """(turn, player, tag) -> value as the embedded engine records it, and the players the stock log passes over.

    The engine hands over every player; its log file leaves out barbarians, and the dead once they are dead.
    """
    engine().score_log(True)
    try:
        with civworld.World(config) as world:
            world.advance(turns - 1)
            players = world.state().players
        _, rows = engine().read_score_log()
    finally:
        engine().score_log(False)
    passed_over = set(players["id"][players["is_barbarian"] | ~players["is_alive"]].tolist())
    return {(t, p, k): v for t, p, k, v in rows.tolist()}, passed_over


def differing(stock: Scores, mine: Scores, passed_over: set[int]) -> list[tuple[int, int, int]]:
    """Fields that differ: every field of the stock log, and any of ours that the stock log should have too."""
    wrong = [k for k in stock if mine.get(k) != stock[k]]
    return sorted(wrong + [k for k in mine.keys() - stock.keys() if k[1] not in passed_over])


def stock_rows(config: civworld.WorldConfig) -> npt.NDArray[np.int32]:
    """Rows (turn, player, tag, value) of the stock server's score log; played once and kept in the cache."""
    kept = server.server() / "scores" / f"{config.ruleset}-{config.seed}-{TURNS}.npy"
    if not kept.exists():
        scores = {k: v for k, v in server.play(config, TURNS).scores.items() if k[0] <= TURNS}
        kept.parent.mkdir(exist_ok=True)
        np.save(kept, np.array([[*k, v] for k, v in sorted(scores.items())], np.int32))
    rows: npt.NDArray[np.int32] = np.load(kept)
    return rows


def main() -> int:
    """Compare every config; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the stock figures as the golden file")
    arguments = parser.parse_args()
    arrays, failures = {}, 0
    for config in CONFIGS:
        rows = stock_rows(config)
        arrays[f"{config.ruleset}-{config.seed}"] = rows
        if arguments.write:
            continue
        stock = {(t, p, k): v for t, p, k, v in rows.tolist()}
        wrong = differing(stock, *embedded(config, TURNS))
        failures += bool(wrong)
        where = f"first at {wrong[0]}" if wrong else ""
        print(
            f"{config.ruleset:10} seed {config.seed:3}: {len(stock)} fields, {len(wrong)} differ {where}",
            flush=True,
        )
    if arguments.write:
        np.savez_compressed(GOLDEN, **arrays)
        print(f"wrote {GOLDEN} ({GOLDEN.stat().st_size} bytes)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
