# SPDX-License-Identifier: GPL-2.0-or-later
"""Files with one JSON object a line, and whole files written at once or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from civworld.errors import ArgumentError

Path_ = str | os.PathLike[str]


def read_lines(path: Path_) -> list[dict[str, Any]]:
    """Rows of a file with one JSON object a line.

    Raises:
        ArgumentError: a line is no JSON object; the message names it.
    """
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {error}") from None
        if not isinstance(row, dict):
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {type(row).__name__}, a JSON object is needed")
        rows.append(row)
    return rows


def write_lines(path: Path_, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_text(path: Path_, text: str) -> None:
    """Write a file whole: who reads it meanwhile finds the old one."""
    where = Path(path)
    part = where.with_suffix(where.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(where)
