# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of The pits of Harrow Edge in plain Python; see `civworld.world_agent.deduction.simulation`."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(14, "crown_due", "", {"n": 3}, 14)]


@every(15)
def seasons(w: Simulation) -> None:
    """Seasons follow each other."""
    w.sky.season = (w.sky.season + 1) % 4


@every(2)
def showers(w: Simulation) -> None:
    """The rain."""
    w.sky.rain = (w.sky.rain * 3 + w.sky.season + 2) % 7


@every(3)
def warming(w: Simulation) -> None:
    """The warmth."""
    w.sky.warmth = (2 * w.sky.warmth + 3 * w.sky.season + 1) % 11


@every(3)
def gusts(w: Simulation) -> None:
    """The wind."""
    w.sky.wind = (w.sky.warmth + 5 * w.sky.wind) % 8


@every(3)
def rising(w: Simulation) -> None:
    """The river."""
    before = w.river.level
    w.river.level = min(max(w.river.level + w.sky.rain - 2, 0), 20)
    if w.river.level != before:
        burst(w)


def burst(w: Simulation) -> None:
    """A flood."""
    if w.river.level > 12:
        w.river.floods += 1
        w.river.level = 5
        drown(w)


def drown(w: Simulation) -> None:
    """What a flood does; riots come when all towns have drowned."""
    wet = [t for t in w.of("town") if t.bank]
    for t in wet:
        t.grain = max(t.grain - 5, 0)
        t.unrest += 1
    for t in wet:
        riot(w, t)


def stir(w: Simulation, t: Any, change: int) -> None:
    """Changes a town's unrest, which may become a riot."""
    t.unrest += change
    riot(w, t)


@every(3)
def eat(w: Simulation) -> None:
    """Grain is eaten."""
    for t in w.of("town"):
        t.grain = max(t.grain - (1 + t.people // 4), 0)


@every(6)
def hunger(w: Simulation) -> None:
    """Hunger makes restless."""
    for t in w.of("town"):
        if t.people > t.grain:
            stir(w, t, 2)


@every(5)
def calm(w: Simulation) -> None:
    """The fed calm down."""
    for t in w.of("town"):
        if t.grain >= t.people and t.unrest > 0:
            stir(w, t, -1)


@every(9)
def births(w: Simulation) -> None:
    """Towns grow."""
    for t in w.of("town"):
        if t.grain - t.people > 5 and t.unrest < 4:
            t.people += 1


def riot(w: Simulation, t: Any) -> None:
    """A town riots."""
    if t.unrest >= 8:
        t.people = max(4, t.people - 2)
        w.steward.esteem -= 1
        t.unrest = 3


@every(10)
def tithe(w: Simulation) -> None:
    """Towns pay."""
    for t in w.of("town"):
        paid = min(max((t.people - t.unrest) // 4, 0), t.coin)
        w.steward.purse += paid
        t.coin -= paid


@every(4)
def pricing(w: Simulation) -> None:
    """Scarcity makes dear."""
    for t in w.of("town"):
        step = 1 if t.people + t.people // 2 > t.grain else -1
        t.price = min(max(t.price + step, 1), 9)


@every(4)
def earning(w: Simulation) -> None:
    """Coin is earned."""
    for t in w.of("town"):
        t.coin += t.people // t.price


@every(6)
def renown(w: Simulation) -> None:
    """The steward's esteem."""
    restless = [t for t in w.of("town") if t.unrest > 4]
    w.steward.esteem = min(max(w.steward.esteem + 2 - len(restless), 0), 60)


@action
def dole(w: Simulation, actor: Any, town: Any) -> None:
    """Grain for a town."""

    def arrives(w: Simulation) -> None:
        town.grain += 12

    w.need(actor.purse >= town.price)
    actor.purse -= town.price
    w.later(3, arrives)


@action
def feast(w: Simulation, actor: Any, town: Any) -> None:
    """A feast."""
    w.need(actor.purse >= 6 and town.unrest > 2)
    actor.purse -= 6
    actor.esteem += 1
    stir(w, town, -2)


@action
def levy(w: Simulation, actor: Any, town: Any) -> None:
    """Coin from a town."""
    w.need(town.coin >= 3)
    town.coin -= 3
    actor.purse += 3
    stir(w, town, 2)


@action
def crown_due(w: Simulation, actor: Any, n: int) -> None:
    """The crown's due."""
    w.steward.debts += 1 if w.steward.purse < 6 else 0
    w.steward.purse = min(n, w.steward.purse)


def shore(w: Simulation, p: Any, change: int) -> None:
    """Changes a pit's props, without which it caves in."""
    p.props += change
    cave_in(w, p)


@every(3)
def seeping(w: Simulation) -> None:
    """Water seeps in."""
    for p in w.of("pit"):
        p.water += w.river.level // 6 + 1


@every(5)
def pumping(w: Simulation) -> None:
    """Pits are pumped."""
    for p in w.of("pit"):
        t = w[p.town]
        if t.coin >= 2 and p.water > 4:
            t.coin -= 2
            p.water = max(p.water - 6, 0)


@every(4)
def digging(w: Simulation) -> None:
    """Pits are dug."""
    for p in w.of("pit"):
        if not p.shut and p.water < 9:
            p.ore += p.depth % 3 + 2
            p.depth += 1
            shore(w, p, -1)


def cave_in(w: Simulation, p: Any) -> None:
    """A pit caves in."""

    def opened(w: Simulation) -> None:
        p.shut, p.props = False, 7

    if not p.shut and p.props < 3:
        p.shut = True
        p.caved += 1
        p.ore //= 2
        w.later(6, opened)


@every(6)
def bracing(w: Simulation) -> None:
    """Props are set."""
    for p in w.of("pit"):
        t = w[p.town]
        if t.coin > 6 and p.props < 6:
            t.coin -= 3
            shore(w, p, 2)


@every(6)
def hauling(w: Simulation) -> None:
    """Ore is hauled."""
    for p in w.of("pit"):
        t, load = w[p.town], min(p.ore, 4)
        if p.ore >= 2:
            p.ore -= load
            t.ore += load
            t.coin += load // 2


@every(8)
def fumes(w: Simulation) -> None:
    """Fumes frighten."""
    for p in w.of("pit"):
        if w.sky.wind < 3 and p.depth > 12:
            stir(w, w[p.town], 1)


@every(6)
def thinning(w: Simulation) -> None:
    """The vein thins."""
    for p in w.of("pit"):
        if p.depth % 4 == 0:
            p.ore = max(p.ore - 3, 0)


@action
def drain(w: Simulation, actor: Any, pit: Any) -> None:
    """An adit."""

    def dug(w: Simulation) -> None:
        pit.water = max(pit.water - 9, 0)

    w.need(actor.purse >= 5)
    actor.purse -= 5
    w.later(2, dug)


@action
def prop_up(w: Simulation, actor: Any, pit: Any) -> None:
    """Props."""
    w.need(actor.purse >= 4 and not pit.shut)
    actor.purse -= 4
    shore(w, pit, 3)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return min(w.steward.purse // 2, 40) + w.steward.esteem - w.steward.debts


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {
        "fed": not any(t.grain < 3 for t in w.of("town")),
        "quiet": len([t for t in w.of("town") if t.unrest > 5]) <= 1,
        "solvent": w.steward.purse > 4,
    }
