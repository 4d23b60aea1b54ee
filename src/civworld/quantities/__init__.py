# SPDX-License-Identifier: GPL-2.0-or-later
"""Quantities: named numbers of a state view that benchmarks ask about.

>>> from civworld import quantities
>>> list(quantities.table())[:3]
['treasury', 'production', 'cities']
"""

# the order of these imports is the order of the registry
from civworld.quantities import economy, scale, technology_culture, military, diplomacy, score  # noqa: I001
from civworld.quantities.base import Quantity, civ_ids, get, measure, stack, table
from civworld.quantities.track import Track

__all__ = [
    "Quantity",
    "Track",
    "civ_ids",
    "diplomacy",
    "economy",
    "get",
    "measure",
    "military",
    "scale",
    "score",
    "stack",
    "table",
    "technology_culture",
]
