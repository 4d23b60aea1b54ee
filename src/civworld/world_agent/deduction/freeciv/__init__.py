# SPDX-License-Identifier: GPL-2.0-or-later
"""Freeciv worlds as a deduction backend: a forked world with its random state is a deterministic dynamics."""

from civworld.world_agent.deduction.freeciv.actions import Action, OrderAction, PlanAction, action_table
from civworld.world_agent.deduction.freeciv.backend import FreecivBackend
from civworld.world_agent.deduction.freeciv.fields import FIELDS, kind_of, public_fields
from civworld.world_agent.deduction.freeciv.rules import RULES, disclosed
from civworld.world_agent.deduction.freeciv.task import FreecivTask

__all__ = [
    "FIELDS",
    "RULES",
    "Action",
    "FreecivBackend",
    "FreecivTask",
    "OrderAction",
    "PlanAction",
    "action_table",
    "disclosed",
    "kind_of",
    "public_fields",
]
