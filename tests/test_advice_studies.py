# SPDX-License-Identifier: GPL-2.0-or-later
"""The two studies of advice: resumable to the byte, and their tables."""

from dataclasses import replace

import pytest

import civworld
from civworld.advice import playing, studies

TEAM = studies.Team(playing.scripted("build"), {"perfect": playing.forking(2, 2), "random": playing.scripted("random")})


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("run", "study"), [(studies.run_full, studies.TINY_FULL), (studies.run_local, studies.TINY_LOCAL)]
)
def test_a_study_that_was_stopped_goes_on_to_equal_bytes(run, study, tmp_path):
    rows = run(study, TEAM, tmp_path / "whole")
    run(replace(study, worlds=1), TEAM, tmp_path / "cut")
    (tmp_path / "cut" / f"{study.first_seed + 1}.part").write_text("{")
    assert run(study, TEAM, tmp_path / "cut") == rows
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")
    with pytest.raises(civworld.ArgumentError, match="another folder"):
        run(replace(study, name="other"), TEAM, tmp_path / "cut")


def test_gains_are_against_no_advice_and_against_self_review():
    full = [{"conditions": ["none", "a"], "scores": {"none": [1, 2], "a": [1, 2 + n]}} for n in (1, 3)]
    first, last = studies.gain_by_turn(full)
    assert (first["gain"], last["gain"], last["low"], last["high"]) == (0, 2, 1, 3)
    scores = {"original": [5, 5, 1, 1], "self-reviewed": [4, 4, 2, 2], "a": [9, 9, 7, 7]}
    found = studies.local_gains([{"conditions": list(scores), "scores": scores}])
    assert [(row["plan"], row["gain"]) for row in found] == [
        ("original", -1), ("a", 5), ("selection with advice", 6)
    ]  # fmt: skip


def test_the_studies_worlds_are_their_own():
    plans = (studies.FULL, studies.LOCAL, studies.TINY_FULL, studies.TINY_LOCAL)
    seeds = [seed for s in plans for seed in range(s.first_seed, s.first_seed + s.worlds)]
    assert len(set(seeds)) == len(seeds)
