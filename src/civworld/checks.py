# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks of arguments that every room makes: whole numbers, player numbers, seeds, names."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Collection

from civworld.errors import ArgumentError, UnknownNameError

WORD = 2**31 - 1
"""The largest number that the engine holds in one field."""


def whole(what: str, value: object, low: int = -WORD, high: int = WORD) -> int:
    """A whole number as Python's own `int`. numpy's integers are as good as Python's; truth values are none.

    Args:
        what: what the number is, for the message.
        value: the number.
        low: the smallest that is allowed.
        high: the largest that is allowed.

    Raises:
        ArgumentError: it is not one, or outside the range.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise ArgumentError(f"{what}={value!r}: a whole number from {low} to {high} is needed")
    return number


def player_number(what: str, value: object) -> int:
    """The number of a player; that there is such a player in the world is the engine's to say.

    Raises:
        ArgumentError: it is no whole number from 0 on.
    """
    return whole(f"{what}: player", value, 0)


def seed_within(what: str, value: object, most: int) -> int:
    """A seed in the range from 0 to `most`. Larger ones stand for one in the range, always the same.

    That one is the first 8 bytes, little-endian, of the BLAKE2b hash of "seed N", modulo `most` + 1; so neighbours
    stay apart and no large seed is the plain remainder of another.

    Raises:
        ArgumentError: it is no whole number from 0 on.
    """
    number = whole(what, value, 0, 2**4096)
    if number <= most:
        return number
    digest = hashlib.blake2b(f"seed {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % (most + 1)


def flag(what: str, value: object) -> bool:
    """A truth value.

    Raises:
        ArgumentError: it is neither True nor False.
    """
    if not isinstance(value, bool):
        raise ArgumentError(f"{what}={value!r}: True or False is needed")
    return value


def named(kind: str, value: object, known: Collection[str]) -> str:
    """A name of a table.

    Raises:
        UnknownNameError: it is not in the table.
    """
    if not isinstance(value, str) or value not in known:
        raise UnknownNameError(kind, value, known)
    return value
