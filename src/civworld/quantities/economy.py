# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the economy family."""

from __future__ import annotations

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


@quantity("economy", "gold", transform="signed_log")
def treasury(view: StateView) -> Values:
    """Gold in the treasury."""
    return view.players["gold"]


@quantity("economy", "shields/turn")
def production(view: StateView) -> Values:
    """Sum of the cities' shield surplus, which may be negative."""
    return view.players["production"]
