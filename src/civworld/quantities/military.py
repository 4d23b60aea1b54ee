# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the military family."""

from __future__ import annotations

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


@quantity("military", "units")
def military_units(view: StateView) -> Values:
    """Units whose type is not a civilian and has attack or defence strength."""
    return view.players["military_units"]
