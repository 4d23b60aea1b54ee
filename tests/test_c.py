# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of C that build without Freeciv pass their own tests, with sanitizers and as the engine is built."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

CTESTS = Path(__file__).resolve().parents[1] / "csrc" / "tests"


@pytest.fixture(scope="module")
def compiler() -> str:
    command = os.environ.get("CC") or "cc"
    if shutil.which(shlex.split(command)[0]) is None:
        pytest.fail(f"no C compiler: '{command}' is not on PATH; install one or set CC")
    if shutil.which("make") is None:
        pytest.fail("'make' is not on PATH; the C tests are built with csrc/tests/Makefile")
    return command


@pytest.mark.parametrize("binary", ["test_arena", "test_arena_plain", "test_image", "test_image_plain"])
def test_c(compiler: str, tmp_path: Path, binary: str) -> None:
    target = tmp_path / binary
    build = ["make", "-s", "-C", str(CTESTS), f"BUILD={tmp_path}", f"CC={compiler}", str(target)]
    made = subprocess.run(build, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "warning:" not in made.stderr, made.stderr
    run = subprocess.run([str(target)], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("ok all\n")
