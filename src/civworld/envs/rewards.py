# SPDX-License-Identifier: GPL-2.0-or-later
"""What agents are paid when a turn ends: functions of the true standings before and after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from civworld.state import Table


@dataclass(frozen=True)
class Turn:
    """The records of `players` when a turn began and when the next one began.

    Attributes:
        before: the standings at the last payment.
        after: the standings now.
        agents: numbers of the players that were run by agents and alive at the last payment.
        won: numbers of the players that have won.
    """

    before: Table
    after: Table
    agents: tuple[int, ...]
    won: frozenset[int]

    def gain(self, field: str, player: int) -> float:
        """By how much a field of a player's record has grown."""
        return float(_value(self.after, field, player) - _value(self.before, field, player))

    def died(self, player: int) -> bool:
        """Whether the player died in this turn."""
        return bool(_value(self.before, "is_alive", player)) and not _value(self.after, "is_alive", player)


Reward = Callable[[Turn, int], float]
REWARDS: dict[str, Reward] = {}
"""Every reward by its name."""


def reward(function: Reward) -> Reward:
    """Put a reward into the registry under the function's name."""
    REWARDS[function.__name__] = function
    return function


@reward
def score(turn: Turn, player: int) -> float:
    """Gain in civilization score. The engine computes scores when a turn begins (server/score.c)."""
    return turn.gain("score", player)


@reward
def score_share(turn: Turn, player: int) -> float:
    """Gain in one's share of the agents' scores, percent points; sums to zero over the agents.

    A share is 100 * score / sum of the agents' scores, and equal when nobody has any.
    """
    return _share(turn.after, turn.agents, player) - _share(turn.before, turn.agents, player)


@reward
def techs(turn: Turn, player: int) -> float:
    """Advances learned."""
    return turn.gain("techs", player)


@reward
def cities(turn: Turn, player: int) -> float:
    """Cities gained, less those lost."""
    return turn.gain("cities", player)


@reward
def survival(turn: Turn, player: int) -> float:
    """1 for every turn at whose end the player is alive."""
    return float(_value(turn.after, "is_alive", player))


@reward
def win(turn: Turn, player: int) -> float:
    """1 for victory, -1 for death, else 0."""
    return float(player in turn.won) - float(turn.died(player))


def _value(players: Table, field: str, player: int) -> int:
    found = players[field][players["id"] == player]
    return int(found[0])


def _share(players: Table, agents: tuple[int, ...], player: int) -> float:
    scores = {a: max(_value(players, "score", a), 0) for a in agents}
    total = sum(scores.values())
    return 100 * scores[player] / total if total else 100 / len(agents)
