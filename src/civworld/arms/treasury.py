# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators on the treasury and on research."""

from __future__ import annotations

from civworld.arms.operator import Plan, Reason, operator
from civworld.arms.view import research_of
from civworld.edits import AddBulbs, AddGold
from civworld.state import StateView

GRANT = 300
"""Gold of the smallest grant."""
DRAIN = 0.8
"""Share of the treasury that a drain takes."""
WORTH_DRAINING = 50
"""Gold below which a drain would take next to nothing."""

MONEY = ("treasury", "production", "cities", "score")
LEARNING = ("techs", "score")


@operator()
def treasury_grant(view: StateView, player: int, variant: str) -> Plan | Reason:
    """Real: double the treasury, by 300 gold at least. Placebo: 1 gold."""
    amount = max(GRANT, int(view.player(player)["gold"]))
    return _gold("treasury_grant", player, variant, amount, 1)


@operator()
def treasury_drain(view: StateView, player: int, variant: str) -> Plan | Reason:
    """Real: take four fifths of the treasury. Placebo: take 1 gold."""
    gold = int(view.player(player)["gold"])
    if gold < WORTH_DRAINING:
        return Reason.POOR
    return _gold("treasury_drain", player, variant, -int(DRAIN * gold), -1)


def _gold(name: str, player: int, variant: str, amount: int, placebo: int) -> Plan:
    sign = 1 if amount > 0 else -1
    return Plan(
        name, variant, player, None, (AddGold(player, amount),), (AddGold(player, placebo),), MONEY,
        expected={"treasury": sign}, watched=(("players", player, "gold"),),
    )  # fmt: skip


@operator()
def research_grant(view: StateView, player: int, variant: str) -> Plan | Reason:
    """Real: the bulbs that the current advance still takes. Placebo: 1 bulb."""
    research = research_of(view, player)
    missing = int(research["bulbs_cost"]) - int(research["bulbs"])
    if int(research["researching"]) < 0 or missing <= 1:
        return Reason.NO_RESEARCH
    return _bulbs("research_grant", player, variant, missing, 1)


@operator()
def research_loss(view: StateView, player: int, variant: str) -> Plan | Reason:
    """Real: all bulbs accumulated for the current advance are lost. Placebo: 1 bulb is lost."""
    bulbs = int(research_of(view, player)["bulbs"])
    if bulbs <= 1:
        return Reason.NO_BULBS
    return _bulbs("research_loss", player, variant, -bulbs, -1)


def _bulbs(name: str, player: int, variant: str, amount: int, placebo: int) -> Plan:
    sign = 1 if amount > 0 else -1
    return Plan(
        name, variant, player, None, (AddBulbs(player, amount),), (AddBulbs(player, placebo),), LEARNING,
        expected={"techs": sign}, watched=(("players", player, "bulbs"),),
    )  # fmt: skip
