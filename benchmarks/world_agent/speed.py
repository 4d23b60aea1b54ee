# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the kernel is, in processor time: rule firings, checkpoint, fork and digest of 1,000 entities."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from civworld.world_agent.deduction import load
from civworld.world_agent.kernel import KernelCheckpoint, KernelWorld


def tanks(count: int = 1_000) -> KernelWorld:
    """A world of tanks that all fill in every unit."""
    fill = {
        "name": "fill",
        "every": 1,
        "each": "t in tank",
        "when": "t.level < 900000",
        "do": ["t.level += t.rate"],
    }
    rows = {f"t{i}": {"type": "tank", "level": i % 50, "rate": 1 + i % 3} for i in range(count)}
    return KernelWorld({"types": {"tank": {"level": "int", "rate": "int"}}, "entities": rows, "processes": [fill]})


def rate(world: KernelWorld, units: int) -> float:
    """Records made in a second of processor time while the world advances."""
    before, start = world.record_count, time.process_time()
    world.advance(units)
    return (world.record_count - before) / (time.process_time() - start)


def milliseconds(function: Callable[[], object], times: int = 15) -> float:
    """The median processor time of a call."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        function()
        spent.append(time.process_time() - start)
    return 1_000 * statistics.median(spent)


def measure() -> dict[str, float]:
    """All figures by name."""
    world = tanks()
    world.advance(1)
    data = world.checkpoint().to_bytes()
    figures = {
        "checkpoint, 1,000 entities (ms)": milliseconds(world.checkpoint),
        "checkpoint to bytes (ms)": milliseconds(lambda: world.checkpoint().to_bytes()),
        "checkpoint from bytes (ms)": milliseconds(lambda: KernelCheckpoint.from_bytes(data)),
        "fork (ms)": milliseconds(world.fork),
        "digest (ms)": milliseconds(world.digest),
    }
    figures["firings a second, simple rule"] = statistics.median(rate(tanks(), 30) for _ in range(5))
    case = load("power_grid")
    figures["firings a second, power_grid"] = statistics.median(rate(KernelWorld(case.spec), 2_000) for _ in range(3))
    return figures
