# SPDX-License-Identifier: GPL-2.0-or-later
"""Text and pictures of what a state view shows."""

from civworld.report.briefing import FULL, Shown, briefing, briefing_at, frame_turns, spacing, world_report
from civworld.report.film import film
from civworld.report.frames import frame
from civworld.report.narrative import known_to, narrative
from civworld.report.pictures import changed_tiles, map_pixels, player_colors, save_map
from civworld.report.policy import Policy, policies, policy_text
from civworld.report.standings import effect_table, standings

__all__ = [
    "FULL",
    "Policy",
    "Shown",
    "briefing",
    "briefing_at",
    "changed_tiles",
    "effect_table",
    "film",
    "frame",
    "frame_turns",
    "known_to",
    "map_pixels",
    "narrative",
    "player_colors",
    "policies",
    "policy_text",
    "save_map",
    "spacing",
    "standings",
    "world_report",
]
