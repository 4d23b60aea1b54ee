# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs run behind walls: what they give comes back, harm ends as a named failure, and nothing stays behind."""

import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from civworld import sandbox
from civworld.errors import ArgumentError, SandboxUnavailable
from civworld.sandbox import running, seccomp, walls
from hostile_programs import HOSTILE

SHORT = sandbox.Limits(seconds=1)
needs_walls = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
GOOD = """
import numpy as np
def simulate(seed):
    print("a word")
    return {"a": np.random.default_rng(seed).normal(), "b": seed, "more": 1}
"""


@pytest.fixture
def around(tmp_path):
    """What a hostile program aims at: a file, a place to write, a port that listens, this process."""
    secret = tmp_path / "targets.jsonl"
    secret.write_text("the truth")
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield {
            "secret": str(secret),
            "target": str(tmp_path / "written"),
            "port": server.getsockname()[1],
            "parent": os.getpid(),
        }


def processes():
    """Command lines of the script, wherever it runs on this machine for this user's tests."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"inside.py" in (entry / "cmdline").read_bytes():
                found.add(entry.name)
        except OSError:
            continue
    return found


@needs_walls
def test_draws_come_back_number_by_number():
    found = sandbox.run(GOOD, range(3), ["a", "b", "c"])
    assert isinstance(found, sandbox.Draws)
    assert found.values["b"].tolist() == [0, 1, 2]
    assert found.values["a"].tolist() == [np.random.default_rng(k).normal() for k in range(3)]
    assert (found.failures, found.unknown) == ({"c": "missing"}, 1)


@needs_walls
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_as_a_named_failure_and_leaves_nothing(name, around):
    hostile, before, folders = HOSTILE[name], processes(), set(os.listdir(tempfile.gettempdir()))
    began = time.monotonic()
    found = sandbox.run(hostile.text.format(**around, n=hostile.inside), [0], ["a"], SHORT)
    assert isinstance(found, sandbox.Failure)
    assert found.name in hostile.ends, found
    assert time.monotonic() - began < 30
    assert not Path(around["target"]).exists()
    assert "the truth" not in found.detail
    mine = processes() - before
    assert not [p for p in mine if parent_of(p) == os.getpid()]
    left = set(os.listdir(tempfile.gettempdir())) - folders
    assert not [f for f in left if "scratch" in f or f == "written"]


def parent_of(process):
    try:
        return int(re.search(r"PPid:\s+(\d+)", Path(f"/proc/{process}/status").read_text()).group(1))
    except OSError:
        return 0


@pytest.mark.parametrize("name", HOSTILE)
def test_the_same_program_succeeds_outside(name, around):
    """That the walls did it, and not the program: at a harmless size it does what it came for."""
    hostile = HOSTILE[name]
    text = hostile.text.format(**around, n=hostile.outside) + "\nsimulate(0)\nprint('done')\n"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=60, check=False)
    assert found.stdout.endswith(b"done\n"), found.stderr.decode()
    if name in ("writes outside", "exploits pickle"):
        assert Path(around["target"]).exists()


def told(expression):
    """The value of an expression inside, short enough for the detail of a failure."""
    text = f"import json, os\ndef simulate(seed): raise ValueError(json.dumps({expression}))"
    return json.loads(sandbox.run(text, [0], ["a"]).detail.removeprefix("ValueError: "))


@needs_walls
def test_a_program_sees_python_numpy_and_an_empty_folder_alone():
    shown = {"inside.py", "packages", "python", "scratch"}
    others = {path.parts[1] for path in map(Path, (*walls.LIBRARIES, sys.base_prefix))}
    assert shown <= set(told("os.listdir('/')")) <= shown | others
    assert told("(os.getcwd(), os.listdir('.'))") == ["/scratch", []]
    assert set(told("os.listdir('/packages')")) <= {"numpy", "numpy.libs"}
    assert set(told("sorted(os.environ)")) <= {*walls.ENVIRONMENT, "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "PWD"}
    assert told("(os.getuid(), os.getgid(), os.getpid() < 9)") == [65534, 65534, True]


PROGRAMS = {
    "no_program": ["", "x = 1", "def simulate(seed: return 1", '{"answers": {}}', "simulate = 3"],
    "crashed": [
        "def simulate(seed): return 1 / 0",
        "import os\ndef simulate(seed): os._exit(3)",
        "import sys\ndef simulate(seed): sys.exit()",
        "import ctypes\ndef simulate(seed): ctypes.string_at(0)",
        "def simulate(seed): return simulate(seed)",
        "import threading\ndef simulate(seed): threading.Thread(target=print).start()",
        "import civworld",
    ],
    "forbidden": ["import subprocess\nsubprocess.run(['/python'])", "open('/packages/numpy/x', 'w')"],
    "too_much_output": ["def simulate(seed): open('x', 'w').write('x' * (17 << 20))"],
    "wrong_shape": ["def simulate(seed): return [1]", "def simulate(seed): pass"],
    "not_deterministic": [
        "import os\ndef simulate(seed): return {'a': int.from_bytes(os.urandom(6), 'big')}",
        "import numpy as np\ng = np.random.default_rng(1)\ndef simulate(seed): return {'a': g.normal()}",
    ],
    "bad_result": [
        "import os\ndef simulate(seed):\n  os.write(3, b'[[[')\n  os._exit(0)",
        "import os\ndef simulate(seed):\n  for k in range(3, 9):\n    try: os.write(k, b'[' * 10**5)\n"
        "    except OSError: pass\n  os._exit(0)",
    ],
}


@needs_walls
@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in PROGRAMS.items() for text in texts])
def test_each_way_to_fail_has_its_name(name, text):
    found = sandbox.run(text, [0, 1], ["a"], sandbox.Limits(seconds=5))
    assert isinstance(found, sandbox.Failure)
    assert found.name == name, found


@needs_walls
@pytest.mark.parametrize(
    ("value", "failure"),
    [("float('nan')", "not_finite"), ("1e301", "not_finite"), ("10**400", "not_finite"), ("'1'", "wrong_type"),
     ("True", "wrong_type"), ("None", "wrong_type"), ("[1]", "wrong_type"), ("1j", "wrong_type")],
)  # fmt: skip
def test_a_bad_number_fails_its_name_alone(value, failure):
    found = sandbox.run(f"def simulate(seed): return {{'a': {value}, 'b': 2}}", [0], ["a", "b"])
    assert (found.failures, list(found.values)) == ({"a": failure}, ["b"])


@pytest.mark.parametrize(
    "data",
    [b"", b"\x80\x04.", b"null", b"[]", b'{"failed": "nobody"}', b'{"failed": 3}', b'{"draws": [[1]]}', b"[" * 10**5,
     b'{"draws": [[1], [2]], "unknown": 0}', b'{"draws": [[1, 2]], "unknown": 0}', b'{"draws": [1], "unknown": 0}'],
)  # fmt: skip
def test_what_the_process_wrote_is_read_with_suspicion(data):
    assert sandbox.result_of(data, 1, ["a"]).name == "bad_result"
    odd = sandbox.result_of(b'{"draws": [[NaN, "missing", {}]], "unknown": 0}', 1, ["a", "b", "c"])
    assert odd.failures == {"a": "not_finite", "b": "missing", "c": "wrong_type"}


def test_without_walls_nothing_is_run(monkeypatch, tmp_path):
    written = tmp_path / "ran"
    monkeypatch.setenv("PATH", str(tmp_path))
    running._reason.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match=r"bwrap.*apt-get install bubblewrap"):
            sandbox.run(f"open({str(written)!r}, 'w')", [0], ["a"])
        assert not written.exists()
        found = sandbox.run(GOOD, [4], ["b"], unsafe=True)
        assert found.values["b"].tolist() == [4]
        assert sandbox.run("def simulate(seed):\n while True: pass", [0], ["a"], SHORT, unsafe=True).name == "timeout"
    finally:
        running._reason.cache_clear()


@needs_walls
def test_a_machine_whose_walls_have_holes_is_refused(monkeypatch):
    monkeypatch.setattr(walls, "walled", lambda limits: walls.unwalled())
    monkeypatch.setattr(seccomp, "rules", lambda: b"")
    running._reason.cache_clear()
    try:
        with pytest.raises(SandboxUnavailable, match="look out"):
            sandbox.check()
    finally:
        running._reason.cache_clear()


def test_seeds_and_limits_are_checked():
    for seeds in ([], [-1]):
        with pytest.raises(ArgumentError, match="seeds"):
            running.request_of("", seeds, [], SHORT)
    with pytest.raises(ArgumentError, match="seconds"):
        sandbox.Limits(seconds=0)
    assert json.loads(running.request_of("x", [1], ["a"], SHORT, filtered=False))["filter"] == ""


@pytest.mark.parametrize(
    ("machine", "header"), [("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "asm-generic/unistd.h")]
)
def test_the_numbers_of_system_calls_are_the_kernels(machine, header):
    path = Path("/usr/include") / header
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    told = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", path.read_text()))
    told.setdefault("newfstatat", told.get("fstatat", ""))
    calls = seccomp.MACHINES[machine][1]
    assert {name: int(told[name]) for name in calls} == dict(calls)
    assert len(seccomp.rules(machine)) == 8 * (len(calls) + 6)


def test_a_machine_whose_calls_are_not_known_is_refused():
    with pytest.raises(SandboxUnavailable, match="x86_64"):
        seccomp.rules("pdp11")
    assert platform.machine() in seccomp.MACHINES
