# SPDX-License-Identifier: GPL-2.0-or-later
"""Words and numbers that several rooms use and that must mean the same in all of them."""

from __future__ import annotations

WRAP_X, WRAP_Y, ISOMETRIC, HEXAGONAL = 1, 2, 4, 8
"""Bits of a map's topology (`common/map_types.h`)."""


def agent_name(player: int) -> str:
    """What the agent that runs a player is called."""
    return f"player_{player}"


def agent_player(name: str) -> int:
    """The number of the player that an agent of that name runs."""
    return int(name.removeprefix("player_"))
