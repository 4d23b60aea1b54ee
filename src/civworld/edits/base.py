# SPDX-License-Identifier: GPL-2.0-or-later
"""What every edit is, and the registry of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from civworld.errors import ArgumentError
from civworld.state import StateView

Place = tuple[str, int | tuple[int, int], str]
"""Where a value stands: table, record id (a pair of ids in tables of pairs, 0 in tables of one), field."""

EDITS: dict[str, type[Edit]] = {}
"""Every edit by its name."""


class Edit(ABC):
    """A frozen description of one change; `World.apply` carries it out and verifies it."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.name = name
        EDITS[name] = cls

    @abstractmethod
    def call(self) -> tuple[Any, ...]:
        """Name of the engine function and its arguments."""

    @abstractmethod
    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """(table, id, field) -> value after the edit."""

    def may_change(self) -> frozenset[tuple[str, str]]:
        """(table, field) pairs that may change as a consequence."""
        return frozenset()


def check_number(edit: str, name: str, value: object) -> None:
    """Raise ArgumentError unless the value is a whole number that the engine can hold."""
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**31) < value < 2**31:
        raise ArgumentError(f"edit '{edit}': {name}={value!r}: a whole number within 31 bits is needed")
