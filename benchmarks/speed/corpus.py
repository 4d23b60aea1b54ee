# SPDX-License-Identifier: GPL-2.0-or-later
"""What building corpora costs: the tiny suite whole, and from it and sampled worlds the 475 of the full corpus.

    python benchmarks/speed/corpus.py [--out out/tiny-corpus] [--worlds 6] [--sample 1] [--json out/corpus.json]

The tiny suite is built as `civworld corpus build` does it, on all cores. For the full corpus, the mainlines of a few
`basic` worlds of each map class are played and timed turn by turn; every job of every world of `basic` and
`generalization` is then taken to cost what those turns cost in that map class. Processor time throughout.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import civworld
from civworld import corpus, quantities
from civworld.corpus import jobs

# core-hours that the paper reports for its corpus
PAPER = 5_000


def build(out: Path, worlds: slice) -> dict[str, Any]:
    """The tiny suite, from nothing."""
    suite = corpus.suite("tiny")
    with corpus.LocalRunner() as runner:
        report = corpus.build(suite, out, worlds=worlds, runner=runner)
    if report.failures or not report.made:
        raise SystemExit(f"{out}: {len(report.made)} worlds made, failures: {report.failures}")
    cores, turns = sum(report.core_seconds.values()), sum(report.turns.values())
    tables = sum(told["bytes"] for told in corpus.open(out).files.values())
    images = sum(p.stat().st_size for p in (out / "images").rglob("*") if p.is_file())
    # the estimates made when a quarter, a half and three quarters of the time had gone, over the truth
    honest = {}
    for share in (0.25, 0.5, 0.75):
        elapsed, left = min(report.estimates, key=lambda e: abs(e[0] - share * report.seconds))
        honest[f"left_estimated_over_true_at_{round(100 * share)}_percent"] = left / (report.seconds - elapsed)
    return {
        "tiny_worlds": len(report.made),
        "tiny_seconds": report.seconds,
        "tiny_core_seconds": cores,
        "tiny_world_turns": turns,
        "tiny_core_seconds_per_world_turn": cores / turns,
        "tiny_table_bytes": tables,
        "tiny_image_bytes": images,
        "worker_peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        **honest,
    }


def seconds_per_turn(spec: corpus.WorldSpec) -> list[float]:
    """Processor time of each turn of a mainline with what a job takes down of it; entry t is turn t's."""
    taken = [0.0, 0.0]
    with civworld.World(spec.config) as world:
        while world.turn < spec.last_turn:
            start = time.process_time()
            quantities.measure(world.advance().state())
            world.digest()
            taken.append(time.process_time() - start)
    return taken


def full(sample: int) -> dict[str, Any]:
    """The 475 worlds, from a few mainlines of each map class."""
    basic = corpus.suite("basic")
    found: dict[str, Any] = {}
    curves = {}
    for size in ("small", "medium", "large"):
        chosen = [w for w in basic.worlds if w.map_class == size][:sample]
        played = [seconds_per_turn(w) for w in chosen]
        curves[size] = [statistics.fmean(values) for values in zip(*played, strict=True)]
        found[f"{size}_mainline_core_seconds"] = sum(curves[size])
        found[f"{size}_last_turns_core_seconds_per_turn"] = statistics.fmean(curves[size][-20:])
    total, turns = 0.0, 0
    for suite in (basic, corpus.suite("generalization")):
        for spec in suite.worlds:
            cost = np.cumsum(curves[spec.map_class])
            mainline, after = jobs.plan(suite, spec)
            for job in (mainline, *after):
                last = min(job.turn + job.turns, len(cost) - 1)
                total += job.branches * float(cost[last] - cost[job.turn])
                turns += job.branches * (last - job.turn)
    return {**found, "full_world_turns": turns, "full_core_hours": total / 3600, "paper_core_hours": PAPER}


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/tiny-corpus"), help="a folder that is not there yet")
    parser.add_argument("--worlds", type=int, default=6, help="how many worlds of the tiny suite")
    parser.add_argument("--sample", type=int, default=1, help="worlds of each map class to time")
    parser.add_argument("--json", type=Path, default=Path("out/corpus.json"))
    o = parser.parse_args()
    found: dict[str, Any] = {"build": civworld.build_info().build_id, "cores": len(os.sched_getaffinity(0))}
    for part in (lambda: build(o.out, slice(o.worlds)), lambda: full(o.sample)):
        for name, value in part().items():
            found[name] = value
            print(f"{name:44} {value:,.3f}" if isinstance(value, float) else f"{name:44} {value:,}", flush=True)
    o.json.parent.mkdir(parents=True, exist_ok=True)
    o.json.write_text(json.dumps(found, indent=1) + "\n")
    print(f"wrote {o.json}")


if __name__ == "__main__":
    main()
