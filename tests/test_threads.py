# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds in several threads: calls wait for one another, no turn is lost, recipes replay, errors are typed."""

import itertools
import sys
import threading
import time

import pytest

import civworld
from civworld import edits
from world_methods import AI, CHANGES, READS, replayed, start

METHODS = {**CHANGES, **READS}


@pytest.fixture(autouse=True)
def impatient():
    """Threads take turns far more often than usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def together(*acts):
    """Run functions in a thread each, from the same moment on; what each gave, or the exception that it raised."""
    gate, found = threading.Barrier(len(acts)), [None] * len(acts)

    def run(i, act):
        gate.wait()
        try:
            found[i] = act()
        except BaseException as error:
            found[i] = error

    threads = [threading.Thread(target=run, args=(i, act)) for i, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def tried(act, world, times):
    """How often a method returned; refusals are the other outcome."""
    done = 0
    for _ in range(times):
        try:
            act(world)
            done += 1
        except civworld.RefusedError:
            pass
    return done


def holds(world):
    """Hold what a world is against what its recipe gives."""
    world._cache.clear()
    return world.digest() == replayed(start(), world.checkpoint().steps)


@pytest.mark.parametrize("first", METHODS)
def test_any_two_methods_at_once(first):
    for second in METHODS:
        with start().fork() as world:
            acts = [lambda name=name: tried(METHODS[name], world, 2) for name in (first, second)]
            found = together(*acts)
            assert all(isinstance(n, int) for n in found), (second, found)
            if "restore" not in (first, second):
                advances = sum(n for n, name in zip(found, (first, second), strict=True) if name == "advance")
                assert world.turn == start().turn + 2 * advances, second
            assert holds(world), second


def play(world, seconds):
    """Advance, edit, look and fork until the time is over; how often."""
    end = time.monotonic() + seconds
    for n in itertools.count():
        if time.monotonic() > end:
            return n
        world.advance(1).apply(edits.AddGold(AI, 1))
        if n % 3 == 0:
            world.state(), world.events(), world.view(AI)
        if n % 5 == 0:
            with world.fork() as child:
                child.advance(1)


def eight(seconds):
    with start().fork() as world:
        found = together(*[lambda: play(world, seconds)] * 8)
        assert all(isinstance(n, int) for n in found), found
        assert world.turn == start().turn + sum(found)
        assert sum(step[0] == "edit" for step in world.checkpoint().steps) == sum(found)
        assert holds(world)
    worlds = [start().fork() for _ in range(8)]
    found = together(*[lambda w=w: play(w, seconds) for w in worlds])
    for world, turns in zip(worlds, found, strict=True):
        assert world.turn == start().turn + turns
        assert holds(world)
        world.close()


def test_eight_threads_on_one_world_and_on_eight():
    eight(1.5)


@pytest.mark.slow
def test_eight_threads_on_one_world_and_on_eight_for_a_minute():
    eight(60)


def test_a_process_opens_its_engine_once():
    from helpers import in_new_process

    code = """
import threading
from civworld._engine import engine
gate, found = threading.Barrier(8), []
def run():
    gate.wait()
    found.append(id(engine()))
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=run) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(json.dumps(len(set(found))))
"""
    assert in_new_process(code) == 1
