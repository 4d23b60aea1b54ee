# SPDX-License-Identifier: GPL-2.0-or-later
"""A human-like opening, played by orders alone: cities, settlers and workers, an advance, a road, a treaty."""

from dataclasses import replace

import civworld
from civworld.commands import (
    AcceptTreaty,
    BuildRoad,
    CancelPact,
    Clause,
    Explore,
    FoundCity,
    Produce,
    Propose,
    Rates,
    Research,
    Worklist,
)
from civworld.errors import CommandRefused
from helpers import SMALL

HUMANS = replace(SMALL, humans=(0, 1))


class Player:
    """What a player that gives orders looks at."""

    def __init__(self, world, number):
        self.world, self.number = world, number

    def order(self, command):
        outcome = self.world.order(self.number, command)
        assert outcome.ok, (command, outcome)
        return outcome

    def rows(self, table, **equal):
        rows = getattr(self.world.state(), table)
        rows = rows[rows["owner"] == self.number]
        for field, value in equal.items():
            rows = rows[rows[field] == value]
        return rows

    def units(self, kind):
        return [int(i) for i in self.rows("units", type_name=kind.encode())["id"]]

    def can(self, kind, actor=None):
        legal = self.world.legal(self.number)
        return [m.command for m in legal if m.kind == kind and actor in (None, m.actor)]

    def knows(self, advance):
        """Whether an advance can neither be researched nor be a goal, because it is known."""
        return f"research towards {advance}" not in {legal.text for legal in self.world.legal(self.number)}

    def walk(self, unit, seen):
        """Steps to tiles not stood on before, as far as the unit gets this turn."""
        while fresh := [m for m in self.can("move", unit) if m.tile not in seen]:
            seen.add(fresh[-1].tile)
            self.order(fresh[-1])


def settle(player, settlers, seen):
    """Found a city where the rules allow one, or walk on; its id or 0."""
    if [m for m in player.can("unit_action", settlers) if m.action == "Found City"]:
        return player.order(FoundCity(settlers)).city
    player.walk(settlers, seen)
    return 0


def has_road(world, tile):
    road = world.state().rules.id("extras", "Road")
    return bool(world.state().tiles["extras"][tile][road // 8] >> (road % 8) & 1)


def state_between(world):
    rows = world.state().diplomacy
    return bytes(rows[(rows["player"] == 0) & (rows["other"] == 1)]["state"][0]).decode()


def first_turn(me, you):
    first = me.order(FoundCity(me.units("Settlers")[0], "Orderly"))
    assert first.result == "done" and first.tile == -1
    assert me.rows("cities", id=first.city)["name"][0] == b"Orderly"
    you.order(FoundCity(you.units("Settlers")[0]))
    for player in (me, you):
        player.order(Explore(player.units("Explorer")[0]))
        player.order(Research("Bronze Working"))
    me.order(Rates(30, 10, 60))
    me.order(Produce(first.city, "Settlers"))
    me.order(Worklist(first.city, ("Workers",)))
    return first.city


def test_an_opening_by_orders_alone():
    with civworld.World(HUMANS) as world:
        me, you = Player(world, 0), Player(world, 1)
        first = first_turn(me, you)
        workers, second, seen = me.units("Workers")[0], 0, set()
        road_tile, treaty = None, False
        assert not me.knows("Bronze Working")
        while world.turn < 40 and not (
            second and treaty and me.knows("Bronze Working") and len(me.units("Workers")) > 1
        ):
            world.advance()
            if settlers := me.units("Settlers"):
                second = settle(me, settlers[0], seen) or second
            if road_tile is None:
                me.order(me.can("move", workers)[0])
                if any(m.action == "Build Road" for m in me.can("unit_action", workers)):
                    road_tile = int(me.rows("units", id=workers)["tile"][0])
                    assert not has_road(world, road_tile)
                    me.order(BuildRoad(workers))
            if not treaty and me.can("propose"):
                treaty = negotiate(world, me, you)
        assert second and second != first and len(me.rows("cities")) == 2
        assert me.knows("Bronze Working")
        assert len(me.units("Workers")) == 2
        assert has_road(world, road_tile)
        assert state_between(world) == "Cease-fire"


def negotiate(world, me, you):
    """From peace to war, and on to a ceasefire that both want."""
    while state_between(world) != "War":
        me.order(CancelPact(1))
    proposed = me.order(Propose(1, (Clause(0, "Ceasefire"), Clause(0, "Gold", 5))))
    assert proposed.result == "proposed" and state_between(world) == "War"
    gold = [world.state().player(p)["gold"] for p in (0, 1)]
    assert you.order(AcceptTreaty(0)).result == "agreed"
    assert state_between(world) == "Cease-fire"
    assert [world.state().player(p)["gold"] for p in (0, 1)] == [gold[0] - 5, gold[1] + 5]
    try:
        you.order(AcceptTreaty(0))
    except CommandRefused as refused:
        assert "no treaty" in refused.reason
        return True
    return False
