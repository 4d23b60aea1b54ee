# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits of how two players stand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from civworld.checks import named
from civworld.edits.base import (
    ACTIVITY,
    Consequence,
    Edit,
    Place,
    borders,
    may,
    meetings,
    members,
    must_exist,
    outputs,
    units_of,
)
from civworld.state import StateView, diplomatic_states

_LIMITED = ("Armistice", "Cease-fire")


@dataclass(frozen=True)
class SetDiplomacy(Edit, name="set_diplomacy"):
    """Set the state between two players, both ways, from whatever it is.

    They make contact when they had none. War lets each claim the other's bases that it stands on; the end of an
    alliance parts units that share a tile (one that finds no place is lost); "Never met" ends contact, embassies
    and shared vision between the two, who may meet again in the next turn. Peace moves no units: those in the other's
    territory may stay until they leave. Nothing holds the state: the built-in AI may declare war or make peace by its
    own reasons from the next turn on.

    Attributes:
        player: number of a living player that is no barbarian.
        other: number of another such player, of another team.
        state: Armistice, War, Cease-fire, Peace, Alliance or Never met. War between two allies of a third, and an
            alliance with an ally's enemy, are refused.
        turns: turns until an armistice or cease-fire ends, 1 to 1000; no meaning for the others.
        embassies: give each an embassy with the other.
    """

    player: int
    other: int
    state: str
    turns: int = 16
    embassies: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        named("diplomatic state", self.state, diplomatic_states()[:-1])  # teams are settled for good

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit a pair of players."""
        state = diplomatic_states().index(self.state)
        embassies = int(self.embassies and self.state != "Never met")
        return ("cw_edit_set_diplomacy", self.player, self.other, state, self.turns, embassies)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The state and its end, and embassies when asked for."""
        expected: dict[Place, Any] = {}
        for pair in ((self.player, self.other), (self.other, self.player)):
            must_exist(before, "diplomacy", pair)
            expected["diplomacy", pair, "state"] = self.state
            if self.state in _LIMITED:
                expected["diplomacy", pair, "turns_left"] = self.turns
            if self.state == "Never met":
                expected["diplomacy", pair, "contact_turns_left"] = 0
                expected["diplomacy", pair, "has_real_embassy"] = False
                expected["diplomacy", pair, "gives_shared_vision"] = False
            elif self.embassies:
                expected["diplomacy", pair, "has_real_embassy"] = True
                expected["diplomacy", pair, "has_embassy"] = True
        return expected

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """The rest of what lies between the two, units that part, and what their cities may work and research cost."""
        both = (self.player, self.other)
        return (
            *outputs(),
            *borders(),
            may("diplomacy", rows={both, both[::-1]}),
            may("hidden_pairs", rows={both, both[::-1]}),
            may("players", {"units", "military_units", "units_lost"}, both),
            may("units", rows=units_of(before, *both)),
            may("units", ACTIVITY),
            *meetings(before, self.player),
            *meetings(before, self.other),
            may("cities", {"garrison", "defenders", "units_supported", "trade_routes"}),
            may("tiles", {"units"}),
        )


@dataclass(frozen=True)
class GiveEmbassy(Edit, name="give_embassy"):
    """Give a player an embassy with another; it is not returned.

    Attributes:
        player: number of the living player who gets to know the other's affairs.
        other: number of the other.
    """

    player: int
    other: int

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Edit one direction of a pair of players."""
        return ("cw_edit_give_embassy", self.player, self.other)

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """The embassy."""
        pair = (self.player, self.other)
        must_exist(before, "diplomacy", pair)
        return {("diplomacy", pair, "has_real_embassy"): True, ("diplomacy", pair, "has_embassy"): True}

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """What advances cost where knowledge leaks through embassies."""
        research, players = members(before, self.player)
        return (may("research", {"bulbs_cost"}, {research}), may("players", {"bulbs_cost"}, players))
