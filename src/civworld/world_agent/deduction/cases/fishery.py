# SPDX-License-Identifier: GPL-2.0-or-later
"""The fishery's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from decimal import Decimal as D
from math import floor
from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(17, "storm", "", {}, 23)]


@every(5, 1)
def seal_move(w: Simulation) -> None:
    """Seals follow the fish."""
    moved = 1 if w.bay.fish > w.bank.fish * D("0.5") else -1
    if w.bay.seals + moved >= 0 and w.bank.seals - moved >= 0:
        w.bay.seals += moved
        w.bank.seals -= moved


@every(3)
def swing(w: Simulation) -> None:
    """The tide's phases."""
    w.sea.phase = (w.sea.phase + 1) % 4
    drift(w)


def tenth(w: Simulation, value: Any) -> D:
    """A value with one place."""
    return w.fix(value, 1)


def set_fish(w: Simulation, place: Any, fish: Any) -> None:
    """Sets the fish of a water."""
    place.fish = tenth(w, fish)


def drift(w: Simulation) -> None:
    """Fish follow the tide."""
    if w.sea.phase == 1:
        moved = w.bank.fish * D("0.1")
    elif w.sea.phase == 3:
        moved = w.bay.fish * -D("0.2")
    else:
        moved = D("0")
    set_fish(w, w.bay, w.bay.fish + moved)
    set_fish(w, w.bank, w.bank.fish - moved)


@every(4)
def spawning(w: Simulation) -> None:
    """Growth."""
    for p in w.of("water"):
        set_fish(w, p, p.fish + p.fish * D("0.08") - p.fish * p.fish * D("0.0004"))


@every(2, 1)
def hunting(w: Simulation) -> None:
    """Seals eat."""
    for p in w.of("water"):
        set_fish(w, p, max(0, p.fish - p.seals * D("0.3")))


@every(2)
def sail_out(w: Simulation) -> None:
    """Boats go out."""
    for b in w.of("boat"):
        if not b.at_sea and not w.sea.rough and w.coop.quota > 0:
            b.at_sea = True
            w.coop.quota -= 1
            w.later(5, come_in, b, 1)


def come_in(w: Simulation, b: Any, trips: int) -> None:
    """A boat comes in."""
    b.at_sea = False
    b.trips += trips
    landing(w, b)


@every(2)
def haul(w: Simulation) -> None:
    """Boats at sea catch."""
    for b in w.of("boat"):
        if b.at_sea:
            caught = w.bay.fish * b.nets * D("0.01")
            set_fish(w, w.bay, w.bay.fish - caught)
            b.hold = tenth(w, b.hold + caught)


def landing(w: Simulation, b: Any) -> None:
    """The catch is landed."""
    w.market.stock += b.hold
    b.hold = D("0")


@every(3, 2)
def sale(w: Simulation) -> None:
    """The market sells."""
    sold = min(w.market.stock, 6)
    if w.market.stock > 0:
        w.market.stock -= sold
        earn(w, sold * w.market.price)


def earn(w: Simulation, amount: Any) -> None:
    """Money comes or goes."""
    w.coop.money = tenth(w, w.coop.money + amount)


@every(6)
def pricing(w: Simulation) -> None:
    """The price moves."""
    set_price(w, max(D("0.5"), w.market.price + D("0.25") - w.market.stock * D("0.02")))


def set_price(w: Simulation, price: Any) -> None:
    """The price has two places."""
    w.market.price = w.fix(price, 2)


@every(8)
def upkeep_cost(w: Simulation) -> None:
    """Nets cost money."""
    earn(w, -(w.gull.nets + w.skarv.nets) * D("0.5"))


@action
def salt_down(w: Simulation, actor: Any) -> None:
    """Fish off the market."""
    w.need(w.coop.salt > 0 and w.market.stock >= 4)
    w.coop.salt -= 1
    w.market.stock -= 4
    w.market.salted += 4


@action
def buy_quota(w: Simulation, actor: Any) -> None:
    """Further trips."""
    w.need(w.coop.money >= 12)
    earn(w, -12)
    w.coop.quota += 5


@action
def change_nets(w: Simulation, actor: Any, boat: Any, n: int) -> None:
    """More or fewer nets."""
    w.need(boat.nets + n > 0)
    boat.nets += n
    earn(w, -2)


@action
def scare_seals(w: Simulation, actor: Any) -> None:
    """Seals leave the bay."""

    def driven(w: Simulation) -> None:
        w.bay.seals -= min(2, w.bay.seals)
        w.bank.seals += 2

    w.need(w.bay.seals >= 2)
    earn(w, -D("3.5"))
    w.later(2, driven)


@action
def storm(w: Simulation, actor: Any) -> None:
    """Rough sea for a while."""

    def calm(w: Simulation) -> None:
        w.sea.rough = False

    w.sea.rough = True
    w.later(7, calm)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return floor(w.coop.money / 5)


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"bay_alive": w.bay.fish > 25, "bank_alive": w.bank.fish > 60, "solvent": w.coop.money > 0}
