# SPDX-License-Identifier: GPL-2.0-or-later
"""The court's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(11, "sermon", "clergy", {}, 18)]
SUCCESSION = {"nobles": "clergy", "clergy": "guilds", "guilds": "nobles"}


def change_loyalty(w: Simulation, f: Any, change: int) -> None:
    """Changes a faction's loyalty, which may start a conspiracy."""
    f.loyalty += change
    if change:
        conspire(w, f)


@every(2)
def eat(w: Simulation) -> None:
    """Bread is eaten."""
    w.city.bread = max(0, w.city.bread - 2 - w.city.unrest // 5)


@every(3)
def hunger(w: Simulation) -> None:
    """Hunger makes restless."""
    w.city.unrest = max(0, w.city.unrest + (3 if w.city.bread < 8 else -1))


@every(7, 2)
def harvest(w: Simulation) -> None:
    """Carts come."""
    w.city.bread += 4


@every(6)
def taxes(w: Simulation) -> None:
    """Taxes come in."""
    paid = max(0, 8 - w.city.unrest // 2)
    w.regent.gold += paid
    w.city.taxed += paid


@every(4)
def drift(w: Simulation) -> None:
    """Loyalty follows legitimacy."""
    for f in w.of("faction"):
        change_loyalty(w, f, min(max(w.regent.legitimacy // 4 - f.loyalty, -1), 1))


@every(5)
def bribe(w: Simulation) -> None:
    """The duke bribes."""
    f = w.guilds if w.guilds.loyalty < w.clergy.loyalty else w.clergy
    if w.nobles.power > 6:
        w.nobles.power -= 1
        change_loyalty(w, f, -2)
        f.bribed += 1


@every(6, 3)
def growth(w: Simulation) -> None:
    """Favour and power."""
    for f in w.of("faction"):
        f.power += 2 if f.loyalty < 7 else 0
        w.regent.favour += 1 if f.loyalty > 9 else 0


def conspire(w: Simulation, f: Any) -> None:
    """A faction starts to plot."""

    def stop(w: Simulation) -> None:
        f.plotting = False

    if f.loyalty <= 6 and not f.plotting:
        f.plotting = True
        w.later(11, stop)


@every(2, 1)
def plotting(w: Simulation) -> None:
    """The plot advances."""
    force = sum(f.power for f in w.of("faction") if f.plotting)
    if force > 0:
        w.plot.progress += force // 4 + 1
        strike(w)


def strike(w: Simulation) -> None:
    """A ripe plot."""
    if w.plot.progress >= 30:
        w.regent.legitimacy = max(0, w.regent.legitimacy - (4 if w.plot.known else 9))
        w.plot.progress, w.plot.known = 0, False
        w.plot.struck += 1


@every(5, 4)
def gossip(w: Simulation) -> None:
    """The spymaster learns."""
    f = w[w.spymaster.target]
    w.spymaster.secrets += 1 + f.bribed // 2
    w.spymaster.target = SUCCESSION[f.id]
    reveal(w)


def reveal(w: Simulation) -> None:
    """A plot becomes known."""
    if w.spymaster.secrets >= 5 and not w.plot.known:
        w.plot.known = True
        w.spymaster.secrets -= 5


@every(4, 2)
def riot(w: Simulation) -> None:
    """A restless city."""
    if w.city.unrest > 4:
        w.regent.legitimacy = max(0, w.regent.legitimacy - 2)
        w.city.unrest -= 3


@action
def gift(w: Simulation, actor: Any, faction: Any) -> None:
    """Gold for loyalty."""
    w.need(actor.gold >= 7)
    actor.gold -= 7
    change_loyalty(w, faction, 3)


@action
def buy_bread(w: Simulation, actor: Any) -> None:
    """Bread for gold."""

    def arrive(w: Simulation) -> None:
        w.city.bread += 12

    w.need(actor.gold >= 6)
    actor.gold -= 6
    w.later(3, arrive)


@action
def arrest(w: Simulation, actor: Any, faction: Any) -> None:
    """Breaks a plot."""
    w.need(actor.favour >= 3 and faction.plotting)
    actor.favour -= 3
    faction.plotting = False
    faction.power = max(1, faction.power - 3)
    change_loyalty(w, faction, -1)


@action
def ceremony(w: Simulation, actor: Any) -> None:
    """Legitimacy after preparations."""

    def held(w: Simulation) -> None:
        w.regent.legitimacy += 7

    w.need(actor.gold >= 9 and actor.favour >= 2)
    actor.gold -= 9
    actor.favour -= 2
    w.later(5, held)


@action
def sermon(w: Simulation, actor: Any) -> None:
    """The bishop preaches."""
    w.regent.legitimacy += 3 if actor.loyalty > 8 else -4
    w.city.unrest = max(0, w.city.unrest - 2)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return w.regent.legitimacy * 2


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {
        "quiet": w.city.unrest <= 8,
        "fed": w.city.bread > 3,
        "no_plot": not any(f.plotting for f in w.of("faction")),
    }
