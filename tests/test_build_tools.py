# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetching and patching: what goes wrong is said in one clear message, and nothing unverified is used."""

import json
import shutil
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "csrc" / "build"))

from civworld_build import BuildError, compile, fetch, tree  # noqa: E402


@pytest.fixture
def archive():
    return fetch.upstream()[0]


def test_wrong_length_and_wrong_hash_are_named(archive, tmp_path):
    path = tmp_path / archive.file
    path.write_bytes(b"x" * 10)
    with pytest.raises(BuildError, match=f"10 bytes, expected {archive.length}"):
        fetch.check(archive, path)
    with pytest.raises(BuildError, match="not the pinned source"):
        fetch.check(replace(archive, length=10), path)


def test_without_network_the_message_says_what_to_do(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "mirrors", lambda: ["http://127.0.0.1:9/debian"])
    with pytest.raises(BuildError, match="CIVWORLD_FREECIV_SOURCE"):
        fetch.download(archive, tmp_path / archive.file)
    monkeypatch.setattr(fetch, "mirrors", lambda: [])
    with pytest.raises(BuildError, match="names no Debian archive"):
        fetch.download(archive, tmp_path / archive.file)
    assert not (tmp_path / archive.file).exists()


def test_a_given_folder_is_used_and_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("CIVWORLD_FREECIV_SOURCE", str(tmp_path))
    monkeypatch.setenv("CIVWORLD_CACHE", str(tmp_path / "cache"))
    for archive in fetch.upstream():
        (tmp_path / archive.file).write_bytes(b"no")
    with pytest.raises(BuildError, match="2 bytes, expected"):
        fetch.obtain()


def test_missing_compiler_is_one_message(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(BuildError, match="apt-get install gcc"):
        compile.compiler()


def test_builds_at_the_same_time_compile_once(tmp_path, monkeypatch):
    def compile_into(done, profile, cc):
        made.append(done)
        time.sleep(0.3)
        done.mkdir(parents=True)
        (done / "build_info.json").write_text("{}")

    made = []
    monkeypatch.setenv("CIVWORLD_CACHE", str(tmp_path))
    monkeypatch.setattr(compile, "_compile_into", compile_into)
    with ThreadPoolExecutor(4) as threads:
        folders = set(threads.map(compile.build, ["dev"] * 4))
    assert folders == set(made) and len(made) == 1


def test_checkouts_that_share_a_cache_share_object_files(tmp_path, monkeypatch):
    def checkout(name):
        shutil.copytree(compile.CSRC, tmp_path / name, ignore=shutil.ignore_patterns("build", "tests"))
        monkeypatch.setattr(compile, "CSRC", tmp_path / name)
        return tmp_path / name

    checkout("one")
    mirrored = compile.mirror(tmp_path / "mirror")
    before = {path: path.stat().st_mtime_ns for path in mirrored.rglob("*.[ch]")}
    two = checkout("two")
    (two / "images" / "image.c").write_text("/* changed */\n")
    (two / "images" / "space.c").unlink()
    compile.mirror(mirrored)
    after = {path: path.stat().st_mtime_ns for path in mirrored.rglob("*.[ch]")}
    assert {path.name for path in before if after.get(path) != before[path]} == {"image.c", "space.c"}
    assert mirrored / "images" / "space.c" not in after and len(before) > 80


def test_our_own_files_compile_without_a_warning():
    patched = tree.patched_tree()
    own = [str(path) for _, path in compile.sources(patched, compile.CSRC) if compile.is_own(path, compile.CSRC)]
    flags = [*compile.common_flags(patched, compile.CSRC), f"-I{compile.CSRC}", *compile.WARNINGS]
    made = subprocess.run([*compile.compiler().split(), *flags, "-fsyntax-only", *own], capture_output=True, text=True)
    assert len(own) > 50 and made.returncode == 0 and made.stderr == "", made.stderr


def test_a_patch_that_does_not_apply_leaves_no_tree(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    patch = tmp_path / "p.patch"
    patch.write_text("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+three\n")
    with pytest.raises(BuildError, match="does not apply"):
        tree._apply(patch, tmp_path)
    assert (tmp_path / "a.txt").read_text() == "one\n"


def test_mirrors_come_from_the_hosts_own_configuration():
    hosts = [
        line for path in ROOT.glob("csrc/build/**/*.py") for line in path.read_text().splitlines() if "http" in line
    ]
    assert not [line for line in hosts if "://" in line], "no mirror's address may stand in the sources"


HARD = "a b é $x:y"  # a folder's name that a shell, ninja and make each would trip over


def test_the_build_file_quotes_its_paths(tmp_path, monkeypatch):
    """A library of one file is compiled and linked below a folder with a space, a dollar, a colon and an accent."""
    csrc = tmp_path / HARD / "csrc"
    csrc.parent.mkdir()
    csrc.symlink_to(compile.CSRC)
    source = tmp_path / HARD / "one.c"
    source.write_text("int cw_open(void) { return 1; }\n")
    monkeypatch.setattr(compile, "CSRC", csrc)
    monkeypatch.setattr(compile, "sources", lambda tree, own: [("one.c", source)])
    out = tmp_path / HARD / "out"
    compile.write_ninja(tree.patched_tree(), out, compile.PROFILES["release"], compile.compiler(), 1, csrc)
    made = subprocess.run([compile.ninja(), "-C", str(out)], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert (out / compile.LIBRARY).exists()


@pytest.mark.slow
def test_the_engine_builds_below_a_folder_with_a_space_and_an_accent(tmp_path, monkeypatch):
    cache = tmp_path / "a b é" / "cache"
    cache.mkdir(parents=True)
    (cache / "sources").symlink_to(compile.cache_dir() / "sources")
    monkeypatch.setenv("CIVWORLD_CACHE", str(cache))
    here = compile.build("dev")
    monkeypatch.undo()
    assert here.is_relative_to(cache) and (here / compile.LIBRARY).exists() and (here / "data" / "civ2civ3").is_dir()
    told = [json.loads((folder / "build_info.json").read_text())["build_id"] for folder in (here, compile.build("dev"))]
    assert told[0] == told[1], "a build does not depend on where it was made"


def test_archives_unpack_on_a_python_without_extraction_filters(tmp_path, monkeypatch):
    """Debian 12's Python 3.11.2 has no `filter`; archives have passed their pinned sha256 by then."""
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    monkeypatch.setattr(tarfile.TarFile, "extractall", _old_extractall(tarfile.TarFile.extractall))
    (tmp_path / "lua-1").mkdir()
    with tarfile.open(tmp_path / "lua.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "lua-1", "lua-1")
    (tmp_path / "out").mkdir()
    archive = replace(fetch.upstream()[0], unpacks_to="lua-1")
    tree._unpack(archive, tmp_path / "lua.tar.gz", tmp_path / "out")
    assert (tmp_path / "out" / "lua-1").is_dir()


def _old_extractall(new):
    def extractall(self, path=".", members=None, *, numeric_owner=False):
        return new(self, path, members, numeric_owner=numeric_owner)

    return extractall


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="this system has no Python of its own")
def test_the_build_tools_run_on_the_distributions_python():
    code = "import civworld_build.fetch, civworld_build.tree as t; print(len(t.series()))"
    env = {"PYTHONPATH": str(ROOT / "csrc" / "build"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, text=True, env=env)
    assert done.stdout == f"{len(tree.series())}\n", done.stderr


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="this system has no Python of its own")
def test_make_takes_the_distributions_python_where_it_is_new_enough():
    told = subprocess.run(
        ["make", "-n", "VENV=no-such-folder", "no-such-folder/bin/python"], cwd=ROOT, capture_output=True, text=True
    )
    new_enough = subprocess.run(["/usr/bin/python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"])
    assert ('"/usr/bin/python3" -m venv' in told.stdout) == (new_enough.returncode == 0), told.stdout + told.stderr
    other = subprocess.run(
        ["make", "-n", "PYTHON=/opt/a b/python3", "VENV=no-such-folder", "no-such-folder/bin/python"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert '"/opt/a b/python3" -m venv' in other.stdout
