# SPDX-License-Identifier: GPL-2.0-or-later
"""Every public name has an entry in the reference with shapes and errors; every tutorial is a notebook too."""

import inspect

import jupytext
import pytest

import civworld.errors
import public_names
from civworld.errors import CivworldError
from public_names import ARRAY, DOCS, SHAPE

NOTEBOOKS = DOCS.parent / "examples" / "notebooks"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
SITE = public_names.settings()


def test_rooms_have_hundreds_of_public_names():
    assert len(list(public_names.names(SITE))) > 300


def test_every_public_name_is_described():
    told = SITE.sayings()
    silent = [
        f"{room}.{name}"
        for room, name, value in public_names.names(SITE)
        if not (inspect.getdoc(value) if inspect.isclass(value) or inspect.isroutine(value) else told.get(name))
    ]
    assert not silent, f"without a docstring, or a string below the constant: {silent}"


def test_every_public_function_and_method_is_described():
    silent = {c.name for c in public_names.callees(SITE) if not c.doc and not c.name.endswith(".__init__")}
    assert not silent


def test_what_a_function_raises_is_told():
    untold = {}
    for callee in public_names.callees(SITE):
        missing = {e for e in public_names.raised(callee.function) if not any(n in callee.text for n in _names(e))}
        if missing and callee.written_here:
            untold[callee.name] = missing
    assert not untold


def _names(error: str) -> list[str]:
    """An error's name and those of what it is a kind of."""
    kind = getattr(civworld.errors, error, None)
    return [error] if kind is None else [k.__name__ for k in kind.__mro__ if issubclass(k, CivworldError)]


def test_arrays_have_shapes():
    shapeless = {c.name for c in public_names.callees(SITE) if ARRAY.search(c.signature) and not SHAPE.search(c.text)}
    assert not shapeless


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_is_on_the_site_and_a_notebook(page):
    assert f"<tutorials/{page.stem}>" in (DOCS / "index.md").read_text(encoding="utf-8")
    written = [(c.cell_type, c.source) for c in jupytext.read(page).cells]
    notebook = jupytext.read(NOTEBOOKS / f"{page.stem}.ipynb")
    assert written == [(c.cell_type, c.source) for c in notebook.cells], "`make docs` writes notebooks anew"
    assert not any(c.get("outputs") for c in notebook.cells)


def test_every_page_is_on_the_site():
    shown = (DOCS / "index.md").read_text(encoding="utf-8").splitlines()
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} <= set(shown)
