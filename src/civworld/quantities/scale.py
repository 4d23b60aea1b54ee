# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the scale family."""

from __future__ import annotations

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


@quantity("scale", "cities")
def cities(view: StateView) -> Values:
    """Cities owned."""
    return view.players["cities"]


@quantity("scale", "citizens", transform="signed_log")
def population(view: StateView) -> Values:
    """Citizens: sum of city sizes."""
    return view.players["citizens"]


@quantity("scale", "tiles")
def territory(view: StateView) -> Values:
    """Tiles owned, land and water; where the rules know no borders, tiles with a city."""
    return view.players["territory"]
