# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of a player's treasury."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import Edit
from civworld.errors import ArgumentError
from civworld.state import StateView


@dataclass(frozen=True)
class AddGold(Edit, name="add_gold"):
    """Add gold to a player's treasury, or take some away.

    Attributes:
        player: number of a living player.
        amount: gold to add; negative takes away, at most what is there. Not 0.
    """

    player: int
    amount: int

    def __post_init__(self) -> None:
        if isinstance(self.amount, bool) or not isinstance(self.amount, int) or not -(2**31) < self.amount < 2**31:
            raise ArgumentError(f"edit 'add_gold': amount={self.amount!r}: a whole number within 31 bits is needed")

    def call(self) -> tuple[Any, ...]:
        """Edit one field of one player."""
        return ("cw_edit_add_gold", self.player, self.amount)

    def expects(self, before: StateView) -> Mapping[tuple[str, int, str], Any]:
        """The treasury, and the income that the engine derives from it stays as it is."""
        player = before.player(self.player)
        return {("players", self.player, "gold"): int(player["gold"]) + self.amount}
