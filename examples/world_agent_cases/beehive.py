# SPDX-License-Identifier: GPL-2.0-or-later
"""The hive's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = []


@every(3)
def season(w: Simulation) -> None:
    """The bloom's rhythm."""
    w.trees.bloom = (w.trees.bloom * 2 + 1) % 7


@every(2)
def forage(w: Simulation) -> None:
    """Honey comes in."""
    w.hive.honey += w.hive.bees * w.trees.bloom // 20


@every(2, 1)
def feed(w: Simulation) -> None:
    """The brood eats."""
    eaten = min(w.hive.honey, w.hive.brood)
    w.hive.honey -= eaten
    w.hive.brood = eaten


@every(4)
def hatch(w: Simulation) -> None:
    """Brood becomes bees."""
    before = w.hive.bees
    w.hive.bees += w.hive.brood
    w.hive.brood = w.hive.bees // 6 + 1
    if w.hive.bees != before:
        swarm(w)


def swarm(w: Simulation) -> None:
    """A full hive swarms, as often as it is still full."""
    while w.hive.bees > 34:
        w.hive.swarms += 1
        w.hive.bees -= 12


@action
def harvest(w: Simulation, actor: Any) -> None:
    """Honey into jars."""
    w.need(w.hive.honey >= 6)
    w.hive.honey -= 6
    actor.jars += 2


@action
def sweeten(w: Simulation, actor: Any) -> None:
    """Sugar becomes honey."""

    def stored(w: Simulation) -> None:
        w.hive.honey += 4

    w.need(actor.sugar > 0)
    actor.sugar -= 1
    w.later(2, stored)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return w.keeper.jars * 5


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"fed": w.hive.honey > 2, "strong": w.hive.bees > 15}
