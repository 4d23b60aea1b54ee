# SPDX-License-Identifier: GPL-2.0-or-later
"""A deterministic discrete-time world kernel: typed entities, rules as data, records with causes."""

from civworld.kernel.checkpoint import Checkpoint
from civworld.kernel.expr import numbers_in
from civworld.kernel.records import KINDS, Record
from civworld.kernel.store import Write
from civworld.kernel.values import FieldType, Value, parse_type, plain, show
from civworld.kernel.world import OPERATIONS, KernelWorld
from civworld.kernel.worldmap import WorldMap

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
