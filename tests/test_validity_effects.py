# SPDX-License-Identifier: GPL-2.0-or-later
"""The studies of deeds and of effects: what they count, what they call an effect, what one half tells of the other."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.validity import deeds, effect_tables, effects  # noqa: E402

from civworld import quantities  # noqa: E402
from civworld.events import Event  # noqa: E402

NAMES = list(quantities.table())
SCORE = NAMES.index("score")


@pytest.fixture(scope="module")
def two_worlds():
    """The study of deeds after three turns of one map, with and without behaviours."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deeds, "MARKS", (2, 4))
        jobs = [{"world": 1, "behaviour": behaviour, "turns": 3} for behaviour in ("stock", "patched")]
        results = [(job, deeds.run(job)) for job in jobs]
        return results, deeds.tables(results)


def test_deeds_are_noted_by_turn_and_civilization(two_worlds):
    results, _ = two_worlds
    for _, found in results:
        assert set(found["marks"]) == {"2", "4"}
        assert len(found["first"]) == len(found["governments"]) == deeds.CIVS
        assert all(len(values) == deeds.CIVS for values in found["marks"]["4"].values())
        assert all(1 <= turn <= 4 for first in found["first"] for turn in first.values())
        assert sum(found["marks"]["4"]["cities"]) > 0
        assert {*deeds.COUNTED, *deeds.TOLD} <= set(found["marks"]["4"])


def test_tables_of_deeds_have_a_row_for_each(two_worlds):
    _, tables = two_worlds
    assert [row["deed"] for row in tables["deeds"]] == list(deeds.DEEDS)
    assert len(tables["deeds_worlds"]) == 2 * 2 * deeds.CIVS
    cities = [r for r in tables["deeds_worlds"] if (r["turn"], r["behaviour"]) == (4, "stock")]
    row = next(r for r in tables["deeds_levels"] if (r["what"], r["turn"], r["behaviour"]) == ("cities", 4, "stock"))
    assert (row["least"], row["most"]) == (min(r["cities"] for r in cities), max(r["cities"] for r in cities))
    assert row["civilizations"] == deeds.CIVS


def test_what_a_moment_shows_is_a_deed(late):
    view = late.fork().state()
    found = deeds.done_at(view)
    assert all(deed in deeds.DEEDS and 0 <= player < deeds.CIVS for player, deed in found)
    bought = np.flatnonzero(view.table("hidden_players")["bought"][: deeds.CIVS] > 0)
    assert {player for player, deed in found if deed == "bought"} == set(bought.tolist())


def test_who_cannot_pay_is_bankrupt_once_a_turn():
    def event(kind, turn, cause, player=0):
        return Event(turn, "end_phase", kind, player, cause=cause)

    log = [event("unit_lost", 7, "sold"), event("unit_lost", 7, "sold"), event("unit_lost", 8, "killed")]
    log += [event("gold_moved", 8, "sold")] + [event("gold_moved", 9, "sold", 1)] * 3 + [event("unit_lost", 99, "sold")]
    found = deeds.told(log, 50, [{7, 12}, set(), {60}, set(), set()])
    assert found == {"sold_singly": [1, 0, 0, 0, 0], "units_unpaid": [2, 0, 0, 0, 0], "bankrupt": [2, 0, 0, 0, 0]}


@pytest.fixture(scope="module")
def gift():
    """The study of effects with one world, two seeds and an edit at turn 20."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(effects, "START", 20)
        arms = (effects.CONTROL, effects.GOLD, effects.PLACEBO)
        jobs = [effects._job(1, rng, arm, (1, 2), (1, 3)) for rng in effects.RNGS for arm in arms]
        return [(job, effects.run(job)) for job in jobs]


def test_a_gift_lies_in_the_treasury_or_has_become_something(gift):
    rows = effects.tables(gift)["effects"]
    at = {(r["rng"], r["arm"], r["target"], r["turns"]): r for r in rows}
    for rng in effects.RNGS:
        moved = [at[rng, "real", target, 1]["moved_rollouts"] for target in effects.GOLD_TARGETS]
        assert max(moved) == 1
        assert abs(at[rng, "placebo", "treasury", 1]["standard_error"]) <= 1
    assert {r["pairs"] for r in rows} == {2} and {r["worlds"] for r in rows} == {1}


def test_a_job_of_rollouts_is_the_same_again(gift, monkeypatch):
    monkeypatch.setattr(effects, "START", 20)
    job, found = gift[1]
    again = effects.run(job)
    assert again["values"] == found["values"] and again["player"] == found["player"]


def test_an_operator_that_cannot_be_used_leaves_no_cell(gift, monkeypatch):
    monkeypatch.setattr(effects, "START", 20)
    monkeypatch.setattr(effects, "plan_of", lambda view, name: None)
    job = effects._job(1, "keyed", "city_transfer", (1, 2), (1, 3))
    results = [*gift, (job, effects.run(job))]
    assert {row["operator"] for row in effects.tables(results)["effects"]} == {effects.GOLD}


def played(arm, scores, world=1, rng="keyed", turns=10):
    """A job and its result: the score of civilization 0 under each seed; all else is 0 and 100."""
    values = [[[[0] * len(NAMES), [100] * len(NAMES)]] for _ in scores]
    for value, score in zip(values, scores, strict=True):
        value[0][0][SCORE] = score
    about = {} if arm == effects.CONTROL else {"player": 0, "targets": ["score"]}
    found = {"player": None, "targets": [], "values": values, "seconds_per_turn": 0.5, **about}
    return effects._job(world, rng, arm, (1, len(scores)), (turns,)), found


def test_pairs_have_the_variance_of_their_differences():
    results = [played(effects.CONTROL, [10, 20, 30]), played(effects.GOLD, [12, 22, 35])]
    (cell,) = effect_tables.cells(results)
    assert (cell.paired, cell.unpaired) == (3.0, pytest.approx(100 + 133))
    tables = effects.tables(results)
    assert tables["effects"][0]["effect"] == 3 and tables["effects"][0]["standard_error"] == 1
    assert tables["pairing"] == [
        {"operator": effects.GOLD, "turns": 10, "stock": None, "stock_cells": 0, "keyed": pytest.approx(3 / 233),
         "keyed_cells": 1, "core_seconds_of_a_rollout": 5.0}
    ]  # fmt: skip


def test_seeds_of_several_jobs_make_one_cell():
    control = played(effects.CONTROL, [10, 20, 30, 40])
    first, second = played(effects.GOLD, [11, 21]), played(effects.GOLD, [31, 41])
    second[0]["seeds"] = [3, 4]
    (cell,) = effect_tables.cells([control, first, second])
    assert cell.shift.tolist() == [1, 1, 1, 1]


def test_one_half_says_what_moved_and_the_other_how_far():
    control = [10, 20, 30, 40]
    results = [
        pair
        for world in range(1, 4)
        for pair in (
            played(effects.CONTROL, control, world),
            played(effects.GOLD, [value + shift for value, shift in zip(control, (2, 2, 4, 4), strict=True)], world),
        )
    ]
    rows = {row["pairs"]: row for row in effects.tables(results)["capture_halves"]}
    # pairs of one half each foresee the other exactly; of four pairs one half says 2 where the other says 4, and back
    assert (rows[2]["capture"], rows[2]["splits"]) == (1, 4)
    assert rows[4]["capture"] == pytest.approx(np.mean([1 - 2 / 4, 1 - 2 / 2]))
    assert rows[4]["moved_cells"] == rows[4]["cells"] == 3


def test_a_mean_moves_beyond_twice_its_standard_error():
    assert effect_tables.moves(np.array([2.0, 2.0])) and effect_tables.moves(np.array([-1.0]))
    assert not effect_tables.moves(np.array([0.0])) and not effect_tables.moves(np.array([3.0, -1.0, 0.0]))


def test_pictures_are_drawn_of_a_quick_run(gift, tmp_path):
    found = effects.tables(gift)
    effects.plot(found, tmp_path / "effects.svg")
    assert {p.name for p in tmp_path.iterdir()} == {"effects.svg", "effects-bands.svg", "effects-capture.svg"}
    assert effects.verdict(found)
