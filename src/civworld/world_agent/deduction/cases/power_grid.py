# SPDX-License-Identifier: GPL-2.0-or-later
"""The island grid's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [
    (10, "service", "", {"cut": 14}, 24),
    (20, "coal_ship", "", {"tons": 80}, 25),
]


def clamped(value: int, low: int, high: int) -> int:
    """The nearest value in a range."""
    return min(max(value, low), high)


@every(1)
def hour_hand(w: Simulation) -> None:
    """The hour moves on."""
    w.clock.hour = (w.clock.hour + 1) % 24


@every(3)
def demand(w: Simulation) -> None:
    """Demand by the hour."""
    set_load(w, 64 - 3 * abs(w.clock.hour - 13) + 2 * (w.clock.hour % 5))


def set_load(w: Simulation, load: int) -> None:
    """Sets the load, which dispatches the plant when it changes."""
    changed = load != w.town.load
    w.town.load = load
    if changed:
        dispatch(w)


@every(4)
def wind(w: Simulation) -> None:
    """The wind changes."""
    before = w.farm.output
    w.farm.output = (before * 5 + 17) % 31
    if w.farm.output != before:
        gust(w)


def gust(w: Simulation) -> None:
    """Strong wind cools the cable."""
    if w.farm.output > 22:
        w.farm.gusts += 1
        set_heat(w, max(0, w.cable.heat - 1))


def set_heat(w: Simulation, heat: int) -> None:
    """Sets the heat, which may trip the cable when it changes."""
    changed = heat != w.cable.heat
    w.cable.heat = heat
    if changed:
        trip(w)


def dispatch(w: Simulation) -> None:
    """Demand sets the target."""
    if w.cable.closed:
        w.plant.target = clamped(w.town.load - w.farm.output, 10, 48)


@every(1)
def ramp(w: Simulation) -> None:
    """The plant follows its target."""
    w.plant.output += clamped(w.plant.target - w.plant.output, -4, 3)
    w.plant.coal = max(0, w.plant.coal - w.plant.output // 12)


@every(2)
def store_power(w: Simulation) -> None:
    """The battery balances."""
    spare = w.plant.output + w.farm.output - w.town.load
    w.battery.charge = clamped(w.battery.charge + spare // 2, 0, 60)


@every(2, 1)
def shortage(w: Simulation) -> None:
    """Darkness heats the cable."""
    gap = w.town.load - w.plant.output - w.farm.output - w.battery.charge // 4
    if gap > 0:
        w.town.dark += gap
        set_heat(w, w.cable.heat + 3)


def trip(w: Simulation) -> None:
    """A hot cable opens."""

    def close(w: Simulation) -> None:
        w.cable.closed = True
        set_heat(w, 0)

    if w.cable.heat >= 10 and w.cable.closed:
        w.cable.closed = False
        w.plant.target = 10
        w.later(6, close)


@every(5)
def cooling(w: Simulation) -> None:
    """The cable loses heat."""
    if w.cable.heat > 0:
        set_heat(w, w.cable.heat - 1)


@every(6)
def billing(w: Simulation) -> None:
    """Payments and claims."""
    w.control.money += w.town.load // 10 - w.town.dark // 40


@action
def raise_target(w: Simulation, actor: Any) -> None:
    """More power."""
    w.need(w.cable.closed and w.plant.target < 50)
    w.plant.target = min(50, w.plant.target + 12)


@action
def shed(w: Simulation, actor: Any) -> None:
    """A district off for a while."""

    def back(w: Simulation, load: int) -> None:
        set_load(w, w.town.load + load)

    w.need(w.town.load > 30)
    w.town.dark += 5
    set_load(w, w.town.load - 14)
    w.later(5, back, 14)


@action
def buy_charge(w: Simulation, actor: Any) -> None:
    """Charge for money."""
    w.need(w.control.money >= 4 and w.battery.charge < 60)
    w.control.money -= 4
    w.battery.charge = min(60, w.battery.charge + 15)


@action
def cool_cable(w: Simulation, actor: Any) -> None:
    """Coolant on the cable."""
    w.need(w.control.reserve > 0 and w.cable.heat > 0)
    w.control.reserve -= 1
    set_heat(w, max(0, w.cable.heat - 5))


@action
def service(w: Simulation, actor: Any, cut: int) -> None:
    """The crew lowers the target."""
    w.plant.target = max(5, w.plant.target - cut)


@action
def coal_ship(w: Simulation, actor: Any, tons: int) -> None:
    """Coal arrives."""
    w.plant.coal += tons
    w.control.money = max(0, w.control.money - 6)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return 100 - w.town.dark // 6


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"cable_closed": w.cable.closed, "solvent": w.control.money > 4, "charged": w.battery.charge > 5}
