# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds every number of a case's text, and changes them one at a time."""

import re

from civworld.errors import CivworldError
from civworld.world_agent.deduction.case import read

TOKEN = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def raised(token):
    """The number with one more in its last place."""
    whole, _, places = token.partition(".")
    if not places:
        return str(int(whole) + 1)
    text = str(int(whole + places) + 1).rjust(len(whole + places), "0")
    return f"{text[: len(text) - len(places)]}.{text[len(text) - len(places) :]}"


def spec_mutants(case):
    """Each specification text in which one number of types, entities, rules, schedule or menu is changed."""
    text = case.text
    start, end = text.index("[types]"), text.index("[task]")
    if "[map]" in text:
        start = min(start, text.index("[map]"))
    for found in TOKEN.finditer(text, start, end):
        line = text[text.rfind("\n", 0, found.start()) + 1 : text.find("\n", found.end())]
        yield (
            f"{line.strip()[:70]} @{found.start()}",
            text[: found.start()] + raised(found[0]) + text[found.end() :],
        )


def reread(case, text):
    """The changed case, or None when it can no longer be read."""
    try:
        return read(case.name, text, case.folder)
    except (CivworldError, ValueError):
        return None
