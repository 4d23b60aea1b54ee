# SPDX-License-Identifier: GPL-2.0-or-later
"""Loaded rulesets that processes leave for one another: exact, checked, and never needed."""

import os
import subprocess
import sys

import numpy as np
import pytest

from civworld import boot
from civworld.checkpoint import Checkpoint

PLAY = """
import civworld
print(civworld.World(civworld.WorldConfig(seed=7, players=2, map_size=1, ruleset="classic")).advance(5).digest())
"""


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("CIVWORLD_CACHE", str(tmp_path))
    return tmp_path


def load(ruleset="civ1"):
    """What a process does that needs a ruleset for the first time."""
    return boot._booted.__wrapped__(ruleset, True)


def forbid_booting(monkeypatch):
    def engine():
        raise AssertionError("the ruleset was loaded once more")

    monkeypatch.setattr(boot, "engine", engine)


def same(one, other):
    pages = one.diff(None)
    return np.array_equal(pages, other.diff(None)) and np.array_equal(one.read(pages), other.read(pages))


def test_a_loaded_ruleset_is_read_back_exactly(cache, monkeypatch):
    made = load()
    assert boot.template_path("civ1", True).is_relative_to(cache)
    forbid_booting(monkeypatch)
    assert same(made, load())
    with pytest.raises(AssertionError, match="once more"):
        load("classic")


@pytest.mark.parametrize(
    "change", [lambda data: data[:-1], lambda data: data[:999] + b"?" + data[1000:], lambda data: b""]
)
def test_a_damaged_file_is_made_anew(cache, monkeypatch, change):
    load()
    path = boot.template_path("civ1", True)
    whole = path.read_bytes()
    path.write_bytes(change(whole))
    made = load()
    assert len(path.read_bytes()) == pytest.approx(len(whole), rel=0.01)
    forbid_booting(monkeypatch)
    assert same(made, load())


def test_rulesets_builds_and_assertions_have_files_of_their_own(cache, monkeypatch):
    paths = {boot.template_path(name, fatal) for name in ("civ1", "classic") for fatal in (False, True)}
    monkeypatch.setattr(boot, "build_info", lambda: type("Info", (), {"build_id": "another"}))
    assert len(paths | {boot.template_path("civ1", True)}) == 5


@pytest.mark.parametrize("home", [True, False])
def test_worlds_need_no_place_to_keep_them(cache, monkeypatch, home):
    (cache / "file").write_text("in the way")
    monkeypatch.chdir(cache)
    if home:
        monkeypatch.setenv("CIVWORLD_CACHE", "file")
    else:
        monkeypatch.delenv("CIVWORLD_CACHE")
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what it does where there is no home
    assert load().info()
    assert [p.name for p in cache.iterdir()] == ["file"]


def test_old_files_go(cache, monkeypatch):
    monkeypatch.setattr(boot, "TEMPLATES_KEPT", 1)
    load("civ2")
    os.utime(boot.template_path("civ2", True), (0, 0))
    load()
    assert [p for p in cache.rglob("*.checkpoint")] == [boot.template_path("civ1", True)]


def test_processes_with_and_without_it_play_alike(cache):
    played = [
        subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, check=True) for _ in range(2)
    ]
    assert played[0].stdout == played[1].stdout != ""
    assert Checkpoint.load(boot.template_path("classic", True)).turn == 0
