# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of answers: the ends of every scale, penalties, files and the table of forecasters."""

import json

import numpy as np
import pytest
from synthetic import query_set

from civworld import quantities
from civworld.civworldbench.answering import predictors
from civworld.civworldbench.asking.query import Cell, Query, QuerySet, Target
from civworld.civworldbench.evaluating import evaluate, metrics
from civworld.civworldbench.folders import sets
from civworld.civworldbench.reporting import leaderboard
from civworld.errors import ArgumentError, UnknownNameError

SET = query_set()
CEILINGS = {
    "omni-id": {
        "quantity": 0.7,
        "event": 0.2,
        "trait": 0.8,
        "trait_gap60": 0.9,
        "rules": 0.9,
        "capture": 0.6,
        "direction": 0.95,
        "direction_sigma": 0.98,
        "specificity": 1.0,
    }
}


def scores(predictor, queries=SET):
    return evaluate.evaluate(queries, predictors.answer_all(predictor, queries), "omni-id")


def changed(base, query_id, change):
    """The base predictor's answers with one query's cells changed."""

    def predict(query):
        text = base(query)
        if not query_id(query):
            return text
        values = json.loads(text)["answers"]
        return predictors.as_text({cell.id: change(cell, values[cell.id]) for cell in query.cells})

    return predict


def test_an_oracle_reaches_the_end_of_every_scale():
    found = scores(predictors.oracle(SET))
    assert found.raw["quantity"] == found.raw["trait"] == found.raw["rules"] == 1
    assert found.raw["capture"] == found.raw["direction"] == found.raw["specificity"] == 1
    gain = [
        (t.reference - t.value) ** 2 if cell.kind == "probability" else 2.0 * (t.reference != t.value)
        for query in SET.queries.values()
        if query.task == "event-v1"
        for cell in query.cells
        for t in [SET.targets[query.id][cell.id]]
    ]
    assert found.raw["event"] == pytest.approx(np.mean(gain))
    assert found.coverage == 1
    assert not found.failures


def test_the_reference_scores_exactly_nothing():
    found = scores(predictors.reference(SET))
    assert found.raw["quantity"] == 0
    assert found.raw["event"] == 0
    assert found.raw["capture"] == 0
    assert found.raw["specificity"] is None
    assert found.raw["direction"] is None


def test_an_equal_shift_under_edit_and_placebo_has_no_specificity():
    def up(cell, value):
        if quantities.get(cell.subject).transform == "signed_log":
            return [np.expm1(np.log1p(v) + 0.5) for v in value]
        return [v + 5 for v in value]

    found = scores(changed(predictors.reference(SET), lambda q: q.arm != "", up))
    assert found.raw["specificity"] == pytest.approx(0, abs=1e-12)


def test_the_trend_with_an_interval_around_it_may_beat_the_trend():
    def spread(cell, value):
        return [value[2] - 80, value[2] - 60, value[2] - 40, value[2] - 20, value[2]]

    found = scores(changed(predictors.reference(SET), lambda q: q.task == "quantity-v1", spread))
    assert found.raw["quantity"] > 0


def test_missing_answers_cost_what_the_table_of_penalties_says():
    found = scores(lambda query: "")
    assert found.raw["quantity"] == -1
    assert found.raw["trait"] == found.raw["rules"] == found.raw["direction"] == 0
    assert found.raw["capture"] == -1
    assert found.raw["specificity"] is None
    assert found.coverage == 0
    assert found.failures == {"not_json": found.asked}
    events = [SET.targets[q.id][c.id] for q in SET.queries.values() if q.task == "event-v1" for c in q.cells]
    binary = [(t.reference - t.value) ** 2 - 1 for t in events if isinstance(t.value, float)]
    leader = [2.0 * (t.reference != t.value) - 2 for t in events if isinstance(t.value, str)]
    assert found.raw["event"] == pytest.approx(np.mean(binary + leader))


def test_answers_to_unknown_queries_and_settings_are_refused():
    with pytest.raises(ArgumentError, match="not in the set"):
        evaluate.evaluate(SET, {"nobody/asked": "{}"}, "omni-id")
    with pytest.raises(ArgumentError, match="no query in setting 'ego'"):
        evaluate.evaluate(SET, {}, "ego")
    with pytest.raises(UnknownNameError):
        evaluate.evaluate(SET, {}, "omniscient")


def test_a_set_survives_its_files_with_targets_apart(tmp_path):
    sets.save(SET, tmp_path)
    again = sets.load(tmp_path)
    assert again == SET
    shown = (tmp_path / "queries.jsonl").read_text()
    assert "reference" not in shown
    assert "value" not in shown
    for row in map(json.loads, shown.splitlines()):
        assert set(row["schema"]["properties"]["answers"]["required"]) == {cell["id"] for cell in row["cells"]}


def test_targets_must_fit_their_cells():
    query = Query("q", "quantity-v1", "w", 1, "omni-id", "?", (Cell("a", "class", ("x",)),))
    with pytest.raises(ArgumentError, match="targets for"):
        QuerySet.of([(query, {"b": Target("x")})], {})
    with pytest.raises(ArgumentError, match="twice"):
        QuerySet.of([(query, {"a": Target("x")})] * 2, {})


def test_the_table_puts_floor_and_ceiling_at_0_and_100():
    evaluations = {
        "floor": {"omni-id": scores(predictors.reference(SET))},
        "oracle": {"omni-id": scores(predictors.oracle(SET))},
    }
    raw = evaluations["oracle"]["omni-id"].raw
    board = leaderboard.leaderboard(
        evaluations, {"omni-id": raw}, np.random.default_rng(1), n_resamples=50, measured_on="all"
    )
    assert set(board.lines["oracle"]["omni-id"].completion.values()) == {1.0}
    assert board.index["oracle"].estimate == pytest.approx(100)
    assert board.lines["floor"]["omni-id"].completion["quantity"] == 0
    assert board.index["floor"].estimate is None
    text = board.to_markdown()
    assert "| oracle | 100.0 |" in text
    assert json.loads(board.to_json())["forecasters"]["oracle"]["settings"]["omni-id"]["completion"]["event"] == 1


def test_intervals_come_from_whole_worlds_and_repeat():
    def noisy(cell, value):
        return [v + 3 for v in value] if cell.kind == "quantiles" else value

    found = {"noisy": {"omni-id": scores(changed(predictors.oracle(SET), lambda q: q.world != "w0", noisy))}}
    boards = [
        leaderboard.leaderboard(found, CEILINGS, np.random.default_rng(5), n_resamples=40).index["noisy"]
        for _ in range(2)
    ]
    assert boards[0] == boards[1]
    assert boards[0].low < boards[0].estimate < boards[0].high
    assert boards[0].n_worlds == 4


def table(settings=("omni-id",), **options):
    sets_ = {setting: query_set(setting=setting) for setting in settings}
    found = {s: evaluate.evaluate(q, predictors.answer_all(predictors.oracle(q), q), s) for s, q in sets_.items()}
    ceilings = {setting: CEILINGS["omni-id"] for setting in settings}
    return leaderboard.leaderboard({"oracle": found}, ceilings, np.random.default_rng(1), n_resamples=5, **options)


def test_only_an_index_over_all_three_settings_is_called_swfi():
    three, two = table(("omni-id", "ego", "omni-ood")), table(("omni-id", "ego"))
    assert three.index_name == "SWFI"
    assert "| SWFI |" in three.to_markdown()
    for text in (two.to_markdown(), two.to_json()):
        assert "index over omni-id and ego" in text
        assert "SWFI" not in text.upper()


def test_the_table_shows_both_ceilings_and_says_which_it_uses():
    published, on_all = table(), table(measured_on="all")
    done = [b.lines["oracle"]["omni-id"].completion for b in (published, on_all)]
    assert done[0]["quantity"] == done[1]["quantity"]
    assert done[0]["trait"] < done[1]["trait"]  # 0.9 lies above 0.8
    assert done[0]["direction"] < done[1]["direction"]
    text = published.to_markdown()
    assert "use the ceilings as published" in text
    assert "*ceiling, as published* | 0.700 | 0.200 | 0.900 |" in text
    assert "*ceiling, on all cells* | 0.700 | 0.200 | 0.800 |" in text
    assert "use the ceilings on all cells" in on_all.to_markdown()
    with pytest.raises(UnknownNameError):
        table(measured_on="some")


def test_a_metric_without_a_ceiling_has_no_completion_and_the_index_none():
    found = {"oracle": {"omni-id": scores(predictors.oracle(SET))}}
    unknown = {"omni-id": dict.fromkeys(metrics.ALL)}
    bare = leaderboard.leaderboard(found, unknown, np.random.default_rng(1), n_resamples=5)
    assert set(bare.lines["oracle"]["omni-id"].completion.values()) == {None}
    assert bare.lines["oracle"]["omni-id"].score["quantity"] == 1
    assert bare.index["oracle"].estimate is None
