# SPDX-License-Identifier: GPL-2.0-or-later
"""Protocols: the way to an answer is asked, run, scored and charged as documented; free queries are as before."""

import json
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from synthetic import query_set as synthetic_set
from synthetic import stepwise_set

from civworld import sandbox
from civworld.civworldbench.answering import predictors, programs, references
from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking import build
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.protocols import PROTOCOLS, intermediate
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.asking.reading import FAILURES
from civworld.civworldbench.evaluating import ceiling
from civworld.civworldbench.evaluating.each import judge
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.evaluating.metrics import ALL
from civworld.civworldbench.folders import experiment, plan, release, sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.civworldbench.reporting import process
from civworld.cli import main
from civworld.errors import ArgumentError, UnknownNameError
from civworld.sandbox import running

TASKS = ("quantity-v1", "intervene-v1")
STEPWISE = ("table", "code")
needs_walls = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.fixture(scope="module")
def asked(held):
    """Protocol -> the queries of a small corpus by it, without events whose rates need other worlds."""
    figures = Calibration.of(held)
    return {p: build.query_set(held, figures, tasks=TASKS, settings=("omni-id",), protocol=p) for p in PROTOCOLS}


def scored(queries, answers, protocol):
    return evaluate(queries, answers, "omni-id", protocol=protocol)


def test_free_queries_are_what_they_were_before_there_were_protocols(asked):
    for query in asked["free"].queries.values():
        row = sets.query_row(query)
        assert "protocol" not in row
        assert not any("intermediate" in cell for cell in row["cells"])
        assert query.prompt.rstrip().endswith("}}")
        assert not query.id.endswith(("free", "table", "code"))
    found = scored(asked["free"], predictors.answer_all(predictors.oracle(asked["free"]), asked["free"]), "free")
    assert set(found.raw) == {name for name, metric in ALL.items() if not metric.stepwise}


@pytest.mark.parametrize("protocol", STEPWISE)
def test_each_protocol_asks_the_way_before_the_end_of_the_same_questions(asked, protocol):
    free, found = asked["free"].queries, asked[protocol].queries
    assert [q.id for q in found.values()] == [f"{name}/{protocol}" for name in free]
    for query, plain in zip(found.values(), free.values(), strict=True):
        ends = [c for c in query.cells if not c.intermediate]
        assert ends == list(plain.cells)
        assert [c.intermediate for c in query.cells] == [True] * len(ends) + [False] * len(ends)
        assert {c.horizon for c in query.cells if c.intermediate} == set(intermediate((5, 10))) == {2, 7}
        assert query.control in (*found, "")
        assert all(c.id in query.prompt for c in query.cells)
        assert asked["table"].targets[query.id.replace("/code", "/table")] == asked[protocol].targets[query.id]


def test_the_truth_on_the_way_is_what_the_corpus_recorded(held, asked):
    for query in asked["table"].queries.values():
        track = held.track(query.world)
        if query.arm:
            arms = held.arms(query.world, query.turn)[query.operator]
            track = (arms.real if query.arm == "real" else arms.placebo) or arms.control
        for cell in (c for c in query.cells if c.intermediate and c.subject == "score"):
            truth = asked["table"].targets[query.id][cell.id]
            assert truth.number == track.value("score", query.turn + cell.horizon, cell.civ)
            plain = asked["table"].targets[query.control or query.id]
            if cell.id in plain:
                assert truth.reference == plain[cell.id].reference


def test_other_tasks_have_no_way_to_ask_for(held):
    with pytest.raises(ArgumentError, match="none of them is asked by protocol 'table'"):
        build.query_set(held, tasks=("trait",), settings=("omni-id",), protocol="table")
    with pytest.raises(UnknownNameError, match="protocol"):
        build.query_set(held, tasks=TASKS, settings=("omni-id",), protocol="tabel")


def test_an_oracles_table_scores_one_wherever_a_score_is_defined(asked):
    queries = asked["table"]
    found = scored(queries, predictors.answer_all(predictors.oracle(queries), queries), "table")
    defined = {name: value for name, value in found.raw.items() if value is not None}
    assert {"quantity", "process", "process_edits", "capture", "direction"} <= set(defined)
    assert defined.pop("unsupported") == 0
    defined.pop("capture_expected")  # the oracle knows what happened, not what was to be expected
    assert defined.pop("specificity") > 0.9  # placebos that move their world a little are foreseen too
    assert set(defined.values()) == {1.0}
    floor = scored(queries, predictors.answer_all(predictors.reference(queries), queries), "table")
    assert (floor.raw["process"], floor.raw["process_edits"], floor.raw["unsupported"]) == (0, 0, 0)


def test_ceilings_of_the_way_lie_between_the_trend_and_the_oracle(held, asked):
    found = ceiling.ceilings(held, asked["table"], "omni-id", protocol="table")
    assert 0 < found["process"] <= 1
    assert found["process_edits"] == 1
    assert "process" not in ceiling.ceilings(held, asked["free"], "omni-id")


@needs_walls
def test_programs_of_scripted_solvers_score_as_their_tables_do(held, asked):
    few = {p: _first(asked[p], 5) for p in STEPWISE}
    for name, make in {**references.SOLVERS, "floor": references.REFERENCES["floor"]}.items():
        found = {}
        for protocol, queries in few.items():
            answers = predictors.answer_all(make(held, queries, held if name in references.SOLVERS else None), queries)
            found[protocol] = scored(queries, programs.run_programs(queries, answers), protocol)
            assert found[protocol].failures == {}, name
        table, code = (found[p].raw for p in STEPWISE)
        exact = name in ("oracle", "floor")
        for metric in ("quantity", "process", "process_edits"):
            assert code[metric] == pytest.approx(table[metric], abs=1e-9 if exact else 0.5), (name, metric)


def _first(queries, count):
    """The first queries with all their controls."""
    kept = dict(list(queries.queries.items())[:count])
    assert all(q.control in kept for q in kept.values() if q.control)
    return QuerySet(kept, {name: queries.targets[name] for name in kept}, queries.scales)


@needs_walls
@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("I would say it grows.", "no_program"),
        ('{"answers": {}}', "no_program"),
        ("```python\ndef simulate(seed): return {}\n```", "missing"),
        ("```python\ndef simulate(seed):\n    raise ValueError\n```", "crashed"),
        ("```python\nimport socket\ndef simulate(seed): socket.socket()\n```", "forbidden"),
    ],
)
def test_a_program_that_fails_costs_every_cell_as_documented(asked, text, failure):
    queries = _first(asked["code"], 3)
    ran = programs.run_programs(queries, dict.fromkeys(queries.queries, text))
    found = scored(queries, ran, "code")
    assert found.coverage == 0
    assert found.failures == {failure: found.asked}
    assert (found.raw["quantity"], found.raw["process"], found.raw["process_edits"]) == (-1, -1, -1)
    assert found.raw["capture"] in (-1, None)


def test_the_last_fence_of_an_answer_is_its_program():
    assert programs.source("no fence") == "no fence"
    assert programs.source("First\n```python\na = 1\n```\nno:\n```py\na = 2\n```\ndone") == "a = 2\n"
    assert programs.source("```\na\n```") == "a\n"


def _query(protocol):
    """A short query about an edited branch, with half of its cells on the way."""
    queries = synthetic_set(worlds=1)
    query = next(q for q in queries.queries.values() if q.arm == "real")
    cells = tuple(replace(c, intermediate=k % 2 == 0) for k, c in enumerate(query.cells))
    return replace(query, cells=cells, protocol=protocol)


def test_ten_thousand_fuzzed_answers_fail_by_documented_names_alone():
    """Damaged tables, and damaged results of programs: every cell is read, or failed by a documented name."""
    draw = random.Random(20261201)
    pieces = ["", "NaN", "-Infinity", "1e999", '"7"', "null", "true", "[]", "{}", ",", '"', "]", "missing", "é", "1.5"]
    odd = [None, True, "x", float("nan"), float("inf"), 1e301, 10**400, [], {}, [5, 4, 3, 2, 1], {"failed": "timeout"}]
    table, code = _query("table"), _query("code")
    names = [c.id for c in code.cells]
    usable = 0
    for number in range(10_000):
        query = table if number % 2 else code
        cells = {c: sorted(draw.random() for _ in range(5)) for c in names}
        rows = [[draw.random() for _ in names] for _ in range(3)]
        for _ in range(draw.randint(0, 3)):
            cells[draw.choice(names)] = draw.choice(odd)
            draw.choice(rows)[draw.randrange(len(names))] = draw.choice(odd)
        text = json.dumps({"answers": cells} if query is table else {"draws": rows, "unknown": draw.randint(-1, 3)})
        for _ in range(draw.choice((0, 0, 1, 2))):
            at = draw.randrange(len(text) + 1)
            cut = draw.choice((at, at + 1, at + 3, at + 20, len(text) if draw.random() < 0.2 else at))
            text = text[:at] + draw.choice(pieces) + text[cut:]
        if query is code:
            text = programs.told(code, sandbox.result_of(text.encode(), 3, names))
        found = parse(query, text)
        assert set(found.values) | set(found.failures) == set(names), f"answer {number}: {text!r}"
        assert not set(found.values) & set(found.failures)
        assert set(found.failures.values()) <= set(FAILURES)
        usable += len(found.values)
    assert 0.1 < usable / (10_000 * len(names)) < 0.9


def test_each_failing_cell_costs_the_documented_loss_and_no_other(asked):
    draw = np.random.default_rng(5)
    queries = asked["table"]
    truth = predictors.answer_all(predictors.oracle(queries), queries)
    for _ in range(5):
        damaged = {}
        for name, text in truth.items():
            cells = json.loads(text)["answers"]
            damaged[name] = json.dumps({"answers": {c: v for c, v in cells.items() if draw.random() > 0.3}})
        found, told = scored(queries, damaged, "table"), judge(queries, damaged)
        table = found.tables["process"]
        missing = [told[q.id, c.id].value is None for q in queries.queries.values() if not q.arm for c in q.cells
                   if c.intermediate]  # fmt: skip
        keys = table.world * 10 + table.family
        mean = {key: table.reference[keys == key].mean() for key in set(keys.tolist())}
        charge = np.maximum(table.reference, 2 * np.array([mean[k] for k in keys.tolist()]))
        assert np.allclose(table.loss, np.where(missing, charge, 0))


@pytest.mark.slow
@needs_walls
def test_damaged_programs_end_as_documented_failures():
    draw, code = random.Random(3), _query("code")
    whole = predictors.as_asked(code, predictors.as_text({c.id: [1, 2, 3, 4, 5] for c in code.cells}))
    for number in range(300):
        text = whole
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(text))
            text = (
                text[:at]
                + draw.choice(["", "(", "\n", "0", "x", "'", "while 1: pass\n"])
                + text[at + draw.randint(0, 4) :]
            )
        found = parse(code, programs.run_program(code, text))
        assert set(found.values) | set(found.failures) == {c.id for c in code.cells}, f"program {number}: {text}"
        assert set(found.failures.values()) <= set(FAILURES)


def test_a_table_goes_from_a_corpus_to_its_scores_by_commands(folder, tmp_path, capsys):
    out = tmp_path / "queries"
    tasks = ["--task", "quantity", "--task", "intervene", "--setting", "omni-id"]
    assert main(["queries", str(folder), "--out", str(out), "--protocol", "table", *tasks, "--anchors", "2"]) == 0
    answers = sorted(map(str, (out / "answers").glob("*.jsonl")))
    assert {Path(a).stem for a in answers} >= {"floor", "ensemble", "futures", "random-walk", "growth", "oracle"}
    board = ["score", *answers, "--queries", str(out), "--resamples", "3", "--out", str(tmp_path / "table")]
    assert main(board) == 0
    shown = capsys.readouterr().out
    assert "Process quality" in shown
    assert (tmp_path / "table" / "process.png").stat().st_size > 10_000
    told = json.loads((tmp_path / "table" / "process.json").read_text())
    assert told["forecasters"]["oracle"]["table"]["process"]["estimate"] == 1
    assert told["forecasters"]["floor"]["table"]["above"]["estimate"] == 0
    assert told["forecasters"]["oracle"]["table"]["unsupported"]["estimate"] == 0


@needs_walls
def test_programs_are_scored_by_commands_and_refused_where_there_are_no_walls(tmp_path, capsys, monkeypatch):
    queries = stepwise_set("code", worlds=1)
    sets.save(queries, tmp_path / "queries")
    answers = predictors.answer_all(predictors.oracle(queries), queries)
    write_answers(tmp_path / "model.jsonl", answers)
    command = ["score", str(tmp_path / "model.jsonl"), "--queries", str(tmp_path / "queries"), "--resamples", "2"]
    assert main(command) == 0
    told = capsys.readouterr().out
    assert re.search(r"\| model \|.*1\.000", told), told
    monkeypatch.setenv("PATH", str(tmp_path))
    running._reason.cache_clear()
    try:
        assert main(command) == 1
        assert "bubblewrap" in capsys.readouterr().err
        assert main([*command, "--unsafe-run-programs"]) == 0
    finally:
        running._reason.cache_clear()


def test_what_the_way_tells_needs_no_more_than_one_protocol_and_three_forecasters():
    sets_ = {p: stepwise_set(p, worlds=3) for p in STEPWISE}
    makers = {"oracle": predictors.oracle, "floor": predictors.reference, "even": predictors.even}
    conditions = {}
    for protocol, queries in sets_.items():
        answers = {name: {q.id: make(queries)(q) for q in queries.queries.values()} for name, make in makers.items()}
        found = {name: scored(queries, given, protocol) for name, given in answers.items()}
        conditions[protocol] = {"omni-id": found}
    limits = {p: {"omni-id": {"capture": 1.0}} for p in STEPWISE}
    told = process.process(conditions, limits, 1, n_resamples=20)
    assert told.found["oracle", "table", "above"].estimate == 1
    assert told.found["oracle", "", "process_edits"].estimate == told.found["oracle", "", "capture"].estimate == 1
    assert told.found["floor", "", "capture"].estimate == 0.5
    assert told.found["oracle", "free", "capture"].estimate is None
    assert told.association.estimate == pytest.approx(1)
    assert 0 < told.p_value <= 1
    alone = process.process({"table": conditions["table"]}, limits, 1, n_resamples=5)
    assert alone.found["oracle", "", "capture"].estimate == 1
    two = {"table": {"omni-id": {n: conditions["table"]["omni-id"][n] for n in ("oracle", "floor")}}}
    assert process.process(two, limits, 1, n_resamples=5).p_value is None


@pytest.mark.slow
@needs_walls
def test_an_experiment_compares_protocols_end_to_end(folder, tmp_path):
    text = 'protocols = ["free", "table", "code"]\ntasks = ["quantity", "intervene"]\nanchors = 3\nresamples = 5\n'
    (tmp_path / "plan.toml").write_text(f'{text}[settings.omni-id]\ncorpus = "{folder}"\n')
    for made in (4, 0):
        done = experiment.run(plan.read_plan(tmp_path / "plan.toml"), tmp_path / "out")
        assert (len(done.made), done.missing) == (made, [])
    told = json.loads((tmp_path / "out/tables/process.json").read_text())["forecasters"]
    assert set(told["oracle"]) == {"free", "table", "code", "table and code"}
    assert told["oracle"]["code"]["process_edits"]["estimate"] == pytest.approx(1)
    assert (tmp_path / "out/tables/process.png").exists()
    released = release.release(tmp_path / "out", tmp_path / "released")
    assert not release.check(released)
    assert (released / "sealed/omni-id/whole.code/queries.jsonl").exists()
