# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators on what nobody sees: characters, attitudes and the rule of disasters."""

from __future__ import annotations

from civworld.arms.operator import Intervention, Reason, Told, operator
from civworld.arms.view import neighbours
from civworld.edits import SetAttitude, SetRule, SetTrait
from civworld.state import StateView

HIGH, LOW = 150, 10
"""Values that a trait is set to; 50 is the engine's default."""
LOVE = 1000
"""The engine's bound of attitudes (ai/default, MAX_AI_LOVE)."""
MOST_DISASTERS = 1000
"""The largest value of the engine's setting `disasters`."""

USUAL = 50
"""Value of a trait when nothing is said."""
TIMES = 10
"""By how much disasters become more frequent."""

# what a stronger trait is meant to move, and which way
_MEANT = {
    "aggressive": ("enemies", "military_units", "score"),
    "expansionist": ("cities", "territory", "score"),
    "trader": ("treasury", "techs", "score"),
    "builder": ("production", "population", "score"),
}
_FORMS = tuple(f"{trait}_{end}" for trait in _MEANT for end in ("high", "low"))


def _trait(told: Told) -> tuple[str, str]:
    trait, end = told.variant.rsplit("_", 1)
    return trait, "strong" if end == "high" else "weak"


@operator(
    *_FORMS,
    real=lambda told: f"The trait '{_trait(told)[0]}' of the {told.who} becomes very {_trait(told)[1]}.",
    placebo=lambda told: f"The trait '{_trait(told)[0]}' of the {told.who} rises by 1, where {USUAL} is usual.",
)
def trait_shift(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: set one trait of the civilization's AI to 150 (high) or 10 (low). Placebo: the trait plus 1."""
    trait, end = variant.rsplit("_", 1)
    value = HIGH if end == "high" else LOW
    now = int(view.row("hidden_players", player)[trait])
    if now == value:
        return Reason.AT_VALUE
    targets = _MEANT[trait]
    return Intervention(
        "trait_shift", variant, player, None, (SetTrait(player, trait, value),), (SetTrait(player, trait, now + 1),),
        targets, expected={targets[0]: 1 if value > now else -1}, watched=(("hidden_players", player, trait),),
    )  # fmt: skip


@operator(
    "love",
    "hatred",
    real=lambda told: (
        f"The attitude of the {told.other} towards the {told.who} becomes at once "
        f"{'complete friendship' if told.variant == 'love' else 'utter hatred'}."
    ),
    placebo=lambda told: f"The attitude of the {told.other} towards the {told.who} changes by one part in {LOVE}.",
)
def attitude_shift(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the nearest neighbour's attitude towards the civilization goes to +1000 (love) or -1000 (hatred).

    Placebo: the attitude moves by 1 of 1000."""
    others = neighbours(view, player)
    if not others:
        return Reason.NO_NEIGHBOUR
    holder = others[0]
    pairs = view.hidden.pairs
    now = int(pairs["love"][(pairs["player"] == holder) & (pairs["other"] == player)][0])
    value = LOVE if variant == "love" else -LOVE
    if abs(now) >= LOVE:
        return Reason.EXTREME
    return Intervention(
        "attitude_shift", variant, player, holder, (SetAttitude(holder, player, value),),
        (SetAttitude(holder, player, now + 1),), ("enemies", "allies"),
        expected={"enemies": -1} if variant == "love" else {"enemies": 1},
        watched=(("hidden_pairs", (holder, player), "love"),),
    )  # fmt: skip


@operator(
    "more",
    "none",
    real=lambda told: (
        f"Disasters become {TIMES} times as frequent." if told.variant == "more" else "Disasters no longer happen."
    ),
    placebo=lambda told: f"The rate of disasters changes by one part in {MOST_DISASTERS}.",
)
def disaster_rate(view: StateView, player: int, variant: str) -> Intervention | Reason:
    """Real: the world's rate of disasters times ten (more) or 0 (none). Placebo: the rate plus 1 of 1000."""
    now = int(view.hidden.world["disasters"][0])
    value = min(TIMES * now, MOST_DISASTERS) if variant == "more" else 0
    if now == value:
        return Reason.AT_VALUE
    return Intervention(
        "disaster_rate", variant, player, None, (SetRule("disasters", value),),
        (SetRule("disasters", now + 1 if now < MOST_DISASTERS else now - 1),), ("population", "production"),
        expected={"population": -1 if value > now else 1}, watched=(("hidden_world", 0, "disasters"),),
    )  # fmt: skip
