# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the score family."""

from __future__ import annotations

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


@quantity("score", "points")
def score(view: StateView) -> Values:
    """Civilization score as the engine computed it when the turn began."""
    return view.players["score"]
