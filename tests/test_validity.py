# SPDX-License-Identifier: GPL-2.0-or-later
"""The studies: what they call a correlation, a war, an untouched civilization; and that a killed run goes on."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import civworld
from civworld import edits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.validity import correlation, dose_response, placebo, wars  # noqa: E402
from benchmarks.validity.__main__ import STUDIES  # noqa: E402
from benchmarks.validity.study import Study, finished, interval, play  # noqa: E402


def test_a_correlation_takes_out_the_levels_of_civilizations():
    control = np.array([[10, 90], [12, 92], [14, 94]])
    assert correlation.correlations(control, control, 0) == (1.0, 1.0)
    turned = np.array([[14, 94], [12, 92], [10, 90]])
    assert correlation.correlations(control, turned, 1) == pytest.approx((-1.0, -1.0))
    half = np.array([[10, 94], [12, 92], [14, 90]])
    assert correlation.correlations(control, half, 0) == pytest.approx((0.0, 1.0))
    assert correlation.correlations(control, np.full((3, 2), 7), 0) == (None, None)


def test_only_worlds_with_both_generators_are_compared():
    worlds = [
        {"edit": "gold_300", "turns": 30, "world": w, "rng": rng, "seeds": 3, "r_all": r, "r_edited": None}
        for w, rng, r in ((1, "stock", 0.5), (1, "keyed", 0.9), (2, "stock", 0.7), (2, "keyed", 1.0), (3, "keyed", 0.0))
    ]
    row = correlation.summary(worlds)[0]
    assert (row["worlds"], row["stock"], row["keyed"], row["gain"]) == (2, 0.6, 0.95, pytest.approx(0.35))
    assert row["gain_low"] == pytest.approx(0.3)


def test_a_world_that_was_played_twice_counts_with_more_seeds():
    def played(seeds, horizons, scores):
        job = {"world": 1, "rng": "keyed", "seeds": seeds, "horizons": horizons, "edits": ["gold_300"]}
        causes = {"gold_300": [{"own": [5, "research"]}] * seeds}
        scores = {name: [[[s]] * len(horizons) for s in scores[:seeds]] for name in ("control", "gold_300")}
        return job, {"player": 0, "scores": scores, "causes": causes}

    results = [played(3, [10, 30], (1, 2, 3)), played(2, [10, 60], (1, 1))]
    found = correlation.tables(results)
    rows = [(row["turns"], row["seeds"], row["r_all"]) for row in found["correlation_worlds"]]
    assert rows == [(10, 3, 1.0), (30, 3, 1.0), (60, 2, None)]
    assert [(row["pairs"], row["of"]) for row in found["correlation_causes"]] == [(3, 3)]


def test_what_separates_arms_is_named(late):
    control, edited = late.fork(), late.fork()
    edited.apply(edits.SetResearch(1, civworld.StateView.text(_other_advance(control.state(), 1))))
    found = {}
    correlation._note(found, control.state(), edited.state(), 1, 1)
    assert found == {"own": [1, "research"]}
    correlation._note(found, control.state(), edited.state(), 2, 0)
    assert found["own"] == [1, "research"]
    assert found["others"] == [2, "research"]


def _other_advance(view, player):
    research = next(r for r in view.research if int(r["players"]) >> player & 1)
    able = np.flatnonzero(view.bits(research["available"]))
    return view.rules.advances["name"][next(a for a in able if a != research["researching"])]


def test_others_are_untouched_until_something_of_theirs_differs(late):
    control, edited = late.fork().state(), late.fork().apply(edits.AddGold(1, 5)).state()
    assert placebo.others_equal(control, edited, [1])
    assert not placebo.others_equal(control, edited, [0])


def test_wars_are_followed_over_truces(monkeypatch):
    states = ["Never met", "War", "Cease-fire", "War", "Cease-fire", "Armistice", "Peace", "War"]

    class Played:
        turn = 1

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def state(self):
            return self

        def advance(self):
            self.turn += 1

    monkeypatch.setattr(wars.civworld, "World", lambda config: Played())
    monkeypatch.setattr(wars, "read", lambda view: ({(0, 1): states[view.turn - 1]}, set()))
    found = wars.follow(None, len(states) - 1)
    assert found == {"contacts": {"War": 1}, "wars": [[2, 6, "treaty"], [8, 8, "open"]]}


def test_every_place_gets_every_dose():
    shifts = np.array([dose_response.doses_of(shift) for shift in range(5)])
    assert all(sorted(column) == sorted(dose_response.DOSES) for column in shifts.T)


def test_good_and_bad_places_cancel_out_of_a_slope():
    results = []
    for job in dose_response.jobs(False):
        if job["world"] <= 3 and (job["world"], job["shift"]) != (3, 4):  # the third world is not complete
            ranks = [dose_response.DOSES.index(dose) for dose in dose_response.doses_of(job["shift"])]
            values = [1 + 100 * place + 2 * rank for place, rank in enumerate(ranks)]
            results.append((job, dict.fromkeys(dose_response.MEASURES, values)))
    slopes = dose_response.tables(results)["dose_response_slopes"]
    assert [(row["worlds"], row["monotone"]) for row in slopes] == [(2, True)] * 10
    assert all(row["slope"] == row["low"] == row["high"] == 2 for row in slopes)


def square(job):
    """The result of a job of the study below."""
    return job["x"] ** 2


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path):
    study = Study("squares", lambda quick: [], square, lambda results: {}, lambda found, path: None, lambda found: [])
    log = tmp_path / "squares.jsonl"
    build = civworld.build_info().build_id
    kept = {"build": build, "job": {"x": 2}, "result": "kept"}
    stale = {"build": "another", "job": {"x": 3}, "result": "stale"}
    log.write_text(json.dumps(kept) + "\n" + json.dumps(stale) + '\n{"build": "' + build)
    jobs = [{"x": 2}, {"x": 3}]
    assert finished(jobs, log) == [({"x": 2}, "kept")]
    assert play(study, jobs, log, 1) == [({"x": 2}, "kept"), ({"x": 3}, 9)]
    written = log.read_text()
    assert play(study, jobs, log, 1) == [({"x": 2}, "kept"), ({"x": 3}, 9)]
    assert log.read_text() == written


def test_intervals_hold_the_mean():
    mean, low, high = interval([1.0, 2.0, 3.0, 4.0])
    assert low < mean == 2.5 < high


def test_every_study_lists_its_jobs():
    for study in STUDIES.values():
        keys = [json.dumps(job, sort_keys=True) for job in study.jobs(False)]
        assert len(set(keys)) == len(keys) > len(study.jobs(True)) > 0
