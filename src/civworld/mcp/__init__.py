# SPDX-License-Identifier: GPL-2.0-or-later
"""Players that sit down by the Model Context Protocol: `civworld mcp`.

Arrows go from command to tools to game to looks. `game` knows nothing of the protocol: it can be used from Python.
"""

from civworld.mcp.game import Game

__all__ = ["Game"]
