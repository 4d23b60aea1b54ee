# SPDX-License-Identifier: GPL-2.0-or-later
"""Keyed randomness: the same start as stock, another course, and luck that does not leak between players."""

import json
from dataclasses import replace

import numpy as np
import pytest

import civworld
from civworld.edits import AddGold
from helpers import SMALL, played

STOCK = replace(SMALL, rng="stock")


def test_both_generators_start_from_the_same_map_and_players():
    with civworld.World(SMALL) as keyed, civworld.World(STOCK) as stock:
        a, b = keyed.state(), stock.state()
        assert np.array_equal(a.tiles["terrain"], b.tiles["terrain"])
        assert np.array_equal(a.players["nation"], b.players["nation"])
    assert played(SMALL, 21).digest != played(STOCK, 21).digest


def test_reseeding_alike_gives_the_same_future(late):
    seeds = late.fork(2)
    seeds[0].reseed(1)
    seeds[1].reseed(1)
    assert seeds[0].advance(3).digest() == seeds[1].advance(3).digest()


@pytest.mark.parametrize("rng", ["keyed", "stock"])
def test_reseeding_changes_the_future_in_both(rng):
    start = played(replace(SMALL, rng=rng), 31)
    a, b = start.fork(), start.fork()
    a.reseed(1)
    b.reseed(2)
    assert a.advance(5).digest() != b.advance(5).digest()


def test_one_gold_moves_nobody_else_for_a_while(late):
    """A treasury that nobody acts on draws no luck from the others."""
    control, placebo = late.fork(), late.fork()
    placebo.apply(AddGold(player=1, amount=1))
    for _ in range(5):
        control.advance()
        placebo.advance()
    others = control.state().players["id"] != 1
    for field in control.state().players.dtype.names:
        a, b = control.state().players[field][others], placebo.state().players[field][others]
        assert np.array_equal(a, b), field


def test_a_fork_chooses_its_generator(late):
    """From one image of a keyed world: each generator plays another future, and a stock world's choice is as good."""
    ends = {}
    for rng in (None, "keyed", "stock"):
        forks = late.fork(2)
        for world in forks:
            world.reseed(7, rng)
        assert forks[0].digest() == forks[1].digest()
        ends[rng] = [world.advance(3).digest() for world in forks]
        assert ends[rng][0] == ends[rng][1]
    assert ends[None] == ends["keyed"] != ends["stock"]
    back = late.fork()
    back.reseed(7, "stock")
    back.reseed(7, "keyed")
    assert back.advance(3).digest() == ends["keyed"][0]


def test_the_choice_of_a_generator_is_written_down():
    with civworld.World(SMALL) as world:
        world.advance(2).reseed(9, "stock")
        world.advance(2)
        told = json.loads(json.dumps(civworld.recipe(world)))
        assert ["reseed", 9, "stock"] in told["steps"]
        assert civworld.replay(told).digest() == world.digest()
        with pytest.raises(civworld.UnknownNameError, match="keyed, stock"):
            world.reseed(9, "dice")
