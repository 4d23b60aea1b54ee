# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark under inspect_ai, offline: scores are those of `civworld score`."""

import json
import math
import sys
from pathlib import Path

import pytest
from inspect_ai import eval as run_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.folders import running, sets
from civworld.civworldbench.folders.answers import write_answers
from civworld.errors import UnknownNameError
from civworld.integrations import inspect_tasks as tasks

sys.path.insert(0, str(Path(__file__).parents[1] / "civworldbench"))
from synthetic import query_set


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("queries")
    sets.save(query_set(worlds=3), where)
    ceilings = {"omni-id": dict.fromkeys(METRICS, 1.0)}
    (where / running.CEILINGS).write_text(json.dumps(ceilings))
    return where


def ran(task, tmp_path, outputs=None):
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = run_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    return log


def measured(log):
    return {name: m.value for score in log.results.scores for name, m in score.metrics.items()}


def says(text):
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@pytest.mark.parametrize("predictor", ["oracle", "reference"])
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
