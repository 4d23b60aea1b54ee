# SPDX-License-Identifier: GPL-2.0-or-later
"""The main example does what the README says it does."""

import subprocess
import sys
from pathlib import Path

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
