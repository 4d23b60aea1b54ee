# SPDX-License-Identifier: GPL-2.0-or-later
"""A part of a province: rules told twice, as a specification and in plain Python, with numbers still to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Field = str | tuple[str, bool | tuple[int, int]]
"""A field's type, and how it starts: drawn from a range, true or false by chance, or at its default.

References go round the entities of their type, so that every one is referred to as often as any other.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """One part.

    Attributes:
        name: what the part is called in recipes.
        numbers: the numbers of its rules: name -> the range that each is drawn from. In the texts `$name` stands
            for the number.
        fields: type -> its fields. A part may add fields to the types of parts before it.
        single: types of which there is one entity, named like the type; of others a recipe says how many.
        processes: its processes in the form of a case file.
        capabilities: what the steward and others can do.
        menu: action -> the capability's name, the type of its argument ('' for none), and the description.
        rules: the second telling: functions as `civworld.world_agent.deduction.simulation` runs them. Each writes the
            numbers that its rule writes.
    """

    name: str
    numbers: Mapping[str, tuple[int, int]]
    fields: Mapping[str, Mapping[str, Field]]
    processes: str
    rules: str
    capabilities: str = ""
    menu: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    single: tuple[str, ...] = ()
