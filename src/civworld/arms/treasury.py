# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators on the treasury and on research."""

from __future__ import annotations

from civworld.arms.operator import Intervention, Reason, operator
from civworld.edits import AddBulbs, AddGold
from civworld.state import StateView

GRANT = 300
"""Gold of the smallest grant."""
DRAIN = 0.8
"""Share of the treasury that a drain takes."""
WORTH_DRAINING = 50
"""Gold below which a drain would take next to nothing."""

TRACE = 1
"""Gold or bulbs that a placebo moves."""

MONEY = ("treasury", "production", "cities", "score")
LEARNING = ("techs", "score")


@operator(
    real=lambda told: f"The {told.who} receive {told.only('amount')} gold.",
    placebo=lambda told: f"The {told.who} receive {TRACE} gold.",
)
def treasury_grant(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: double the treasury, by 300 gold at least. Placebo: 1 gold."""
    amount = max(GRANT, int(view.player(player)["gold"]))
    return _gold("treasury_grant", player, variant, amount, TRACE)


@operator(
    real=lambda told: f"The {told.who} lose {-told.only('amount')} gold, {DRAIN:.0%} of what they have.",
    placebo=lambda told: f"The {told.who} lose {TRACE} gold.",
)
def treasury_drain(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: take four fifths of the treasury. Placebo: take 1 gold."""
    gold = int(view.player(player)["gold"])
    if gold < WORTH_DRAINING:
        return Reason.POOR
    return _gold("treasury_drain", player, variant, -int(DRAIN * gold), -TRACE)


def _gold(name: str, player: int, variant: str, amount: int, placebo: int) -> Intervention:
    sign = 1 if amount > 0 else -1
    return Intervention(
        name, variant, player, None, (AddGold(player, amount),), (AddGold(player, placebo),), MONEY,
        expected={"treasury": sign}, watched=(("players", player, "gold"),),
    )  # fmt: skip


@operator(
    real=lambda told: (
        f"The {told.who} receive the {told.only('amount')} bulbs that are missing for the advance they are researching."
    ),
    placebo=lambda told: f"The {told.who} receive {TRACE} bulb for the advance they are researching.",
)
def research_grant(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the bulbs that the current advance still takes. Placebo: 1 bulb."""
    research = view.research_of(player)[0]
    missing = int(research["bulbs_cost"]) - int(research["bulbs"])
    if int(research["researching"]) < 0 or missing <= 1:
        return Reason.NO_RESEARCH
    return _bulbs("research_grant", player, variant, missing, TRACE)


@operator(
    real=lambda told: (
        f"The {told.who} lose all {-told.only('amount')} bulbs gathered for the advance they are researching."
    ),
    placebo=lambda told: f"The {told.who} lose {TRACE} bulb gathered for the advance they are researching.",
)
def research_loss(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: all bulbs accumulated for the current advance are lost. Placebo: 1 bulb is lost."""
    bulbs = int(view.research_of(player)[0]["bulbs"])
    if bulbs <= 1:
        return Reason.NO_BULBS
    return _bulbs("research_loss", player, variant, -bulbs, -TRACE)


def _bulbs(name: str, player: int, variant: str, amount: int, placebo: int) -> Intervention:
    sign = 1 if amount > 0 else -1
    return Intervention(
        name, variant, player, None, (AddBulbs(player, amount),), (AddBulbs(player, placebo),), LEARNING,
        expected={"techs": sign}, watched=(("players", player, "bulbs"),),
    )  # fmt: skip
