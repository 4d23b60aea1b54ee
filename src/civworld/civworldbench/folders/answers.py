# SPDX-License-Identifier: GPL-2.0-or-later
"""Answer files: one JSON object a line, `id` of the query and the `answer` text as it came."""

from __future__ import annotations

import os
from collections.abc import Mapping

from civworld.civworldbench.answering.programs import run_programs
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.folders.lines import Path_, read_lines, write_lines
from civworld.errors import ArgumentError


def write_answers(path: Path_, answers: Mapping[str, str]) -> None:
    """Write query id -> text."""
    write_lines(path, ({"id": name, "answer": text} for name, text in answers.items()))


def read_ran(path: Path_, queries: QuerySet, *, unsafe: bool = False) -> dict[str, str]:
    """The answers in a file to the queries of a set, programs run: query id -> text that can be scored.

    Raises:
        SandboxUnavailable: there are programs, this machine cannot wall them in, and `unsafe` was not given.
    """
    own = {name: text for name, text in read_answers(path).items() if name in queries.queries}
    return run_programs(queries, own, unsafe=unsafe)


def read_answers(path: Path_) -> dict[str, str]:
    """Query id -> text, from a file that `write_answers` or anyone else wrote.

    Raises:
        ArgumentError: a line without `id` and `answer` texts, or an id that occurs twice.
    """
    answers: dict[str, str] = {}
    for number, row in enumerate(read_lines(path), 1):
        name, text = row.get("id"), row.get("answer")
        if not isinstance(name, str) or not isinstance(text, str):
            raise ArgumentError(
                f"{os.fspath(path)}, row {number}: texts `id` and `answer` are needed, found {sorted(row)}"
            )
        if name in answers:
            raise ArgumentError(f"{os.fspath(path)}, row {number}: query {name!r} is answered twice")
        answers[name] = text
    return answers
