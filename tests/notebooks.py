# SPDX-License-Identifier: GPL-2.0-or-later
"""Tutorials of the site as notebooks in examples/notebooks/, without outputs. Run this file to write them anew."""

import jupytext

from public_names import DOCS

if __name__ == "__main__":
    folder = DOCS.parent / "examples" / "notebooks"
    folder.mkdir(exist_ok=True)
    for page in sorted((DOCS / "tutorials").glob("*.md")):
        notebook = jupytext.read(page)
        notebook.metadata.pop("jupytext", None)
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number}"  # else drawn at random
        jupytext.write(notebook, folder / f"{page.stem}.ipynb", fmt="ipynb")
