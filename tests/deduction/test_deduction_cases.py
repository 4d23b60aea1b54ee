# SPDX-License-Identifier: GPL-2.0-or-later
"""Every deduction case: its witnesses agree, it lives, and no change of either witness goes unnoticed."""

import contextlib
import random
from decimal import localcontext
from itertools import chain
from pathlib import Path

import pytest
from number_mutants import reread, spec_mutants

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.deduction import disagreements, draw_timeline, idle, load, mutants, names, read
from civworld.world_agent.kernel import KernelWorld

CASES = names()
SAMPLE = 6
ROWS = [line.split(" | ") for line in (Path(__file__).parent / "equivalent_mutants.txt").read_text().splitlines()[1:]]
EQUIVALENT = {(name, what) for name, what, _ in ROWS}


def test_there_are_cases_in_as_many_genres():
    assert len(CASES) >= 9 and len({load(name).genre for name in CASES}) == len(CASES)
    with pytest.raises(UnknownNameError, match="harbour"):
        load("harbor")


@pytest.mark.parametrize("name", CASES)
def test_specification_module_and_timeline_agree(name):
    case = load(name)
    assert list(disagreements(case)) == []
    assert draw_timeline(case) == case.timeline()


def test_a_callers_decimal_context_changes_nothing():
    with localcontext() as context:
        context.prec = 3
        assert next(disagreements(load("fishery")), None) is None


@pytest.mark.parametrize("name", CASES)
def test_every_rule_action_and_branch_comes_up_by_the_dynamics(name):
    assert list(idle(load(name))) == []


def changed(case):
    """Every changed witness: what was changed, and what gives the case and the module's text."""
    texts = ((f"text {what}", lambda text=text: (reread(case, text), None)) for what, text in spec_mutants(case))
    specs = ((f"spec {what}", lambda twin=twin: (twin, None)) for what, twin in mutants.specifications(case))
    modules = ((f"module {what}", lambda s=source: (case, s)) for what, source in mutants.modules(case.module()))
    return list(chain(texts, specs, modules))


def unnoticed(case, several):
    known = {what for name, what in EQUIVALENT if name == case.name}
    found = []
    for what, make in several:
        twin, source = make() if what not in known else (None, None)
        if twin is not None and next(disagreements(twin, source), None) is None:
            found.append(what)
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_changed_witness_is_noticed(name):
    case = load(name)
    several = changed(case)
    assert len(several) > 200
    assert unnoticed(case, random.Random(name).sample(several, SAMPLE)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_changed_witness_is_noticed_or_proved_to_be_the_same(name):
    case = load(name)
    several = changed(case)
    assert unnoticed(case, several) == []
    assert {what for owner, what in EQUIVALENT if owner == name} <= {what for what, _ in several}


@pytest.mark.parametrize("name", CASES)
def test_a_changed_timeline_is_noticed(name):
    case = load(name)
    assert list(disagreements(case, golden=case.timeline().replace("=1", "=2", 1)))


BROKEN = {
    "a rule that never fires": ("city.unrest > 4", "city.unrest > 99", "riot: never fires"),
    "an action that is never legal": ("actor.gold >= 7", "actor.gold >= 99999", "menu.gift_guilds: is never legal"),
    "a branch that is never taken": (
        "3 if city.bread < 8 else -1", "3 if city.bread < 800 else -1", "'city.bread < 800' is never false"),
    "triggers in a circle": (
        'do = ["plot.known = true", "spymaster.secrets -= 5"]',
        'do = ["plot.known = not plot.known", "spymaster.secrets += 1"]', "cyclic triggers"),
    "a rule that sets itself off over units": (
        'when = ["spymaster.secrets >= 5", "not plot.known"]\ndo = ["plot.known = true", "spymaster.secrets -= 5"]',
        'after = 1\nthen = ["spymaster.secrets += 6"]\ndo = ["plot.known = not plot.known"]',
        "reveal: sets itself off again and again"),
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_what_a_case_states_but_never_does_is_named(broken):
    case = load("court")
    old, new, finding = BROKEN[broken]
    text = (
        case.text.replace('when = ["spymaster.secrets >= 5", "not plot.known"]\n', "")
        if "circle" in broken
        else case.text
    )
    assert old in text
    assert any(finding in line for line in idle(read("court", text.replace(old, new))))


REFUSED = {
    "interval = 0": ("interval = 6", "interval = 0", "interval"),
    "a negative interval": ("interval = 6", "interval = -6", "interval"),
    "a missing key": ('actor = "regent"\ninterval', "interval", "actor is missing"),
    "an unknown section": ("[task]", "[tasks]\nx = 1\n[task]", "tasks"),
    "an unknown key of a rule": ('on = "plot.progress"', 'om = "plot.progress"', "om"),
    "a field in full-width letters": ("plot.progress >= 30", "plot.\uff50rogress >= 30", "ASCII"),
    "a schedule by somebody else": ('actor = "clergy"\nevery = 18', 'actor = "city"\nevery = 18', "faction"),
    "until before at": ("every = 18", "every = 18\nuntil = 3", "until 3"),
    "a process with an unknown actor": ('actor = "nobles"', 'actor = "noblemen"', "noblemen"),
    "an action of an unknown capability": ('do = "ceremony"', 'do = "ceremonial"', "ceremonial"),
    "an action with other arguments": ('args = { faction = "nobles" }, about = "a gift', 'about = "a gift', "faction"),
    "no TOML": ("[types]", "[types", "not TOML"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_case_that_contradicts_itself_is_refused_by_name(what):
    case = load("court")
    old, new, message = REFUSED[what]
    assert old in case.text
    with pytest.raises(ArgumentError, match=message) as refused:
        read("court", case.text.replace(old, new))
    assert "court" in str(refused.value)


@pytest.mark.parametrize("source", ["def riot(: pass", "import nothing_of_that_name", "SCRIPT = 3\nx.y", ""])
def test_a_broken_module_is_a_finding(source):
    assert list(disagreements(load("court"), source))


def test_a_module_that_never_ends_is_a_finding():
    case = load("river_locks")
    source = case.module().replace("r.level > 36", "r.level <= 36")
    assert source != case.module()
    assert any("does it end" in finding for finding in disagreements(case, source))


@pytest.mark.parametrize("name", CASES)
def test_every_action_has_its_turn_in_the_timeline(name):
    case = load(name)
    acted = case.timeline().partition("# ...")[2]
    assert [action for action in case.menu if f" {case.actor}: {action}" not in acted] == []


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


def test_descriptions_with_numbers_are_refused():
    case = load("harbour")
    text = case.text.replace("the tide turns at high and at low water", "the tide turns twice a day")
    with pytest.raises(ArgumentError, match="no numbers"):
        read("harbour", text)
