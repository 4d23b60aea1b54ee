# SPDX-License-Identifier: GPL-2.0-or-later
"""The card of a corpus: a README that tells people what lies in the folder and `datasets` how to load it."""

from __future__ import annotations

from collections.abc import Iterable

from civworld.corpus.schema import Table, tables
from civworld.corpus.suites import Suite

CARD = "README.md"


def card(suite: Suite) -> str:
    """The card's text: configurations, one per table that a forecaster may see, then words."""
    shown = [table for table in tables().values() if not table.hidden]
    return "\n".join(
        [
            "---",
            f"pretty_name: civworld {suite.id}",
            "configs:",
            *_configurations(shown),
            "---",
            "",
            f"# Corpus {suite.id}",
            "",
            f"Freeciv worlds of civworld's suite `{suite.name}`, version {suite.version}; complete it has",
            f"{len(suite.worlds)} worlds. Each table is a folder with one Parquet file per world:",
            "",
            "```python",
            f'datasets.load_dataset("path/of/this/folder", "{shown[0].name}")',
            "```",
            "",
            "| configuration | one row is |",
            "|---|---|",
            *(f"| `{table.name}` | {table.doc} |" for table in shown),
            "",
            "`hidden/` holds what no forecaster may see, in the same form, and is part of no configuration. `images/`",
            "holds memory and is to be trusted like code. `manifest.json` tells suite, build and checksums.",
            "",
        ]
    )


def _configurations(shown: Iterable[Table]) -> list[str]:
    lines = []
    for table in shown:
        lines += [f"- config_name: {table.name}", f"  data_files: {table.folder}/*.parquet"]
    return lines
