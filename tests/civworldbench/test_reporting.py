# SPDX-License-Identifier: GPL-2.0-or-later
"""Comparisons, sizes of effects, counts: on a query set of numbers alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from synthetic import OPERATORS, query_set

from civworld.civworldbench.answering import predictors
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.evaluating.metrics import ALL, METRICS
from civworld.civworldbench.folders import running, sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.civworldbench.reporting import counts, magnitudes
from civworld.civworldbench.reporting.compare import compare
from civworld.civworldbench.reporting.leaderboard import leaderboard
from civworld.civworldbench.reporting.picture import save_picture
from civworld.cli import main
from civworld.errors import ArgumentError

SET = query_set()
CEILINGS = {"omni-id": dict.fromkeys(ALL, 1.0)}


def scored(predictor, queries=SET):
    return {"omni-id": evaluate(queries, predictors.answer_all(predictor, queries), "omni-id")}


def halved(query):
    """The oracle about the world as it is; half of every realized effect about edits."""
    values = json.loads(predictors.oracle(SET)(query))["answers"]
    if query.arm:
        control = json.loads(predictors.oracle(SET)(SET.queries[query.control]))["answers"]
        values = {k: [(a + b) / 2 for a, b in zip(v, control[k], strict=True)] for k, v in values.items()}
    return predictors.as_text(values)


def test_a_forecaster_has_nothing_over_itself():
    same = scored(predictors.oracle(SET))
    found = compare(("a", same), ("b", same), CEILINGS, 1, n_resamples=20)
    for first, second, difference in found.metrics["omni-id"].values():
        assert first == second
        assert difference.estimate == difference.low == difference.high == 0
    assert found.index[2].estimate == 0


def test_differences_are_paired_by_world_and_have_intervals():
    best, floor = scored(predictors.oracle(SET)), scored(predictors.reference(SET))
    found = compare(("oracle", best), ("floor", floor), CEILINGS, 1, n_resamples=50)
    first, second, difference = found.metrics["omni-id"]["quantity"]
    assert (first, second) == (1, 0)
    assert difference.low <= difference.estimate == 1 <= difference.high
    assert found.metrics["omni-id"]["specificity"][2].estimate is None  # the floor has none
    reverse = compare(("floor", floor), ("oracle", best), CEILINGS, 1, n_resamples=50)
    assert reverse.metrics["omni-id"]["quantity"][2].estimate == -1
    text = found.to_markdown()
    assert "| omni-id | quantity | +1.000 | +0.000 | +1.000 |" in text
    assert set(found.to_dict()["metrics"]["omni-id"]) == set(METRICS)


def test_other_worlds_or_settings_are_no_comparison():
    best = scored(predictors.oracle(SET))
    few = query_set(worlds=3)
    with pytest.raises(ArgumentError, match="different worlds"):
        compare(("a", best), ("b", scored(predictors.oracle(few), few)), CEILINGS, 1)
    with pytest.raises(ArgumentError, match="the same ones"):
        compare(("a", best), ("b", {"ego": best["omni-id"]}), CEILINGS, 1)


def test_the_command_compares_two_files(tmp_path, capsys):
    sets.save(SET, tmp_path)
    (tmp_path / running.CEILINGS).write_text(json.dumps(CEILINGS))
    files = []
    for name, predictor in (("best", predictors.oracle(SET)), ("half", halved)):
        files.append(str(tmp_path / f"{name}.jsonl"))
        write_answers(files[-1], predictors.answer_all(predictor, SET))
    assert main(["compare", *files, "--queries", str(tmp_path), "--resamples", "20"]) == 0
    shown = capsys.readouterr().out
    assert "| omni-id | capture | +1.000 |" in shown
    assert main(["compare", *files, "--queries", "a", "b", "c"]) == 1


def test_sizes_of_effects_stand_beside_realized_ones_by_operator():
    found = magnitudes.magnitudes(scored(halved)["omni-id"])
    assert set(found) == {"all", *OPERATORS}
    assert sum(found[o].cells for o in OPERATORS) == found["all"].cells > 0
    whole = found["all"]
    assert (whole.answered, whole.responds, whole.right, whole.over_twice) == (1, 1, 1, 0)
    assert 0.3 < whole.ratio[1] < 1
    assert 0 < whole.capture < 1
    best = magnitudes.magnitudes(scored(predictors.oracle(SET))["omni-id"])["all"]
    assert best.ratio == pytest.approx((1, 1, 1))
    assert best.capture == pytest.approx(1)
    moved = magnitudes.shifts(scored(predictors.oracle(SET))["omni-id"])
    assert moved.real > 0
    assert moved.placebo == 0


def test_a_forecaster_that_sees_no_effect_has_no_sizes():
    whole = magnitudes.magnitudes(scored(predictors.reference(SET))["omni-id"])["all"]
    assert (whole.answered, whole.responds, whole.right, whole.over_twice, whole.ratio) == (1, 0, None, None, None)
    text = magnitudes.to_markdown({"floor": scored(predictors.reference(SET))})
    assert "| **floor** |" in text
    assert json.dumps(magnitudes.to_dict({"floor": scored(predictors.reference(SET))}))


def test_effects_more_than_twice_the_realized_are_counted():
    def tripled(query):
        values = json.loads(predictors.oracle(SET)(query))["answers"]
        if query.arm:
            control = json.loads(predictors.oracle(SET)(SET.queries[query.control]))["answers"]
            values = {k: [b + 9 * (a - b) for a, b in zip(v, control[k], strict=True)] for k, v in values.items()}
        return predictors.as_text(values)

    assert magnitudes.magnitudes(scored(tripled)["omni-id"])["all"].over_twice > 0.5


def test_counts_add_up():
    found = counts.counts(SET)
    joined = ("all", "trait and rules")
    assert found["all"].prompts == len(SET.queries) == sum(c.prompts for t, c in found.items() if t not in joined)
    # Trait and Rules of one decision point count as one prompt, as published
    trait = next(q for q in SET.queries.values() if q.task == "trait-v1")
    rules = replace(trait, id="rules", task="rules-v1")
    apart = QuerySet.of(
        [*((q, SET.targets[q.id]) for q in SET.queries.values()), (rules, SET.targets[trait.id])], SET.scales
    )
    both = counts.counts(apart)
    assert (both["trait-v1"].prompts, both["rules-v1"].prompts, both["trait and rules"].prompts) == (4, 1, 4)
    assert found["all"].cells == sum(len(q.cells) for q in SET.queries.values())
    assert found["quantity-v1"].worlds == found["quantity-v1"].points == 4
    assert "| omni-id, whole | quantity-v1 | 4 | 264 | 4 | 4 | 1 |" in counts.to_markdown({"omni-id, whole": SET})
    assert np.isfinite(found["all"].characters)


def test_the_picture_of_a_leaderboard_says_what_each_part_shows(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    found = {"oracle": scored(predictors.oracle(SET)), "halved": scored(halved)}
    board = leaderboard(found, CEILINGS, np.random.default_rng(0), n_resamples=5)
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        save_picture(tmp_path / "board.svg", board, found, "omni-id")
    text = (tmp_path / "board.svg").read_text()
    titles = ("CivWorldBench, omni-id", "How far from the floor to the ceiling", "Are probabilities kept?",
              "Effects: direction and size")  # fmt: skip
    axes = ("completion, %", "probability given", "direction right, %", "size predicted / realized, % (quartiles)")
    for told in (*titles, *axes, "oracle", "halved", *METRICS):
        assert f">{told}</text>" in text, told
