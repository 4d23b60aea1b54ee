# SPDX-License-Identifier: GPL-2.0-or-later
"""Files with one JSON object a line, and whole files written at once or not at all."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from civworld.errors import ArgumentError

Path_ = str | os.PathLike[str]


def read_text(path: Path_) -> str:
    """The text of a UTF-8 file, without the mark that some editors put before it.

    Raises:
        ArgumentError: the file is in another encoding; the message says which it seems to be.
    """
    data = Path(path).read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ArgumentError(f"{os.fspath(path)}: the file is in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{os.fspath(path)}: byte {error.start} is no UTF-8; save the file as UTF-8") from None


def read_json(path: Path_) -> Any:
    """The value in a JSON file.

    Raises:
        ArgumentError: the file holds no JSON.
    """
    try:
        return json.loads(read_text(path))
    except ValueError as error:
        raise ArgumentError(f"{os.fspath(path)}: {error}") from None


def read_lines(path: Path_) -> list[dict[str, Any]]:
    """Rows of a file with one JSON object a line. Lines end with a line feed alone: other marks may stand in texts.

    Raises:
        ArgumentError: a line is no JSON object; the message names it.
    """
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
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
