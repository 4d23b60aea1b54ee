# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing grows: worlds and forks that are gone leave nothing behind."""

import gc
import os
from pathlib import Path

import civworld
from civworld._engine import engine
from helpers import in_new_process


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
    late.fork().state()  # the second fork lies on a base of its own and has copied nothing
    with late.fork() as world:
        world.state()
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


BRANCHES = """
import civworld
from civworld import memory
world = civworld.World(civworld.WorldConfig(seed=5, players=5, map_size=2))
world.advance(40)
kept = []
for _ in range(60):
    kept.append(world.advance(1).checkpoint())
before = memory()
forks = [point.fork() for point in kept]
digests = [fork.state().player(0)["gold"].item() for fork in forks]
looked = memory()
for fork in forks:
    fork.close()
for point in kept:
    for _ in range(4):
        with point.fork() as one:
            one.state()
after = memory()
exact = [point.fork().digest() for point in kept[::20]] == [point.digest for point in kept[::20]]
print(json.dumps([before.nbytes, looked.nbytes, after.nbytes, looked.worlds - before.worlds, exact]))
"""


def test_sixty_forks_of_sixty_checkpoints_share_their_bases():
    """In a process of its own: what worlds of other tests hold must not count."""
    before, looked, after, worlds, exact = in_new_process(BRANCHES)
    assert worlds == 60 and exact
    assert looked - before < 200e6, (before, looked)
    # bases made for checkpoints that were forked often are kept for the last few only
    assert after - before < 10 * 25e6, (before, after)


TIMELINE = """
import civworld
from civworld import memory
world = civworld.World(civworld.WorldConfig(seed=5, players=5, map_size=2), history=True)
world.advance(50)
before = memory()
kept = [world.timeline()[turn] for turn in range(11, 51)]
held = memory()
exact = all(point.fork().digest() == point.digest for point in kept[::13])
world.close()
kept = None
print(json.dumps([held.nbytes - before.nbytes, exact, memory().nbytes - before.nbytes]))
"""


def test_checkpoints_of_a_timeline_share_pages():
    held, exact, left = in_new_process(TIMELINE)
    assert exact
    assert held < 300e6
    assert left < 100e6
