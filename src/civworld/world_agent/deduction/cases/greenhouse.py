# SPDX-License-Identifier: GPL-2.0-or-later
"""The glasshouse's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from decimal import Decimal as D
from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(16, "market_day", "", {}, 16)]


def tenth(w: Simulation, value: Any) -> D:
    """A value with one place."""
    return w.fix(value, 1)


def set_warmth(w: Simulation, warmth: Any) -> None:
    """Sets the warmth, which may move the vent when it changes."""
    before, w.house.warmth = w.house.warmth, tenth(w, warmth)
    if w.house.warmth != before:
        vent_opens(w)
        vent_shuts(w)


def set_level(w: Simulation, level: int) -> None:
    """Sets the tank's level, which may start the pump."""
    w.tank.level = level
    pump_on(w)


@every(1)
def clock(w: Simulation) -> None:
    """The sun's course."""
    w.sky.hour = (w.sky.hour + 1) % 24
    w.sky.sun = max(0, 6 - abs(w.sky.hour - 12))


@every(1)
def warming(w: Simulation) -> None:
    """Warmth comes and goes."""
    loss = (w.house.warmth - 8) * (D("0.2") if w.house.vent else D("0.1"))
    set_warmth(w, w.house.warmth + w.sky.sun * D("0.7") - loss)


def vent_opens(w: Simulation) -> None:
    """In the heat."""
    if w.house.warmth > D("24.5") and not w.house.vent:
        w.house.vent = True


def vent_shuts(w: Simulation) -> None:
    """In the cool."""
    if w.house.warmth < D("17.5") and w.house.vent:
        w.house.vent = False


@every(2)
def drink(w: Simulation) -> None:
    """Plants drink."""
    for b in w.of("bed"):
        drunk = min(b.water, int(w.house.warmth) // 8)
        if drunk > 0:
            b.water -= drunk
            w.house.humid = min(95, w.house.humid + drunk)


@every(3)
def growth(w: Simulation) -> None:
    """Growing and withering."""
    for b in w.of("bed"):
        gain = (w.house.warmth - 9) * D("0.06") if b.water > 2 else -D("0.9")
        b.leaf = tenth(w, max(0, b.leaf + gain - b.aphids * D("0.03")))


@every(4)
def breeding(w: Simulation) -> None:
    """Aphids breed."""
    for b in w.of("bed"):
        born = b.aphids // 2 + int(b.leaf) // 8 - 2 * b.ladybirds
        b.aphids = min(max(b.aphids + born, 0), 60)


@every(5)
def ladybird_flight(w: Simulation) -> None:
    """A ladybird flies over."""
    if w.vines.aphids > w.cress.aphids and w.cress.ladybirds > 0:
        w.cress.ladybirds -= 1
        w.vines.ladybirds += 1


@every(6, 4)
def ripening(w: Simulation) -> None:
    """Something to sell."""
    for b in w.of("bed"):
        if b.leaf >= 10:
            b.ripe += 1
            b.leaf -= D("1.5")


@every(2, 1)
def airing(w: Simulation) -> None:
    """The vent dries the air."""
    if w.house.vent:
        w.house.humid = max(35, w.house.humid - 6)


def pump_on(w: Simulation) -> None:
    """The pump fills the tank."""

    def filled(w: Simulation) -> None:
        w.tank.pumping = False
        set_level(w, w.tank.level + 25)

    if w.tank.level < 12 and not w.tank.pumping:
        w.tank.pumping = True
        w.later(4, filled)


@action
def water_bed(w: Simulation, actor: Any, bed: Any) -> None:
    """Water for a bed."""
    w.need(w.tank.level >= 8)
    bed.water += 8
    set_level(w, w.tank.level - 8)


@action
def release(w: Simulation, actor: Any, bed: Any) -> None:
    """Ladybirds for a bed."""

    def arrive(w: Simulation) -> None:
        bed.ladybirds += 2

    w.need(actor.money >= 5)
    actor.money -= 5
    w.later(2, arrive)


@action
def pick(w: Simulation, actor: Any, bed: Any) -> None:
    """What is ripe."""
    w.need(bed.ripe > 0)
    actor.basket += bed.ripe
    bed.ripe = 0


@action
def shade(w: Simulation, actor: Any) -> None:
    """Whitewash."""
    w.need(w.house.warmth > 12)
    set_warmth(w, w.house.warmth - D("3.5"))


@action
def market_day(w: Simulation, actor: Any) -> None:
    """The dealer pays."""
    w.gardener.money += w.gardener.basket * 4
    w.gardener.basket = 0


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return w.gardener.money * 2 + w.gardener.basket * 5


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"vines_watered": w.vines.water > 2, "cress_watered": w.cress.water > 2, "few_aphids": w.vines.aphids < 20}
