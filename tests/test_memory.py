# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing grows: worlds and forks that are gone leave nothing behind."""

import gc
import os
from pathlib import Path

import civworld
from civworld._engine import engine


def resident() -> int:
    """Proportional resident bytes of this process, shared memory counted once."""
    gc.collect()
    for line in Path("/proc/self/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no Pss in smaps_rollup")


def counts() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), len(Path("/proc/self/maps").read_text().splitlines())


def private_pages() -> int:
    """Pages that the worlds of this process have written since they were mapped."""
    pages, world = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split()[0]:
            world = "civworld-image" in line and " rw-p " in line
        elif world and line.startswith("Anonymous:"):
            pages += int(line.split()[1]) // 4
    return pages


def test_a_turn_writes_few_pages_that_it_leaves_as_they_were(late):
    """A page that is written costs every fork a copy and every restore a look, changed or not."""
    with late.fork() as world:
        world.digest()
        before = private_pages()
        world.advance()
        written = private_pages() - before
        changed = len(world.checkpoint().image.diff(late.image))
    assert changed <= written <= 1.75 * changed, (written, changed)


def test_two_hundred_worlds_leave_no_memory_behind():
    config = civworld.WorldConfig(seed=1, players=3, map_size=1)
    at = {}
    for n in range(1, 201):
        civworld.World(config).close()
        if n in (20, 200):
            at[n] = resident()
    assert at[200] <= at[20] * 1.1, at


def test_many_forks_leave_nothing_behind(early):
    def burst(n):
        for _ in range(n):
            early.fork().close()
            early.fork().state()

    burst(50)
    before, fds_maps, held = resident(), counts(), engine().memory()
    burst(500)
    assert resident() <= before * 1.05
    assert counts()[0] == fds_maps[0] and abs(counts()[1] - fds_maps[1]) <= 4
    assert engine().memory() == held
