# SPDX-License-Identifier: GPL-2.0-or-later
"""Files survive kills and notice damage; forks leave nothing behind, however many."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import civworld
from civworld._engine import engine, page_sums
from helpers import in_new_process
from test_memory import counts, resident

SAVER = """
import sys, time, civworld
world = civworld.Checkpoint.load(sys.argv[1]).fork()
begin = time.monotonic()
world.checkpoint().save(sys.argv[1] + "-trial")
print(time.monotonic() - begin, flush=True)
while True:
    world.checkpoint().save(sys.argv[2])
    world.reseed(world.turn)
"""


@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.slow)])
def test_a_kill_at_any_moment_leaves_a_whole_file_or_none(early, tmp_path, kills):
    early.save(tmp_path / "start")
    target = tmp_path / "target"
    rng = random.Random(5)
    loaded = 0
    for _ in range(kills):
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVER, str(tmp_path / "start"), str(target)], stdout=subprocess.PIPE, text=True
        )
        time.sleep(rng.random() * 6 * float(saver.stdout.readline()))  # up to about six saves
        saver.send_signal(signal.SIGKILL)
        saver.wait()
        if target.exists():
            loaded += civworld.Checkpoint.load(target).turn == early.turn
            target.unlink()
    assert loaded > kills / 4, "hardly any save had finished, so nothing was tested"


@pytest.mark.parametrize("trials", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_damaged_checkpoint_is_refused(early, trials):
    whole = early.to_bytes()
    rng = random.Random(11)
    for trial in range(trials):
        bad = bytearray(whole)
        if trial % 4 == 0:
            del bad[rng.randrange(len(bad)) :]
        else:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        with pytest.raises(civworld.CheckpointCorrupt):
            civworld.Checkpoint.from_bytes(bytes(bad))


def test_damage_behind_the_whole_hash_is_noticed_by_page(early):
    """A page that rots before it is put into the image is caught by its own checksum."""
    from civworld import checkpoint

    header, body = checkpoint._open(early.to_bytes(), "here")
    sums = np.frombuffer(header["page_checksums"], "<u4").copy()
    assert checkpoint._assemble(header, body).diff(early.image).size == 0
    sums[700] ^= 1
    with pytest.raises(civworld.CheckpointCorrupt, match=f"page 700 of {len(sums)}"):
        checkpoint._assemble(header | {"page_checksums": sums.tobytes()}, body)


def test_checksums_of_pages_tell_all_single_bits_apart():
    pages = np.zeros((4096, 4096), np.uint8)
    pages[np.arange(4096), np.arange(4096)] = 1 << np.arange(4096) % 8
    assert len(set(page_sums(pages).tolist())) == 4096


@pytest.mark.parametrize("forks", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_forks_made_and_dropped_leave_nothing_behind(early, forks):
    def burst(n):
        for i in range(n):
            child = early.fork()
            if i % 10 == 0:
                child._cache.clear()
                child.state()
            if i % 2:
                child.close()

    burst(200)
    before, shape, held = resident(), counts(), engine().memory()
    burst(forks)
    assert resident() <= before * 1.03
    assert counts()[0] == shape[0] and abs(counts()[1] - shape[1]) <= 8
    assert engine().memory() == held


@pytest.mark.parametrize("turns", [pytest.param(200, marks=pytest.mark.slow)])
def test_a_long_timeline_is_small_and_exact_in_a_fresh_process(turns, tmp_path):
    path = tmp_path / "long"
    world = civworld.World(civworld.WorldConfig(seed=41, players=6, map_size=4, fatal_assertions=False))
    timeline = world.timeline(path)
    world.advance(turns)
    assert path.stat().st_size < 20_000_000
    chosen = sorted(random.Random(2).sample(timeline.turns, 20))
    from test_timeline import RECOUNT

    assert in_new_process(RECOUNT, str(path), chosen) == [timeline[t].digest for t in chosen]
