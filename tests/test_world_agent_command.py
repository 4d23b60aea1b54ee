# SPDX-License-Identifier: GPL-2.0-or-later
"""A case of one's own, in a folder outside the package: checked, played and scored by the documented commands."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from civworld.cli import main
from civworld.errors import UnknownNameError
from civworld.world_agent import deduction, maintenance
from civworld.world_agent.kernel import library

CASES = Path(__file__).parent.parent / "examples" / "world_agent_cases"


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(CASES, tmp_path / "my cases"))


@pytest.mark.parametrize("name", ["market_day", "beehive"])
def test_a_good_case_is_checked(folder, name, capsys):
    assert main(["world-agent", "check", str(folder / f"{name}.toml"), "--mutants", "4"]) == 0
    assert "nothing wrong" in capsys.readouterr().out


WRONG = {
    "an untold number": ("market_day", "six cheeses of the stall for six coins", "cheeses of the stall", "UNTOLD"),
    "a typo in a key": ("market_day", "lasts = 2", "last = 2", "last"),
    "a constant of one witness": ("beehive", "hive.bees > 34", "hive.bees > 35", "swarm"),
    "a rule that never fires": ("beehive", "every = 3", "every = 500", "season"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_line(folder, what, capsys):
    name, old, new, said = WRONG[what]
    path = folder / f"{name}.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    status = main(["world-agent", "check", str(path), "--mutants", "0"])
    out = capsys.readouterr().out
    assert status == 1 and said in out
    line = int(out.split(f"{path}:", 1)[1].split(":", 1)[0])
    assert 0 < line <= len(text.splitlines())


def test_cases_are_played_and_shown_without_a_model(folder, capsys):
    page = folder / "page.html"
    call = ["world-agent", "play", str(folder / "market_day.toml"), "--tier", "extreme", "--agent", "filling"]
    assert main([*call, "--out", str(page)]) == 0
    out = capsys.readouterr().out
    assert json.loads(out.rpartition("wrote")[0])["completion"] == 1
    html = page.read_text("utf-8")
    assert all(head in html for head in ("Requests", "Records", "State at the boundary", "Bindings", "Verdicts"))
    assert "Hanna carries ten cheeses" in html and "<script" not in html
    assert main(["world-agent", "play", str(folder / "beehive.toml"), "--mode", "m2"]) == 0
    assert json.loads(capsys.readouterr().out)["f1"]["interval"] == 1


def test_a_case_is_loaded_by_path_and_unknown_ones_are_refused(folder):
    assert maintenance.load(str(folder / "market_day.toml")).name == "market_day"
    assert deduction.load(str(folder / "beehive.toml")).horizon == 24
    for room in (maintenance, deduction):
        with pytest.raises(UnknownNameError, match="no_such"):
            room.load("no_such.toml")
    assert main(["world-agent", "play", "no_such"]) == 1


@pytest.mark.parametrize("room, file", [(maintenance, "market_day.toml"), (deduction, "beehive.toml")])
def test_a_file_that_was_edited_is_read_anew(room, file, tmp_path, monkeypatch):
    text = (CASES / file).read_text()
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        (tmp_path / place / file).write_text(text.replace('title = "', f'title = "{place.title()}: '))
    monkeypatch.chdir(tmp_path / "here")
    first = room.load(file)
    assert first.title.startswith("Here: ") and room.load(file) is first
    (tmp_path / "here" / file).write_text(text)
    assert room.load(file).title == first.title.removeprefix("Here: ")
    monkeypatch.chdir(tmp_path / "there")
    assert room.load(file).title.startswith("There: ")
    with pytest.raises(UnknownNameError):
        room.load([file])


def test_cases_come_from_entry_points(folder, monkeypatch):
    monkeypatch.setattr(library, "folders", lambda track: [library.packaged(track), folder])
    assert library.find("maintenance", "market_day") == folder / "market_day.toml"
    assert library.find("maintenance", "lighthouse").name == "lighthouse.toml"


@pytest.mark.parametrize("track", ["maintenance", "deduction"])
def test_the_schema_names_every_key_of_the_packaged_cases(track, capsys):
    assert main(["world-agent", "schema", track]) == 0
    schema = json.loads(capsys.readouterr().out)
    room = {"maintenance": maintenance, "deduction": deduction}[track]
    for name in room.names():
        data = tomllib.loads(library.text_of(library.find(track, name)))
        assert set(data) <= set(schema["properties"]) and set(schema["required"]) <= set(data)
