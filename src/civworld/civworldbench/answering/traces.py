# SPDX-License-Identifier: GPL-2.0-or-later
"""What hidden traits and rules leave behind in the public tables of a world, as rows of numbers.

Every figure rests on turns 1 to t1 of records that tell everything about everyone, and on nothing hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.civworldbench.asking.scene import Scene
from civworld.corpus.schema import Rows
from civworld.events import Event

Floats = npt.NDArray[np.float64]

RECENT = 20
"""Turns over which tax rates are averaged: the AI sets them anew in every turn."""
UNIT_COST = 20
"""Shields added to what was produced, so that ratios of early turns stay finite; about the price of one unit."""
CHARACTER = (
    "wars_started", "wars_suffered", "recent_science", "recent_tax", "shields_per_citizen", "trade_per_citizen",
    "bulbs_per_citizen", "income_per_citizen", "citizens_per_city", "tiles_per_city", "units_per_city",
    "worked_land_per_citizen", "units_per_shield", "foundings_per_shield", "first_government",
)  # fmt: skip
"""What `character` measures, in order."""


def character(records: Rows, civs: Rows, log: Sequence[Event], civ: int) -> Floats:
    """How a civilization lived up to now.

    Wars are what the aggressive trait decides. Traders let citizens work for trade, builders for shields, and
    builders spend shields on buildings instead of units and founders; expansionists found cities from smaller ones.

    Args:
        records: its rows of the table `records`, a row a turn.
        civs: its rows of the table `civs`, of the same turns.
        log: what happened in these turns.
        civ: its number.

    Returns:
        float64 (15,), in the order of `CHARACTER`: logarithms of counts + 1 and of ratios of sums over turns; rates
        as shares of 1; gold per citizen and turn; share of the turns under the government that it began with.
    """

    def per(many: Any, of: Any) -> float:
        return float(np.log((max(float(np.sum(many)), 0) + 0.5) / max(float(np.sum(of)), 1)))

    citizens, cities = records["population"], records["cities"]
    shields = max(float(records["production"].sum()), 0) + UNIT_COST
    wars = [e for e in log if e.kind == "war_started"]
    made = int(civs["units_built"][-1]) - int(civs["units_built"][0])
    founded = sum(e.kind == "city_founded" and e.player == civ for e in log)
    values = (
        np.log1p(sum(e.player == civ for e in wars)),
        np.log1p(sum(e.other == civ for e in wars)),
        civs["science"][-RECENT:].mean() / 100,
        civs["tax"][-RECENT:].mean() / 100,
        per(records["production"], citizens),
        per(civs["trade_output"], citizens),
        per(civs["science_output"], citizens),
        civs["expected_income"].sum() / max(citizens.sum(), 1),
        per(citizens, cities),
        per(records["territory"], cities),
        per(civs["units"], cities),
        per(civs["settled_area"], citizens),
        per(made, shields),
        per(founded, shields),
        (records["government"] == records["government"][0]).mean(),
    )
    return np.array(values, np.float64)


def growth(changes: Rows, turn: int) -> Floats:
    """How readily cities grow: the less food it takes, the more.

    Args:
        changes: rows of the table `maps` up to a turn.
        turn: that turn.

    Returns:
        float64 (2,), for cities of one and of two citizens the logarithm of (n + 1/2) / (N + 1), n growths by one
        citizen in N city-turns.
    """
    rows = changes[np.lexsort((changes["turn"], changes["tile"]))]
    same = (rows["tile"][1:] == rows["tile"][:-1]) & (rows["city"][1:] == rows["city"][:-1])
    last = np.append(rows["tile"][1:] != rows["tile"][:-1], True)
    until = np.where(last, turn, np.append(rows["turn"][1:], turn))
    grown = np.append(same & (rows["city_size"][1:] == rows["city_size"][:-1] + 1), False)
    held = rows["city"] != 0
    found = []
    for size in (1, 2):
        here = held & (rows["city_size"] == size)
        found.append(np.log((grown[here].sum() + 0.5) / ((until - rows["turn"])[here].sum() + 1)))
    return np.array(found, np.float64)


def characters(scene: Scene) -> dict[int, Floats]:
    """The character of each living civilization at t1, less the mean over them."""
    records, civs = (_past(rows, scene.turn) for rows in _tables(scene))
    log = scene.log
    found = {
        civ: character(records[records["player"] == civ], civs[civs["player"] == civ], log, civ) for civ in scene.living
    }
    middle = np.mean(list(found.values()), axis=0)
    return {civ: row - middle for civ, row in found.items()}


def rules(scene: Scene) -> dict[str, Floats]:
    """For each rule of `civworld.civworldbench.asking.rules` what shows it.

    `disasters`: disasters so far, and hundreds of city-turns in which they could strike. `foodbox`: `growth`.
    `sciencebox`: logarithm of the bulbs that the cheapest first advance costs, before anyone knows anyone.
    """
    records, civs = _tables(scene)
    city_turns = float(_past(records, scene.turn)["cities"].sum())
    struck = sum(e.kind == "disaster" for e in scene.log)
    first = civs["bulbs_cost"][(civs["turn"] == civs["turn"].min()) & (civs["bulbs_cost"] > 0)]
    return {
        "disasters": np.array([struck, city_turns / 100], np.float64),
        "foodbox": growth(_past(scene.corpus.map_changes(scene.world), scene.turn), scene.turn),
        "sciencebox": np.array([np.log(first.min()) if len(first) else 0.0]),
    }


def _tables(scene: Scene) -> tuple[Rows, Rows]:
    return scene.corpus.records(scene.world), scene.corpus.civs(scene.world)


def _past(rows: Rows, turn: int) -> Rows:
    return rows[rows["turn"] <= turn]
