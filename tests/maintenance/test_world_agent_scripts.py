# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples and the benchmark run and write what they promise."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_script(path, *args):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, str(ROOT / path), *args], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["world_agent_maintenance", "world_agent_deduction"])
def test_the_examples_run(name):
    assert run_script(f"examples/{name}.py")


def test_the_benchmark_writes_tables_data_and_plots_and_takes_rows_of_other_runs(tmp_path):
    pytest.importorskip("matplotlib")
    first = tmp_path / "first"
    script = "benchmarks/world_agent/run.py"
    run_script(script, "--limit", "1", "--skip-speed", "--out", str(first))
    data = json.loads((first / "results.json").read_text())
    for row in data["maintenance"] + data["deduction"]:
        row["solver"] += "_again"
    (tmp_path / "more.json").write_text(json.dumps(data))
    text = run_script(
        script,
        "--limit",
        "1",
        "--skip-speed",
        "--out",
        str(tmp_path / "both"),
        "--add",
        str(tmp_path / "more.json"),
    )
    assert "| reference_again | extreme | 1.000 | 1.000 |" in text
    assert "| oracle | open-m1 | 1.000 |" in text
    for name in ("results.md", "score_by_round.png", "components.png", "f1_by_horizon.png"):
        assert (tmp_path / "both" / name).stat().st_size > 500
