# SPDX-License-Identifier: GPL-2.0-or-later
"""What the docs say about the project's shape is so: rooms, words, the way to install."""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest

import civworld
from pages import WRITTEN, anew
from test_imports import HEIGHT, WINGS

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| `?([^|`]+)`? \|", re.MULTILINE)


def test_the_table_of_rooms_names_every_room_in_order():
    told = ROW.findall((ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("\n## Rooms\n")[1])
    top = [name for name in told if "." not in name and name != "room"]
    rooms = set(HEIGHT) - {"__init__", "__main__"}
    assert set(top) == rooms, f"the table of docs/design.md and the rooms differ by {sorted(set(top) ^ rooms)}"
    assert [HEIGHT[name] for name in top] == sorted(HEIGHT[name] for name in top)
    for wing, rooms in WINGS.items():
        inside = [name.partition(".")[2] for name in told if name.startswith(f"{wing}.")]
        assert inside == [room for room in rooms if room != "__init__"]


@pytest.mark.parametrize("page", WRITTEN)
def test_written_pages_are_as_the_code_would_write_them(page):
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == anew(page), f"docs/{page} is old: make docs"


def test_every_word_is_said_once():
    words = [w for w in ROW.findall((ROOT / "docs" / "words.md").read_text(encoding="utf-8")) if w != "word"]
    assert len(words) == len(set(words)) and len(words) > 60
    for wanted in ("world", "image", "base", "space", "arm", "control", "recheck", "placebo", "operator", "mainline"):
        assert wanted in words


def test_the_readme_names_every_room():
    rooms = set(HEIGHT) - {"__init__", "__main__"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Where things are")[2]
    assert rooms <= {name.rstrip("/") for name in re.findall(r"`([\w/]+)`", readme)}


def test_every_page_is_named_by_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"docs/([\w-]+\.md)", text))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"corpus-tables.md"}
    assert pages <= named, sorted(pages - named)


def test_the_version_is_said_in_one_place():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert told["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "civworld.__version__"}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {civworld.__version__}\n" in citation
    assert importlib.metadata.version("civworld") == civworld.__version__
