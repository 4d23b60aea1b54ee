# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetching and patching: what goes wrong is said in one clear message, and nothing unverified is used."""

import subprocess
import sys
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


def test_our_own_files_compile_without_a_warning():
    patched = tree.patched_tree()
    own = [str(path) for _, path in compile.sources(patched) if compile.is_own(path)]
    flags = [*compile.common_flags(patched), f"-I{compile.CSRC}", *compile.WARNINGS]
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
