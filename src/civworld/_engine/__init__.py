# SPDX-License-Identifier: GPL-2.0-or-later
"""The only room that touches C: one method per engine call, bytes and arrays in and out."""

from civworld._engine.build import BuildInfo, build_info
from civworld._engine.library import PAGE, Engine, Image, Space, engine, page_sums
from civworld._engine.native import constant, record_type, words

__all__ = [
    "PAGE",
    "BuildInfo",
    "Engine",
    "Image",
    "Space",
    "build_info",
    "constant",
    "engine",
    "page_sums",
    "record_type",
    "words",
]
