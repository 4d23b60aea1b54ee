# SPDX-License-Identifier: GPL-2.0-or-later
"""A source distribution holds all that a build takes: sdist -> wheel -> a world, in an environment of its own."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import bare

ROOT = Path(__file__).resolve().parents[1]
HARD = "a b é"


def backend(call: str, where: Path, out: Path) -> Path:
    """What the build backend makes in `out` from the sources in `where`, as pip would call it."""
    code = (
        f"import sys; sys.path.insert(0, 'csrc/build')\nfrom civworld_build import backend\nbackend.{call}(sys.argv[1])"
    )
    out.mkdir(exist_ok=True)
    done = subprocess.run([sys.executable, "-c", code, str(out)], cwd=where, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution of this tree."""
    return backend("build_sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """The wheel made from it, below a folder with a space and an accent; the engine itself comes from the cache."""
    where = tmp_path_factory.mktemp("unpacked") / HARD
    where.mkdir()
    with tarfile.open(sdist) as tar:
        tar.extractall(where)
    (source,) = where.iterdir()
    return backend("build_wheel", source, where.parent / "dist")


def test_the_source_distribution_holds_what_is_tracked_and_nothing_built(sdist):
    with tarfile.open(sdist) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    told = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if told.returncode != 0:
        pytest.skip("these sources are not a git repository")
    tracked = {name for name in told.stdout.splitlines() if (ROOT / name).exists() and not name.startswith(".")}
    assert tracked <= names, sorted(tracked - names)
    built = [n for n in names if n.endswith((".so", ".o", ".pyc", "build_info.json")) or "_engine/data" in n]
    assert not built


def test_the_wheel_holds_the_engine_and_its_data(wheel):
    with zipfile.ZipFile(wheel) as held:
        names = held.namelist()
    for wanted in ("libcivworld_engine.so", "build_info.json", "data/civ2civ3/game.ruleset", "data/COPYING"):
        assert f"civworld/_engine/{wanted}" in names, wanted
    assert any(name.startswith("civworld/_engine/_native") for name in names)
    assert not [name for name in names if "/csrc/" in name or name.startswith("tests/")]


def test_a_world_runs_from_the_wheel_in_an_environment_of_its_own(wheel, tmp_path):
    folder = tmp_path / HARD
    python = bare.environment(folder)
    site = next(folder.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as held:
        held.extractall(site)
    code = "import civworld; w = civworld.World(civworld.WorldConfig(seed=7, players=2)); print(w.advance(2).digest())"
    ours = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    for locale in ("C.UTF-8", "C", "POSIX"):
        env = {"LC_ALL": locale, "HOME": "/nonexistent", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run([str(python), "-c", code], capture_output=True, text=True, env=env, cwd="/")
        assert done.returncode == 0 and done.stdout == ours.stdout, f"{locale}: {done.stderr}"


def test_savegames_have_names_that_the_locale_cannot_say(tmp_path):
    code = (
        "import sys, civworld; config = civworld.WorldConfig(seed=7, players=2, map_size=1)\n"
        "civworld.World(config).export_savegame(sys.argv[1])\n"
        "print(civworld.World.from_savegame(sys.argv[1], config).turn)"
    )
    env = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    path = tmp_path / "é.sav"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, env=env)
    assert done.returncode == 0 and done.stdout == "1\n" and path.stat().st_size > 1000, done.stderr
