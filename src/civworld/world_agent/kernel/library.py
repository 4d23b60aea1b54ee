# SPDX-License-Identifier: GPL-2.0-or-later
"""Where case files come from: the package, installed packages that offer folders of them, or a path.

A package offers cases by an entry point of the group ``civworld.world_agent``, named after the track
(`maintenance` or `deduction`, with anything behind a dot), whose value is a package that holds the files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from decimal import Decimal
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Generic, TypeVar

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.kernel.shapes import Shape

GROUP = "civworld.world_agent"
MAX_FILE = 400_000
Case = TypeVar("Case")


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
        path = Path(name).absolute()
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


class Shelf(Generic[Case]):
    """The cases of one track by name; each is read once as long as its text stays the same.

    Args:
        track: `maintenance` or `deduction`.
        read: makes a case of its name, its text and its folder (None for packaged files).
    """

    def __init__(self, track: str, read: Callable[[str, str, Traversable | None], Case]) -> None:
        self._track, self._read = track, read
        self._known: dict[tuple[str, Traversable | None], tuple[str, Case]] = {}

    def names(self) -> list[str]:
        """The names of the packaged cases."""
        return names(self._track)

    def load(self, name: str) -> Case:
        """A case: a packaged one or one of an entry point by its name, any other by the path of its TOML file.

        Raises:
            UnknownNameError: there is no such case.
            ArgumentError: the file contradicts itself.
        """
        file = find(self._track, name)
        text, key = text_of(file), (name, folder_of(file))
        if self._known.get(key, ("",))[0] != text:
            self._known[key] = text, self._read(file.name.removesuffix(".toml"), text, folder_of(file))
        return self._known[key][1]
