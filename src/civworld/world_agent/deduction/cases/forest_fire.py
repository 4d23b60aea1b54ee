# SPDX-License-Identifier: GPL-2.0-or-later
"""The fire's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(29, "shower", "", {"n": 2}, 31)]


def set_heat(w: Simulation, s: Any, heat: int) -> None:
    """Sets the heat of a stand, which may ignite it when it changes."""
    changed = heat != s.heat
    s.heat = heat
    if changed:
        ignite(w, s)


def set_fuel(w: Simulation, s: Any, fuel: int) -> None:
    """Sets the fuel of a stand, which may put it out when it changes."""
    changed = fuel != s.fuel
    s.fuel = fuel
    if changed:
        burnt_out(w, s)


@every(1)
def burning(w: Simulation) -> None:
    """Burning stands."""
    for s in w.of("stand"):
        strength = max(1, 1 + w.weather.wind // 3 - s.wet // 3)
        if s.burning:
            s.heat = min(20, s.heat + strength - s.cut // 4)
            set_fuel(w, s, max(0, s.fuel - strength))


def burnt_out(w: Simulation, s: Any) -> None:
    """Nothing left to burn."""
    if s.fuel == 0:
        s.burning, s.heat = False, 0


@every(3)
def spread(w: Simulation) -> None:
    """Fire heats its neighbours."""
    for s in w.of("stand"):
        near = [o for o in w.of("stand") if o.burning and o.heat >= 6 and w.linked(o.at, s.at)]
        if not s.burning and len(near) > 0 and s.fuel > 0:
            heat = s.heat + len(near) * w.weather.wind // 2
            s.wet = max(0, s.wet - len(near))
            set_heat(w, s, heat)


def ignite(w: Simulation, s: Any) -> None:
    """A stand catches fire."""
    if not s.burning and s.fuel > 0 and s.heat > 4 + s.wet - w.weather.dry // 2:
        s.burning = True


@every(4)
def cool(w: Simulation) -> None:
    """Heat is lost."""
    for s in w.of("stand"):
        if not s.burning and s.heat > 0:
            set_heat(w, s, s.heat - 1)


@every(5)
def wind_shift(w: Simulation) -> None:
    """The wind's cycle."""
    before = w.weather.wind
    w.weather.wind = (before * 3 + 4) % 9
    if w.weather.wind != before:
        gust_note(w)


def gust_note(w: Simulation) -> None:
    """Strong wind dries."""
    if w.weather.wind >= 6:
        w.weather.gusts += 1
        w.weather.dry += 1


@every(2)
def volunteers(w: Simulation) -> None:
    """The crew works."""
    for s in w.of("stand"):
        if s.at == w.crew.at and not w.crew.resting:
            s.cut += 1
            set_fuel(w, s, max(0, s.fuel - 1))
            w.crew.tired += 1
            w.crew.work += 1
            rest(w)
            return


def rest(w: Simulation) -> None:
    """The crew rests."""

    def rested(w: Simulation) -> None:
        w.crew.resting, w.crew.tired = False, 0

    if w.crew.tired >= 7:
        w.crew.resting = True
        w.later(8, rested)


@every(6, 1)
def spotting(w: Simulation) -> None:
    """The plane counts."""
    w.plane.sightings += len([s for s in w.of("stand") if s.burning])
    w.plane.water = min(9, w.plane.water + 2)


@every(8)
def pay(w: Simulation) -> None:
    """The county pays."""
    if any(s.burning for s in w.of("stand")):
        w.chief.budget += 5


@action
def drop_water(w: Simulation, actor: Any, stand: Any) -> None:
    """Water from the plane."""

    def falls(w: Simulation) -> None:
        stand.wet += 4
        set_heat(w, stand, max(0, stand.heat - 5))

    w.need(w.plane.water >= 3 and actor.budget >= 2)
    w.plane.water -= 3
    actor.budget -= 2
    actor.drops += 1
    w.later(2, falls)


@action
def send_crew(w: Simulation, actor: Any, to: str) -> None:
    """The crew goes."""

    def arrive(w: Simulation) -> None:
        w.crew.at = to

    w.need(w.crew.at != to and actor.budget >= 1)
    actor.budget -= 1
    w.later(2 * w.dist(w.crew.at, to), arrive)


@action
def backfire(w: Simulation, actor: Any, stand: Any) -> None:
    """Fuel burnt off."""
    w.need(not stand.burning and stand.fuel > 8)
    stand.cut += 3
    set_fuel(w, stand, stand.fuel - 8)
    set_heat(w, stand, stand.heat + 2)


@action
def shower(w: Simulation, actor: Any, n: int) -> None:
    """Rain."""
    w.ridgewood.wet += n
    w.benchwood.wet += n
    w.weather.dry = max(0, w.weather.dry - 2)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return 100 * sum(s.fuel for s in w.of("stand")) // 290


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"village_safe": not w.villagewood.burning, "crew_fit": w.crew.tired < 7, "funded": w.chief.budget > 4}
