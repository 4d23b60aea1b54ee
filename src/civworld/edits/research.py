# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of what players know and research. Where a team pools research, the whole team's changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.edits.base import (
    ACTIVITY,
    Consequence,
    Edit,
    Place,
    borders,
    cities_of,
    embassies,
    may,
    members,
    outputs,
    units_of,
    with_bit,
)
from civworld.state import StateView

_NOW = ("researching", "researching_name", "researching_saved", "bulbs_saved", "got_tech")


@dataclass(frozen=True)
class GrantAdvance(Edit, name="grant_advance"):
    """Grant a player one advance, whether or not it knows the advances that this one needs.

    Exactly this advance: what the first to learn some advances gets besides is not given. Bulbs stay as they are
    and nothing is charged. When it was being researched, research moves along the goal, or to the first advance
    within reach; when it was the goal, there is none any more.

    Attributes:
        player: number of a living player.
        advance: rule name.
        announce: whether the player and those with embassies get messages, and the ruleset's script hears of it.
    """

    player: int
    advance: str
    announce: bool = True

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_grant_advance", self.player, self.advance.encode(), int(self.announce))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The advance is known, and counted."""
        return _knowledge(before, self.player, self.advance, True)

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What is researched next, what becomes obsolete or better, and what cities and maps follow from it."""
        research, players = members(before, self.player)
        goal = ("tech_goal", "tech_goal_name") if _is_goal(before, research, self.advance) else ()
        now = _NOW if _is_current(before, research, self.advance) else ("researching_saved",)
        return (
            *_follow(before, research, players, (*now, *goal, "available")),
            may("players", {"gold", *(f for f in ("researching", "tech_goal") if f in (*now, *goal))}, players),
            may("cities", {"buildings", "improvements"}, cities_of(before, *players)),
            may("tiles", {"extras"}),
        )


@dataclass(frozen=True)
class RevokeAdvance(Edit, name="revoke_advance"):
    """Take an advance away from a player that no other known advance needs.

    Bulbs stay. What can no longer be researched, built, worked at or governed by is given up as the engine does
    when research loses an advance: another research without loss of bulbs, another production, another government.

    Attributes:
        player: number of a living player.
        advance: rule name.
    """

    player: int
    advance: str

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_revoke_advance", self.player, self.advance.encode())

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The advance is unknown, and counted no more."""
        return _knowledge(before, self.player, self.advance, False)

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What is researched, built, worked at and governed by instead, and what cities and maps follow from it."""
        research, players = members(before, self.player)
        government = {"government", "target_government", "revolution_finishes", "tax", "luxury", "science"}
        production = {"production_kind", "production", "worklist", "shield_stock"}
        return (
            *_follow(before, research, players, (*_NOW, "available")),
            may("players", {"researching", *government}, players),
            may("cities", production, cities_of(before, *players)),
            may("units", ACTIVITY, units_of(before, *players)),
        )


@dataclass(frozen=True)
class SetResearch(Edit, name="set_research"):
    """Set what a player researches. Bulbs stay, whatever the rules say about changing one's mind.

    The built-in AI chooses again in the next turn change, before bulbs are added, and may go back.

    Attributes:
        player: number of a living player.
        advance: rule name of an advance that the player could research now.
        sticky: the built-in AI keeps to it until it is learned.
    """

    player: int
    advance: str
    sticky: bool = False

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_set_research", self.player, self.advance.encode(), int(self.sticky))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The advance being researched, and whether the AI keeps to it."""
        research, players = members(before, self.player)
        number = before.rules.id("advances", self.advance)
        return {
            ("research", research, "researching"): number,
            ("research", research, "researching_name"): self.advance,
            **{("players", p, "researching"): self.advance for p in players},
            **{("hidden_players", p, "research_held"): self.sticky for p in players},
        }

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What it costs, and that changing back this turn is free."""
        research, players = members(before, self.player)
        return (
            may("research", {"bulbs_cost", "researching_saved", "bulbs_saved", "got_tech"}, {research}),
            may("players", {"bulbs_cost"}, players),
        )


@dataclass(frozen=True)
class SetTechGoal(Edit, name="set_tech_goal"):
    """Set the advance that a player's research leads to, or none. What is researched now stays.

    The built-in AI sets its goal anew in every turn change.

    Attributes:
        player: number of a living player.
        advance: rule name; None for no goal.
        sticky: the built-in AI keeps to the goal until it is learned, and researches what leads to it.
    """

    player: int
    advance: str | None
    sticky: bool = False

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit the research that the player takes part in."""
        return ("cw_edit_set_tech_goal", self.player, (self.advance or "").encode(), int(self.sticky))

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The goal, and whether the AI keeps to it."""
        research, players = members(before, self.player)
        number = -1 if self.advance is None else before.rules.id("advances", self.advance)
        return {
            ("research", research, "tech_goal"): number,
            ("research", research, "tech_goal_name"): self.advance or "",
            **{("players", p, "tech_goal"): self.advance or "" for p in players},
            **{("hidden_players", p, "goal_held"): self.sticky and self.advance is not None for p in players},
        }


def _knowledge(before: StateView, player: int, advance: str, known: bool) -> Mapping[Place, Any]:
    """An advance becomes known or unknown, and is counted."""
    research, players = members(before, player)
    row = before.row("research", research)
    number, step = before.rules.id("advances", advance), 1 if known else -1
    return {
        ("research", research, "known"): with_bit(row["known"], number, known),
        ("research", research, "techs"): int(row["techs"]) + step,
        ("research", research, "techs_researched"): int(row["techs_researched"]) + step,
        **{("players", p, "techs"): int(row["techs"]) + step for p in players},
    }


def _is_current(before: StateView, research: int, advance: str) -> bool:
    return bool(before.row("research", research)["researching_name"] == advance.encode())


def _is_goal(before: StateView, research: int, advance: str) -> bool:
    return bool(before.row("research", research)["tech_goal_name"] == advance.encode())


def _follow(
    before: StateView, research: int, players: tuple[int, ...], fields: tuple[str, ...]
) -> tuple[Consequence, ...]:
    """What follows everywhere when a research gains or loses an advance."""
    return (
        *outputs(),
        *borders(),
        *embassies(before, *players),
        may("research", fields, {research}),
        may("hidden_players", {"goal_held", "research_held"}, players),
    )
