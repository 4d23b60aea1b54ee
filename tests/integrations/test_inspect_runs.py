# SPDX-License-Identifier: GPL-2.0-or-later
"""Models run for real: against a local server that speaks the OpenAI protocol and misbehaves."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("openai", reason="openai is not installed (extra dev)")

import inspect_ai.model._retry as waiting
from misbehaving_server import ANSWER_TOKENS, CACHED_TOKENS, PROMPT_TOKENS, THINKING_TOKENS, Server

from civworld.civworldbench.answering.predictors import oracle
from civworld.civworldbench.folders import runs, sets
from civworld.civworldbench.folders.answers import read_answers
from civworld.cli import main
from civworld.errors import ArgumentError, UnknownNameError
from civworld.integrations import inspect_runs

sys.path.insert(0, str(Path(__file__).parents[1] / "civworldbench"))
from synthetic import query_set

CONFIG = """
name = "local-high"
model = "openai-api/local/m"
base_url = "{url}"
effort = "high"
max_tokens = 500
retries = 3
timeout = 20
thinking = 50
[price]
input = 2.0
cached = 0.5
output = 10.0
"""
TROUBLES = ("slow", "haste", "cut", "broken")
"""What is asked again, and then answered well."""


@pytest.fixture(scope="module")
def queries(tmp_path_factory):
    """Three worlds; each prompt is its query's id."""
    made = query_set(worlds=3)
    named = [(replace(query, prompt=name), made.targets[name]) for name, query in made.queries.items()]
    where = tmp_path_factory.mktemp("queries")
    sets.save(type(made).of(named, made.scales), where)
    return where


@pytest.fixture
def quick(monkeypatch):
    """Waits between attempts that tests can afford."""
    monkeypatch.setenv("LOCAL_API_KEY", "unused")
    monkeypatch.setattr(waiting, "wait_exponential_jitter", lambda **_: lambda state: 0.01)


def answers_to(queries):
    found = sets.load(queries)
    know = oracle(found)
    return {name: know(query) for name, query in found.queries.items()}


def configured(tmp_path, url, **changes):
    path = tmp_path / "run.toml"
    text = CONFIG.format(url=url)
    for name, value in changes.items():
        text = f"{name} = {json.dumps(value)}\n" + "\n".join(
            t for t in text.split("\n") if not t.startswith(f"{name} =")
        )
    path.write_text(text)
    return str(path)


def asked(config, queries, out, capsys, *more):
    status = main(["run", config, "--queries", str(queries), "--out", str(out), "--display", "none", *more])
    told = capsys.readouterr()
    record = out / "local-high.run.json"
    return status, told.out + told.err, json.loads(record.read_text()) if record.exists() else None


def test_a_server_that_misbehaves_is_asked_again_and_every_answer_is_there(queries, tmp_path, quick, capsys):
    truth = answers_to(queries)
    names = list(truth)
    trouble = {name: [what] for name, what in zip(names, TROUBLES, strict=False)}
    trouble |= {names[5]: ["haste", "broken", "haste"], names[6]: ["half"], names[7]: ["prose"]}
    with Server(truth, trouble) as server:
        config = configured(tmp_path, server.url, timeout=5)
        status, told, record = asked(config, queries, tmp_path / "out", capsys)
        assert status == 0, told
        for name in names[:6]:  # more often where this machine was slow itself
            assert server.asked[name] >= len(trouble.get(name, [])) + 1
        assert all(body["max_tokens"] == 500 and body["reasoning_effort"] == "high" for body in server.bodies)
        given = read_answers(tmp_path / "out" / "local-high.jsonl")
        assert {name: text for name, text in given.items() if name not in names[6:8]} == {
            name: text for name, text in truth.items() if name not in names[6:8]
        }
        assert record["stopped"] == {"stop": len(names) - 1, "max_tokens": 1}
        assert record["answered"] == record["asked"] == len(names)
        # a second run asks nothing
        before = sum(server.asked.values())
        status, told, again = asked(config, queries, tmp_path / "out", capsys)
        assert (status, sum(server.asked.values())) == (0, before)
        assert f"0 asked, {len(names)} answered before" in told
        assert again == record


def test_tokens_and_price_are_estimated_before_and_measured_after(queries, tmp_path, quick, capsys):
    truth = answers_to(queries)
    with Server(truth) as server:
        config = configured(tmp_path, server.url)
        status, told, record = asked(config, queries, tmp_path / "out", capsys, "--estimate")
        assert (status, record, server.asked.total()) == (0, None, 0)
        assert f"{len(truth)} prompts, about" in told
        assert "at most $" in told
        status, told, record = asked(config, queries, tmp_path / "out", capsys)
    count = len(truth)
    measured = {
        "input": (PROMPT_TOKENS - CACHED_TOKENS) * count,
        "cached": CACHED_TOKENS * count,
        "output": ANSWER_TOKENS * count,
        "reasoning": THINKING_TOKENS * count,
    }
    assert record["tokens"] == measured
    dollars = (measured["input"] * 2 + measured["cached"] * 0.5 + measured["output"] * 10) / 1e6
    assert record["dollars"] == pytest.approx(dollars)
    assert record["estimate"]["prompts"] == count


def test_what_fails_for_good_is_said_and_asked_again_by_the_next_run(queries, tmp_path, quick, capsys):
    truth = answers_to(queries)
    names = list(truth)
    with Server(truth, {names[0]: ["refused"] * 2, names[1]: ["garbage"] * 2}) as server:
        config = configured(tmp_path, server.url)
        status, told, record = asked(config, queries, tmp_path / "out", capsys)
        assert status == 1
        assert set(record["unanswered"]) == set(names[:2]), told
        assert "2 without answer" in told
        first = server.asked.total()
        status, told, record = asked(config, queries, tmp_path / "out", capsys)
        assert (status, record["unanswered"], server.asked.total()) == (0, {}, first + 2)
        assert read_answers(tmp_path / "out" / "local-high.jsonl") == truth


def test_a_run_that_is_killed_goes_on(queries, tmp_path, quick, capsys):
    truth = answers_to(queries)
    names = list(truth)
    with Server(truth, {names[-1]: ["slow"] * 9}) as server:
        config = configured(tmp_path, server.url, timeout=60, connections=1)
        command = [sys.executable, "-m", "civworld", "run", config, "--queries", str(queries), "--out", "out"]
        process = subprocess.Popen([*command, "--display", "none"], cwd=tmp_path, env=os.environ)
        while not server.asked[names[-1]]:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        server.trouble.clear()
        before = server.asked.copy()
        status, told, record = asked(config, queries, tmp_path / "out", capsys)
        assert status == 0, told
        assert record["answered"] == len(names)
        assert (server.asked - before).total() <= len(names)
        assert read_answers(tmp_path / "out" / "local-high.jsonl") == truth


def test_answers_of_two_configurations_or_query_sets_are_not_mixed(queries, tmp_path, quick, capsys):
    truth = answers_to(queries)
    with Server(truth) as server:
        config = configured(tmp_path, server.url)
        assert asked(config, queries, tmp_path / "out", capsys)[0] == 0
        dearer = configured(tmp_path, server.url, connections=2)
        assert asked(dearer, queries, tmp_path / "out", capsys)[0] == 0
        other = configured(tmp_path, server.url, effort="low")
        status, told, _ = asked(other, queries, tmp_path / "out", capsys)
        assert (status, "with identity" in told) == (1, True)
        config = configured(tmp_path, server.url)
        first = next(iter(sets.load(queries).queries.values()))
        sets.save(with_query(sets.load(queries), replace(first, prompt="other")), queries)
        try:
            status, told, _ = asked(config, queries, tmp_path / "out", capsys)
            assert (status, "other queries now than" in told) == (1, True), told
        finally:
            sets.save(with_query(sets.load(queries), first), queries)


def with_query(found, query):
    pairs = [(query if name == query.id else old, found.targets[name]) for name, old in found.queries.items()]
    return type(found).of(pairs, found.scales)


@pytest.mark.parametrize(
    ("written", "error", "sentence"),
    [
        ('name = "a"', ArgumentError, "model is needed"),
        ('name = "a/b"\nmodel = "openai/x"', ArgumentError, "letters, digits"),
        ('name = "a"\nmodel = "gpt"', ArgumentError, "PROVIDER/MODEL"),
        ('name = "a"\nmodel = "openai/x"\neffort = "hihg"', UnknownNameError, "did you mean 'high'"),
        ('name = "a"\nmodel = "openai/x"\nretries = -1', ArgumentError, "0 or more"),
        ('name = "a"\nmodel = "openai/x"\napi_key = "secret"', UnknownNameError, "api_key"),
        ('name = "a"\nmodel = "openai/x"\nmax_tokens = "many"', ArgumentError, "int is needed"),
        ('name = "a"\nmodel = "openai/x"\n[price]\ninput = 1.0', ArgumentError, "output is needed"),
        ("name =", ArgumentError, "run.toml"),
    ],
)
def test_configurations_that_cannot_be_meant_are_refused(tmp_path, written, error, sentence):
    (tmp_path / "run.toml").write_text(written)
    with pytest.raises(error, match=sentence):
        runs.read_run(tmp_path / "run.toml")


def test_an_identity_is_what_may_change_answers():
    config = runs.RunConfig("a", "openai/x")
    assert config.identity == replace(config, name="b", connections=3, price=runs.Price(1, 2)).identity
    changed = {"effort": "low", "max_tokens": 5, "temperature": 0.0, "seed": 1, "model": "openai/y", "timeout": 5}
    assert len({replace(config, **{key: value}).identity for key, value in changed.items()} | {config.identity}) == 7


def test_folders_are_query_folders_or_experiments(queries, tmp_path):
    with pytest.raises(ArgumentError, match="neither a query folder"):
        inspect_runs.query_folders([tmp_path])
    below = tmp_path / "queries" / "ego" / "whole"
    below.mkdir(parents=True)
    (below / sets.QUERIES).touch()
    assert inspect_runs.query_folders([tmp_path, queries]) == [below, queries]
