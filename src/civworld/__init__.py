# SPDX-License-Identifier: GPL-2.0-or-later
"""Freeciv worlds inside the Python process, with exact checkpoint, edit and fork."""

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

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
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
    "UnknownNameError",
    "__version__",
]
