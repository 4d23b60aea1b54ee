# SPDX-License-Identifier: GPL-2.0-or-later
"""World Agent under inspect_ai, offline; needs the extra `eval` and fails on import without it."""

import asyncio
import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import eval as run_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

from civworld.errors import UnknownNameError
from civworld.integrations import inspect_tasks as tasks
from civworld.integrations.inspect_maintenance import replay_session, session_tools
from civworld.world_agent import deduction, maintenance
from civworld.world_agent.deduction.freeciv import FreecivTask

CASE = "mill_village"
ROOT = Path(__file__).parents[2]


def ran(task, tmp_path, outputs=None, **options):
    """The one log of an evaluation with a mock model."""
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = run_eval(task, model=model, log_dir=str(tmp_path), display="none", **options)
    assert log.status == "success", log.error
    return log


def score_of(log, number=0) -> Score:
    (score,) = log.samples[number].scores.values()
    return score


def metrics(log):
    return {score.name: next(iter(score.metrics.values())).value for score in log.results.scores}


def calling(*calls, text=""):
    """A model's answer that makes tool calls."""
    made = [ToolCall(id=f"c{n}", function=tool, arguments=dict(args)) for n, (tool, args) in enumerate(calls)]
    return from_message(ChatMessageAssistant(content=text, tool_calls=made or None))


def says(text):
    return from_message(ChatMessageAssistant(content=text))


def from_message(message):
    """The output with its token counts; without them inspect would download a tokenizer."""
    output = ModelOutput.from_message(message)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


# ---- maintenance -----------------------------------------------------------------------------------------


def playing(agent, case):
    """A model that makes an agent's requests, one at a time, and ends each round in words."""
    for number in range(case.rounds):
        yield from (calling((call.tool, call.args)) for call in agent.rounds[number])
        yield says("done with this round")


@pytest.mark.parametrize("tier", maintenance.TIERS)
def test_a_model_that_plays_the_reference_scores_what_the_reference_scores(tier, tmp_path):
    case = maintenance.load(CASE)
    dropped = [step for step in maintenance.plan_of(case) if step.event != "light"]
    for plan in (None, dropped):
        agent = maintenance.solution(case, tier, plan)
        log = ran(tasks.world_agent_maintenance(CASE, tier), tmp_path, playing(agent, case))
        own = maintenance.score(maintenance.run(case, tier, maintenance.solution(case, tier, plan)),
                                maintenance.RuleJudge())  # fmt: skip
        assert score_of(log).value == {"completion": own.completion, "relation": own.relation}
        assert score_of(log).metadata["row"] == json.loads(json.dumps(own.to_data()))
        assert metrics(log) == {"completion": own.completion, "relation": own.relation}
        assert (own.completion == 1) == (plan is None)


def test_the_tools_carry_the_schemas_of_the_session(tmp_path):
    seen = []

    def answer(messages, tools, choice, config):
        seen.append((len(messages), tools))
        return says("nothing to do")

    log = ran(tasks.world_agent_maintenance(CASE), tmp_path, answer)
    case = maintenance.load(CASE)
    assert [count for count, _ in seen] == [2 * n + 2 for n in range(case.rounds)]
    shown = {tool.name: tool.parameters.model_dump(exclude_none=True) for tool in seen[0][1]}
    assert shown == {name: tool.schema() for name, tool in maintenance.TOOLS.items()}
    own = maintenance.score(maintenance.run(case, "easy", maintenance.do_nothing(case)), maintenance.RuleJudge())
    assert score_of(log).metadata["row"] == json.loads(json.dumps(own.to_data())) and own.share(("E",)) == 0
    texts = [message.text for message in log.samples[0].messages if message.role == "user"]
    assert texts[1].endswith(case.narrative[0]) and len(texts) == case.rounds + 1


def test_the_tools_work_with_inspects_own_tool_execution():
    session = maintenance.Session(maintenance.load(CASE), "easy")
    message = calling(("get_status", {}), ("wait", {"units": 2})).message
    result = asyncio.run(execute_tools([message], session_tools(session)))
    answers = [json.loads(one.text) for one in result.messages]
    assert [one["ok"] for one in answers] == [True, True] and session.world.time == 2 and len(session.requests) == 2


def test_malformed_calls_are_refused_recorded_and_counted_and_the_budget_freezes_rounds(tmp_path):
    broken = ToolCall(id="x", function="wait", arguments={}, parse_error="not JSON: {units")
    bad = from_message(ChatMessageAssistant(content="", tool_calls=[broken]))

    def outputs():
        yield calling(("fly", {"to": "moon"}), ("wait", {"units": "two"}), ("wait", {}))
        yield bad
        while True:
            yield calling(("get_status", {}), ("get_map", {}), ("trigger", {"capability": "nope"}))

    log = ran(tasks.world_agent_maintenance(CASE, budget=5), tmp_path, outputs())
    answers = [json.loads(m.text) for m in log.samples[0].messages if m.role == "tool"]
    assert [a["ok"] for a in answers[:6]] == [False, False, False, False, True, False]
    assert answers[4]["frozen"] and "froze" in answers[5]["reason"]
    row = score_of(log).metadata["row"]
    assert row["requests"] == len(answers) and row["refused"] == sum(not a["ok"] for a in answers)
    sample = log.samples[0]
    session = replay_session(sample.metadata, sample.store["civworld_requests"])
    assert [r.ok for r in session.requests] == [a["ok"] for a in answers]


def test_the_model_judge_asks_inspects_grader_and_programs_still_confirm(tmp_path):
    case = maintenance.load(CASE)
    played = maintenance.run(case, "hard", maintenance.solution(case, "hard"))
    verdicts = [maintenance.RuleJudge().judge(maintenance.contract(case, b.round), b) for b in played.boundaries]
    texts = [json.dumps({"events": v.events, "structures": v.structures, "violations": v.violations}) for v in verdicts]
    lies = [json.dumps({"events": {event: [0] for event in v.events}}) for v in verdicts]
    for replies, perfect in ((texts, True), (lies, False), (["no idea"] * case.rounds, False)):
        grader = get_model("mockllm/model", custom_outputs=[says(reply) for reply in replies], memoize=False)
        task = tasks.world_agent_maintenance(CASE, "hard", judge="model")
        log = ran(task, tmp_path, playing(maintenance.solution(case, "hard"), case), model_roles={"grader": grader})
        own = maintenance.score(played, maintenance.ModelJudge(maintenance.ScriptedModel(replies)))
        assert score_of(log).metadata["row"] == json.loads(json.dumps(own.to_data()))
        assert (own.completion == 1) == perfect and bool(own.rejected) != perfect
    with pytest.raises(UnknownNameError):
        tasks.world_agent_maintenance(CASE, judge="oracle")


def test_scripted_maintenance_over_all_cases(tmp_path):
    log = ran(tasks.world_agent_maintenance(tier="extreme"), tmp_path, solver=tasks.scripted_maintenance())
    assert metrics(log) == {"completion": 1.0, "relation": 1.0} and len(log.samples) == len(maintenance.names())


# ---- deduction -------------------------------------------------------------------------------------------


class Reader(deduction.Oracle):
    """An oracle that keeps its answers and spoils every third one."""

    def __init__(self):
        self.texts = []

    def answer_knowing(self, query, refer):
        text = super().answer_knowing(query, refer)
        self.texts.append('{"changes": {"x.y": 1}}' if len(self.texts) % 3 == 2 else text)
        return self.texts[-1]


FREECIV = {"interval": 1, "lookahead": 3}


@pytest.mark.parametrize("mode", deduction.MODES)
@pytest.mark.parametrize("information", deduction.INFORMATION)
@pytest.mark.parametrize("kind", ["kernel", "freeciv"])
def test_a_model_that_gives_prepared_answers_scores_as_our_own_scorer_says(kind, information, mode, tmp_path):
    if kind == "kernel":
        world, task = (
            deduction.KernelTask(deduction.load("harbour")),
            tasks.world_agent_deduction("harbour", information, mode),
        )
    else:
        world, task = FreecivTask(**FREECIV), tasks.world_agent_freeciv(information, mode, **FREECIV)
    reader = Reader()
    own = deduction.play(world, information, mode, reader)
    log = ran(task, tmp_path, [says(text) for text in reader.texts])
    assert score_of(log).metadata["row"] == json.loads(json.dumps(own.to_data()))
    kinds = ("segment",) if mode == "m1" else deduction.KINDS[1:]
    assert {one: score_of(log).value[one] for one in kinds} == {one: own.f1(one) for one in kinds}
    assert 0 < own.f1(kinds[0]) < 1 and metrics(log)[kinds[0]] == own.f1(kinds[0])
    messages = log.samples[0].messages
    asked = [message.text for message in messages if message.role == "user"]
    assert asked[0] == world.prompt(information, mode) and len(asked) == len(reader.texts) + 1
    assert ("this changed" in messages[-2].text) == (mode == "m2")


def test_what_is_not_scored_is_not_a_number(tmp_path):
    log = ran(tasks.world_agent_freeciv("open", "m1", **FREECIV), tmp_path, solver=tasks.scripted_deduction())
    value = score_of(log).value
    assert value["segment"] == 1 and math.isnan(value["fired_f1"]) and score_of(log).metadata["row"]["fired_f1"] is None


def test_answers_that_were_never_given_predict_nothing(tmp_path):
    log = ran(tasks.world_agent_deduction("harbour"), tmp_path, lambda *_: says("?"), message_limit=6)
    row = score_of(log).metadata["row"]
    assert row["f1"] == {"segment": 0.0} and len(row["reports"]) == deduction.SEGMENTS


@pytest.mark.parametrize("baseline", deduction.BASELINES)
def test_scripted_deduction_scores_as_the_baseline_does(baseline, tmp_path):
    log = ran(tasks.world_agent_deduction("railway", "naming", "m2"), tmp_path,
              solver=tasks.scripted_deduction(baseline))  # fmt: skip
    world = deduction.KernelTask(deduction.load("railway"))
    own = deduction.play(world, "naming", "m2", deduction.BASELINES[baseline]())
    assert score_of(log).metadata["row"] == json.loads(json.dumps(own.to_data()))
    (row,) = tasks.rows(log)["deduction"]
    assert row["solver"] == baseline and row["task"] == "railway"


# ---- logs and the command line -----------------------------------------------------------------------------


def test_rows_of_a_log_file_join_the_benchmarks_tables(tmp_path):
    case = maintenance.load(CASE)
    log = ran(tasks.world_agent_maintenance(CASE), tmp_path / "logs", playing(maintenance.do_nothing(case), case))
    (path,) = (tmp_path / "logs").iterdir()
    rows = tasks.rows(path)
    assert rows == tasks.rows(log) == tasks.rows(read_eval_log(str(path)))
    assert rows["maintenance"][0]["solver"] == "mockllm/model" and rows["maintenance"][0]["case"] == CASE
    out = tmp_path / "out"
    script = [sys.executable, str(ROOT / "benchmarks/world_agent/run.py"), "--limit", "1", "--skip-speed"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([*script, "--out", str(out), "--add", str(path)], env=environment, check=True, capture_output=True)
    assert "| mockllm/model | easy |" in (out / "results.md").read_text()


def test_the_example_runs(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    script = [sys.executable, str(ROOT / "examples/world_agent_inspect.py")]
    done = subprocess.run(script, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "completion" in done.stdout, done.stderr


def test_inspect_finds_the_tasks_by_entry_point(tmp_path):
    """The installed package announces its tasks; nothing is put on the path for inspect to find them."""
    command = [sys.executable, "-m", "inspect_ai", "eval", "civworld/world_agent_deduction", "--model", "mockllm/model",
               "-T", "case=harbour", "--solver", "civworld/scripted_deduction", "-S", "baseline=oracle",
               "--display", "none", "--log-dir", str(tmp_path / "logs")]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    (row,) = tasks.rows(path)["deduction"]
    assert row["f1"] == {"segment": 1.0} and row["solver"] == "oracle"


OWN = {
    "maintenance": ("market_day", {"completion": 1.0, "relation": 1.0}),
    "deduction": ("beehive", {"f1": {"segment": 1.0}}),
}


@pytest.mark.parametrize("track", OWN)
def test_a_case_of_ones_own_is_played_and_scored_by_the_command_of_the_docs(track, tmp_path):
    name, scores = OWN[track]
    shutil.copytree(ROOT / "examples/world_agent_cases", tmp_path / "path/to")
    for file in list((tmp_path / "path/to").glob(f"{name}.*")):
        file.rename(file.with_name(file.name.replace(name, "case", 1)))
    page = (ROOT / "docs/world-agent.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^inspect (eval civworld/world_agent_{track} .*case=path/to/case.toml)$", page, re.MULTILINE)
    command = [sys.executable, "-m", "inspect_ai", *line.split(), "--display", "none", "--log-dir", "logs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    (row,) = tasks.rows(path)[track]
    assert {key: row[key] for key in scores} == scores


# ---- epochs ----------------------------------------------------------------------------------------------


def test_epochs_are_averaged_with_their_spread_in_every_integration(tmp_path):
    """A good epoch and a bad one: the mean of both, and how far they lie apart."""
    case = maintenance.load(CASE)
    good = list(playing(maintenance.solution(case, "easy"), case))
    bad = [says("done with this round")] * case.rounds
    task = tasks.world_agent_maintenance(CASE, "easy")
    log = ran(task, tmp_path, [*good, *bad], epochs=2, max_samples=1, max_connections=1)
    each = [score_of(log, number).value["completion"] for number in range(2)]
    assert each[0] != each[1]
    (shown,) = [score.metrics for score in log.results.scores if score.name == "completion"]
    found = {metric.name: metric.value for metric in shown.values()}
    assert found == pytest.approx({"mean": sum(each) / 2, "spread": abs(each[0] - each[1]) / 2**0.5})
    once = ran(tasks.world_agent_deduction("harbour", "open", "m1"), tmp_path, [says("")] * 200)
    assert all([m.name for m in score.metrics.values()] == ["mean"] for score in once.results.scores)
