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
    "terms": 0,
    "durable": 0,
    "checks": 1,
    "extras": 1,
    "sandbox": 2,
    "display": 1,
    "dataframes": 2,
    "_engine": 2,
    "config": 2,
    "state": 3,
    "events": 3,
    "commands": 3,
    "view": 4,
    "plan": 4,
    "edits": 4,
    "quantities": 4,
    "checkpoint": 4,
    "timeline": 5,
    "course": 5,
    "boot": 5,
    "held": 6,
    "report": 6,
    "world": 7,
    "arms": 8,
    "pool": 8,
    "replay": 8,
    "memory": 8,
    "envs": 9,
    "advice": 9,
    "corpus": 9,
    "civworldbench": 10,
    "world_agent": 10,
    "mcp": 10,
    "integrations": 11,
    "cli": 12,
    "__main__": 13,
    "__init__": 13,
}
# rooms inside a wing -> height there; the same rule holds within
WINGS = {
    "world_agent": {
        "kernel": 0,
        "maintenance": 1,
        "deduction": 1,
        "checking": 2,
        "page": 2,
        "command": 3,
        "__init__": 4,
    },
    "mcp": {"looks": 0, "game": 1, "tools": 2, "command": 3, "__init__": 4},
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
# outside package -> rooms that may import it
OUTSIDE = {
    "cffi": {"_engine"},
    "cloudpickle": {"pool"},
    "gymnasium": {"envs"},
    "pettingzoo": {"envs"},
    "msgpack": {"checkpoint", "timeline", "world_agent"},
    "zstandard": {"checkpoint", "timeline", "world_agent"},
    "matplotlib": {"advice", "arms", "report", "civworldbench", "integrations"},
    "pyarrow": {"corpus", "civworldbench", "dataframes", "state"},
    "pandas": {"dataframes", "state"},
    "polars": {"dataframes", "state"},
    "pygame": {"envs"},
    "PIL": {"report"},
    "ray": {"corpus", "integrations"},
    "inspect_ai": {"integrations"},
}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    """What a module imports, anywhere in it, except for type checkers alone."""
    found = set()
    tree = ast.parse(path.read_text())
    checks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    types_only = {node for check in checks for part in check.body for node in ast.walk(part)}
    for node in ast.walk(tree):
        if node in types_only:
            continue
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
            assert lower, f"{path}: {room} must not import {other}"
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
