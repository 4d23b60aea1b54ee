# SPDX-License-Identifier: GPL-2.0-or-later
"""What civworld costs, side by side with the stock server in one run: prints a table, writes JSON.

    python benchmarks/speed/run.py [--quick] [--only forks files ...] [--out out/speed.json]

Everything is measured on this machine, now; medians are quoted. Turns of the two engines alternate. Lines that have a
goal say beside the figure what it is and whether it is reached.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import civworld
from benchmarks.stock import server
from civworld.arms import PlayArm
from civworld.pool import Pool

# line -> (goal, whether more is better); what the project promises of itself on a machine with two free cores
GOALS = {
    "fork_and_state_ms": (1.0, False),
    "restore_after_a_turn_ms": (1.0, False),
    "switching_ratio": (1.05, False),
    "idle_forks_bytes": (100_000_000, False),
    "timeline_bytes": (20_000_000, False),
    "checkpoint_save_ms": (50.0, False),
    "checkpoint_load_ms": (50.0, False),
    "checkpoint_bytes": (3_000_000, False),
    "two_workers_ratio": (1.9, True),
}
CONFIG = civworld.WorldConfig(seed=41, players=6, map_size=4, rng="stock", patches=(), fatal_assertions=False)


Way = TypeVar("Way")


def clock(action: Callable[[], Any], repeat: int) -> list[float]:
    """Seconds of each of `repeat` runs."""
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return taken


def alternating(ways: tuple[Way, Way], pairs: int) -> Iterator[tuple[Way, Way]]:
    """The two ways, as often as that, each time in the other order."""
    for pair in range(pairs):
        yield ways if pair % 2 == 0 else ways[::-1]


def pss() -> int:
    """Proportional resident bytes of this process."""
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("no Pss line in smaps_rollup")


def turns_per_second(repeat: int, turns: int) -> dict[str, Any]:
    """The same world on both engines, alternating; whole games from nothing to the last turn."""
    stock, ours = [], []
    server.server()
    for _ in range(repeat):
        stock.append(server.play(CONFIG, turns).seconds)
        ours += clock(lambda: civworld.World(CONFIG).advance(turns - 1).close(), 1)
    ratios = [s / o for s, o in zip(stock, ours, strict=True)]
    return {
        "turns": turns - 1,
        "stock_turns_per_second": (turns - 1) / statistics.median(stock),
        "civworld_turns_per_second": (turns - 1) / statistics.median(ours),
        "ratio_median": statistics.median(ratios),
        "ratio_min": min(ratios),
    }


def forks(world: civworld.World) -> dict[str, Any]:
    """Branching a world, against writing and loading a text savegame in the same engine."""

    def branch() -> None:
        child = start.fork()
        child._cache.clear()
        child.state()
        child.close()

    def capture() -> None:
        world.advance()
        begin = time.perf_counter()
        world.digest()
        digested = time.perf_counter()
        world.checkpoint()
        captures.append(time.perf_counter() - digested)
        digests.append(digested - begin)

    captures: list[float] = []
    digests: list[float] = []
    for _ in range(9):
        capture()
    start = world.checkpoint()
    first = clock(branch, 1)[0]
    rest = clock(branch, 101)
    plain = clock(lambda: start.fork().close(), 1001)
    back = []
    for _ in range(15):
        world.advance()
        back += clock(lambda: world.restore(start), 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.sav"

        def through_a_savegame() -> None:
            world.export_savegame(path)
            civworld.World.from_savegame(path, CONFIG).close()

        save_load = clock(through_a_savegame, 5)
    return {
        "checkpoint_after_a_turn_ms": 1e3 * statistics.median(captures),
        "digest_ms": 1e3 * statistics.median(digests),
        "first_fork_and_state_ms": 1e3 * first,
        "fork_and_state_ms": 1e3 * statistics.median(rest),
        "fork_ms": 1e3 * statistics.median(plain),
        "restore_after_a_turn_ms": 1e3 * statistics.median(back),
        "savegame_save_and_load_ms": 1e3 * statistics.median(save_load),
    }


def files(world: civworld.World) -> dict[str, Any]:
    """Checkpoint files and views."""
    cp = world.checkpoint()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cp"
        save = clock(lambda: cp.save(path), 11)
        load = clock(lambda: civworld.Checkpoint.load(path), 11)
        size = path.stat().st_size

    def look() -> None:
        world._cache.clear()
        world.state()

    info = cp.image.info()
    return {
        "checkpoint_save_ms": 1e3 * statistics.median(save),
        "checkpoint_load_ms": 1e3 * statistics.median(load),
        "checkpoint_bytes": size,
        "state_ms": 1e3 * statistics.median(clock(look, 51)),
        "image_bytes": info["pages"] * 4096,
        "image_over_live": info["pages"] * 4096 / info["live_bytes"],
    }


def memory(world: civworld.World) -> dict[str, Any]:
    """Idle forks that have each been looked at once."""
    start = world.checkpoint()
    start.fork().state()
    before = pss()
    held = [start.fork() for _ in range(64)]
    for fork in held:
        fork._cache.clear()
        fork.digest()
    grown = pss() - before
    for fork in held:
        fork.close()
    return {"idle_forks": 64, "idle_forks_bytes": grown}


def switching(turns: int, pairs: int) -> dict[str, Any]:
    """Eight worlds played one after the other against the eight taking turns; each pair begins with the other."""
    configs = [civworld.WorldConfig(seed=s, players=4, map_size=2) for s in range(8)]
    starts = [civworld.World(c).advance(40).checkpoint() for c in configs]

    def in_a_row() -> None:
        for cp in starts:
            with cp.fork() as world:
                for _ in range(turns):
                    world.advance()

    def taking_turns() -> None:
        worlds = [cp.fork() for cp in starts]
        for _ in range(turns):
            for world in worlds:
                world.advance()
        for world in worlds:
            world.close()

    ratios = []
    for order in alternating((taking_turns, in_a_row), pairs):
        taken = {way: clock(way, 1)[0] for way in order}
        ratios.append(taken[taking_turns] / taken[in_a_row])
    return {"switching_pairs": pairs, "switching_ratio": statistics.median(ratios)}


def timeline(turns: int) -> dict[str, Any]:
    """Every turn of a world on disk, beside the same world that keeps nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        plain, kept = civworld.World(CONFIG), civworld.World(CONFIG)
        line = kept.timeline(path)
        more = []
        for order in alternating((plain, kept), turns):
            taken = {id(world): clock(world.advance, 1)[0] for world in order}
            more.append(taken[id(kept)] - taken[id(plain)])
        where = random.Random(1).sample(range(1, turns), 20)
        jumps = [clock(functools.partial(line.__getitem__, turn), 1)[0] for turn in where]
        return {
            "timeline_turns": turns,
            "timeline_bytes": path.stat().st_size,
            "timeline_ms_per_turn": 1e3 * statistics.median(more),
            "timeline_jump_ms": 1e3 * statistics.median(jumps),
        }


def pools(turns: int, pairs: int) -> dict[str, Any]:
    """Sixteen arms on one worker and on two, in pairs that begin with either; cores of a shared machine vary."""
    start = civworld.World(CONFIG).advance(40).checkpoint()
    taken: dict[int, list[float]] = {1: [], 2: []}
    for order in alternating((1, 2), pairs):
        for workers in order:
            with Pool(workers, progress=False) as pool:
                pool.map(_warm, [start] * workers)
                taken[workers] += clock(
                    lambda: pool.each([(PlayArm("control", seed, (), (), turns, ()), start) for seed in range(16)]), 1
                )
    ratios = [a / b for a, b in zip(taken[1], taken[2], strict=True)]
    return {
        "arms": 16,
        "arm_turns": turns,
        "pairs": pairs,
        "one_worker_s": statistics.median(taken[1]),
        "two_workers_s": statistics.median(taken[2]),
        "two_workers_ratio": statistics.median(ratios),
        "two_workers_ratio_min": min(ratios),
        "two_workers_ratio_max": max(ratios),
    }


def _warm(world: civworld.World) -> int:
    return world.turn


def new_worlds() -> dict[str, Any]:
    """A new world after the first of a process."""
    civworld.World(CONFIG).close()
    return {"new_world_ms": 1e3 * statistics.median(clock(lambda: civworld.World(CONFIG).close(), 7))}


SECTIONS = ("turns", "new_worlds", "forks", "files", "memory", "switching", "timeline", "pools")
_CHOICES = f"sections to run instead of all: {', '.join(SECTIONS)}"


def sections(quick: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """Name of each section -> what measures it; those that need a world that has grown share one."""

    @functools.cache
    def grown() -> civworld.World:
        return civworld.World(CONFIG).advance(40 if quick else 90)

    parts = (
        lambda: turns_per_second(5, 120),
        new_worlds,
        lambda: forks(grown()),
        lambda: files(grown()),
        lambda: memory(grown()),
        lambda: switching(3, 3) if quick else switching(10, 15),
        lambda: timeline(40 if quick else 200),
        lambda: pools(3, 3) if quick else pools(30, 9),
    )
    return dict(zip(SECTIONS, parts, strict=True))


def described(line: str, value: Any) -> str:
    """A line of the table; with a goal, whether the value reaches it."""
    text = f"{line:32} {value:,.3f}" if isinstance(value, float) else f"{line:32} {value:,}"
    if line not in GOALS:
        return text
    goal, more = GOALS[line]
    reached = value >= goal if more else value < goal
    return f"{text:50} goal {'at least' if more else 'under'} {goal:,}: {'reached' if reached else 'NOT reached'}"


def main() -> None:
    """Measure everything and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer turns and repeats; no stock server")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help=_CHOICES)
    parser.add_argument("--out", type=Path, default=Path("out/speed.json"))
    o = parser.parse_args()
    found: dict[str, Any] = {"build": civworld.build_info().build_id, "cores": len(os.sched_getaffinity(0))}
    for name, part in sections(o.quick).items():
        if name in o.only and not (name == "turns" and o.quick):
            for line, value in part().items():
                found[line] = value
                print(described(line, value), flush=True)
    o.out.parent.mkdir(parents=True, exist_ok=True)
    o.out.write_text(json.dumps(found, indent=1) + "\n")
    print(f"wrote {o.out}")


if __name__ == "__main__":
    main()
