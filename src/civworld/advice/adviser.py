# SPDX-License-Identifier: GPL-2.0-or-later
"""An adviser that forks: it tries plans in exact forks and tells what each may be expected to gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import NamedTuple

import numpy as np

from civworld.advice.policies import candidates
from civworld.advice.rollouts import KNOWLEDGE, Rollout, living, play
from civworld.arms.forks import Workers
from civworld.checkpoint import Checkpoint
from civworld.checks import named, whole
from civworld.errors import ArgumentError
from civworld.plan import Plan

MOST = 256
"""Rollouts that an adviser may spend at most."""


class Tried(NamedTuple):
    """One plan that an adviser tried.

    Attributes:
        plan: the plan; None is to leave what is in place.
        gain: expected engine score beyond that of leaving what is in place, same seeds.
        error: standard error of the gain; NaN of one seed. The best of many plans looks better than it is.
    """

    plan: Plan | None
    gain: float
    error: float


@dataclass(frozen=True)
class Advice:
    """What an adviser found.

    Attributes:
        tried: the plans tried, the first of them to leave what is in place.
        best: the one with the highest gain; at equal gains the earlier one.
        rollouts: how many rollouts were spent.
        knowledge: what the rollouts knew, one of `civworld.advice.rollouts.KNOWLEDGE`.
    """

    tried: tuple[Tried, ...]
    best: Tried
    rollouts: int
    knowledge: str


def spread(budget: int) -> tuple[int, int]:
    """How an adviser spends a budget: number of plans and of seeds, about twice as many plans as seeds.

    Raises:
        ArgumentError: the budget is not 1 to 256 rollouts.
    """
    plans = isqrt(2 * whole("adviser: budget", budget, 1, MOST))
    return plans, budget // plans


def advise(
    checkpoint: Checkpoint,
    player: int,
    turns: int = 20,
    budget: int = 32,
    *,
    knowledge: str = "true-world",
    plans: Sequence[Plan | None] | None = None,
    seed: int = 1,
    pool: Workers | None = None,
) -> Advice:
    """Try plans for a player in forks of a position, all under the same seeds.

    Args:
        checkpoint: the position.
        player: whom to advise, a living player that the built-in AI runs.
        turns: how far to play, and for how long the plans are.
        budget: rollouts to spend at most, 1 to 256; with 1 nothing but to leave what is in place is tried.
        knowledge: `true-world`: rollouts of the world as it is, an upper bound that no player could reach;
            `hidden-redrawn`: traits, treasuries and bulbs that the player cannot know are redrawn in every rollout.
        plans: what to try, None among them for leaving what is in place; None stands for `policies.candidates`.
        seed: where random plans and the rollouts' seeds begin; the rollouts use seed * 1000, seed * 1000 + 1, ...
        pool: where to play.

    Raises:
        ArgumentError: the player is dead, or the budget is out of range or smaller than the number of plans.
        UnknownNameError: there is no such knowledge.
    """
    player, turns = living("advise", checkpoint, player), whole("advise: turns", turns, 1)
    named("knowledge", knowledge, KNOWLEDGE)
    n, seeds = spread(budget)
    seed = whole("advise: seed", seed, 0, 4_000_000)
    if plans is None:
        with checkpoint.fork() as world:
            plans = candidates(world.view(player), n, turns, seed)
    else:
        plans = [None, *(p for p in plans if p is not None)]
        if not len(plans) <= budget:
            raise ArgumentError(f"advise: budget={budget}: {len(plans)} plans need a rollout each")
        seeds = budget // len(plans)
    drawn = range(1000 * seed, 1000 * seed + seeds)
    rollouts = [Rollout(player, s, turns, plan, knowledge) for plan in plans for s in drawn]
    scores = play(checkpoint, rollouts, pool)[:, 2].reshape(len(plans), seeds)
    gains = scores - scores[0]
    errors = gains.std(1, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.full(len(plans), np.nan)
    tried = tuple(map(Tried, plans, gains.mean(1).tolist(), errors.tolist()))
    return Advice(tried, tried[int(gains.mean(1).argmax())], len(rollouts), knowledge)
