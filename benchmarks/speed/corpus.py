# SPDX-License-Identifier: GPL-2.0-or-later
"""What building corpora costs: the tiny suite whole, and from it and sampled worlds the 475 of the full corpus.

    python benchmarks/speed/corpus.py [--out out/tiny-corpus] [--worlds 6] [--played out/mainlines.jsonl] [--no-tiny]

The tiny suite is built as `civworld corpus build` does it, on all cores. For the full corpus, the mainline of one world
of each suite, map class and ruleset is played and timed turn by turn; every job of every world is then taken to cost
what those turns cost in its likes. Processor time throughout. Mainlines that were timed are kept: it goes on where it
was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import civworld
from civworld import corpus, quantities
from civworld.corpus import jobs

# core-hours that the paper reports for its corpus
PAPER = 5_000
Stratum = tuple[str, str, str]
"""Suite, map class, ruleset."""


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


def full(kept: Path) -> dict[str, Any]:
    """The 475 worlds, from a mainline of each suite, map class and ruleset; what was played is kept as lines."""
    suites = [corpus.suite(name) for name in ("basic", "generalization")]
    strata: dict[Stratum, list[corpus.WorldSpec]] = {}
    for suite in suites:
        for spec in suite.worlds:
            strata.setdefault((suite.name, spec.map_class, spec.config.ruleset), []).append(spec)
    curves = _curves(kept, strata)
    found: dict[str, Any] = {}
    for suite in suites:
        hours = {}
        for all_operators in (False, True):
            wanted = replace(suite, one_operator=not all_operators)
            hours[all_operators] = sum(
                _hours(wanted, spec, curves[suite.name, spec.map_class, spec.config.ruleset]) for spec in suite.worlds
            )
        found |= {f"{suite.name}_core_hours": hours[False], f"{suite.name}_core_hours_all_operators": hours[True]}
    for (suite_name, size, ruleset), worlds in sorted(strata.items()):
        curve = curves[suite_name, size, ruleset]
        found[f"{suite_name}_{size}_{ruleset}"] = {
            "worlds": len(worlds), "mainline": sum(curve), "turns": len(curve) - 2,
            "last_20_turns": statistics.fmean(curve[-20:]),
        }  # fmt: skip
    total = sum(found[f"{suite.name}_core_hours"] for suite in suites)
    every = sum(found[f"{suite.name}_core_hours_all_operators"] for suite in suites)
    return {**found, "full_core_hours": total, "full_core_hours_all_operators": every, "paper_core_hours": PAPER}


def _curves(kept: Path, strata: Mapping[Stratum, Sequence[corpus.WorldSpec]]) -> dict[Stratum, list[float]]:
    """Seconds of each turn of a stratum's first world; small worlds first."""
    build = civworld.build_info().build_id
    lines = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    curves = {tuple(line["stratum"]): line["seconds"] for line in lines if line["build"] == build}
    for stratum in sorted(strata, key=lambda s: (("small", "medium", "large").index(s[1]), s[0], s[2])):
        if stratum not in curves:
            curves[stratum] = seconds_per_turn(strata[stratum][0])
            with kept.open("a") as file:
                print(json.dumps({"build": build, "stratum": stratum, "seconds": curves[stratum]}), file=file)
            print(f"{' '.join(stratum):44} {sum(curves[stratum]):,.1f}", flush=True)
    return curves


def _hours(suite: corpus.Suite, spec: corpus.WorldSpec, curve: list[float]) -> float:
    """What a world's jobs cost when each takes as long as its share of a mainline; longer ones cost the last turns."""
    cost = np.cumsum(curve)
    late = statistics.fmean(curve[-20:])
    mainline, after = jobs.plan(suite, spec)

    def until(turn: int) -> float:
        return float(cost[turn]) if turn < len(cost) else float(cost[-1]) + (turn - len(cost) + 1) * late

    return sum(j.branches * (until(j.turn + j.turns) - until(j.turn)) for j in (mainline, *after)) / 3600


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/tiny-corpus"), help="a folder that is not there yet")
    parser.add_argument("--worlds", type=int, default=6, help="how many worlds of the tiny suite")
    parser.add_argument("--played", type=Path, default=Path("out/mainlines.jsonl"), help="mainlines that were timed")
    parser.add_argument("--no-tiny", action="store_true", help="leave the tiny suite out")
    parser.add_argument("--json", type=Path, default=Path("out/corpus.json"))
    o = parser.parse_args()
    found: dict[str, Any] = {"build": civworld.build_info().build_id, "cores": len(os.sched_getaffinity(0))}
    o.played.parent.mkdir(parents=True, exist_ok=True)
    for part in (lambda: {} if o.no_tiny else build(o.out, slice(o.worlds)), lambda: full(o.played)):
        for name, value in part().items():
            found[name] = value
            print(f"{name:44} {value:,.3f}" if isinstance(value, float) else f"{name:44} {value}", flush=True)
    o.json.parent.mkdir(parents=True, exist_ok=True)
    o.json.write_text(json.dumps(found, indent=1) + "\n")
    print(f"wrote {o.json}")


if __name__ == "__main__":
    main()
