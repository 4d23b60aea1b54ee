# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms of csrc/ call each other as the table in csrc/README.md says, and files within a room in one direction."""

import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

CSRC = Path(__file__).resolve().parents[1] / "csrc"
APART = {"build", "config", "tests"}  # folders that are no rooms
LEFT_TO_THE_EMBEDDER = {"cw_error", "cw_arena_bad_free"}

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
DEFINITION = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][^\n;{}()#=]*?\b(cw_\w+)\([^;{}]*\)\s*\{", re.M)


def table_of_rooms(text: str) -> dict[str, set[str]]:
    """Room -> rooms that it may call, from the rows of a table."""
    rows = re.findall(r"^\| `(\w+)` \|[^|\n]*\|([^|\n]*)\|$", text, re.M)
    return {room: set(re.findall(r"`(\w+)`", calls)) for room, calls in rows}


def sources(folder: Path) -> dict[str, str]:
    """Name within csrc/ -> text of every file in a room."""
    found = {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.glob("*/*.[ch]"))}
    return {name: text for name, text in found.items() if name.split("/")[0] not in APART}


def calls(files: dict[str, str]) -> dict[str, dict[str, set[str]]]:
    """File -> file -> functions of the second that the first names; hooks and what is left to embedders apart."""
    code = {name: COMMENT_OR_TEXT.sub(" ", text) for name, text in files.items()}
    home = {function: name for name, text in code.items() for function in DEFINITION.findall(text)}
    free = {f for f in home if f.startswith("cw_hook_")} | LEFT_TO_THE_EMBEDDER
    found: dict[str, dict[str, set[str]]] = {name: {} for name in code}
    for name, text in code.items():
        if not name.endswith(".c"):
            continue  # headers declare what others define
        for word in set(re.findall(r"(?<!struct )\bcw_\w+", text)) & (home.keys() - free):
            if home[word] != name:
                found[name].setdefault(home[word], set()).add(word)
    return found


ROOMS = table_of_rooms((CSRC / "README.md").read_text())
FILES = sources(CSRC)
CALLS = calls(FILES)


def test_the_table_names_every_room_and_knows_no_circle():
    assert set(ROOMS) == {p.name for p in CSRC.iterdir() if p.is_dir()} - APART
    order = list(TopologicalSorter(ROOMS).static_order())
    assert len(order) == len(ROOMS) > 10
    for room, lower in ROOMS.items():
        assert all(list(ROOMS).index(other) < list(ROOMS).index(room) for other in lower), f"{room}: rows go upwards"


def test_every_file_lies_in_a_room():
    assert {p.name for p in CSRC.glob("*.[ch]")} == {"civworld.h"}
    assert not [p for room in ROOMS for p in (CSRC / room).rglob("*") if p.is_dir()], "rooms have no rooms inside"
    assert all(any(name.startswith(f"{room}/") for name in FILES) for room in ROOMS)


@pytest.mark.parametrize("name", FILES)
def test_headers_are_included_by_room_and_from_below(name):
    room = name.split("/")[0]
    own = {Path(other).name for other in FILES if other.endswith(".h")}
    for header in INCLUDE.findall(FILES[name]):
        if (CSRC / header).is_file() and "/" in header:
            other = header.split("/")[0]
            assert other in {room, "config"} | ROOMS[room], (
                f"csrc/{name} includes {header}, but {room} may use {sorted(ROOMS[room])} alone (csrc/README.md)"
            )
        else:
            assert header not in own, f"csrc/{name}: include {header} by its room"
            assert not (CSRC / room / header).exists(), f"csrc/{name}: {header} would be found in its own room"


@pytest.mark.parametrize("name", FILES)
def test_rooms_call_only_rooms_below(name):
    room = name.split("/")[0]
    for other, functions in CALLS[name].items():
        above = other.split("/")[0]
        assert above in {room} | ROOMS[room], (
            f"csrc/{name} calls {', '.join(sorted(functions))} of csrc/{other}, but {room} may use "
            f"{sorted(ROOMS[room])} alone (csrc/README.md)"
        )


@pytest.mark.parametrize("room", ROOMS)
def test_files_of_a_room_call_each_other_in_one_direction(room):
    graph = {n: [o for o in CALLS[n] if o.startswith(f"{room}/")] for n in FILES if n.startswith(f"{room}/")}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        pytest.fail(f"files of {room} call each other in a circle: {' -> '.join(circle.args[1])}")


def test_layers_of_images_are_those_its_header_lists():
    order = re.findall(r"^/\* ---- ([\w.]+(?:, [\w.]+)*):? ?", FILES["images/internal.h"], re.M)
    layer = {f"images/{name}": i for i, names in enumerate(order) for name in names.split(", ")}
    assert set(layer) == {name for name in FILES if re.fullmatch(r"images/\w+\.c", name)}
    for name, at in layer.items():
        for other in CALLS[name]:
            assert other not in layer or layer[other] < at, f"csrc/{name} calls up to csrc/{other}"


def test_wrong_calls_are_seen():
    files = {
        "low/a.c": "int cw_low(int x)\n{\n  return x; /* cw_high() */\n}\n",
        "low/b.c": "static void f(void)\n{\n  cw_high(\n      1, cw_low);\n}\n",
        "high/c.c": 'void\ncw_other(void)\n{\n}\n\n_Noreturn void cw_high(int a,\n  int b)\n{\n g("cw_low()");\n}\n',
    }
    found = calls(files)
    assert found["low/b.c"] == {"high/c.c": {"cw_high"}, "low/a.c": {"cw_low"}}
    assert found["low/a.c"] == {} and found["high/c.c"] == {}
