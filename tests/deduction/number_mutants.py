# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds every number of a case's specification and rules module, and changes them one at a time."""

import ast
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


def module_mutants(source):
    """Each module source in which one number is changed; `D("0.5")` counts as a number."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
            continue
        text = ast.get_source_segment(source, node)
        if not (isinstance(node.value, int) or (isinstance(node.value, str) and re.fullmatch(r"\"[\d.]+\"", text))):
            continue
        new = raised(text) if isinstance(node.value, int) else f'"{raised(text[1:-1])}"'
        line = lines[node.lineno - 1]
        changed = line[: node.col_offset] + new + line[node.end_col_offset :]
        yield (
            f"{line.strip()} @{node.col_offset}",
            "".join([*lines[: node.lineno - 1], changed, *lines[node.lineno :]]),
        )


def reread(case, text):
    """The changed case, or None when it can no longer be read."""
    try:
        return read(case.name, text)
    except (CivworldError, ValueError):
        return None
