# SPDX-License-Identifier: GPL-2.0-or-later
"""Storms of random orders: no crash, no hang, a sane engine, and refusals that change nothing."""

from dataclasses import replace

import pytest

from helpers import SMALL
from order_storm import rich, storm


@pytest.mark.parametrize(("seed", "ruleset"), [(7, "civ2civ3"), (5, "classic")])
def test_random_orders_leave_a_sane_world(seed, ruleset):
    counts = storm(replace(SMALL, seed=seed, ruleset=ruleset), 10_000, seed=seed, check_every=25)
    endings = {ending for _, ending in counts}
    assert endings >= {"done", "proposed", "CommandRefused", "ArgumentError"}
    done = sum(n for (_, ending), n in counts.items() if ending not in ("CommandRefused", "ArgumentError"))
    assert 0.2 < done / counts.total() < 0.8, "lawful and unlawful orders are mixed"


def test_spies_on_a_mission_when_their_player_is_taken_over():
    """The engine asserts that a spy on a mission has a destination, and an order takes that away."""
    try:
        storm(replace(SMALL, seed=112), 2_000, turn=20, seed=12, check_every=1000)
    finally:
        rich.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_fifty_thousand_random_orders_in_each_of_twenty_worlds(seed):
    ruleset = ("civ2civ3", "classic", "sandbox", "multiplayer")[seed % 4]
    config = replace(SMALL, seed=100 + seed, ruleset=ruleset)
    try:
        storm(config, 50_000, turn=20 + 20 * (seed % 3), seed=seed, check_every=1000)
    finally:
        rich.cache_clear()
