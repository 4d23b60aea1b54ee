# SPDX-License-Identifier: GPL-2.0-or-later
"""A Freeciv world behind deduction's interface; the unit of time is the turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from civworld.errors import RefusedError, UnknownNameError
from civworld.world import World
from civworld.world_agent.deduction.backend import WAIT
from civworld.world_agent.deduction.freeciv.actions import SUMS, Action
from civworld.world_agent.deduction.freeciv.fields import civilizations, kind_of, public_fields


class FreecivBackend:
    """A world at rest and the acting civilization's actions.

    Args:
        world: the world; the backend moves it.
        actor: number of the acting player.
        table: the actor's actions by name.
        start: the turn that counts as time 0; the world's present one when not given.
    """

    def __init__(self, world: World, actor: int, table: Mapping[str, Action], start: int | None = None) -> None:
        self.world = world
        self._actor, self._table = actor, table
        self._start = world.turn if start is None else start

    @property
    def time(self) -> int:
        """Turns since the start."""
        return self.world.turn - self._start

    def public_state(self) -> dict[str, Any]:
        """The chosen public fields of civilizations, cities and units."""
        return public_fields(self.world.state())

    def kind_of(self, path: str) -> str | None:
        """The kind of a field path; every field can be gone."""
        return kind_of(path)

    def advance(self, units: int) -> None:
        """Plays turns."""
        self.world.advance(units)

    def fork(self) -> FreecivBackend:
        """An exact copy, random state included."""
        return FreecivBackend(self.world.fork(), self._actor, self._table, self._start)

    def actions(self) -> Sequence[str]:
        """The table, `WAIT` first."""
        return [WAIT, *self._table]

    def legal_actions(self) -> Sequence[str]:
        """Those that a fork accepts now."""
        return [WAIT, *(name for name in self._table if self._accepts(name))]

    def _accepts(self, action: str) -> bool:
        with self.world.fork() as twin:
            try:
                self._table[action].carry_out(twin)
            except RefusedError:
                return False
        return True

    def apply(self, action: str) -> None:
        """Carries an action out."""
        if action == WAIT:
            return
        if action not in self._table:
            raise UnknownNameError("action", action, self.actions())
        self._table[action].carry_out(self.world)

    def mark(self) -> int:
        """A world keeps no log of rules, so any mark will do."""
        return 0

    def fired_since(self, mark: int) -> set[str]:
        """Empty: the engine's rules have no names."""
        return set()

    def outcome(self) -> float:
        """The actor's part of all gold that living civilizations hold; taxes, purchases and treaties move it."""
        civs = civilizations(self.world.state())
        living = civs[civs["is_alive"]]
        gold = int(living["gold"].sum())
        return float(living["gold"][living["id"] == self._actor].sum()) / gold if gold > 0 else 0.0

    def upkeep(self) -> Mapping[str, bool]:
        """The actor lives, has a small sum in reserve, and no city in disorder."""
        view = self.world.state()
        own = view.cities[view.cities["owner"] == self._actor]
        player = view.player(self._actor)
        return {
            "alive": bool(player["is_alive"]),
            "reserve": bool(player["gold"] >= SUMS["small"]),
            "order": not own["disorder"].any(),
        }
