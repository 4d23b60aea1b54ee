# SPDX-License-Identifier: GPL-2.0-or-later
"""Random orders, lawful and unlawful mixed, against worlds that are rich in things to do."""

import collections
import contextlib
import dataclasses
import functools
import random

import civworld
from civworld import commands as c
from civworld.errors import ArgumentError, CommandRefused

TYPES = [
    "Warriors",
    "Archers",
    "Musketeers",
    "Engineers",
    "Workers",
    "Settlers",
    "Migrants",
    "Caravan",
    "Freight",
    "Diplomat",
    "Spy",
    "Paratroopers",
    "Marines",
    "Artillery",
    "Howitzer",
    "Transport",
    "Battleship",
    "Submarine",
    "Carrier",
    "Fighter",
    "Bomber",
    "Helicopter",
    "Nuclear",
    "Explorer",
    "Armor",
    "Leader",
    "Partisan",
    "Catapult",
    "Trireme",
    "Destroyer",
    "Cruise Missile",
    "Stealth Bomber",
    "AEGIS Cruiser",
]
BUILDINGS = ("Airport", "Factory", "City Walls", "Barracks", "Library", "Marketplace", "Apollo Program")


def lua(world, script):
    """Run a script in the engine, past the rules of the game."""
    with world._engine_call() as running:
        running.call("cw_world_command", f"lua cmd {script}".encode())
    world._cache.clear()


@functools.cache
def rich(config: civworld.WorldConfig, turn: int) -> civworld.Checkpoint:
    """A world in which everybody knows much, owns units of all kinds near all cities, and is taken over."""
    rng = random.Random(config.seed)
    with civworld.World(config) as world:
        world.advance(turn - 1)
        lua(
            world,
            "for p in players_iterate() do for i = 1, 70 do edit.give_tech(p, nil, 0, false, 'x') end "
            "edit.change_gold(p, 3000) end",
        )
        for city in world.state().cities:
            for kind in rng.sample(TYPES, 6):
                place = int(city["tile"]) + rng.choice((-1, 0, 0, 0, 1))
                owner = rng.choice([int(city["owner"])] * 3 + [rng.randrange(config.players)])
                home = f"find.city(p, {city['id']})" if owner == city["owner"] else "nil"
                lua(
                    world,
                    f"local t, p, u = find.tile({place}), find.player({owner}), find.unit_type('{kind}') "
                    f"if t and u then edit.create_unit(p, t, u, 0, {home}, -1) end",
                )
            for building in rng.sample(BUILDINGS, 3):
                lua(
                    world,
                    f"local b, c = find.building_type('{building}'), find.city(nil, {city['id']}) "
                    "if b and c and not c:has_building(b) then edit.create_building(c, b) end",
                )
        for player in range(config.players):
            if world.state().player(player)["is_alive"]:
                world.take_over(player)
        for one, other in ((0, 1), (2, 3)):  # peace leaves little to do
            with contextlib.suppress(CommandRefused):
                world.order(one, c.CancelPact(other))
                world.order(one, c.CancelPact(other))
        return world.checkpoint()


class Orders:
    """A source of random commands about a world."""

    def __init__(self, world, rng):
        state = world.state()
        self.rng, self.players = rng, world.config.players
        self.units, self.cities = state.units["id"].tolist(), state.cities["id"].tolist()
        self.places, self.tiles = state.units["tile"].tolist() or [0], len(state.tiles)
        self.legal = [world.legal(player) for player in range(self.players)]
        rules = state.rules
        self.names = {
            "unit_type": rules.unit_types,
            "building": rules.buildings,
            "tech": rules.advances,
            "extra": rules.extras,
            "government": rules.governments,
            "specialist": rules.specialists,
        }
        self.names = {kind: [name.decode() for name in table["name"].tolist()] for kind, table in self.names.items()}
        self.names["action"] = actions_of(world)

    def lawful(self, player):
        """A listed order, more often about units, rarely one that disbands them; None when there is none."""
        options = self.legal[player]
        if self.rng.random() < 0.5:
            options = [o for o in options if o.kind == "unit_action"] or options
        for _ in range(3):
            if options and "Disband" not in (order := self.rng.choice(options)).text:
                return order.command
        return None

    def any(self):
        """A command whose fields are of the right kind, and near the truth at best."""
        cls = c.UnitAction if self.rng.random() < 0.3 else self.rng.choice(list(c.COMMANDS.values()))
        values = {f.name: self.value(f.name) for f in dataclasses.fields(cls)}
        if cls is c.Rates and self.rng.random() < 0.5:
            values["science"] = 100 - values["tax"] - values["luxury"]
        return cls(**values)

    def id(self):
        pool = self.rng.choice((self.units, self.units, self.cities, self.cities, [-1, 0, 1, 10**6, 2**31 - 1]))
        return self.rng.choice(pool or [0])

    def tile(self):
        near = self.rng.choice(self.places) + self.rng.choice((-1, 0, 0, 1))
        return self.rng.choice((self.rng.randrange(self.tiles), near, near, -1, self.tiles))

    def name(self, *kinds):
        if self.rng.random() < 0.05:
            return self.rng.choice(("", "Nope", "a\nb"))
        return self.rng.choice(self.names[self.rng.choice(kinds)])

    def clause(self):
        kind = self.rng.choice(c.clauses())
        value = {
            "Advance": lambda: self.name("tech"),
            "City": lambda: self.rng.choice(self.cities or [0]),
            "Gold": lambda: self.rng.choice((-5, 0, 1, 50, 1000, 2**31 - 1)),
        }.get(kind, lambda: 0)()
        return c.Clause(self.rng.randrange(self.players + 1), kind, value)

    def value(self, field):
        rng = self.rng
        match field:
            case "unit":
                return rng.choice(self.units or [0]) if rng.random() < 0.85 else self.id()
            case "city":
                return rng.choice(self.cities or [0]) if rng.random() < 0.85 else self.id()
            case "tile":
                return self.tile()
            case "target":
                return rng.choice((self.tile(), self.id(), -1))
            case "action":
                return self.name("action")
            case "then":
                return rng.choice(("", "", "Found City", "Attack", self.name("action")))
            case "sub_target":
                return rng.choice(("", self.name("extra", "building", "tech")))
            case "item" | "building":
                return self.name("unit_type", "building")
            case "unit_type":
                return rng.choice(("", self.name("unit_type")))
            case "items":
                return tuple(self.name("unit_type", "building") for _ in range(rng.randrange(4)))
            case "old" | "new":
                return self.name("specialist")
            case "tech":
                return self.name("tech")
            case "government":
                return self.name("government")
            case "policy":
                return rng.choice(("Foo", ""))
            case "player":
                return rng.randrange(-1, self.players + 2)
            case "clauses":
                return tuple(self.clause() for _ in range(rng.randrange(1, 4)))
            case "part":
                return rng.choice(c.SPACESHIP_PARTS)
            case "new_name":
                return rng.choice(("Rome", "X" * 70, "", "Bär", "Foo%sbar"))
            case "persistent" | "disband" | "scientists" | "taxmen":
                return rng.random() < 0.5
            case _:  # tax, luxury, science, value, place
                return rng.choice((0, 10, 20, 30, 40, 60, 100, -10, 7, 1, 2))


def actions_of(world):
    """Rule names of all actions."""
    with world._engine_call() as running:
        return running.rule_names("action")


def storm(config, orders, *, turn=40, seed=0, check_every=1):
    """Give random orders; counts by command and how they ended.

    Every `check_every`th refusal is held against the digest; the engine's sanity checks run after every batch.
    """
    rng, counts = random.Random(seed), collections.Counter()
    start = rich(config, turn)
    while counts.total() < orders:
        with start.fork() as world:
            for _ in range(4):
                batch(world, rng, counts, check_every)
            with world._engine_call() as running:
                running.call("cw_world_sanity")
    return counts


def batch(world, rng, counts, check_every):
    source, digest = Orders(world, rng), None
    for _ in range(60):
        player = rng.randrange(world.config.players)
        command = (source.lawful(player) if rng.random() < 0.5 else None) or source.any()
        checked = rng.randrange(check_every) == 0
        if checked and digest is None:
            digest = world.digest()
        try:
            outcome = world.order(player, command)
            counts[command.name, outcome.result] += 1
            digest = None
        except (CommandRefused, ArgumentError) as error:
            assert str(error)
            counts[command.name, type(error).__name__] += 1
            if checked:
                world._cache.clear()
                assert world.digest() == digest, f"{command} of player {player} was refused but changed the world"
    if rng.random() < 0.25:
        world.advance()
