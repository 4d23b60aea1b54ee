# SPDX-License-Identifier: GPL-2.0-or-later
"""What does each operator move, how well can it be foreseen, and how many rollouts does it take to see it?

Worlds of 5 civilizations on 2,000 tiles, edited at turn 60. Control, real and placebo play under the same seeds, once
with each generator, all from the very same image: `World.reseed(seed, rng)` chooses who draws from there on, so that
the generators are compared on equal worlds. `gold_300` is a gift of 300 gold, its placebo one of 1 gold; it stands for
the operator `treasury_grant`, which gives 300 gold or doubles a treasury that is larger.

A job is one arm of one world under a few seeds; `effect_tables` makes one table from all of them. Jobs come in the
order in which they are worth most: the gift in many worlds, every operator in a few, more seeds of some, longer ones.
"""

from __future__ import annotations

import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import civworld
from benchmarks.validity import effect_pictures, effect_tables
from benchmarks.validity.study import Job, Row, Study, passed
from civworld import arms, quantities
from civworld.arms import Intervention
from civworld.edits import AddGold, Edit

CIVS = 5
START = 60
HORIZONS = (10, 20, 30)
FAR = (60,)
RNGS = ("stock", "keyed")
CONTROL = "control"
GOLD = "gold_300"
PLACEBO = f"{GOLD}/placebo"
OPERATORS = (GOLD, *(name for name in arms.OPERATORS if name != "treasury_grant"))
SEEDS = 8
"""Rollouts of a job."""
GIFT_WORLDS = 16
WORLDS = 3
DEEP_WORLDS = 2
DEEP = (GOLD, "research_grant", "city_growth", "city_transfer")
"""Operators that are played under `DEEP_SEEDS` seeds, to see what more rollouts give."""
DEEP_SEEDS = 32
GOLD_TARGETS = ("production", "cities", "score", "treasury", "population")
SPREADING = ("production", "cities", "score")
"""What a gift is to become."""


def jobs(quick: bool) -> list[Job]:
    """One job per world, generator, arm and stretch of seeds; what several parts need is played once."""
    if quick:
        return [_job(1, rng, arm, (1, 2), (2, 4)) for rng in RNGS for arm in (CONTROL, GOLD, PLACEBO, "city_growth")]
    few, first, fewer = range(1, WORLDS + 1), (1, SEEDS), range(1, DEEP_WORLDS + 1)
    gifts = [_job(w, "keyed", a, first) for w in range(1, GIFT_WORLDS + 1) for a in (CONTROL, GOLD, PLACEBO)]
    every = [_job(w, rng, a, first) for w in few for rng in RNGS for a in (CONTROL, *OPERATORS)]
    later = [(s, s + SEEDS - 1) for s in range(SEEDS + 1, DEEP_SEEDS, SEEDS)]
    deep = [_job(w, rng, a, seeds) for seeds in later for w in fewer for rng in RNGS for a in (CONTROL, *DEEP)]
    far = [_job(w, rng, a, first, FAR) for w in fewer for rng in RNGS for a in (CONTROL, *DEEP)]
    found = [*gifts, *every, *deep, *far]
    return [job for i, job in enumerate(found) if job not in found[:i]]


def _job(world: int, rng: str, arm: str, seeds: tuple[int, int], horizons: tuple[int, ...] = HORIZONS) -> Job:
    return {"world": world, "rng": rng, "arm": arm, "seeds": list(seeds), "horizons": list(horizons)}


def run(job: Job) -> dict[str, Any]:
    """Who the arm is about (None: it cannot be used), and values as [seed][horizon][civilization][quantity]."""
    start = start_of(job["world"], START)
    with start.fork() as world:
        plan = None if job["arm"] == CONTROL else plan_of(world.state(), job["arm"].partition("/")[0])
    found: dict[str, Any] = {"player": None, "targets": [], "values": [], "seconds_per_turn": 0.0}
    if job["arm"] != CONTROL:
        if plan is None:
            return found
        found |= {"player": plan.player, "targets": list(plan.targets)}
    edits = () if plan is None else plan.placebo if job["arm"].endswith("/placebo") else plan.real
    began, first, last = time.process_time(), *job["seeds"]
    found["values"] = [rollout(start, edits, seed, job["rng"], job["horizons"]) for seed in range(first, last + 1)]
    spent = time.process_time() - began
    return found | {"seconds_per_turn": spent / (job["horizons"][-1] * (last - first + 1))}


@lru_cache(maxsize=1)
def start_of(seed: int, turn: int) -> civworld.Checkpoint:
    """The world at the turn of the edit; kept for the next job, which is mostly of the same world."""
    with civworld.World(civworld.WorldConfig(seed=seed, players=CIVS, map_size=2)) as world:
        return world.advance(turn - 1).checkpoint()


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


def rollout(
    start: civworld.Checkpoint, edits: tuple[Edit, ...], seed: int, rng: str, horizons: list[int]
) -> list[list[list[int]]]:
    """[horizon][civilization][quantity] of one future."""
    with start.fork() as world:
        world.reseed(seed, rng)
        for edit in edits:
            world.apply(edit)
        rows, turn = [], 0
        for horizon in horizons:
            found = quantities.measure(world.advance(horizon - turn).state())
            rows.append([[int(civ[name]) for name in quantities.table()] for civ in found])
            turn = horizon
        return rows


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Effects by operator, target, generator and horizon; what pairing leaves of the variance; what can be foreseen."""
    cells = effect_tables.cells(results)
    seconds = [found["seconds_per_turn"] for _, found in results if found["values"]]
    return {
        "effects_worlds": effect_tables.by_world(cells),
        "effects": effect_tables.effects(cells),
        "pairing": effect_tables.pairing(cells, sum(seconds) / max(len(seconds), 1)),
        "capture_halves": effect_tables.capture_halves(cells, DEEP),
    }


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Three pictures: share of rollouts that pairs need, effects with their bands, and Capture over n."""
    effect_pictures.pairing(found["pairing"], path)
    effect_pictures.effects(found["effects"], path.with_name(f"{path.stem}-bands{path.suffix}"))
    effect_pictures.capture(found["capture_halves"], path.with_name(f"{path.stem}-capture{path.suffix}"))


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """The gift moves something and its placebo nothing; what pairs save; what halves foresee of each other."""
    return [*_gift(found["effects"]), *_pairs(found["pairing"]), *_halves(found["capture_halves"])]


def _gift(rows: list[Row]) -> list[str]:
    at = [r for r in rows if r["operator"] == GOLD and r["rng"] == "keyed" and r["target"] in SPREADING]
    last = max((r["turns"] for r in at if r["turns"] <= HORIZONS[-1]), default=0)
    lines = []
    for arm, wanted in (("real", True), ("placebo", False)):
        chosen = [r for r in at if (r["arm"], r["turns"]) == (arm, last)]
        told = [f"{r['target']} {r['effect']:+.2f} ({r['low']:+.2f} to {r['high']:+.2f})" for r in chosen]
        claim = f"{GOLD}: the {arm} edit moves {'something' if wanted else 'nothing'} after {last} turns"
        holds = bool(chosen) and any(r["moves"] for r in chosen) == wanted
        lines.append(passed(claim, holds, f"{chosen[0]['worlds'] if chosen else 0} worlds; " + ", ".join(told)))
    return lines


def _pairs(rows: list[Row]) -> list[str]:
    lines = []
    for turns in sorted({row["turns"] for row in rows}):
        shares = {rng: effect_tables.median([r[rng] for r in rows if r["turns"] == turns]) for rng in RNGS}
        told = ", ".join(f"{rng} {'none' if s is None else format(s, '.2f')}" for rng, s in shares.items())
        keyed = shares["keyed"]
        holds = keyed is not None and keyed <= 1 / 3
        lines.append(passed(f"keyed pairs need a third of the rollouts at {turns} turns", holds, f"median: {told}"))
    return lines


def _halves(rows: list[Row]) -> list[str]:
    last = max((row["pairs"] for row in rows), default=0)
    found = {row["rng"]: row["capture"] for row in rows if row["pairs"] == last}
    holds = (found.get("keyed") or 0) >= 0.8
    return [passed(f"half of {last} keyed pairs foresee the other half with Capture 0.8", holds, f"{found}")]


STUDY = Study("effects", jobs, run, tables, plot, verdict)
