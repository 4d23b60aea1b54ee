# SPDX-License-Identifier: GPL-2.0-or-later
"""How values show themselves: small tables as text and as HTML, pixels as PNG. Needs no library but numpy."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

SHOWN = 20
"""Rows of a table that are shown; of longer ones it is said how many there are."""


def text_table(names: Any, rows: Any) -> str:
    """Columns under their names, numbers to the right; long tables are cut with a word of it.

    Args:
        names: of the columns.
        rows: sequences of one value a column, such as the records of a structured array.
    """
    lines = [[str(name) for name in names], *([_text(v) for v in row] for row in rows[:SHOWN])]
    width = [max(map(len, column)) for column in zip(*lines, strict=True)]
    told = ["  ".join(cell.rjust(w) for cell, w in zip(line, width, strict=True)) for line in lines]
    return "\n".join(told + ([f"... {len(rows)} rows"] if len(rows) > SHOWN else []))


def html_table(names: Any, rows: Any, caption: str = "") -> str:
    """The same as an HTML table; every text is escaped."""
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:right">{html.escape(_text(v))}</td>' for v in row) + "</tr>"
        for row in rows[:SHOWN]
    )
    more = f"<p>... {len(rows)} rows</p>" if len(rows) > SHOWN else ""
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def html_text(text: str) -> str:
    """Text as it stands."""
    return f"<pre>{html.escape(text)}</pre>"


def html_page(title: str, *parts: str) -> str:
    """Parts of HTML, one below the other, under a title."""
    return f"<div><strong>{html.escape(title)}</strong>{''.join(parts)}</div>"


def html_image(pixels: npt.NDArray[np.uint8], about: str) -> str:
    """An image of uint8 (height, width, 3) that a page holds in itself."""
    data = base64.b64encode(png(pixels)).decode()
    return f'<img alt="{html.escape(about)}" style="max-width:100%" src="data:image/png;base64,{data}">'


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """The PNG file of uint8 (height, width, 3)."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), np.uint8)  # each line begins with its filter, 0 for none
    lines[:, 1:] = pixels.reshape(height, -1)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 6)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, float | np.floating):
        return f"{value:.3g}"
    return str(value)
