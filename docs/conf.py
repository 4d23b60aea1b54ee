# SPDX-License-Identifier: GPL-2.0-or-later
"""How Sphinx makes a site of this folder: `make docs`. Pages below api/ are written here from the rooms' `__all__`."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import os
import re
import shutil
import sys
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import civworld

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
ROOMS = {
    "civworld": "Worlds",
    "civworld.edits": "Edits",
    "civworld.commands": "Orders",
    "civworld.events": "Events",
    "civworld.quantities": "Quantities",
    "civworld.report": "Reports",
    "civworld.arms": "Arms and operators",
    "civworld.pool": "Many worlds at once",
    "civworld.envs": "Environments",
    "civworld.mcp": "Protocol server",
    "civworld.corpus": "Corpora",
    "civworld.civworldbench.scoring": "Scores",
    "civworld.integrations.inspect_tasks": "inspect_ai tasks",
    "civworld.world_agent.kernel": "World Agent: kernel",
    "civworld.world_agent.maintenance": "World Agent: maintenance",
    "civworld.world_agent.deduction": "World Agent: deduction",
}

project = "civworld"
author = "the civworld developers"
copyright = "the civworld developers, GPL-2.0-or-later"
version = release = civworld.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"civworld {version}"
html_static_path: list[str] = []
html_copy_source = False
default_role = "code"

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# tutorials call `civworld` and `inspect` of this very environment
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
nb_execution_mode = os.environ.get("CIVWORLD_TUTORIALS", "force")
nb_execution_raise_on_error = True
nb_execution_timeout = 900
nb_execution_show_tb = True
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # no page needs the network


def setup(app: Sphinx) -> None:
    """Write the reference before pages are read."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-process-docstring", as_fields, priority=400)  # before Google style is read


def write_reference(app: Sphinx) -> None:
    """One page a room, with an entry for each public name."""
    folder = HERE / "api"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for room, title in ROOMS.items():
        (folder / f"{room}.rst").write_text(page(room, title), encoding="utf-8")


def page(room: str, title: str) -> str:
    """Title, what the room is for, its names."""
    module = importlib.import_module(room)
    names = [name for name in public(room) if name != "__version__"]
    entries = "\n".join(entry(room, name, getattr(module, name)) for name in names)
    return f"{title}\n{'=' * len(title)}\n\n.. automodule:: {room}\n   :no-members:\n\n{entries}"


def public(room: str) -> list[str]:
    """Names that a room offers: its `__all__`, or what it defines without an underscore."""
    module = importlib.import_module(room)
    own = [n for n, v in vars(module).items() if not n.startswith("_") and getattr(v, "__module__", "") == room]
    return list(getattr(module, "__all__", own))


def entry(room: str, name: str, value: object) -> str:
    """The directive that documents one name."""
    if isinstance(value, type(importlib)):
        return f"* :doc:`{room}.{name}`\n" if f"{room}.{name}" in ROOMS else f"* `{room}.{name}`\n"
    if isinstance(value, type):
        kind = "autoexception" if issubclass(value, BaseException) else "autoclass"
        return f".. {kind}:: {room}.{name}\n   :members:\n   :show-inheritance:\n"
    if inspect.isroutine(value):
        return f".. autofunction:: {room}.{name}\n"
    said = textwrap.indent(sayings().get(name, ""), "   ")
    return f".. py:data:: {room}.{name}\n\n{said}\n"


@cache
def sayings() -> dict[str, str]:
    """What the strings below module constants say of them, by name."""
    found: dict[str, str] = {}
    for path in sorted(Path(civworld.__file__).parent.rglob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for node, after in itertools.pairwise(body):
            target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
            if isinstance(target, ast.Name) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[target.id] = inspect.cleandoc(str(after.value.value))
    return found


def as_fields(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Lines as `Range: [0, 1]` become fields, and bars absolute values instead of substitutions."""
    for i, line in enumerate(lines):
        line = re.sub(r"^(Formula|Range|Orientation|Properness|Reference): ", r":\1: ", line)
        lines[i] = "`".join(part if n % 2 else part.replace("|", "\\|") for n, part in enumerate(line.split("`")))
