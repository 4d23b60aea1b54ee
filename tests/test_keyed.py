# SPDX-License-Identifier: GPL-2.0-or-later
"""Keyed randomness: the same start as stock, another course, and luck that does not leak between players."""

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
