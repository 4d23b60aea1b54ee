# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark on a small built corpus: queries, targets, references, leaks, the command line."""

import json
import re

import duckdb
import numpy as np
import pytest

import civworld
from civworld import arms, config, corpus, quantities, report
from civworld.civworldbench.answering import futures, predictors, references, statistical
from civworld.civworldbench.asking import (
    borders,
    build,
    event,
    fbsim,
    forecasts,
    intervene,
    quantity,
    rules,
    templates,
    trait,
)
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.evaluating import ceiling, evaluate
from civworld.civworldbench.evaluating.fbsim import evaluate as score_peer
from civworld.civworldbench.folders.lines import read_lines, write_lines
from civworld.cli import main
from civworld.corpus.schema import kept_events
from civworld.errors import ArgumentError


@pytest.fixture(scope="module")
def queries(held):
    return build.query_set(held, settings=("omni-id", "ego"))


def scored(queries, predictor, setting="omni-id"):
    answers = {q.id: predictor(q) for q in queries.queries.values() if q.setting == setting}
    return evaluate.evaluate(queries, answers, setting)


def test_every_task_asks_something_in_both_settings(queries):
    asked = {(q.task, q.setting) for q in queries.queries.values()}
    tasks = set(build.USUAL)
    assert {task for task, setting in asked if setting == "omni-id"} == tasks
    assert {"quantity-v1", "event-v1"} <= {task for task, setting in asked if setting == "ego"}


def test_targets_are_what_the_engine_recorded(held, queries):
    for query in queries.queries.values():
        if query.task != quantity.NAME:
            continue
        records = held.records(query.world)
        for c in query.cells:
            rows = {int(r["turn"]): int(r[c.subject]) for r in records[records["player"] == c.civ]}
            then, now = rows[query.turn + c.horizon], rows[query.turn]
            expected = then - now if quantities.get(c.subject).as_gain else then
            assert queries.targets[query.id][c.id].value == expected


def test_oracle_and_floor_stand_at_the_ends(queries):
    best, floor = scored(queries, predictors.oracle(queries)), scored(queries, predictors.reference(queries))
    assert best.raw["quantity"] == best.raw["rules"] == best.raw["trait"] == 1
    assert best.raw["capture"] == best.raw["direction"] == 1
    assert floor.raw["quantity"] == floor.raw["event"] == floor.raw["capture"] == 0


def test_copying_numbers_is_no_better_than_persistence(held, queries):
    """A forecaster that picks for each cell the number in the prompt that lies nearest to persistence."""
    persistence = statistical.persistence(held, queries)

    def copying(query):
        if query.task != quantity.NAME:
            return persistence(query)
        shown = np.array(sorted({float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", query.prompt)}))
        last = json.loads(persistence(query))["answers"]
        return predictors.as_text({k: [float(shown[np.abs(shown - v[2]).argmin()])] * 5 for k, v in last.items()})

    assert scored(queries, copying).raw["quantity"] <= scored(queries, persistence).raw["quantity"] + 0.02


def test_no_prompt_names_a_hidden_field(held, queries):
    hidden = set(held.hidden("small-0").civs.dtype.names) | set(held.hidden("small-0").pairs.dtype.names)
    public = set(held.civs("small-0").dtype.names) | set(held.records("small-0").dtype.names) | set(trait.TRAITS)
    secret = hidden - public - {"player", "other", "turn", "expand", "distance", "strategy"}
    assert {"love", "countdown", "aggressive_mod", "fuzzy"} <= secret
    for query in queries.queries.values():
        assert not set(re.findall(r"\b\w+\b", query.prompt)) & secret, query.id


def test_a_world_that_has_no_future_yet_gives_the_same_briefings(held):
    """What is shown at t1 comes from a world that has not been played further, so it holds nothing of the future."""
    world = held.worlds[0]
    (point,) = held.decision_points(world)
    views = {view: [] for view in ("omni", 0)}
    with civworld.World(held.hidden(world).config) as live:
        for turn in point.frames:
            live.advance(turn - live.turn)
            views["omni"].append(live.state())
            views[0].append(live.view(0))
        policy, log = report.policies(live.state()), kept_events(live.events())
        for view, frames in views.items():
            text = report.briefing(frames, log, policy=policy, ruleset=live.config.ruleset)
            assert text == held.briefing(world, point.turn, view)


def test_the_sentence_of_every_edit_stands_in_its_prompt(held, queries):
    for query in queries.queries.values():
        if query.task == intervene.NAME:
            scene = Scene(held, query.world, held.point(query.world, query.turn), query.setting)
            words = intervene.describe(scene, held.arms(query.world, query.turn)[query.operator], query.arm)
            assert words in query.prompt


def test_policies_are_withheld_where_beliefs_are_asked(queries):
    for query in queries.queries.values():
        withheld = query.task in (trait.NAME, rules.NAME)
        assert ("== Policies" not in query.prompt) == withheld, query.id


def test_whoever_is_asked_about_stands_in_the_newest_frame(held, queries):
    for query in queries.queries.values():
        newest = query.prompt[query.prompt.index(f"== Turn {query.turn},") :]
        scene = Scene(held, query.world, held.point(query.world, query.turn), query.setting)
        for civ in {c.civ for c in query.cells if c.civ >= 0}:
            assert f"{scene.nations[civ]} (player {civ}" in newest, query.id


def test_what_is_registered_later_changes_no_query(held, queries, monkeypatch):
    registered = {**quantities.table(), "later": quantities.get("score")}
    monkeypatch.setattr(quantities, "table", lambda: registered)
    assert set(forecasts.QUANTITIES) < set(registered)
    assert set(event.EVENTS) <= set(templates.TEMPLATES)
    assert set(intervene.OPERATORS) <= set(arms.OPERATORS)
    assert set(trait.TRAITS) <= set(config.TRAITS) and set(rules.RULES) <= set(config.RULES)
    again = build.query_set(held, tasks=("quantity",), settings=("omni-id",))
    assert len(again.queries) == 3
    assert all(queries.queries[name] == query for name, query in again.queries.items())


def test_base_rates_of_nothing_are_refused(held):
    figures = Calibration(Calibration.of(held).scales, {"small-0": {"city_lost/near/small": (0, 3)}})
    scene = Scene(held, "small-0", held.decision_points("small-0")[0], "omni-id")
    with pytest.raises(ArgumentError, match="practice worlds"):
        figures.rate(scene, "city_lost", 5)


def test_ceilings_lie_above_floors_and_follow_leave_one_out(held, queries):
    found = ceiling.ceilings(held, queries, "omni-id")
    assert found["specificity"] == 1
    assert found["quantity"] > 0
    assert found["event"] > 0
    assert -1 <= found["capture"] <= 1
    mainline = scored(queries, futures.futures_predictor(held, queries))
    assert mainline.raw["quantity"] > 0


def test_statistical_forecasters_use_other_worlds_alone(held, queries):
    """Changing a world's own outcome changes nothing of its forecast."""
    predictor = statistical.ensemble(held, queries)
    query = next(q for q in queries.queries.values() if q.task == quantity.NAME)
    moved = dict(queries.targets)
    moved[query.id] = {name: type(t)(t.number + 1000, t.reference) for name, t in queries.targets[query.id].items()}
    again = statistical.ensemble(held, type(queries)(queries.queries, moved, queries.scales))
    assert predictor(query) == again(query)


def test_base_rates_leave_out_the_world_asked(held):
    figures = Calibration.of(held)
    point = held.decision_points("small-0")[0]
    scene = Scene(held, "small-0", point, "omni-id")
    others = [figures.counts[w]["disaster_struck/near/small"] for w in ("small-1", "small-2")]
    happened, cases = sum(n for n, _ in others), sum(m for _, m in others)
    assert figures.rate(scene, "disaster_struck", 5) == (happened + 0.5) / (cases + 1)


def test_states_and_governments_from_events_equal_the_records(held):
    checked = 0
    for world in held.worlds:
        records, pairs = held.records(world), held.pairs(world)
        for point in held.decision_points(world):
            scene = Scene(held, world, point, "omni-id")
            for horizon in point.horizons:
                s = templates.mainline(scene, horizon)
                for row in records[records["turn"] == s.end]:
                    if row["is_alive"]:
                        assert s.government(int(row["player"])) == row["government"]
                for row in pairs[pairs["turn"] == s.end]:
                    if {int(row["player"]), int(row["other"])} <= set(scene.living):
                        assert s.state(int(row["player"]), int(row["other"])) == row["state"], row
                        checked += 1
    assert checked > 20


def test_borders_from_the_map_equal_the_live_world():
    config = civworld.WorldConfig(seed=20, players=3, map_size=1)
    with civworld.World(config) as world:
        view = world.advance(45).state()
    owner = view.tiles["owner"].astype(np.int64)
    changes = np.array([(1, t, o) for t, o in enumerate(owner)], [("turn", "<i4"), ("tile", "<i4"), ("owner", "<i4")])
    info = corpus.WorldInfo("w", "small", "civ2civ3", "hard", 3, 1, view.xsize, view.ysize, view.topology, 1, 1, 1)
    tiles = np.arange(len(owner))
    near = borders.neighbours(info, tiles[len(tiles) // 2 : len(tiles) // 2 + 1])
    assert len(near) == (6 if view.topology & borders.HEXAGONAL else 8)
    assert np.array_equal(borders.owners(info, changes, 1), owner)
    found = {(a, b) for a in range(3) for b in range(3) if a != b and borders.touch(info, changes, 1, a, b)}
    assert found == {(b, a) for a, b in found}


def test_the_peers_questions_have_answers_and_dense_truth(held):
    asked = fbsim.query_set(held)
    kinds = {c.subject for q in asked.queries.values() for c in q.cells}
    assert set(fbsim.TEMPLATE_TABLE) | set(fbsim.CONTINUOUS) <= kinds
    best = score_peer(asked, predictors.answer_all(predictors.oracle(asked), asked))
    assert (best["brier"], best["crps"], best["mae"], best["coverage"]) == (0, 0, 0, 1)
    half = score_peer(asked, predictors.answer_all(predictors.even(asked), asked))
    assert half["brier"] == 0.25
    assert score_peer(asked, {})["brier"] == 1


def test_the_command_line_makes_queries_and_scores_answers(folder, tmp_path, capsys):
    out = tmp_path / "queries"
    asked = ["queries", str(folder), "--practice", str(folder), "--out", str(out), "--setting", "omni-id"]
    assert main([*asked, "--parquet"]) == 0
    files = [str(out / "answers" / f"{name}.jsonl") for name in references.REFERENCES]
    assert main(["score", *files, "--queries", str(out), "--out", str(tmp_path / "table"), "--resamples", "20"]) == 0
    printed = capsys.readouterr().out
    assert "| floor |" in printed
    table = json.loads((tmp_path / "table" / "leaderboard.json").read_text())
    assert table["forecasters"]["floor"]["settings"]["omni-id"]["completion"]["quantity"] == 0
    assert (tmp_path / "table" / "omni-id.png").stat().st_size > 10_000
    count = duckdb.sql(f"select count(*) from '{out}/queries.parquet'").fetchall()[0][0]
    assert count == len((out / "queries.jsonl").read_text().splitlines())
    assert main(["score", str(tmp_path / "nothing.jsonl"), "--queries", str(out)]) == 1
    (tmp_path / "bad.jsonl").write_text('{"id": 5}\n')
    assert main(["score", str(tmp_path / "bad.jsonl"), "--queries", str(out)]) == 1
    assert "texts `id` and `answer` are needed" in capsys.readouterr().err


@pytest.mark.parametrize("ablation", ["no_history", "future_narrative"])
def test_ablations_are_made_and_scored_as_typed(folder, tmp_path, capsys, ablation):
    out = tmp_path / "queries"
    asked = ["queries", str(folder), "--out", str(out), "--setting", "omni-id", "--ablation", ablation]
    assert main(asked) == 0
    answers = str(out / "answers" / "futures.jsonl")
    assert main(["score", answers, "--queries", str(out), "--resamples", "5"]) == 0
    assert "| futures |" in capsys.readouterr().out
    assert main([*asked, "--no-references", "--task", "quantity"]) == 0
    (out / "ceilings.json").unlink()
    write_lines(tmp_path / "few.jsonl", [row for row in read_lines(answers) if "quantity-v1" in row["id"]])
    assert main(["score", str(tmp_path / "few.jsonl"), "--queries", str(out), "--resamples", "5"]) == 0
    assert "| few | - (" in capsys.readouterr().out


def test_a_rule_is_classified_by_its_bounds():
    assert [rules.classify("disasters", v) for v in (0, 5, 10, 30, 120)] == ["low", "normal", "normal", "high", "high"]
    assert [rules.classify("foodbox", v) for v in (50, 60, 80, 100, 125, 160)] == [
        "low", "low", "normal", "normal", "normal", "high",
    ]  # fmt: skip


def test_the_trend_goes_straight_on_its_scale():
    assert forecasts.trend("score", [10], [20], 0.5).tolist() == [25]
    assert forecasts.trend("culture", [10], [30], 0.5).tolist() == [10]
    assert forecasts.trend("treasury", [0], [np.expm1(2)], 0.5).round(6).tolist() == [round(np.expm1(3), 6)]
