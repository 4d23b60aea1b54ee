# SPDX-License-Identifier: GPL-2.0-or-later
"""What the engine's numbers stand for and what its records hold is asked of the engine, and told nowhere else."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from civworld import ArgumentError, UnknownNameError, commands, config, events, plan, state
from civworld._engine import constant, engine, record_type, words
from civworld._engine.native import _texts, native
from civworld.commands.legal import Row
from civworld.events import Event
from civworld.plan import Plan, Violation

ROOT = Path(__file__).resolve().parents[1]
LISTS = _texts(native().lib.cw_words_list)

# what files, recipes and digests of recorded worlds hold: an entry may be added at the end, none may move
RECORDED = {
    "behaviours": ("aggression", "expansion", "trade", "building", "first_contact_peace", "wars_end"),
    "traits": ("expansionist", "trader", "aggressive", "builder"),
    "directions": ("northwest", "north", "northeast", "west", "east", "southwest", "south", "southeast"),
    "diplomatic_states": ("Armistice", "War", "Cease-fire", "Peace", "Alliance", "Never met", "Team"),
    "clauses": ("Advance", "Gold", "Map", "Seamap", "City", "Ceasefire", "Peace", "Alliance", "Vision", "Embassy"),
    "stages": ("", "start", "end_phase", "end_turn", "begin_turn", "begin_phase", "window"),
    "results": ("done", "failed", "lost", "proposed", "agreed", "declined"),
    "stances": ("none", "war", "peace", "alliance"),
    "topics": ("tax", "luxury", "science", "government", "research_goal", "stance", "garrison", "production"),
    "items": ("unit_types", "buildings"),
}


@pytest.mark.parametrize("name", LISTS)
def test_every_list_has_words_each_once(name):
    found = words(name)
    assert len(found) == len(set(found)) > 1
    assert all(found[name == "stages" :]), "only the stage before the game has no name"


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_numbers_keep_their_words(name):
    assert words(name)[: len(RECORDED[name])] == RECORDED[name]


def test_python_asks_by_name():
    assert commands.results() == words("results") and commands.clauses() == words("clauses")
    assert events.stages() == words("stages")[1:]
    assert state.diplomatic_states() == words("diplomatic_states")
    assert plan.stances() == words("stances") and plan.topics() == words("topics")
    assert words("traits") == config.TRAITS
    assert set(config.PATCHES) <= set(words("behaviours"))


def test_records_have_the_fields_that_python_reads():
    assert set(record_type("events").names) == set(Event._fields)
    assert set(record_type("legal").names) == set(Row._fields)
    assert set(record_type("plan_notes").names) == set(Violation._fields)
    assert {"id", "name"} <= set(record_type("known_cities").names)
    assert Plan().numbers(None).keys() == set(record_type("plan").names)


def test_an_unknown_list_or_record_is_said():
    with pytest.raises(UnknownNameError, match=r"unknown list of words 'clause': did you mean 'clauses'\? known: "):
        words("clause")
    with pytest.raises(ArgumentError, match="there is no record 'plans'"):
        record_type("plans")


def test_constants_of_the_header_are_there_whatever_their_names():
    header = (ROOT / "csrc" / "civworld.h").read_text()
    defined = re.findall(r"^#define (CW_\w+) (-?\d+)$", header, re.M)
    assert any("_" in name.removeprefix("CW_") for name, _ in defined)
    assert {name: constant(name) for name, _ in defined} == {name: int(value) for name, value in defined}


def test_the_header_explains_itself():
    header = (ROOT / "csrc" / "civworld.h").read_text()
    assert not re.findall(r"\w+\.py\b", header)
    named = set(re.findall(r"words? of \"(\w+)\"", header))
    assert named and named <= set(LISTS)
    records = set(re.findall(r"records? \"(\w+)\"", header))
    assert records and all(record_type(name) for name in records)


ASK = "from civworld._engine import engine, words, record_type; "
SUM = "import zlib; image = engine().pristine; print(zlib.crc32(image.read(image.diff(None)).tobytes()))"


def test_asking_before_the_engine_is_open_leaves_its_memory_as_it_is():
    asked = "".join(f"words({name!r}); " for name in LISTS) + "record_type('plan'); "
    sums = [
        subprocess.run([sys.executable, "-c", ASK + first + SUM], capture_output=True, text=True, check=True).stdout
        for first in ("", asked)
    ]
    assert sums[0] == sums[1] != ""


def test_views_tell_all_of_what_a_field_means():
    notes = ("", "; known with contact", "; known with an embassy", "; own only")
    for name, (_, _, docs) in engine().views.items():
        base = engine().tables[name][2] if name in engine().tables else {}
        shared = [field for field in docs if field in base and name != "tiles"]
        assert all(docs[field] in [base[field] + note for note in notes] for field in shared), name
