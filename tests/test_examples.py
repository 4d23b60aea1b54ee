# SPDX-License-Identifier: GPL-2.0-or-later
"""The main example does what the README says it does."""

import ast
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_fork_intervention_prints_its_tables_and_draws_its_pictures(tmp_path):
    script = [sys.executable, str(ROOT / "examples" / "fork_intervention.py")]
    done = subprocess.run(
        [*script, "--branch-turn", "42", "--turns", "4", "--seeds", "2", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "recheck equals control at 5 of 5 turns" in done.stdout
    assert "persistence has skill" in done.stdout
    told = {line.split()[0]: line for line in done.stdout.splitlines() if " treasury " in line and "score" in line}
    assert set(told) == {"real", "placebo"} and all(line.count("+-") == 4 for line in told.values())
    assert "tiles differ from the control" in done.stdout
    for name in ("intervention.png", "map.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def run(name, *args, path=""):
    """What an example prints; the examples are also short."""
    script = ROOT / "examples" / f"{name}.py"
    assert len(script.read_text().splitlines()) <= 80
    env = os.environ | {"PYTHONPATH": os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), path])}
    done = subprocess.run([sys.executable, str(script), *args], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_random_agents_play_and_draw_the_map(tmp_path):
    picture = tmp_path / "map.png"
    said = run("play_random", "--turns", "3", "--picture", str(picture))
    assert "turn 4 player_1" in said and "score gained" in said and picture.read_bytes().startswith(b"\x89PNG")


def test_the_expander_beats_the_random_agent_in_one_world():
    assert "the expander won 1 of 1" in run("play_expander", "--seeds", "1", "--turns", "30")


@pytest.mark.slow
def test_the_expander_beats_the_random_agent_in_all_ten_worlds():
    assert "the expander won 10 of 10" in run("play_expander")


def test_looking_ahead_tries_plans_in_forks():
    assert "world 0: search" in run("play_fork_search", "--seeds", "1", "--turns", "8", "--replan", "4")


@pytest.mark.slow
def test_looking_ahead_beats_the_fixed_plan_in_most_worlds():
    said = run("play_fork_search", "--seeds", "5").splitlines()[-1]
    assert int(said.split()[3]) >= 3, said


def test_two_agents_negotiate_a_treaty():
    said = run("play_negotiation", "--seed", "1")
    assert "answers: done" in said and "answers: agreed" in said and "embassy True" in said


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_every_example_says_what_it_is_without_running(script):
    done = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("usage: ") and done.stderr == "", done.stderr
    first = ast.get_docstring(ast.parse(script.read_text())).splitlines()[0]
    assert " ".join(first.split()[:5]) in " ".join(done.stdout.split()), "the help says what it is"


def test_a_language_agent_keeps_giving_orders():
    said = run("play_language_agent", "--turns", "50")
    turns = [line for line in said.splitlines() if line.startswith("turn ")]
    silent = [line for line in turns if "ordered []" in line]
    assert len(turns) == 50 and len(silent) <= 15 and "refused [R" not in said, silent
    assert all("ordered []" not in line for line in turns[-5:])


class Answering(http.server.BaseHTTPRequestHandler):
    """A server of chat completions that always answers with order 1."""

    asked: ClassVar[list] = []

    def do_POST(self):
        self.asked.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "1"}}]}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def test_a_language_agent_asks_a_provider():
    with http.server.HTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        said = run("play_language_agent", "--turns", "2", "--url", url, "--model", "some-model")
        server.shutdown()
    path, body = Answering.asked[0]
    assert len(Answering.asked) == 2 and path == "/v1/chat/completions" and body["model"] == "some-model"
    assert "You lead a civilization" in body["messages"][0]["content"]
    assert said.count("ordered ['") == 2


def test_a_language_agent_plays_with_any_model(tmp_path):
    said = run("play_language_agent", "--turns", "4")
    assert "Found City" in said and "Cities: " in said
    (tmp_path / "my_model.py").write_text("def answer(prompt):\n    return 'None of the 999 orders.'\n")
    other = run("play_language_agent", "--turns", "2", "--model", "my_model:answer", path=str(tmp_path))
    assert other.count("ordered [], refused []") == 2, "an answer that names no order ends the turn"


@pytest.mark.slow
def test_a_masked_policy_is_updated():
    pytest.importorskip("sb3_contrib", reason="the extra [rl] is not installed")
    said = run("train_masked_policy", "--steps", "128", "--turns", "5")
    assert "128 steps" in said and "the policy gained a score" in said
