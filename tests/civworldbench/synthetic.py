# SPDX-License-Identifier: GPL-2.0-or-later
"""A query set made of numbers alone: every kind of cell, edited branches and placebos, no engine."""

from dataclasses import replace

import numpy as np

from civworld import quantities
from civworld.civworldbench.asking.query import Cell, Query, QuerySet, Target

SCALES = {name: 10.0 for name in quantities.table()}
RULES = ("low", "normal", "high")
OPERATORS = ("treasury_grant", "city_growth")


def query_set(worlds: int = 4, seed: int = 0, setting: str = "omni-id") -> QuerySet:
    draw = np.random.default_rng(seed)
    pairs = []
    for number in range(worlds):
        world = f"w{number}"
        civs = ("c0", "c1", "c2")
        cells = [
            Cell(f"{civ}.{name}.h{h}", "quantiles", civ=k, subject=name, horizon=h)
            for k, civ in enumerate(civs)
            for name in quantities.table()
            for h in (20, 40)
        ]
        control = f"{world}/quantity"
        truth = {cell.id: float(draw.integers(0, 500)) for cell in cells}
        reference = {cell.id: truth[cell.id] + float(draw.integers(1, 100)) for cell in cells}
        targets = {c.id: Target(truth[c.id], reference[c.id]) for c in cells}
        pairs.append((Query(control, "quantity-v1", world, 60, setting, "?", tuple(cells)), targets))
        pairs.append(_events(world, civs, draw, setting))
        pairs.append(_beliefs(world, civs, draw, setting))
        for operator in OPERATORS:
            chosen = tuple(cells[:8])
            for arm, size in (("real", 30), ("placebo", 0)):
                moved = {
                    c.id: Target(truth[c.id] + size * float(draw.integers(1, 3)), expected=0.5, standard_error=0.1)
                    for c in chosen
                }
                query = Query(
                    f"{world}/{operator}/{arm}",
                    "intervene-v1",
                    world,
                    60,
                    setting,
                    "?",
                    chosen,
                    arm=arm,
                    control=control,
                    operator=operator,
                )
                pairs.append((query, moved))
    return QuerySet.of(pairs, SCALES)


def _events(world, civs, draw, setting):
    cells = [Cell(f"{civ}.city_lost.h20", "probability", civ=k, subject="city_lost") for k, civ in enumerate(civs)]
    targets = {c.id: Target(float(draw.integers(0, 2)), 0.25) for c in cells}
    leader = Cell("leader.h20", "distribution", civs, subject="leader")
    targets[leader.id] = Target(str(draw.choice(civs)), str(draw.choice(civs)))
    return Query(f"{world}/event", "event-v1", world, 60, setting, "?", (*cells, leader)), targets


def _beliefs(world, civs, draw, setting):
    ranking = Cell("aggressive", "ranking", civs, subject="aggressive")
    rule = Cell("disasters", "class", RULES, subject="disasters")
    values = tuple(float(v) for v in draw.choice(np.arange(10, 150), len(civs), replace=False))
    targets = {ranking.id: Target(values), rule.id: Target(str(draw.choice(RULES)))}
    return Query(f"{world}/belief", "trait-v1", world, 60, setting, "?", (ranking, rule)), targets


def stepwise_set(protocol, worlds=2):
    """The quantities of such a set by a protocol that asks for the way: the nearer horizon is on it."""
    whole, pairs = query_set(worlds=worlds), []
    for query in whole.queries.values():
        if query.task not in ("quantity-v1", "intervene-v1"):
            continue
        cells = tuple(replace(c, intermediate=c.horizon == 20) for c in query.cells)
        trend = whole.targets[query.control or query.id]
        targets = {name: replace(t, reference=trend[name].reference) for name, t in whole.targets[query.id].items()}
        pairs.append((replace(query, cells=cells, protocol=protocol), targets))
    return QuerySet.of(pairs, SCALES)
