# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of the rules of a whole world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.checks import named
from civworld.config import RULES
from civworld.edits.base import Consequence, Edit, Place, may
from civworld.state import StateView


@dataclass(frozen=True)
class SetRule(Edit, name="set_rule"):
    """Set one of the three hidden rules of a world.

    Attributes:
        rule: disasters (frequency, default 10), foodbox (food it takes a city to grow, percent) or sciencebox
            (bulbs it takes to research, percent).
        value: what the engine's setting of that name allows.
    """

    rule: str
    value: int

    def __post_init__(self) -> None:
        super().__post_init__()
        named("rule", self.rule, RULES)

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one setting."""
        return ("cw_edit_set_rule", self.rule.encode(), self.value)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The rule itself."""
        return {("hidden_world", 0, self.rule): self.value}

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What cities need to grow, and what advances cost, follows from the rules."""
        return (may("cities", {"granary_size"}), may("players", {"bulbs_cost"}), may("research", {"bulbs_cost"}))
