# SPDX-License-Identifier: GPL-2.0-or-later
"""A deterministic discrete-time world kernel: typed entities, rules as data, records with causes."""

from civworld.world_agent.kernel.checkpoint import KernelCheckpoint
from civworld.world_agent.kernel.expr import numbers_in
from civworld.world_agent.kernel.firing import Limits
from civworld.world_agent.kernel.records import KINDS, Record
from civworld.world_agent.kernel.store import Write
from civworld.world_agent.kernel.values import CONTEXT, FieldType, Value, parse_type, plain, show
from civworld.world_agent.kernel.world import OPERATIONS, KernelWorld
from civworld.world_agent.kernel.worldmap import WorldMap

__all__ = [
    "CONTEXT",
    "KINDS",
    "OPERATIONS",
    "FieldType",
    "KernelCheckpoint",
    "KernelWorld",
    "Limits",
    "Record",
    "Value",
    "WorldMap",
    "Write",
    "numbers_in",
    "parse_type",
    "plain",
    "show",
]
