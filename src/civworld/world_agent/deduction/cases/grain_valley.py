# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of The valley of the Ister in plain Python; see `civworld.world_agent.deduction.simulation`."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(11, "crown_due", "", {"n": 1}, 11)]


@every(17)
def seasons(w: Simulation) -> None:
    """Seasons follow each other."""
    w.sky.season = (w.sky.season + 1) % 4


@every(4)
def showers(w: Simulation) -> None:
    """The rain."""
    w.sky.rain = (w.sky.rain * 3 + w.sky.season + 2) % 7


@every(4)
def warming(w: Simulation) -> None:
    """The warmth."""
    w.sky.warmth = (2 * w.sky.warmth + 3 * w.sky.season + 1) % 11


@every(5)
def gusts(w: Simulation) -> None:
    """The wind."""
    w.sky.wind = (w.sky.warmth + 5 * w.sky.wind) % 8


@every(2)
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
        w.river.level = 6
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


@every(4)
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


@every(6)
def calm(w: Simulation) -> None:
    """The fed calm down."""
    for t in w.of("town"):
        if t.grain >= t.people and t.unrest > 0:
            stir(w, t, -1)


@every(8)
def births(w: Simulation) -> None:
    """Towns grow."""
    for t in w.of("town"):
        if t.grain - t.people > 5 and t.unrest < 4:
            t.people += 1


def riot(w: Simulation, t: Any) -> None:
    """A town riots."""
    if t.unrest >= 11:
        t.people = max(4, t.people - 2)
        w.steward.esteem -= 1
        t.unrest = 3


@every(9)
def tithe(w: Simulation) -> None:
    """Towns pay."""
    for t in w.of("town"):
        paid = min(max((t.people - t.unrest) // 4, 0), t.coin)
        w.steward.purse += paid
        t.coin -= paid


@every(5)
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


@every(7)
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


@every(4)
def growing(w: Simulation) -> None:
    """Crops grow."""
    for a in w.of("acre"):
        if not a.ripe:
            a.crop += 2 + w.sky.rain // 4 - (1 if w.sky.warmth < 4 else 0)
            ripening(w, a)


def ripening(w: Simulation, a: Any) -> None:
    """A high crop is ripe."""
    if a.crop >= 11:
        a.ripe = True


@every(6)
def reaping(w: Simulation) -> None:
    """Ripe acres are reaped."""
    for a in w.of("acre"):
        if a.ripe:
            bushels = max(a.crop + a.soil // 3 - a.weeds, 2)
            w[a.town].grain += bushels
            a.reaped += bushels
            a.soil, a.crop, a.ripe = max(a.soil - 4, 1), 0, False


@every(6)
def fallow(w: Simulation) -> None:
    """Soil recovers."""
    for a in w.of("acre"):
        if a.soil < 10:
            a.soil += 1


@every(5)
def sprouting(w: Simulation) -> None:
    """Weeds sprout."""
    for a in w.of("acre"):
        if w.sky.rain > 2 and a.soil // 2 > a.weeds:
            a.weeds += 2


@every(8)
def hoeing(w: Simulation) -> None:
    """Acres are hoed."""
    for a in w.of("acre"):
        if w[a.town].unrest < 5:
            a.weeds = max(a.weeds - 3, 0)


@every(5)
def frost(w: Simulation) -> None:
    """Frost bites."""
    for a in w.of("acre"):
        if w.sky.warmth < 3 and a.crop > 2:
            a.crop -= 2
            ripening(w, a)


@every(4)
def rot(w: Simulation) -> None:
    """Ripe crops rot."""
    for a in w.of("acre"):
        if a.ripe and w.sky.rain > 4:
            a.crop -= 1
            ripening(w, a)


@action
def manure(w: Simulation, actor: Any, acre: Any) -> None:
    """Better soil."""

    def spread_out(w: Simulation) -> None:
        acre.soil += 6

    w.need(actor.purse >= 3)
    actor.purse -= 3
    w.later(4, spread_out)


@action
def weed(w: Simulation, actor: Any, acre: Any) -> None:
    """Weeds are pulled."""
    w.need(actor.purse >= 2 and acre.weeds > 1)
    actor.purse -= 2
    acre.weeds = 0


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
