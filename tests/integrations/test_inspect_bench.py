# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark under inspect_ai, offline: scores are those of `civworld score`."""

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import eval as run_eval
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from civworld.civworldbench.answering.predictors import oracle
from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.folders import running, sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.errors import ArgumentError, UnknownNameError
from civworld.integrations import inspect_tasks as tasks
from civworld.integrations.inspect_civworldbench import answers_of, epochs_of

sys.path.insert(0, str(Path(__file__).parents[1] / "civworldbench"))
from synthetic import query_set, stepwise_set


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("queries")
    sets.save(query_set(worlds=3), where)
    ceilings = {"omni-id": dict.fromkeys(METRICS, 1.0)}
    (where / running.CEILINGS).write_text(json.dumps(ceilings))
    return where


def ran(task, tmp_path, outputs=None, **options):
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = run_eval(task, model=model, log_dir=str(tmp_path), display="none", **options)
    assert log.status == "success", log.error
    return log


def measured(log):
    return {name: m.value for score in log.results.scores for name, m in score.metrics.items()}


def says(text):
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@pytest.mark.parametrize("predictor", ["oracle", "floor"])
def test_a_scripted_forecaster_scores_as_on_the_command_line(folder, tmp_path, predictor):
    log = ran(tasks.intervene(str(folder), predictor=predictor), tmp_path)
    write_answers(tmp_path / "answers.jsonl", tasks.answers_of(log))
    found = running.score_files([tmp_path / "answers.jsonl"], folder, n_resamples=5)
    raw = found.evaluations["answers"]["omni-id"].raw
    for name in ("quantity", "capture", "direction", "specificity"):
        shown = measured(log)[name]
        assert (raw[name] is None and math.isnan(shown)) or shown == pytest.approx(raw[name], abs=1e-12)
    assert measured(log)["quantity"] == (1 if predictor == "oracle" else 0)


def test_a_model_that_answers_badly_is_charged_as_on_the_command_line(folder, tmp_path):
    asked = [q for q in sets.load(folder).queries.values() if q.task == "event-v1"]
    answers = ["no idea", '{"answers": {}}', json.dumps({"answers": {asked[2].cells[0].id: 0.5}})]
    log = ran(tasks.event(str(folder)), tmp_path, [says(text) for text in answers])
    write_answers(tmp_path / "answers.jsonl", tasks.answers_of(log))
    raw = running.score_files([tmp_path / "answers.jsonl"], folder, n_resamples=5).evaluations["answers"]["omni-id"].raw
    assert measured(log)["event"] == pytest.approx(raw["event"])
    values = sorted(next(iter(sample.scores.values())).value for sample in log.samples)
    assert values == [0, 0, pytest.approx(1 / len(asked[2].cells))]


def test_unknown_settings_and_predictors_are_refused(folder):
    with pytest.raises(UnknownNameError):
        tasks.trait(str(folder), setting="omniscient")
    with pytest.raises(UnknownNameError):
        tasks.rules(str(folder), predictor="prophet")


def test_epochs_are_scored_each_and_averaged(folder, tmp_path):
    """Two epochs with the same values in different words: what every sample scored is what is reported."""
    queries = sets.load(folder)
    know = oracle(queries)
    asked = [q for q in queries.queries.values() if q.task == "quantity-v1"]

    def answer(messages, tools, choice, config):
        prompt = messages[0].text
        answer.turn += 1
        query = asked[answer.turn % len(asked)] if prompt == "?" else None
        return says(know(query).replace("{", f'{{"word": {answer.turn}, ', 1))

    answer.turn = -1
    log = ran(tasks.quantity(str(folder)), tmp_path, answer, epochs=2, max_samples=1, max_connections=1)
    assert len({next(iter(s.scores.values())).answer for s in log.samples}) == 2 * len(asked)
    assert measured(log)["quantity"] == 1
    assert measured(log)["quantity_spread"] == 0
    assert epochs_of(log) == (1, 2)
    assert answers_of(log, epoch=1) != answers_of(log, epoch=2)


def test_a_good_and_a_bad_epoch_average_with_their_spread(folder, tmp_path):
    queries = sets.load(folder)
    asked = [q for q in queries.queries.values() if q.task == "quantity-v1"]
    know = oracle(queries)  # samples run one after another, one epoch after the other
    texts = [says(know(query)) for query in asked] + [says("no idea")] * len(asked)
    log = ran(tasks.quantity(str(folder)), tmp_path, texts, epochs=2, max_samples=1, max_connections=1)
    found = measured(log)
    by_epoch = {}
    for sample in log.samples:
        by_epoch.setdefault(sample.epoch, []).append(next(iter(sample.scores.values())).value)
    assert found["quantity"] == pytest.approx(0)
    assert found["quantity_spread"] == pytest.approx(2**0.5)
    assert sorted(map(tuple, by_epoch.values())) == [(0, 0, 0), (1, 1, 1)]


def test_edited_branches_without_their_control_are_left_out_and_counted(folder, tmp_path):
    log = ran(tasks.intervene(str(folder), predictor="oracle"), tmp_path, limit=(1, 4))
    found = measured(log)
    assert found["left_out"] > 0
    assert log.results.completed_samples == 3


def test_logs_of_a_retry_are_put_together_and_contradictions_refused(folder, tmp_path):
    first = ran(tasks.event(str(folder), predictor="oracle"), tmp_path, limit=(0, 1))
    rest = ran(tasks.event(str(folder), predictor="oracle"), tmp_path, limit=(1, 3))
    other = ran(tasks.event(str(folder), predictor="floor"), tmp_path)
    assert set(answers_of(first, rest)) == set(answers_of(other))
    with pytest.raises(ArgumentError, match="different answers"):
        answers_of(first, other)
    next(iter(first.samples[0].scores.values())).answer = None
    with pytest.raises(ArgumentError, match="holds no answer"):
        answers_of(first)


def test_an_evaluation_that_broke_off_is_retried(folder, tmp_path):
    """`inspect eval-retry` keeps the samples that were answered and asks for the others."""
    (log,) = run_eval("civworld/event", model="mockllm/model", log_dir=str(tmp_path / "logs"), display="none",
                      task_args={"queries": str(folder), "predictor": "oracle"})  # fmt: skip
    asked = {q.id for q in sets.load(folder).queries.values() if q.task == "event-v1"}
    whole = measured(log)["event"]
    log.samples, log.status = log.samples[:1], "cancelled"
    write_eval_log(log)
    kept = log.samples[0].uuid
    typed("inspect", "eval-retry", log.location, "--display", "plain", "--log-dir", "logs", cwd=tmp_path)
    newest = max((tmp_path / "logs").glob("*.eval"), key=lambda path: path.stat().st_mtime)
    again = read_eval_log(str(newest))
    assert again.status == "success" and again.eval.eval_id != log.eval.eval_id
    assert kept in [sample.uuid for sample in again.samples] and len(again.samples) == len(asked) > 1
    assert measured(again)["event"] == whole and set(answers_of(again)) == asked


def typed(*words, cwd):
    done = subprocess.run(
        [Path(sys.executable).with_name(words[0]), *words[1:]], cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


@pytest.mark.parametrize("display", ["rich", "plain"])
def test_commands_run_as_typed_with_a_display(folder, tmp_path, display):
    """Limits, shuffled, epochs; answers taken to `civworld score`; scored again after the queries have moved."""
    moved = shutil.copytree(folder, tmp_path / "queries")
    common = ["-T", "queries=queries", "--model", "mockllm/model", "--display", display, "--log-dir", "logs"]
    asks = ["inspect", "eval", "civworld/intervene", *common, "-T", "predictor=oracle"]
    shown = typed(*asks, "--sample-shuffle", "3", "--epochs", "2", cwd=tmp_path)
    assert "capture" in shown
    typed(*asks, "--limit", "5", cwd=tmp_path)
    logs = sorted((tmp_path / "logs").glob("*.eval"), key=lambda path: path.stat().st_mtime)
    typed("civworld", "answers", str(logs[0]), "--out", "answers.jsonl", cwd=tmp_path)
    assert (tmp_path / "answers.epoch-2.jsonl").exists()
    typed("civworld", "score", "answers.jsonl", "--queries", "queries", "--resamples", "5", cwd=tmp_path)
    moved.rename(tmp_path / "elsewhere")
    rescore = ("inspect", "score", "--scorer", "civworld/bench_scorer")
    again = typed(*rescore, str(logs[0]), "--action", "overwrite", "--overwrite", "--display", display, cwd=tmp_path)
    assert "capture" in again


def stepwise_folder(protocol, where):
    sets.save(stepwise_set(protocol, worlds=1), where)
    (where / running.CEILINGS).write_text(json.dumps({"omni-id": dict.fromkeys(METRICS, 1.0)}))
    return where


@pytest.mark.parametrize("protocol", ["table", "code"])
def test_protocols_with_a_way_score_as_on_the_command_line(protocol, tmp_path):
    if protocol == "code" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    where = stepwise_folder(protocol, tmp_path / "queries")
    log = ran(tasks.intervene(str(where), predictor="oracle", protocol=protocol), tmp_path)
    write_answers(tmp_path / "answers.jsonl", tasks.answers_of(log))
    assert (protocol == "code") == all("def simulate" in text for text in tasks.answers_of(log).values())
    found = running.score_files([tmp_path / "answers.jsonl"], where, n_resamples=5)
    raw = found.evaluations["answers"]["omni-id"].raw
    for name in ("quantity", "capture", "process", "process_edits"):
        assert measured(log)[name] == pytest.approx(raw[name], abs=1e-12) == pytest.approx(1)
    assert measured(log)["unsupported"] == 0
    assert "Completion of Capture by protocol" in found.process.to_markdown()


def test_programs_run_in_the_samples_own_sandbox_and_one_without_walls_is_refused(tmp_path):
    where = stepwise_folder("code", tmp_path / "queries")
    refused = tasks.quantity(str(where), predictor="oracle", protocol="code")
    (log,) = run_eval(refused, model="mockllm/model", log_dir=str(tmp_path), display="none", sandbox="local")
    assert log.status == "error"
    assert "isolates nothing" in log.error.message
    hostile = "```python\ndef simulate(seed):\n    return [][seed]\n```"
    for text, coverage in ((None, 1), (hostile, 0), ("none at all", 0)):
        script = {} if text else {"predictor": "oracle"}
        task = tasks.quantity(str(where), protocol="code", unsafe_run_programs=True, **script)
        log = ran(task, tmp_path, [says(text)] if text else None, sandbox="local")
        assert [score.value for s in log.samples for score in s.scores.values()] == [coverage]
