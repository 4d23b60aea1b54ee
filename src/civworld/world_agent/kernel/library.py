# SPDX-License-Identifier: GPL-2.0-or-later
"""Where case files come from: the package, installed packages that offer folders of them, or a path.

A package offers cases by an entry point of the group ``civworld.world_agent``, named after the track
(`maintenance` or `deduction`, with anything behind a dot), whose value is a package that holds the files.
"""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.kernel.shapes import Shape

GROUP = "civworld.world_agent"
MAX_FILE = 400_000


def packaged(track: str) -> Traversable:
    """The folder of a track's packaged cases."""
    return resources.files(f"{GROUP}.{track}") / "cases"


def folders(track: str) -> list[Traversable]:
    """The folders in which cases are looked up by name: the packaged one, then those of entry points."""
    points = [one for one in metadata.entry_points(group=GROUP) if one.name.partition(".")[0] == track]
    return [packaged(track), *(resources.files(one.value) for one in sorted(points, key=lambda one: one.name))]


def names(track: str) -> list[str]:
    """The names of a track's packaged cases."""
    return _names(packaged(track))


def _names(folder: Traversable) -> list[str]:
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def find(track: str, name: object) -> Traversable:
    """The file of a case, by its name or, when it ends in ``.toml``, by its path."""
    if isinstance(name, str) and name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise UnknownNameError(f"file of a {track} case", name, ())
        return path
    known: dict[str, Traversable] = {}
    for folder in folders(track):
        for one in _names(folder):
            known.setdefault(one, folder / f"{one}.toml")
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{track} case", name, known)
    return known[name]


def text_of(file: Traversable) -> str:
    """The text of a case file."""
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"case {file.name}: cannot be read ({error})") from None


def folder_of(file: Traversable) -> Traversable | None:
    """The folder that a file lies in, None for packaged files, which are not always files of a disk."""
    return file.parent if isinstance(file, Path) else None


def parse(name: str, text: str, form: Shape) -> dict[str, Any]:
    """The data of a case file that has the given form.

    Raises:
        ArgumentError: it is no TOML, or a key or value is not as the form says; the message names the place.
    """
    if len(text) > MAX_FILE:
        raise ArgumentError(f"case {name}: {len(text)} characters, allowed are {MAX_FILE}")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        raise ArgumentError(f"case {name[:60]!r}: a case's file is named by a-z, 0-9 and _, from a letter, up to 40")
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise ArgumentError(f"case {name}: not TOML: {error}") from None
    try:
        form.check(data, "")
    except UnknownNameError as error:
        raise ArgumentError(f"case {name}: {error}") from None
    except ArgumentError as error:
        raise ArgumentError(f"case {name}: {error}") from None
    return data
