# SPDX-License-Identifier: GPL-2.0-or-later
"""Worker processes give the same worlds, and a lost worker costs one job."""

import functools
import multiprocessing.spawn
import os
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import pytest

import civworld
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


# ---- functions that fresh processes cannot import ------------------------------------------------------------

FROM_STDIN = """
import civworld, sys
from civworld.pool import Failure, Pool
extra = 2
class Found:
    def __init__(self, turn):
        self.turn = turn
class Mine(Exception):
    pass
def play(world):
    return Found(world.advance(extra).turn)
def fail(world):
    raise Mine("of a notebook")
with Pool(1, progress=False) as pool:
    config = civworld.WorldConfig(seed=1, players=2, map_size=1)
    found, = pool.map(play, [config])
    assert type(found) is Found and found.turn == 3, found
    assert pool.map(lambda world: world.turn, [config]) == [1]
    wrong, = pool.map(fail, [config])
    assert type(wrong.error) is Mine and wrong.tries == 1, wrong
    print("all", "well")
"""


def test_functions_and_classes_of_a_notebook_travel_by_their_code():
    done = subprocess.run([sys.executable, "-"], input=FROM_STDIN, capture_output=True, text=True)
    assert done.stdout == "all well\n", done.stderr


def test_a_function_that_a_worker_cannot_load_is_named_and_the_rest_goes_on(pool, early, monkeypatch):
    module = types.ModuleType("only_here")
    exec("def play(world):\n    return world.turn", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    unsendable = functools.partial(digest_after, lock=threading.Lock())
    jobs = [(digest_after, early), (module.play, early), (unsendable, early), (digest_after, early)]
    first, missing, stuck, last = pool.each(jobs)
    assert first == last == early.fork().advance(3).digest()
    assert isinstance(missing.error, civworld.ArgumentError) and missing.tries == 1
    assert "only_here" in str(missing.error) and "importable" in str(missing.error)
    assert isinstance(stuck.error, civworld.ArgumentError) and "cannot be sent" in str(stuck.error)


UNGUARDED = """
import civworld
from civworld.pool import Pool
def play(world):
    return world.turn
with Pool(1, progress=False) as pool:
    print(pool.map(play, [civworld.WorldConfig(seed=1, players=2, map_size=1)]))
"""


def test_a_script_without_the_guard_is_run_once(tmp_path):
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("[1]\n", 0), done.stderr


def test_workers_that_cannot_start_say_so(monkeypatch, early):
    monkeypatch.setattr(multiprocessing.spawn, "_python_exe", b"/bin/false")
    with pytest.raises(civworld.LifecycleError, match="ended before it could take"), Pool(1, progress=False) as pool:
        pool.map(digest_after, [early])


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_is_told_how_to_start_instead(early):
    with early.fork() as world:
        uses = [lambda: world.turn, lambda: world.advance(1), lambda: civworld.World(early.config), early.fork]
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            said = []
            for use in uses:
                try:
                    use()
                    said.append("nothing")
                except civworld.LifecycleError as error:
                    said.append(str(error))
            world.close()
            os.write(theirs, "\n".join(said).encode())
            os._exit(0)
        os.waitpid(child, 0)
        said = os.read(ours, 1 << 16).decode().splitlines()
        assert len(said) == len(uses)
        assert all('context="spawn"' in text and "civworld.pool" in text for text in said), said
        assert world.advance(1).turn == early.turn + 1
