# SPDX-License-Identifier: GPL-2.0-or-later
"""How good a position is, measured by exact re-seeded rollouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from civworld.advice.rollouts import Rollout, living, play, some_seeds
from civworld.arms.forks import Workers
from civworld.checkpoint import Checkpoint
from civworld.checks import whole
from civworld.errors import ArgumentError
from civworld.plan import Plan


@dataclass(frozen=True)
class Value:
    """What a position is worth to a player some turns on.

    Attributes:
        turn: the turn of the position.
        player: whose value it is.
        turns: how far the rollouts played.
        rollouts: how many were played.
        lead: chance of having the highest score then, 0..1; who shares the lead counts a share of 1.
        lead_error: its standard error; never 0, since n equal outcomes do not prove the next (Agresti and Coull).
        share: expected share of all living civilizations' scores, 0..1.
        share_error: its standard error; NaN of one rollout.
        score: expected engine score.
        score_error: its standard error; NaN of one rollout.
    """

    turn: int
    player: int
    turns: int
    rollouts: int
    lead: float
    lead_error: float
    share: float
    share_error: float
    score: float
    score_error: float


def value(
    checkpoint: Checkpoint,
    player: int,
    turns: int = 20,
    seeds: int | Iterable[int] = 16,
    *,
    budget: int | None = None,
    pool: Workers | None = None,
) -> Value:
    """What a position is worth to a player: chance of leading and expected score, from rollouts of the true world.

    Args:
        checkpoint: the position.
        player: number of a living player.
        turns: how far to play, 1 or more.
        seeds: seeds of the rollouts, or how many (then 1, 2, ...).
        budget: turns to play at most, all rollouts together: seeds that go beyond it are left out. None: no limit.
        pool: where to play; None plays here, one rollout after another.

    Raises:
        ArgumentError: the player is dead or does not exist, or the budget does not suffice for one rollout.
    """
    player, turns = living("value", checkpoint, player), whole("value: turns", turns, 1)
    listed = _within("value", some_seeds("value", seeds), turns, budget)
    return _value(checkpoint.turn, player, turns, play(checkpoint, [Rollout(player, s, turns) for s in listed], pool))


def curve(
    checkpoints: Sequence[Checkpoint],
    player: int,
    turns: int = 20,
    seeds: int | Iterable[int] = 16,
    *,
    pool: Workers | None = None,
) -> list[Value]:
    """The value of each position of a game, in the order given, all under the same seeds."""
    listed = some_seeds("curve", seeds)
    return [value(checkpoint, player, turns, listed, pool=pool) for checkpoint in checkpoints]


@dataclass(frozen=True)
class Judgement:
    """What one decision of a game was worth, in rollouts paired by seed.

    Attributes:
        turn: when it was made.
        chosen: the plan; None is to leave what is in place.
        best: the alternative with the highest expected share, the chosen one included.
        loss: expected score share that the choice gives away against that alternative, 0 or more.
        loss_error: its standard error; the maximum over alternatives makes the loss too high where errors are large.
        lead_loss: what it gives away in the chance of leading; may be negative.
    """

    turn: int
    chosen: Plan | None
    best: Plan | None
    loss: float
    loss_error: float
    lead_loss: float


def judge(
    decisions: Sequence[tuple[Checkpoint, Plan | None]],
    player: int,
    alternatives: Sequence[Plan | None] = (None,),
    turns: int = 20,
    seeds: int | Iterable[int] = 16,
    *,
    pool: Workers | None = None,
) -> list[Judgement]:
    """Judge a game turn by turn: for each decision, what it lost against the best of some alternatives.

    Args:
        decisions: the position of each decision, before its plan was set, and the plan.
        player: who decided.
        alternatives: plans to compare with; None leaves what is in place.
        turns: how far to play, 1 or more.
        seeds: seeds of the rollouts, or how many, two at least.
        pool: where to play.

    Raises:
        ArgumentError: fewer than two seeds, or the player is dead at a decision.
    """
    listed, turns = some_seeds("judge", seeds), whole("judge: turns", turns, 1)
    if len(listed) < 2:
        raise ArgumentError(f"judge: seeds={seeds!r}: two at least are needed, for an error")
    return [
        _judged(checkpoint, living("judge", checkpoint, player), (chosen, *alternatives), turns, listed, pool)
        for checkpoint, chosen in decisions
    ]


def _judged(
    checkpoint: Checkpoint,
    player: int,
    plans: Sequence[Plan | None],
    turns: int,
    seeds: Sequence[int],
    pool: Workers | None,
) -> Judgement:
    rollouts = [Rollout(player, seed, turns, plan) for plan in plans for seed in seeds]
    ends = play(checkpoint, rollouts, pool).reshape(len(plans), len(seeds), 3)
    best = int(ends[:, :, 0].mean(1).argmax())
    lost = ends[best] - ends[0]
    error = float(lost[:, 0].std(ddof=1) / np.sqrt(len(seeds)))
    return Judgement(checkpoint.turn, plans[0], plans[best], float(lost[:, 0].mean()), error, float(lost[:, 1].mean()))


def _within(what: str, seeds: tuple[int, ...], turns: int, budget: int | None) -> tuple[int, ...]:
    if budget is None:
        return seeds
    most = whole(f"{what}: budget", budget, 0) // turns
    if not most:
        raise ArgumentError(f"{what}: budget={budget}: one rollout plays {turns} turns")
    return seeds[:most]


def _value(turn: int, player: int, turns: int, ends: npt.NDArray[np.float64]) -> Value:
    n = len(ends)
    share, lead, score = ends.mean(0).tolist()
    chance = (lead * n + 2) / (n + 4)
    errors = ends.std(0, ddof=1) / np.sqrt(n) if n > 1 else np.full(3, np.nan)
    return Value(
        turn, player, turns, n, lead, float(np.sqrt(chance * (1 - chance) / (n + 4))),
        share, float(errors[0]), score, float(errors[2]),
    )  # fmt: skip
