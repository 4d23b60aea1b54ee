# SPDX-License-Identifier: GPL-2.0-or-later
"""What every edit is, and the registry of all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from civworld.state import StateView

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
    def expects(self, before: StateView) -> Mapping[tuple[str, int, str], Any]:
        """(table, id, field) -> value after the edit."""

    def may_change(self) -> frozenset[tuple[str, str]]:
        """(table, field) pairs that may change as a consequence."""
        return frozenset()
