# SPDX-License-Identifier: GPL-2.0-or-later
"""Every deduction case: specification, module and timeline agree, and no number can change unnoticed."""

import contextlib
import random

import pytest
from number_mutants import module_mutants, reread, spec_mutants

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.deduction import disagreements, draw_timeline, load, names, timeline
from civworld.world_agent.deduction.agreement import SEEDS, source_of
from civworld.world_agent.deduction.case import read
from civworld.world_agent.kernel import KernelWorld

CASES = names()


def test_there_are_nine_cases_in_nine_genres():
    assert len(CASES) >= 9 and len({load(name).genre for name in CASES}) == len(CASES)
    with pytest.raises(UnknownNameError, match="harbour"):
        load("harbor")


@pytest.mark.parametrize("name", CASES)
def test_specification_module_and_timeline_agree(name):
    case = load(name)
    assert list(disagreements(case)) == []
    assert draw_timeline(case) == timeline(name)


@pytest.mark.parametrize("name", CASES)
def test_a_changed_number_in_either_is_noticed(name):
    case = load(name)
    unnoticed, count = [], 0
    for what, text in spec_mutants(case):
        changed = reread(case, text)
        count += 1
        if changed is not None and next(disagreements(changed), None) is None:
            unnoticed.append(f"specification: {what}")
    for what, source in module_mutants(source_of(case)):
        count += 1
        if next(disagreements(case, source), None) is None:
            unnoticed.append(f"module: {what}")
    assert count > 75 and not unnoticed


@pytest.mark.parametrize("name", CASES)
def test_a_changed_timeline_is_noticed(name):
    case = load(name)
    assert list(disagreements(case, golden=timeline(name).replace("=1", "=2", 1)))


def rollout(case, seed, units=96):
    """A random rollout's digests; actions are drawn before each unit."""
    backend, rng, digests = case.backend(), random.Random(seed), []
    for _ in range(units):
        with contextlib.suppress(RefusedError):
            backend.apply(rng.choice(list(backend.actions())))
        backend.advance(1)
        digests.append(backend.world.digest())
    return digests


@pytest.mark.parametrize("name", CASES)
def test_two_runs_are_identical_and_a_fork_equals_the_original_at_every_unit(name):
    case = load(name)
    digests = rollout(case, 5)
    assert rollout(case, 5) == digests and len(set(digests)) == len(digests)
    backend, rng = case.backend(), random.Random(5)
    for digest in digests:
        twin = backend.fork()
        action = rng.choice(list(backend.actions()))
        for world in (twin, backend):
            with contextlib.suppress(RefusedError):
                world.apply(action)
            world.advance(1)
            assert world.world.digest() == digest
        backend = twin
    live = KernelWorld()
    live.restore(backend.world.checkpoint())
    assert live.checkpoint().to_bytes() == backend.world.checkpoint().to_bytes()


@pytest.mark.parametrize("name", CASES)
def test_every_rule_fires_and_every_action_is_accepted_somewhere(name):
    case = load(name)
    fired, accepted = set(), set()
    for seed in (*SEEDS, 5, 6):
        backend, rng = case.backend(), random.Random(seed)
        for _ in range(96):
            action = rng.choice(list(backend.actions()))
            if action in backend.legal_actions():
                backend.apply(action)
                accepted.add(action)
            else:
                with pytest.raises(RefusedError):
                    backend.apply(action)
            backend.advance(1)
        fired |= {record.rule for record in backend.world.events() if record.ok}
    rules = {rule["name"] for rule in (*case.spec["processes"], *case.spec["capabilities"])}
    assert rules <= fired and set(case.menu) <= accepted
    assert all(record.ok or record.kind == "capability" for record in backend.world.events())


def test_descriptions_with_numbers_are_refused():
    case = load("harbour")
    text = case.text.replace("the tide turns at high and at low water", "the tide turns twice a day")
    with pytest.raises(ArgumentError, match="no numbers"):
        read("harbour", text)
