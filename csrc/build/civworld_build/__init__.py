# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the embedded engine: fetch, verify, patch, compile, and a PEP 517 backend around it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATCHES = ROOT / "freeciv_patches"
CSRC = ROOT / "csrc"
PACKAGE = ROOT / "src" / "civworld" / "_engine"


class BuildError(SystemExit):
    """A build step failed; the message says what to do about it."""

    def __init__(self, message: str) -> None:
        super().__init__(f"civworld build: {message}")


def cache_dir() -> Path:
    """Folder for downloads and engine builds: $CIVWORLD_CACHE, else the user's cache folder."""
    chosen = os.environ.get("CIVWORLD_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "civworld"


def say(message: str) -> None:
    """Show progress even where a front end such as pip swallows standard output."""
    line = f"civworld build: {message}"
    print(line, flush=True)
    if not sys.stdout.isatty():
        try:
            with open("/dev/tty", "w", encoding="utf-8") as tty:
                print(line, file=tty, flush=True)
        except OSError:
            pass
