# SPDX-License-Identifier: GPL-2.0-or-later
"""A deterministic discrete-time world kernel: typed entities, rules as data, records with causes."""

from civworld.world_agent.kernel.checkpoint import Checkpoint
from civworld.world_agent.kernel.expr import numbers_in
from civworld.world_agent.kernel.records import KINDS, Record
from civworld.world_agent.kernel.store import Write
from civworld.world_agent.kernel.values import FieldType, Value, parse_type, plain, show
from civworld.world_agent.kernel.world import OPERATIONS, KernelWorld
from civworld.world_agent.kernel.worldmap import WorldMap

__all__ = [
    "KINDS",
    "OPERATIONS",
    "Checkpoint",
    "FieldType",
    "KernelWorld",
    "Record",
    "Value",
    "WorldMap",
    "Write",
    "numbers_in",
    "parse_type",
    "plain",
    "show",
]
