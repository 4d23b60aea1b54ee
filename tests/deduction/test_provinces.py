# SPDX-License-Identifier: GPL-2.0-or-later
"""Provinces: cases of two larger sizes, the same from the same seed, alive, and told twice alike."""

from decimal import Decimal

import pytest

from civworld.cli import main
from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.deduction import (
    CarelessSimulator,
    KernelTask,
    disagreements,
    draw_timeline,
    idle,
    load,
    measure_difficulty,
    names,
    play,
)
from civworld.world_agent.deduction.provinces import RECIPES, build

SEEDS = {"grain_valley": 2, "pit_towns": 1, "robber_coast": 28}
"""What the packaged provinces are drawn from."""
MEDIUM, LARGE = ("grain_valley", "pit_towns"), ("robber_coast",)


def test_every_kind_of_province_is_packaged():
    assert set(RECIPES) == set(SEEDS) <= set(names())


@pytest.mark.parametrize("name", SEEDS)
def test_a_packaged_province_is_what_its_seed_gives(name):
    province, case = build(name, SEEDS[name]), load(name)
    assert case.text.partition("\n[difficulty]")[0].rstrip() == province.toml.rstrip()
    assert case.module() == province.module


@pytest.mark.parametrize("names_of, fields, rules, horizon", [(MEDIUM, 100, 25, 96), (LARGE, 400, 60, 192)])
def test_sizes_are_as_said(names_of, fields, rules, horizon):
    for name in names_of:
        case = load(name)
        assert abs(len(case.backend().public_state()) - fields) <= fields / 20
        assert abs(len(case.spec["processes"]) - rules) <= 2
        assert case.horizon == horizon


def test_another_seed_gives_another_living_world_that_both_witnesses_tell_alike():
    one, other = build("grain_valley", 11, "eleven"), build("grain_valley", 12, "twelve")
    assert one == build("grain_valley", 11, "eleven") and one.toml != other.toml
    case = one.case()
    assert list(idle(case)) == []
    assert list(disagreements(case, one.module, draw_timeline(case))) == []


def test_the_command_writes_a_case_that_can_be_checked(tmp_path, capsys):
    assert main(["world-agent", "grow", "pit_towns", "--seed", "5", "--name", "mine", "--out", str(tmp_path)]) == 0
    assert main(["world-agent", "check", str(tmp_path / "mine.toml"), "--mutants", "5"]) == 0
    assert "nothing wrong" in capsys.readouterr().out
    assert main(["world-agent", "grow", "swamp", "--seed", "5", "--out", str(tmp_path)]) == 1


def test_what_no_province_is_is_refused_by_name():
    with pytest.raises(UnknownNameError, match="grain_valley"):
        build("grain_valey", 1)
    for seed, name in ((1.5, ""), ("1", ""), (True, ""), (1, "Über"), (1, "../x")):
        with pytest.raises(ArgumentError):
            build("grain_valley", seed, name)


@pytest.mark.parametrize("name", [name for name in names() if name not in LARGE])
def test_a_case_says_its_measured_difficulty(name):
    assert load(name).difficulty == measure_difficulty(load(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_large_case_says_its_measured_difficulty(name):
    assert load(name).difficulty == measure_difficulty(load(name))


def test_longer_and_larger_cases_take_more_care():
    assert {name for name in names() if not load(name).difficulty} == set()
    last = {name: load(name).difficulty["careless"]["last"] for name in names()}
    small = [last[name] for name in names() if name not in SEEDS]
    assert max(last[name] for name in SEEDS) < sum(small) / len(small)
    assert all(last[name] < Decimal("0.6") for name in SEEDS)


def test_who_never_slips_is_never_wrong():
    episode = play(KernelTask(load("harbour")), "open", "m1", CarelessSimulator(slips=0))
    assert episode.f1("segment") == 1 and episode.fired_f1 == 1
    first, again = (play(KernelTask(load("harbour")), "open", "m1", CarelessSimulator(seed=2)) for _ in range(2))
    assert first == again and first.f1("segment") < 1
