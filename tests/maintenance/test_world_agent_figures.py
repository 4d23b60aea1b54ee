# SPDX-License-Identifier: GPL-2.0-or-later
"""The paper's tables and figures from rows: worked numbers, and a dozen solvers and more in every figure."""

import math
import sys
from pathlib import Path

import pytest

from civworld.world_agent.maintenance import COMPONENTS, TIERS

pytest.importorskip("matplotlib")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "world_agent"))
import comparing
import plots

NAMES = [f"model_{letter}" for letter in "abcdefghijklmnopq"]


def maintenance_row(solver, case, tier, score, **more):
    rounds = [{"round": n, "completion": score / n, "relation": score / (2 * n)} for n in (1, 2)]
    parts = {part: [int(100 * score), 100] for part in COMPONENTS}
    return {"solver": solver, "case": case, "tier": tier, "completion": score, "relation": score / 2,
            "components": parts, "by_round": rounds, **more}  # fmt: skip


def deduction_row(solver, task, information, mode, score, **more):
    kinds = ["segment"] if mode == "m1" else ["interval", "lookahead", "counterfactual"]
    curve = {kind: [score, score / 2] for kind in kinds}
    return {"solver": solver, "task": task, "information": information, "mode": mode, "fired_f1": None,
            "f1": dict.fromkeys(kinds, score), "curve": curve, **more}  # fmt: skip


def both(names=NAMES, cases="xyz"):
    share = {name: 0.9 - 0.05 * place for place, name in enumerate(names)}
    kept = [(name, case, share[name] - 0.01 * (ord(case) - ord("x"))) for name in names for case in cases]
    maintenance = [maintenance_row(name, case, tier, score) for name, case, score in kept for tier in TIERS]
    settings = [(information, mode) for information in ("open", "naming") for mode in ("m1", "m2")]
    deduction = [deduction_row(name, case, *setting, score) for name, case, score in kept for setting in settings]
    return {"maintenance": maintenance, "deduction": deduction}


def test_every_solver_is_in_every_figure():
    data = both()
    figure = plots.score_by_round(data["maintenance"])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == NAMES
    drawn = [(line.get_color(), line.get_marker()) for line in figure.axes[0].lines]
    assert len(set(drawn)) == len(NAMES)
    for make in (plots.component_heat, plots.strength_heat):
        assert [text.get_text() for text in make(data["maintenance"]).axes[0].get_yticklabels()] == NAMES
    figure = plots.f1_by_horizon(data["deduction"])
    assert [axis.get_title() for axis in figure.axes if axis.axison] == NAMES
    assert figure.get_size_inches()[0] <= 12
    plots.plt.close("all")


def test_what_was_not_run_is_not_drawn_as_nothing_reached():
    rows = [row for row in both()["maintenance"] if row["tier"] != "extreme"]
    shown = [text.get_text() for text in plots.component_heat(rows).axes[2].texts]
    assert set(shown) == {"-"}
    plots.plt.close("all")


def test_strengths_are_multiples_of_the_mean_of_solvers():
    rows = [maintenance_row("strong", "x", "easy", 0.9), maintenance_row("weak", "x", "easy", 0.3)]
    found = plots.strengths(rows)
    assert found["strong"][0] == pytest.approx(1.5) and found["weak"][0] == pytest.approx(0.5)


def test_folds_are_averaged_within_cases_and_a_missing_setting_is_no_score():
    rows = [maintenance_row("a", "x", tier, 0.4, fold=0) for tier in TIERS]
    rows += [maintenance_row("a", "x", "easy", 0.8, fold=1), maintenance_row("a", "y", "easy", 1.0, fold=0)]
    scores = comparing.per_case(rows, comparing.MEASURES[0])
    assert scores == {"x": pytest.approx((0.6 + 0.4 + 0.4) / 3)}


def test_the_joint_table_compares_on_common_cases_and_says_harness_seeds_and_folds():
    data = both(["a", "b"])
    data["maintenance"] += [maintenance_row("a", "only_a", tier, 0.0) for tier in TIERS]
    data["maintenance"] += [maintenance_row("b", "x", tier, 0.85, fold=1, seed=4, harness="pyos") for tier in TIERS]
    lines = comparing.joint_table(data).splitlines()
    assert "completion (3)" in lines[0] and "M2 interval (3)" in lines[0]
    assert lines[2].startswith("| a | none | 1 | 1 | 0.890 | 0.445 | 0.890 |")
    assert lines[3].startswith("| b | none, pyos | 2 | 2 |")


def test_paired_tests_give_worked_numbers():
    first, second = ({case: base + 0.1 * k for k, case in enumerate("abcde")} for base in (0.5, 0.4))
    found = comparing.paired(first, second)
    assert (found.cases, round(found.difference, 9), found.p) == (5, 0.1, 2 / 2**5)
    assert found.low == pytest.approx(0.1) and found.high == pytest.approx(0.1)
    assert comparing.paired(first, first).p == 1
    many = {f"c{k}": k % 2 * 1.0 for k in range(20)}
    other = {case: 0.5 for case in many}
    assert comparing.paired(many, other).p > 0.5
    assert comparing.paired(many, other) == comparing.paired(many, other)
    assert comparing.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert comparing.paired_table(both(["a", "b"])).count("| a | b |") == len(comparing.MEASURES)


def test_drop_gap_and_correlation_give_worked_numbers():
    data = both(["a", "b"])
    assert "| a | 0.890 | 0.445 | 0.500 |" in comparing.drop_table(data["maintenance"])
    rows = [deduction_row("m", "x", "open", "m1", 0.7), deduction_row("m", "x", "naming", "m1", 0.1)]
    rows += [deduction_row("m", "x", "open", "m2", 0.6), deduction_row("m", "x", "naming", "m2", 0.4)]
    assert "| m | 0.700 | 0.100 | 0.600 | 0.400 | 0.200 | 0.500 |" in comparing.gap_table(rows)
    assert "| m | 0.700 | - | - | - | - | - |" in comparing.gap_table(rows[:1])
    assert comparing.pearson({"x": 1, "y": 2, "z": 3}, {"x": 3, "y": 2, "z": 1}) == pytest.approx(-1)
    assert comparing.pearson({"x": 1, "y": 1, "z": 1}, {"x": 3, "y": 2, "z": 1}) is None
    first = comparing.correlation_table(data).splitlines()[2]
    assert first.startswith("| completion | 1.000 | - | 1.000 | - |")


def test_a_lookahead_is_drawn_at_its_mean():
    figure = plots.f1_by_horizon([deduction_row("m", "x", "open", "m2", 0.8)])
    lines = [line for line in figure.axes[0].lines if line.get_label().startswith("m2 lookahead, open")]
    assert [round(value, 9) for value in lines[0].get_ydata()] == [0.6, 0.6]
    assert not math.isnan(lines[0].get_ydata()[0])
    plots.plt.close("all")
