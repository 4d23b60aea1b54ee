# SPDX-License-Identifier: GPL-2.0-or-later
"""Whoever adds something finds every place in CONTRIBUTING, and hears of it when one was forgotten."""

import re
from dataclasses import fields

import pytest

import civworld
from adding import ROOT, entries, forgotten
from civworld import commands, errors, events
from civworld._engine import engine, words
from civworld._engine.library import STATUS
from civworld.commands.legal import FORMS

CSRC = ROOT / "csrc"
HEADER = re.sub(r"/\*.*?\*/", "", (CSRC / "civworld.h").read_text(), flags=re.S)
ROOMS = {p: p.read_text() for p in CSRC.glob("*/*.c") if p.parent.name != "tests"}


def text(*patterns: str) -> str:
    return "\n".join(p.read_text() for pattern in patterns for p in sorted(ROOT.glob(pattern)))


@pytest.mark.parametrize("name", entries())
def test_every_place_is_there(name):
    count, places = entries()[name]
    assert len(places) == count, f"{name}: {count} files are announced, {len(places)} named"
    for place in places:
        assert list(ROOT.glob(place)), f"{name}: {place} does not exist"


def test_the_lists_of_contributing_are_read():
    assert {"An exported field", "A kind of event", "A command", "A C function", "A status code"} <= entries().keys()


def test_a_status():
    defined = set(re.findall(r"^#define (CW_REFUSED|CW_E[A-Z]+) ", HEADER, re.M))
    assert defined == STATUS.keys(), forgotten("A status code")
    assert all(issubclass(cls, errors.CivworldError) for cls in STATUS.values())


def test_a_c_function():
    declared = set(re.findall(r"\b(cw_\w+)\(", HEADER))
    defined = {name for body in ROOMS.values() for name in re.findall(r"^\w[^;={}#\n]*\b(cw_\w+)\(", body, re.M)}
    used = set(re.findall(r"\bcw_\w+", text("src/civworld/**/*.py", "tests/**/*.py")))
    families = {f"{family}_{end}" for family in ("cw_table", "cw_view") for end in ("count", "schema")}
    assert declared > families and declared - defined == set(), forgotten("A C function")
    assert declared - used - families == set(), forgotten("A C function")
    assert all(hasattr(engine()._lib, name) for name in declared), "build the extension anew: pip install -e ."


def test_an_exported_field():
    for name, (_, dtype, docs) in engine().tables.items():
        assert docs.keys() == set(dtype.names) and all(docs.values()), f"{name}: {forgotten('An exported field')}"


def test_a_kind_of_event():
    told, witness = text("csrc/events/*.c"), text("tests/event_witness.py")
    unused = [kind for kind in events.kinds() if not re.search(rf"\bEV_{kind}\b", told)]
    unseen = [kind for kind in events.kinds() if f'"{kind}"' not in witness]
    assert not unused and not unseen, f"{unused or unseen}: {forgotten('A kind of event')}"


def test_a_command():
    rows = set(re.findall(r'^  \{"(\w+)", \d+, ', text("csrc/command/*.c"), re.M))
    assert rows == commands.COMMANDS.keys(), forgotten("A command")
    named = {cls.__name__ for cls in commands.COMMANDS.values()}
    assert named <= set(commands.__all__), forgotten("A command")
    assert FORMS.keys() == set(words("orders")), "a kind of legal order has its form in src/civworld/commands/legal.py"
    assert {form.command for form in FORMS.values()} <= commands.COMMANDS.keys()


def test_a_setting():
    attributes = civworld.WorldConfig.__doc__.partition("Raises:")[0]
    told = re.findall(r"^ {8}(\w+): ", attributes, re.M)
    assert told == [field.name for field in fields(civworld.WorldConfig)], forgotten("A setting")


def test_a_forgotten_place_is_named():
    assert "src/civworld/_engine/library.py" in forgotten("A status code")
    assert "narrative.py" in forgotten("A kind of event")
