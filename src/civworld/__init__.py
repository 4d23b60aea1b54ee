# SPDX-License-Identifier: GPL-2.0-or-later
"""Freeciv worlds inside the Python process, with exact checkpoint, edit and fork."""

from civworld import edits, quantities
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.errors import (
    ArgumentError,
    CheckpointCorrupt,
    CheckpointError,
    CheckpointMismatch,
    CivworldError,
    CommandRefused,
    EditRefused,
    EngineCrashed,
    EngineError,
    EngineFatal,
    EngineHang,
    LifecycleError,
    RefusedError,
    UnknownNameError,
)
from civworld.state import StateView
from civworld.world import World

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "Checkpoint",
    "CheckpointCorrupt",
    "CheckpointError",
    "CheckpointMismatch",
    "CivworldError",
    "CommandRefused",
    "EditRefused",
    "EngineCrashed",
    "EngineError",
    "EngineFatal",
    "EngineHang",
    "LifecycleError",
    "RefusedError",
    "StateView",
    "UnknownNameError",
    "World",
    "WorldConfig",
    "__version__",
    "edits",
    "quantities",
]
