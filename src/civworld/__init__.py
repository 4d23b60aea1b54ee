# SPDX-License-Identifier: GPL-2.0-or-later
"""Freeciv worlds inside the Python process, with exact checkpoint, edit and fork."""

from civworld import advice, arms, edits, envs, pool, quantities
from civworld._engine import BuildInfo, build_info
from civworld.advice import value
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.envs import env, parallel_env
from civworld.errors import (
    ArgumentError,
    CheckpointCorrupt,
    CheckpointError,
    CheckpointMismatch,
    CivworldError,
    CommandRefused,
    CopyError,
    CorpusCorrupt,
    CorpusError,
    CorpusMismatch,
    EditRefused,
    EngineCrashed,
    EngineError,
    EngineFatal,
    EngineHang,
    LifecycleError,
    NoRoom,
    NotEligible,
    RefusedError,
    UnknownNameError,
)
from civworld.memory import Memory, memory
from civworld.plan import Plan
from civworld.replay import recipe, replay
from civworld.report import film
from civworld.state import StateView
from civworld.timeline import Timeline
from civworld.view import PlayerView
from civworld.world import World

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BuildInfo",
    "Checkpoint",
    "CheckpointCorrupt",
    "CheckpointError",
    "CheckpointMismatch",
    "CivworldError",
    "CommandRefused",
    "CopyError",
    "CorpusCorrupt",
    "CorpusError",
    "CorpusMismatch",
    "EditRefused",
    "EngineCrashed",
    "EngineError",
    "EngineFatal",
    "EngineHang",
    "LifecycleError",
    "Memory",
    "NoRoom",
    "NotEligible",
    "Plan",
    "PlayerView",
    "RefusedError",
    "StateView",
    "Timeline",
    "UnknownNameError",
    "World",
    "WorldConfig",
    "__version__",
    "advice",
    "arms",
    "build_info",
    "edits",
    "env",
    "envs",
    "film",
    "memory",
    "parallel_env",
    "pool",
    "quantities",
    "recipe",
    "replay",
    "value",
]
