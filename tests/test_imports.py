# SPDX-License-Identifier: GPL-2.0-or-later
"""Imports go one way: each room may use only the rooms below it, and few rooms may use outside packages."""

import ast
from pathlib import Path

import pytest

import civworld

ROOT = Path(civworld.__file__).parent

# room -> height; a module may import only from rooms strictly lower, or from its own room
HEIGHT = {
    "errors": 0,
    "_engine": 2,
    "config": 3,
    "state": 3,
    "view": 3,
    "events": 3,
    "commands": 3,
    "plan": 3,
    "checkpoint": 3,
    "world": 3,
    "timeline": 3,
    "edits": 4,
    "quantities": 4,
    "report": 5,
    "arms": 5,
    "pool": 5,
    "replay": 5,
    "envs": 6,
    "corpus": 6,
    "civworldbench": 7,
    "world_agent": 7,
    "integrations": 8,
    "cli": 9,
    "__main__": 10,
    "__init__": 10,
}
# rooms inside a wing -> height there; the same rule holds within
WINGS = {
    "world_agent": {"kernel": 0, "maintenance": 1, "deduction": 1, "__init__": 2},
    "civworldbench": {
        "scoring": 0,
        "asking": 1,
        "answering": 2,
        "evaluating": 3,
        "reporting": 4,
        "folders": 5,
        "__init__": 6,
    },
}
# wing rooms that stand on no engine: they may import only these rooms from outside
WITHOUT_ENGINE = {"kernel": {"errors"}, "maintenance": {"errors"}, "scoring": {"errors"}}
CORE = {"config", "state", "view", "events", "commands", "plan", "checkpoint", "timeline", "world"}

# outside package -> rooms that may import it
OUTSIDE = {
    "cffi": {"_engine"},
    "gymnasium": {"envs"},
    "pettingzoo": {"envs"},
    "msgpack": {"checkpoint", "timeline", "world_agent"},
    "zstandard": {"checkpoint", "timeline", "world_agent"},
    "matplotlib": {"report", "civworldbench", "integrations"},
    "pyarrow": {"corpus", "civworldbench"},
    "ray": {"corpus", "integrations"},
    "inspect_ai": {"integrations"},
}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= names if module in {"civworld", *(f"civworld.{wing}" for wing in WINGS)} else {module}
    return found


MODULES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down_only(path):
    room = room_of(path)
    assert room in HEIGHT, f"{path.name}: room {room!r} is not in the table of rooms"
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] == "civworld" and len(parts) > 1:
            other = parts[1]
            if other not in HEIGHT:  # a name re-exported by the package itself
                assert room in {"cli", "__main__"} or HEIGHT[room] > HEIGHT["integrations"], (
                    f"{path}: import {name} from its own module"
                )
                continue
            lower = HEIGHT[other] < HEIGHT[room] or other == room
            assert lower or {other, room} <= CORE, f"{path}: {room} must not import {other}"
        elif parts[0] in OUTSIDE:
            assert room in OUTSIDE[parts[0]], f"{path}: {parts[0]} belongs to {sorted(OUTSIDE[parts[0]])}"


@pytest.mark.parametrize("wing", WINGS)
def test_imports_go_down_only_within_a_wing(wing):
    heights = WINGS[wing]
    for path in sorted((ROOT / wing).rglob("*.py")):
        room = path.relative_to(ROOT / wing).parts[0].removesuffix(".py")
        assert room in heights, f"{path}: room {room!r} is not in the table of the wing's rooms"
        for name in imports_of(path):
            parts = name.split(".")
            if parts[:2] == ["civworld", wing]:
                other = parts[2] if len(parts) > 2 else "__init__"
                assert other == room or heights[other] < heights[room], f"{path}: {room} must not import {other}"
            elif parts[0] == "civworld" and room in WITHOUT_ENGINE:
                assert parts[1] in WITHOUT_ENGINE[room], f"{path}: {room} stands on no engine, but imports {name}"
