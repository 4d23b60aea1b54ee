# SPDX-License-Identifier: GPL-2.0-or-later
"""Worker processes give the same worlds, and a lost worker costs one job."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import civworld
from civworld.edits import AddGold
from civworld.pool import Failure, Pool


def digest_after(world):
    return world.advance(3).digest()


def misbehave(world):
    """What happens depends on how far the world is: one job of each kind."""
    kind = world.turn
    if kind == 12:
        with world._engine_call() as running:
            running.call("cw_fault_assert")
    elif kind == 13:
        with world._engine_call() as running:
            running.call("cw_fault_hang", 1, 10**7, 0.0)
    elif kind == 14:
        with world._engine_call() as running:
            running.call("cw_fault_hang", 0, 10**7, 0.3)
    elif kind == 15:
        with world._engine_call() as running:
            running.call("cw_fault_crash")
    elif kind == 16:
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == 17:
        time.sleep(1000)
    elif kind == 18:
        raise ValueError("a mistake of the caller's own")
    return world.advance(1).digest()


def killed_once(world):
    """Dies the first time it runs and succeeds the second."""
    mark = Path(os.environ["CIVWORLD_TEST_MARK"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return world.advance(2).digest()


@pytest.fixture(scope="module")
def pool():
    with Pool(2, seconds=60, progress=False) as shared:
        yield shared


def test_map_equals_doing_it_here(pool, early, late):
    config = civworld.WorldConfig(seed=5, players=3, map_size=1)
    here = [digest_after(early.fork()), digest_after(late.fork()), digest_after(civworld.World(config))]
    assert pool.map(digest_after, [early, late, config]) == here


def test_rollouts_equal_playing_them_here(pool, early):
    arms = {"control": None, "gift": AddGold(player=1, amount=300)}
    found = pool.rollouts(early, arms, turns=4, seeds=(None, 3))
    assert [(r.arm, r.seed) for r in found] == [("control", None), ("control", 3), ("gift", None), ("gift", 3)]
    world = early.fork()
    world.reseed(3)
    world.apply(arms["gift"])
    expected = [world.digest()] + [world.advance().digest() for _ in range(4)]
    assert list(found[3].digests) == expected
    assert np.array_equal(found[3].values[-1], civworld.quantities.measure(world.state()))
    assert found[0].digests[0] == early.digest
    assert len(set(r.digests[-1] for r in found)) == 4


def test_every_way_to_fail_is_typed_and_the_rest_goes_on(early):
    world = early.fork()
    sources = [world.checkpoint()] + [world.advance().checkpoint() for _ in range(8)]
    with Pool(2, seconds=8, progress=False) as pool:
        found = pool.map(misbehave, sources)
    kinds = {12: civworld.EngineFatal, 13: civworld.EngineHang, 14: civworld.EngineHang,
             15: civworld.EngineCrashed, 16: civworld.EngineCrashed, 17: civworld.EngineHang}  # fmt: skip
    for source, result in zip(sources, found, strict=True):
        if source.turn in kinds:
            assert isinstance(result, Failure) and type(result.error) is kinds[source.turn], result
            assert result.tries == 2
            assert result.error.seed == early.config.seed and result.error.turn == source.turn
        elif source.turn == 18:
            assert isinstance(result.error, ValueError) and result.tries == 1
        else:
            assert result == source.fork().advance(1).digest()


def test_a_job_whose_worker_was_killed_is_tried_again(early, tmp_path, monkeypatch):
    monkeypatch.setenv("CIVWORLD_TEST_MARK", str(tmp_path / "mark"))
    with Pool(1, progress=False) as pool:
        assert pool.map(killed_once, [early]) == [early.fork().advance(2).digest()]


def test_bad_arguments_and_use_after_close(early):
    for workers in (0, -1, 1.5, 2000):
        with pytest.raises(civworld.ArgumentError, match="workers"):
            Pool(workers)
    with pytest.raises(civworld.ArgumentError, match="seconds"):
        Pool(1, seconds=0)
    pool = Pool(1, progress=False)
    pool.close()
    with pytest.raises(civworld.LifecycleError, match="closed"):
        pool.map(digest_after, [early])


INTERRUPTED = """
import civworld, signal, sys, time
from civworld.pool import Pool
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born deaf to it
def slow(world):
    time.sleep(60)
if __name__ == "__main__":
    with Pool(2, progress=False) as pool:
        print(*(w.process.pid for w in pool._workers), flush=True)
        pool.map(slow, [civworld.WorldConfig(seed=s, players=2, map_size=1) for s in range(4)])
"""


def test_ctrl_c_leaves_no_process_behind(tmp_path):
    (tmp_path / "script.py").write_text(INTERRUPTED)
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "script.py")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2
    time.sleep(2)
    parent.send_signal(signal.SIGINT)
    parent.wait(20)
    assert "KeyboardInterrupt" in parent.stderr.read()
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
