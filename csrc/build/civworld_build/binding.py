# SPDX-License-Identifier: GPL-2.0-or-later
"""The cffi API-mode extension: every declaration of civworld.h, checked by the C compiler."""

from __future__ import annotations

import re
from pathlib import Path

from cffi import FFI

from civworld_build import CSRC


def declarations() -> str:
    """civworld.h in the form cffi reads: no comments, no preprocessor lines, statuses as enum-like constants."""
    text = re.sub(r"/\*.*?\*/", "", (CSRC / "civworld.h").read_text(encoding="utf-8"), flags=re.S)
    constants = re.findall(r"^#define (CW_[A-Z_]+) -?\d+$", text, flags=re.M)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return "\n".join(f"#define {name} ..." for name in constants) + body


def ffi() -> FFI:
    """The builder; the engine library is found beside the extension at run time."""
    builder = FFI()
    builder.cdef(declarations())
    builder.set_source(
        "civworld._engine._native",
        '#include "civworld.h"',
        include_dirs=[str(CSRC)],
        library_dirs=[str(Path(__file__).resolve().parents[3] / "src" / "civworld" / "_engine")],
        libraries=["civworld_engine"],
        extra_link_args=["-Wl,-rpath,$ORIGIN"],
    )
    return builder


builder = ffi()
