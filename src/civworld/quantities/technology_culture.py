# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities of the technology-culture family."""

from __future__ import annotations

from civworld.quantities.base import Values, quantity
from civworld.state import StateView


@quantity("technology-culture", "advances")
def techs(view: StateView) -> Values:
    """Known advances; the root advance None and future techs are not counted."""
    return view.players["techs"]


@quantity("technology-culture", "points", transform="signed_log", as_gain=True)
def culture(view: StateView) -> Values:
    """Culture of the nation and its cities: accumulated history and present performance."""
    return view.players["culture"]
