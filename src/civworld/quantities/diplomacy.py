# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the diplomacy family."""

from __future__ import annotations

import numpy as np

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


def _count(view: StateView, *states: bytes) -> Values:
    """Living civilizations that each player stands to in one of the states, one value per player."""
    players, pairs = view.players, view.diplomacy
    counted = players["id"][players["is_alive"] & ~players["is_barbarian"]]
    rows = pairs[np.isin(pairs["state"], states) & np.isin(pairs["other"], counted)]
    found: Values = (players["id"][:, None] == rows["player"][None, :]).sum(axis=1, dtype=np.int64)
    return found


@quantity("diplomacy", "civilizations")
def enemies(view: StateView) -> Values:
    """Living civilizations at war with; never having met is not war."""
    return _count(view, b"War")


@quantity("diplomacy", "civilizations")
def allies(view: StateView) -> Values:
    """Living civilizations in an alliance or team with."""
    return _count(view, b"Alliance", b"Team")
