# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine does when it fails: a typed error, a poisoned world, and a way back."""

import pytest

import civworld


def poisoned(world):
    for use in (world.advance, world.state, world.fork):
        with pytest.raises(civworld.LifecycleError, match="restore"):
            use()


def test_a_failed_assertion_is_an_error_and_restore_cures_it(early):
    world = early.fork()
    with pytest.raises(civworld.EngineFatal) as caught, world._engine_call() as running:
        running.call("cw_fault_assert")
    assert "fault injected on purpose" in str(caught.value)
    assert caught.value.seed == early.config.seed and caught.value.turn == 11
    assert ":" in caught.value.where
    poisoned(world)
    assert world.restore(early).advance(3).digest() == early.fork().advance(3).digest()


@pytest.mark.parametrize("nth", [1, 2, 10, 100, 1000, 10_000])
def test_running_out_of_memory_is_an_error_and_restore_cures_it(early, nth):
    world, other = early.fork(), early.fork()
    with world._engine_call() as running:
        running.call("cw_fault_allocation", nth)
    with pytest.raises(civworld.EngineFatal, match=r"memory|malloc|exit"):
        world.advance(5)
    poisoned(world)
    assert other.advance(3).digest() == early.fork().advance(3).digest()
    assert world.restore(early).advance(3).digest() == other.digest()


def test_searches_that_failures_cut_short_leave_nothing_to_the_next(early):
    """Path searches pass memory of the process on to one another; those that never end do not give theirs back."""
    expected = early.fork().advance(3).digest()
    for nth in range(1500, 20_000, 1900):
        world = early.fork()
        with world._engine_call() as running:
            running.call("cw_fault_allocation", nth)
        with pytest.raises(civworld.EngineFatal, match=r"memory|malloc|exit"):
            world.advance(5)
        assert early.fork().advance(3).digest() == expected
