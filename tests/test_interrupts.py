# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever moment a signal comes, a world and its recipe agree, and the world goes on."""

import random
import signal
import time

import pytest

import civworld
from civworld import edits
from world_methods import AI, CHANGES, ELSEWHERE, READS, public_methods, replayed, start

TRIALS = 25


class Bell(Exception):
    """What the signal handler raises."""


def interrupted(act, after, every=0.0, ring=None):
    """Do something while a bell rings after some seconds, and again at intervals; whether it was interrupted.

    The bell's handler calls `ring`; without one it raises.
    """
    armed = True

    def handler(number, frame):
        if armed and ring is None:
            raise Bell
        if armed:
            ring()

    before = signal.signal(signal.SIGALRM, handler)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, after, every)
            act()
        finally:
            armed = False  # nothing rings from here on
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except Bell:
        return True
    return False


def agree(world):
    """Hold a world's state against what its recipe gives; then have it play on."""
    world._cache.clear()  # what is there, not what was noted
    assert world.digest() == replayed(start(), world.checkpoint().steps)
    turn = world.turn
    world.apply(edits.AddGold(AI, 3)).advance(1)
    assert world.turn == turn + 1
    assert world.digest() == replayed(start(), world.checkpoint().steps)


def test_every_method_is_tried():
    assert CHANGES.keys() | READS.keys() | ELSEWHERE == public_methods()


@pytest.mark.parametrize("every", [0.0, 0.0003])
@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupted_change_is_done_or_is_not(name, every):
    seed = f"{name} {every}"
    rng, act, rung = random.Random(seed), CHANGES[name], 0
    with start().fork() as world:
        act(world)
    with start().fork() as world:
        if name == "restore":
            world.advance(1)
        began = time.perf_counter()
        act(world)
        usual = time.perf_counter() - began
    for trial in range(20 * TRIALS):
        if trial >= TRIALS and rung:
            break  # more than that only where no signal has come in time yet
        with start().fork() as world:
            if name == "restore":
                world.advance(1)
            rung += interrupted(lambda w=world: act(w), rng.uniform(1e-6, 1.1 * usual + 2e-5), every)
            try:
                agree(world)
            except Exception as error:
                error.add_note(f"seed {seed!r}, trial {trial}")
                raise
    assert rung


def test_reading_in_spite_of_interrupts_gives_what_is_there():
    rng = random.Random("reads")
    with start().fork() as world, start().fork() as calm:
        for name, act in READS.items():
            for _ in range(8):
                interrupted(lambda act=act: act(world), rng.uniform(1e-6, 3e-3))
                world._cache.clear()
            assert world.digest() == calm.digest(), name
        assert world.state() == calm.state()
        assert world.advance(2).digest() == calm.advance(2).digest()


def test_a_long_call_stops_at_the_end_of_a_turn():
    with start().fork() as world:
        first = world.turn
        began = time.perf_counter()
        assert interrupted(lambda: world.advance(20_000), 0.15)
        assert time.perf_counter() - began < 10
        assert first < world.turn < first + 20_000
        assert world.checkpoint().steps[-1] == ("advance", world.turn - first)
        agree(world)


def test_a_timeline_survives_interrupts(tmp_path):
    rng, seen = random.Random("timeline"), {}
    with start().fork() as world:
        timeline = world.timeline(tmp_path / "turns")
        for _ in range(60):
            interrupted(lambda: world.advance(3), rng.uniform(1e-4, 0.03))
            seen[world.turn] = world.digest()
        world.advance(1)
        assert timeline.turns == list(range(timeline.turns[0], world.turn + 1))
        for kept in (timeline, civworld.Timeline.load(tmp_path / "turns")):
            for turn in kept.turns:
                with kept[turn].fork() as then:
                    then._cache.clear()
                    assert then.digest() == kept[turn].digest
                    assert then.digest() == seen.get(turn, then.digest())


def test_a_handler_cannot_use_a_world_that_the_engine_works_on():
    heard = []

    def look():
        for use in (lambda: world.turn, lambda: world.advance(1), other.state, world.close):
            try:
                use()
                heard.append("done")
            except civworld.LifecycleError as error:
                heard.append(str(error))

    with start().fork() as world, start().fork() as other, start().fork() as calm:
        interrupted(lambda: world.advance(30), 0.01, ring=look)
        assert world.digest() == calm.advance(30).digest()
        assert other.digest() == start().digest
        assert len(heard) == 4
        assert all("not over" in said for said in heard), heard
        interrupted(lambda: time.sleep(0.1), 0.01, ring=look)
        assert heard[4:7] == ["done"] * 3  # between calls it may do as it likes
