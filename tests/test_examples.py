# SPDX-License-Identifier: GPL-2.0-or-later
"""The main example does what the README says it does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_fork_intervention_prints_its_tables_and_draws_its_pictures(tmp_path):
    script = [sys.executable, str(ROOT / "examples" / "fork_intervention.py")]
    done = subprocess.run(
        [*script, "--branch-turn", "42", "--turns", "4", "--out", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "recheck equals control at 5 of 5 turns" in done.stdout
    assert "recheck     no quantity of any civilization differs" in done.stdout
    assert "persistence has skill" in done.stdout
    gift = next(line for line in done.stdout.splitlines() if line.startswith("gift"))
    assert "+300" in gift
    for name in ("intervention.png", "map.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_the_readme_example_runs():
    """The ten lines of the README, with fewer turns."""
    text = (ROOT / "README.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    assert code.count("\n") <= 12
    code = code.replace("advance(60)", "advance(6)").replace("advance(30)", "advance(3)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[(0, ")


def run(name, *args, path=""):
    """What an example prints; the examples are also short."""
    script = ROOT / "examples" / f"{name}.py"
    assert len(script.read_text().splitlines()) <= 60
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


def test_the_agents_example_of_the_readme_runs():
    text = (ROOT / "README.md").read_text()
    code = text.split("## Agents")[1].split("```python\n")[1].split("```")[0].replace("turns=100", "turns=1")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
