# SPDX-License-Identifier: GPL-2.0-or-later
"""The public names of the rooms, and what an entry in the reference has to say of each."""

import ast
import importlib
import importlib.util
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

DOCS = Path(__file__).resolve().parents[1] / "docs"

ARRAY = re.compile(r"\b(ndarray|NDArray|ArrayLike|FloatArray|IntArray|BoolArray)\b")
SHAPE = re.compile(r"shape|scalar|\((?:\w+|\.\.\.)?,[^)]*\)|\(n\)|one (?:value|row|entry) (?:a|per|for each)|as `\w+`")


class Callee(NamedTuple):
    """A function or method that users call: where it is told of, what it says, what surrounds it."""

    name: str
    function: Any
    doc: str
    around: str

    @property
    def text(self) -> str:
        """All that the reference says where this stands."""
        return self.doc + self.around

    @property
    def signature(self) -> str:
        """Its parameters and result."""
        return str(inspect.signature(self.function))

    @property
    def written_here(self) -> bool:
        """Whether the project wrote it, not a decorator's or protocol's library."""
        return str(getattr(self.function, "__module__", "")).startswith("civworld")


def settings() -> ModuleType:
    """The site's configuration, which knows the rooms and their names."""
    spec = importlib.util.spec_from_file_location("site_settings", DOCS / "conf.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def names(site: ModuleType) -> Iterator[tuple[str, str, Any]]:
    """Room, name and value of every public name, rooms themselves left out."""
    for room in site.ROOMS:
        module = importlib.import_module(room)
        for name in site.public(room):
            value = getattr(module, name)
            if not isinstance(value, ModuleType) and name != "__version__":
                yield room, name, value


def callees(site: ModuleType) -> Iterator[Callee]:
    """Every public function, and every public method of a public class."""
    for room, name, value in names(site):
        if inspect.isfunction(value):
            yield Callee(f"{room}.{name}", value, inspect.getdoc(value) or "", "")
        elif inspect.isclass(value):
            around = inspect.getdoc(value) or ""
            for part, member in vars(value).items():
                if part.startswith("_") and part != "__init__":
                    continue
                function = getattr(member, "fget", None) or getattr(member, "__func__", member)
                if inspect.isfunction(function):
                    yield Callee(f"{room}.{name}.{part}", function, inspect.getdoc(getattr(value, part)) or "", around)


def raised(function: Any) -> set[str]:
    """Names of the exceptions that the body of a function raises itself."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return set()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            found.add(ast.unparse(node.exc.func).rpartition(".")[2])
    return {name for name in found if name[:1].isupper()}
