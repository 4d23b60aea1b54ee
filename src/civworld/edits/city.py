# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of one city."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import Edit, Place
from civworld.errors import ArgumentError
from civworld.state import StateView


@dataclass(frozen=True)
class RenameCity(Edit, name="rename_city"):
    """Give a city another name: a placebo that touches nothing the game acts on.

    Attributes:
        city: id of a city.
        new_name: 1 to 79 bytes of UTF-8 that no other city of the owner has.
    """

    city: int
    new_name: str

    def __post_init__(self) -> None:
        size = len(self.new_name.encode()) if isinstance(self.new_name, str) else 0
        if not 1 <= size <= 79 or "\0" in self.new_name:
            raise ArgumentError(f"edit 'rename_city': new_name={self.new_name!r}: 1 to 79 bytes of text are needed")

    def call(self) -> tuple[Any, ...]:
        """Edit one city's name."""
        return ("cw_edit_rename_city", self.city, self.new_name.encode())

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The name, and nothing else."""
        before.city(self.city)
        return {("cities", self.city, "name"): self.new_name}
