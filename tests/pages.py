# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of docs/ that are written from the code, whole or from a heading on. Run this file to write them anew."""

from collections.abc import Callable

from adding import ROOT
from civworld import commands, events, state
from civworld.corpus import schema

# page -> (the heading from which it is written, empty for the whole page; what writes it)
WRITTEN: dict[str, tuple[str, Callable[[], str]]] = {
    "tables.md": ("", state.document),
    "events.md": ("", events.document),
    "corpus-tables.md": ("", schema.document),
    "orders.md": ("\n## Commands\n\n", commands.document),
}


def anew(page: str) -> str:
    """The page as the code would write it now."""
    heading, document = WRITTEN[page]
    by_hand = (ROOT / "docs" / page).read_text(encoding="utf-8").partition(heading)[0] if heading else ""
    return by_hand + heading + document()


if __name__ == "__main__":
    for page in WRITTEN:
        (ROOT / "docs" / page).write_text(anew(page), encoding="utf-8")
