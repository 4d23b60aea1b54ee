# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact rollouts: a checkpoint forked, re-seeded and played on, perhaps under a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from civworld.arms.forks import Workers, listed_seeds, play_all
from civworld.checkpoint import Checkpoint
from civworld.checks import player_number
from civworld.config import TRAITS
from civworld.edits import AddBulbs, AddGold, SetTrait
from civworld.errors import ArgumentError, EditRefused
from civworld.plan import Plan
from civworld.state import StateView
from civworld.world import World

KNOWLEDGE = ("true-world", "hidden-redrawn")
"""What a rollout may know: the world as it is, or traits, treasuries and bulbs as far as the player knows them."""


@dataclass(frozen=True)
class Rollout:
    """The job of one rollout; called with a fresh world it plays it out.

    Attributes:
        player: whose rollout it is.
        seed: what to re-seed the world with.
        turns: how many turns to play.
        plan: what the player's AI carries out; None leaves what is in place.
        knowledge: one of `KNOWLEDGE`.
    """

    player: int
    seed: int
    turns: int
    plan: Plan | None = None
    knowledge: str = "true-world"

    def __call__(self, world: World) -> tuple[float, float, int]:
        """Score share, chance of leading (1 over those who share the lead) and score of the player at the end."""
        if self.knowledge == "hidden-redrawn":
            redraw(world, self.player, self.seed)
        world.reseed(self.seed)
        if self.plan is not None:
            world.set_plan(self.player, self.plan)
        return standing(world.advance(self.turns).state(), self.player)


def standing(view: StateView, player: int) -> tuple[float, float, int]:
    """Score share (0..1), lead (1 alone in front, 1/n among n, 0 behind) and engine score of a player at a moment."""
    rows = view.players[view.players["is_alive"] & ~view.players["is_barbarian"]]
    scores = dict(zip(rows["id"].tolist(), rows["score"].tolist(), strict=True))
    mine, best, total = scores.get(player, 0), max(scores.values(), default=0), sum(scores.values())
    leads = mine == best and player in scores
    return mine / total if total else 0.0, leads / max(1, list(scores.values()).count(best)), mine


def redraw(world: World, player: int, seed: int) -> None:
    """Redraw what a player cannot know of the others' character and stores, as a function of the seed.

    Traits of all others: uniform over 20..80. Treasuries it cannot see: uniform from 0 to twice its own plus 50. Bulbs
    it cannot see: uniform below the cost of the advance. Cities, units and tiles out of sight stay as they are.
    """
    draw = np.random.default_rng((seed, player))
    known, state = world.view(player), world.state()
    for row in state.players[state.players["is_alive"] & ~state.players["is_barbarian"]]:
        other = int(row["id"])
        if other == player:
            continue
        for trait in TRAITS:
            _try(world, SetTrait(other, trait, int(draw.integers(20, 81))))
        gold, bulbs = draw.integers(0, 2 * int(known.me["gold"]) + 51), draw.random()
        if known.player(other)["gold"] < 0 and gold != row["gold"]:
            _try(world, AddGold(other, int(gold - row["gold"])))
        change = int(bulbs * max(0, int(row["bulbs_cost"]))) - int(row["bulbs"])
        if known.player(other)["bulbs"] < 0 and change:
            _try(world, AddBulbs(other, change))


def _try(world: World, edit: SetTrait | AddGold | AddBulbs) -> None:
    """Apply an edit; one that the world refuses, such as setting what is there already, leaves the value."""
    try:
        world.apply(edit)
    except EditRefused:
        return


def play(checkpoint: Checkpoint, rollouts: Sequence[Rollout], pool: Workers | None = None) -> npt.NDArray[np.float64]:
    """Play rollouts: share, lead and score at the end, one row for each rollout, shape (n, 3).

    Raises:
        CivworldError: of the first rollout that failed.
    """
    found = play_all(checkpoint, rollouts, tuple, pool, label="rollouts")
    return np.asarray(found, np.float64).reshape(len(found), 3)


def some_seeds(what: str, seeds: int | Iterable[int]) -> tuple[int, ...]:
    """Seeds as given, or 1, 2, ... where their number is.

    Raises:
        ArgumentError: a seed is out of range, or there is none.
    """
    found = listed_seeds(what, seeds)
    if not found:
        raise ArgumentError(f"{what}: seeds={seeds!r}: one at least is needed")
    return found


def living(what: str, checkpoint: Checkpoint, player: int) -> int:
    """The number of a civilization of a checkpoint that is alive.

    Raises:
        ArgumentError: there is no such player, or it is dead.
    """
    player = player_number(what, player)
    with checkpoint.fork() as world:
        if not world.state().player(player)["is_alive"]:
            raise ArgumentError(f"{what}: player {player} is dead")
    return player
