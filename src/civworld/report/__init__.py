# SPDX-License-Identifier: GPL-2.0-or-later
"""Text and pictures of what a state view shows."""

from civworld.report.pictures import map_pixels, player_colors, plot_arms, save_map
from civworld.report.standings import effect_table, standings

__all__ = ["effect_table", "map_pixels", "player_colors", "plot_arms", "save_map", "standings"]
