# SPDX-License-Identifier: GPL-2.0-or-later
"""Random lives of worlds: whatever an experimenter or agent may do to them, in any order."""

import contextlib
import random

import civworld
from civworld import commands as c
from civworld import edits
from civworld.errors import RefusedError
from civworld.plan import Plan
from order_storm import Orders, lua

REFUSED = (RefusedError, civworld.ArgumentError)
EDITS = ("add_gold", "set_trait", "city_size", "transfer_city", "create_unit", "set_diplomacy", "kill_player")


class Life:
    """One world, driven by a random generator.

    Args:
        seed: fixes everything.
        civil_wars: whether scripts start civil wars, which recipes do not know of.
    """

    def __init__(self, seed: int, *, civil_wars: bool = False) -> None:
        self.rng = random.Random(seed)
        players, size = (self.rng.randrange(3, 6), 2) if seed % 10 == 0 else (self.rng.randrange(2, 5), 1)
        self.world = civworld.World(civworld.WorldConfig(seed=seed, players=players, map_size=size))
        self.acts = [self.take_over, self.journeys, self.journeys, self.rally, self.orders, self.release, self.release,
                     self.transfer, self.transfer, self.edit, self.plan, self.fork, self.restore]  # fmt: skip
        self.acts += [self.civil_war] if civil_wars else []
        self.kept = [self.world.checkpoint()]

    def run(self, last_turn: int) -> dict[str, object]:
        """Live up to a turn; the recipe of the world as it is then."""
        self.world.advance(self.rng.randrange(15, 30))
        while self.world.turn < last_turn:
            for _ in range(self.rng.randrange(1, 5)):
                with contextlib.suppress(*REFUSED):
                    self.rng.choice(self.acts)()
            self.world.advance(min(self.rng.randrange(1, 6), last_turn - self.world.turn))
        made = civworld.recipe(self.world)
        self.world.close()
        return made

    def pick(self, human: bool) -> int:
        """A living civilization that is taken over or not."""
        view = self.world.state()
        alive = view.players["id"][view.players["is_alive"] & ~view.players["is_barbarian"]].tolist()
        found = [p for p in alive if self.world.taken_over(p) == human]
        if not found:
            raise civworld.ArgumentError("nobody")
        return int(self.rng.choice(found))

    def take_over(self) -> None:
        self.world.take_over(self.pick(human=False))

    def release(self) -> None:
        self.world.release(self.pick(human=True))

    def journeys(self) -> None:
        player = self.pick(human=True)
        view = self.world.state()
        mine = view.units["id"][view.units["owner"] == player].tolist()
        for unit in self.rng.sample(mine, min(len(mine), 8)):
            tile = self.rng.randrange(len(view.tiles))
            kind = self.rng.choice((c.Goto, c.Goto, c.Patrol, lambda u, _: c.Explore(u), lambda u, _: c.AutoWorker(u)))
            with contextlib.suppress(*REFUSED):
                self.world.order(player, kind(unit, tile))

    def rally(self) -> None:
        player = self.pick(human=True)
        view = self.world.state()
        for city in view.cities[view.cities["owner"] == player][:4]:
            tile = int(self.rng.choice(view.cities["tile"].tolist()))
            with contextlib.suppress(*REFUSED):
                self.world.order(player, c.Rally(int(city["id"]), tile, persistent=True, unit_type="Warriors"))

    def orders(self) -> None:
        player = self.pick(human=True)
        if player >= self.world.config.players:
            return  # rebels of a civil war, whom the source of orders does not know
        source = Orders(self.world, self.rng)
        for _ in range(10):
            command = source.lawful(player) if self.rng.random() < 0.7 else source.any()
            if command is not None:
                with contextlib.suppress(*REFUSED):
                    self.world.order(player, command)

    def transfer(self) -> None:
        view = self.world.state()
        self.world.apply(edits.TransferCity(int(self.rng.choice(view.cities["id"].tolist())), self.pick(human=False)))

    def edit(self) -> None:
        view, player = self.world.state(), self.pick(human=self.rng.random() < 0.5)
        city = int(self.rng.choice(view.cities["id"].tolist()))
        self.world.apply(
            {
                "add_gold": lambda: edits.AddGold(player, 50),
                "set_trait": lambda: edits.SetTrait(player, "aggressive", self.rng.randrange(1, 250)),
                "city_size": lambda: edits.CitySize(city, self.rng.randrange(1, 9)),
                "transfer_city": lambda: edits.TransferCity(city, player),
                "create_unit": lambda: edits.CreateUnit(player, "Horsemen", int(view.cities["tile"][0])),
                "set_diplomacy": lambda: edits.SetDiplomacy(
                    player, self.pick(human=False), self.rng.choice(("War", "Peace", "Alliance"))
                ),
                "kill_player": lambda: edits.KillPlayer(player if self.rng.random() < 0.1 else -1),
            }[self.rng.choice(EDITS)]()
        )

    def plan(self) -> None:
        self.world.set_plan(self.pick(human=False), Plan(turns=9, garrison=2, purchases=("Warriors", "Settlers")))

    def fork(self) -> None:
        parent, self.world = self.world, self.world.fork()
        parent.close()

    def restore(self) -> None:
        self.kept.append(self.world.checkpoint())
        earlier = self.rng.choice(self.kept[-2:])
        if self.world.turn - earlier.turn < 10:
            self.world.restore(earlier)

    def civil_war(self) -> None:
        lua(self.world, f"edit.civil_war(find.player({self.pick(human=self.rng.random() < 0.7)}), 100)")
