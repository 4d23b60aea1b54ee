# SPDX-License-Identifier: GPL-2.0-or-later
"""One experiment, one folder: on a small built corpus that stands for all three settings."""

import hashlib
import json

import datasets
import duckdb
import polars
import pytest

from civworld._engine import build_info
from civworld.civworldbench.answering import predictors
from civworld.civworldbench.folders import experiment, plan, release, running, sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.cli import main
from civworld.errors import ArgumentError, UnknownNameError

SETTINGS = ("omni-id", "ego", "omni-ood")


def text(folder, *, more=""):
    parts = [f'[settings.{name}]\ncorpus = "{folder}"\n' for name in SETTINGS]
    return 'ablations = ["", "no_narrative"]\nresamples = 5\nceilings = "all"\n' + more + "\n".join(parts)


def digests(root):
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def done(folder, tmp_path_factory):
    root = tmp_path_factory.mktemp("experiment")
    (root / "plan.toml").write_text(text(folder))
    progress = experiment.run(plan.read_plan(root / "plan.toml"), root / "out")
    assert len(progress.made) == 7
    assert not progress.missing
    return root


def test_one_run_gives_the_table_of_three_settings_and_all_files(done):
    out = done / "out"
    table = (out / "tables" / "leaderboard.md").read_text()
    assert "| SWFI |" in table
    for name in ("floor", "persistence", "trend-plus-noise", "ensemble", "futures"):
        assert table.count(f"| {name} |") == 1 + 2 * len(SETTINGS)  # the index; scores and their intervals
    for setting in SETTINGS:
        assert (out / "tables" / f"{setting}.png").stat().st_size > 10_000
        asked = sets.load(experiment.queries_folder(out, setting, "no_narrative"))
        assert {q.ablation for q in asked.queries.values()} == {"no_narrative"}
    assert "| forecaster | SWFI | 95 % interval | L1 association | 95 % interval | L2 belief |" in table
    told = json.loads((out / "tables" / "leaderboard.json").read_text())
    futures = told["forecasters"]["futures"]
    assert set(futures["levels"]) == {"L1", "L2", "L3"}
    for setting in SETTINGS:
        for metric in ("quantity", "event", "capture"):
            interval = futures["settings"][setting]["intervals"][metric]
            assert interval["low"] <= interval["high"]
            assert interval["estimate"] == futures["settings"][setting]["score"][metric]
    about = told["provenance"]["queries"]["ego/whole"]["corpus"]
    assert (about["suite"], about["worlds"], about["build_id"]) == ("small", 3, build_info().build_id)
    effects = json.loads((out / "tables" / "effects.json").read_text())
    assert effects["futures"]["omni-id"]["operators"]["all"]["cells"] > 0
    assert "futures, no_narrative | futures, whole" in (out / "tables" / "ablations.md").read_text()
    assert "| omni-ood, whole | quantity-v1 | 3 |" in (out / "tables" / "counts.md").read_text()


def test_a_second_run_does_nothing(done):
    before = {path: path.stat().st_mtime_ns for path in (done / "out").rglob("*")}
    progress = experiment.run(plan.read_plan(done / "plan.toml"), done / "out")
    assert progress.made == []
    assert len(progress.kept) == 7
    assert {path: path.stat().st_mtime_ns for path in (done / "out").rglob("*")} == before


@pytest.mark.parametrize("moment", [1, 4, 6])
def test_a_run_that_is_killed_goes_on_to_the_same_bytes(done, tmp_path, monkeypatch, moment):
    """Killed while it makes the part of that number, with half of its files written."""
    real, calls = running.write_queries, []

    def killed(corpus, out, **options):
        calls.append(out)
        if len(calls) == moment:
            sets.save(sets.load(experiment.queries_folder(done / "out", "omni-id", "")), out)
            raise KeyboardInterrupt
        return real(corpus, out, **options)

    with monkeypatch.context() as patched:
        patched.setattr(running, "write_queries", killed)
        with pytest.raises(KeyboardInterrupt):
            experiment.run(plan.read_plan(done / "plan.toml"), tmp_path / "out")
    assert len(list((tmp_path / "out" / "queries").glob("*/[!.]*"))) == moment - 1
    experiment.run(plan.read_plan(done / "plan.toml"), tmp_path / "out")
    assert digests(tmp_path / "out") == digests(done / "out")


def test_ctrl_c_is_one_sentence(done, tmp_path, monkeypatch, capsys):
    def interrupted(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "run", interrupted)
    assert main(["bench", str(done / "plan.toml"), "--out", str(tmp_path)]) == 130
    assert "go on from here" in capsys.readouterr().err


def test_answers_are_scored_beside_the_references_and_gaps_are_said(done, folder, tmp_path, capsys):
    out = done / "out"
    answers = {}
    for setting in SETTINGS:
        asked = sets.load(experiment.queries_folder(out, setting, ""))
        answers |= predictors.answer_all(predictors.oracle(asked), asked)
    write_answers(tmp_path / "model.jsonl", answers)
    more = '[answers]\nmodel = "model.jsonl"\nlater = "later.jsonl"\n'
    (tmp_path / "plan.toml").write_text(text(folder, more=more))
    (done / "out").rename(tmp_path / "out")
    try:
        assert main(["bench", str(tmp_path / "plan.toml"), "--out", str(tmp_path / "out")]) == 1
        told = capsys.readouterr()
        assert "1 parts made, 6 there already" in told.out
        assert "later.jsonl does not exist" in told.err
        assert "no_narrative: model answers 0 of" in told.err
        table = json.loads((tmp_path / "out" / "tables" / "leaderboard.json").read_text())
        assert table["index"] == "SWFI"
        model = table["forecasters"]["model"]["settings"]["omni-id"]
        assert model["score"]["quantity"] == model["score"]["capture"] == 1
        assert model["coverage"] == 1
    finally:
        (tmp_path / "out").rename(done / "out")


def test_what_is_missing_is_said_and_the_rest_is_done(folder, tmp_path):
    (tmp_path / "plan.toml").write_text(
        f'tasks = ["quantity", "event"]\n[settings.omni-id]\ncorpus = "{folder}"\n[settings.ego]\ncorpus = "nowhere"\n'
    )
    progress = experiment.run(plan.read_plan(tmp_path / "plan.toml"), tmp_path / "out")
    assert progress.made == ["queries omni-id whole", "tables"]
    (sentence,) = progress.missing
    assert "nowhere" in sentence
    assert "civworld corpus build" in sentence
    assert "index over omni-id" in (tmp_path / "out" / "tables" / "leaderboard.md").read_text()


def test_anchors_ask_about_few_points_with_one_operator_each(folder, held, tmp_path):
    found = running.write_queries(folder, tmp_path, settings=("omni-id",), anchors=2, references=False)
    stored = json.loads((tmp_path / "anchors.json").read_text())
    assert len({a["world"] for a in stored}) == 2
    assert {(q.world, q.turn) for q in found.queries.values()} == {(a["world"], a["turn"]) for a in stored}
    edited = {(q.world, q.operator) for q in found.queries.values() if q.operator}
    assert edited == {(a["world"], a["operator"]) for a in stored}


@pytest.mark.parametrize(
    ("written", "error", "sentence"),
    [
        ("settings = 3", ArgumentError, "settings is 3"),
        ("[settings.omni-id]\npractice = 'x'", ArgumentError, "names no corpus"),
        ("[settings.omniscient]\ncorpus = 'x'", UnknownNameError, "setting 'omniscient'"),
        ("[settings.ego]\ncorpus = 'x'\ncorpora = 'y'", UnknownNameError, "corpora"),
        ("resample = 5\n[settings.ego]\ncorpus = 'x'", UnknownNameError, "did you mean 'resamples'"),
        ("ablations = ['no_such']\n[settings.ego]\ncorpus = 'x'", UnknownNameError, "no_such"),
        ("tasks = ['chess']\n[settings.ego]\ncorpus = 'x'", UnknownNameError, "chess"),
        ("ablations = ['study_notes']\n[settings.ego]\ncorpus = 'x'", ArgumentError, "civworld notes"),
        ("notes = 'x.md'\nablations = ['study_notes']\n[settings.ego]\ncorpus = 'x'", ArgumentError, "does not exist"),
        ("beliefs = 'three'\n[settings.ego]\ncorpus = 'x'", UnknownNameError, "three"),
        ("anchors = true\n[settings.ego]\ncorpus = 'x'", ArgumentError, "int or str is needed"),
        ("resamples = true\n[settings.ego]\ncorpus = 'x'", ArgumentError, "int is needed"),
        ("[settings.ego", ArgumentError, "plan.toml"),
        ("", ArgumentError, "no table"),
    ],
)
def test_plans_that_cannot_be_meant_are_refused(tmp_path, written, error, sentence):
    (tmp_path / "plan.toml").write_text(written)
    with pytest.raises(error, match=sentence):
        plan.read_plan(tmp_path / "plan.toml")


def test_plans_that_come_with_the_library_are_named(tmp_path):
    small = plan.read_plan("tiny", tmp_path)
    assert tuple(small.settings) == SETTINGS
    assert small.settings["ego"].corpus == tmp_path / "corpora" / "tiny"
    assert plan.notes_corpus(small) == tmp_path / "corpora" / "tiny-practice"
    large = plan.read_plan("paper", tmp_path)
    assert large.anchors == 190
    assert "belief-v1" in large.tasks and "trait-v1" not in large.tasks
    with pytest.raises(UnknownNameError, match="paper"):
        plan.read_plan("papre", tmp_path)


def test_joint_anchors_one_prompt_for_beliefs_and_notes_made_here(folder, tmp_path):
    settings = "".join(f'[settings.{name}]\ncorpus = "{folder}"\n' for name in ("omni-id", "ego"))
    (tmp_path / "plan.toml").write_text(
        f'beliefs = "one"\nanchors = 2\nnotes_from = "{folder}"\nablations = ["", "study_notes"]\n'
        f"resamples = 5\n{settings}"
    )
    out = tmp_path / "out"
    progress = experiment.run(plan.read_plan(tmp_path / "plan.toml"), out)
    assert (len(progress.made), progress.missing) == (5, [])
    drawn = (out / "queries" / "omni-id" / "whole" / "anchors.json").read_text()
    assert drawn == (out / "queries" / "ego" / "study_notes" / "anchors.json").read_text()
    one = sets.load(experiment.queries_folder(out, "omni-id", ""))
    beliefs = [q for q in one.queries.values() if q.task == "belief-v1"]
    assert len(beliefs) == len(json.loads(drawn)) == 2
    assert all({c.kind for c in q.cells} == {"ranking", "class"} for q in beliefs)
    assert not {"trait-v1", "rules-v1"} & {q.task for q in one.queries.values()}
    assert (out / "notes.md").read_text().startswith("Notes from 3 other games")
    assert experiment.run(plan.read_plan(tmp_path / "plan.toml"), out).made == []


def test_beliefs_score_alike_in_one_prompt_and_in_two(folder, tmp_path):
    """The privileged observer answers the same, so that only the count of prompts differs."""
    raw = {}
    for count in ("one", "two"):
        where = tmp_path / count
        common = ["queries", str(folder), "--setting", "omni-id", "--beliefs", count, "--out", str(where)]
        assert main(common) == 0
        found = running.score_files([where / "answers" / "futures.jsonl"], where, n_resamples=5)
        raw[count] = found.evaluations["futures"]["omni-id"].raw
    assert raw["one"] == raw["two"]
    with pytest.raises(ArgumentError, match="asks what"):
        running.write_queries(folder, tmp_path / "both", tasks=("trait", "belief"))


def test_anchors_are_drawn_to_a_file_that_queries_take(folder, tmp_path, capsys):
    path = tmp_path / "anchors.json"
    assert main(["anchors", str(folder), "--count", "2", "--subset", "1", "--out", str(path)]) == 0
    (anchor,) = json.loads(path.read_text())
    common = ["queries", str(folder), "--no-references", "--setting", "omni-id", "--anchors", str(path)]
    assert main([*common, "--out", str(tmp_path / "q")]) == 0
    assert {(q.world, q.turn) for q in sets.load(tmp_path / "q").queries.values()} == {
        (anchor["world"], anchor["turn"])
    }
    path.write_text(json.dumps([anchor | {"suite": "other"}]))
    assert main([*common, "--out", str(tmp_path / "r")]) == 1
    assert "none of 1 anchors is in suite small" in capsys.readouterr().err
    path.write_text("[3]")
    assert main([*common, "--out", str(tmp_path / "r")]) == 1
    capsys.readouterr()
    assert main(["anchors", str(folder), str(folder), "--out", str(path)]) == 1
    assert "must differ" in capsys.readouterr().err


def test_a_release_is_evaluated_on_without_an_engine(done, tmp_path, capsys):
    out = tmp_path / "release"
    assert main(["release", str(done / "out"), "--out", str(out), "--name", "small"]) == 0
    assert release.check(out) == []
    kept = sets.load(experiment.queries_folder(done / "out", "ego", ""))
    loaded = datasets.load_dataset(str(out), "ego-whole", split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded["id"] == list(kept.queries)
    assert loaded["prompt"] == [q.prompt for q in kept.queries.values()]
    assert not {"value", "reference", "targets"} & set(loaded.column_names)
    every = datasets.load_dataset(str(out), "queries", split="train", cache_dir=str(tmp_path / "cache"))
    asked = duckdb.sql(f"select count(*) from '{out}/queries/*.parquet'").fetchall()[0][0]
    assert asked == len(every) == len(polars.read_parquet(out / "queries" / "*.parquet"))
    cells = duckdb.sql(f"select count(*) from '{out}/sealed/targets/ego-whole.parquet'").fetchall()[0][0]
    assert cells == sum(len(q.cells) for q in kept.queries.values())
    sealed = out / "sealed" / "ego" / "whole"
    assert main(["score", str(sealed / "answers" / "futures.jsonl"), "--queries", str(sealed), "--resamples", "5"]) == 0
    assert "| futures |" in capsys.readouterr().out
    told = json.loads((out / "croissant.json").read_text())
    assert {f["contentUrl"] for f in told["distribution"]} == {f"queries/{p.name}" for p in (out / "queries").iterdir()}
    assert "GNU GENERAL PUBLIC LICENSE" in (out / "LICENSE").read_text().upper()
    with pytest.raises(ArgumentError, match="new folder"):
        release.release(done / "out", out)
    with pytest.raises(ArgumentError, match="no query set"):
        release.release(tmp_path, tmp_path / "other")


def test_releases_of_one_experiment_are_equal_and_changes_are_found(done, tmp_path):
    first, second = (release.release(done / "out", tmp_path / name) for name in ("a", "b"))
    assert digests(first) == digests(second)
    (first / "queries" / "extra").write_text("x")
    (first / "LICENSE").write_text("x")
    (first / "provenance.json").unlink()
    assert release.check(first) == ["provenance.json is missing", "queries/extra is not listed", "LICENSE is changed"]


def test_study_notes_come_from_three_games_and_hold_nothing_hidden(folder, held, tmp_path, capsys):
    path = tmp_path / "notes.md"
    assert main(["notes", str(folder), "--out", str(path)]) == 0
    written = path.read_text()
    assert "Notes from 3 other games" in written
    middle = sorted(float(held.track(w).value("score", 31, p)) for w in held.worlds for p in range(3))[4]
    assert f"/{round(middle)}/" in written.split("How much")[0].split("score ")[-1]
    assert not any(word in written for word in ("aggressive", "foodbox", "love", "expansionist"))
    with_notes = running.write_queries(
        folder, tmp_path / "q", settings=("omni-id",), tasks=("quantity",), ablation="study_notes", notes=written,
        references=False,
    )  # fmt: skip
    assert all(f"== Study notes ==\n{written.rstrip()}" in q.prompt for q in with_notes.queries.values())
    assert main(["notes", str(folder), "--games", "4", "--out", str(path)]) == 1
    assert "holds 3 worlds" in capsys.readouterr().err
