# SPDX-License-Identifier: GPL-2.0-or-later
"""PEP 517/660 backend: builds the engine, then lets setuptools do the packaging."""

from __future__ import annotations

from typing import Any

from setuptools import build_meta

from civworld_build.compile import install

get_requires_for_build_wheel = build_meta.get_requires_for_build_wheel
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
build_sdist = build_meta.build_sdist


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build a self-contained wheel: extension, engine library, rulesets."""
    install()
    return build_meta.build_wheel(directory, settings, metadata)


def build_editable(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build in place, for development."""
    install()
    return build_meta.build_editable(directory, settings, metadata)
