# SPDX-License-Identifier: GPL-2.0-or-later
"""The bay's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(13, "fair", "", {"n": 7}, 20)]


@every(2)
def contagion(w: Simulation) -> None:
    """The sick infect the healthy."""
    for t in w.of("town"):
        infected = min(t.healthy, t.sick * (1 if t.alarm else 2) // 3)
        if infected > 0:
            t.healthy -= infected
            t.sick += infected
            alarm(w, t)


def alarm(w: Simulation, t: Any) -> None:
    """A crowded town is alarmed."""
    if t.sick >= 12 and not t.alarm:
        t.alarm = True
        w.later(10, calm, t)


def calm(w: Simulation, t: Any) -> None:
    """The alarm passes."""
    t.alarm = False


@every(3, 1)
def recovery(w: Simulation) -> None:
    """Some recover."""
    for t in w.of("town"):
        if t.sick > 0:
            better = (t.sick + 3) // 4
            t.sick -= better
            t.immune += better
            alarm(w, t)


@every(9)
def waning(w: Simulation) -> None:
    """Immunity wears off."""
    for t in w.of("town"):
        lost = t.immune // 6
        if lost > 0:
            t.immune -= lost
            t.healthy += lost


@every(5)
def crossing(w: Simulation) -> None:
    """The ferry carries the fever."""
    if w.ferry.running and w.quay.sick > 4:
        w.quay.sick -= 2
        w.hill.sick += 1
        w.mill.sick += 1
        w.ferry.crossings += 1
        for t in (w.quay, w.hill, w.mill):
            alarm(w, t)


@every(2, 1)
def admission(w: Simulation) -> None:
    """The hospital takes a patient."""

    def discharge(w: Simulation, t: Any) -> None:
        w.hospital.beds += 1
        t.immune += 1

    crowded = [t for t in w.of("town") if t.sick > 8]
    if crowded and w.hospital.beds > 0:
        chosen, *_ = crowded
        w.hospital.beds -= 1
        chosen.sick -= 1
        w.later(7, discharge, chosen)
        alarm(w, chosen)


@every(4)
def gossip(w: Simulation) -> None:
    """Stories of alarmed towns."""
    alarmed = len([t for t in w.of("town") if t.alarm])
    if alarmed > 0:
        w.press.stories += alarmed
        w.council.trust = max(0, w.council.trust - 1)


@every(8)
def delivery(w: Simulation) -> None:
    """Doses arrive."""
    w.hospital.doses += 4


@action
def vaccinate(w: Simulation, actor: Any, town: Any) -> None:
    """Doses make people immune."""
    w.need(w.hospital.doses >= 3)
    treated = min(town.healthy, 9)
    w.hospital.doses -= 3
    town.healthy -= treated
    town.immune += treated


@action
def curfew(w: Simulation, actor: Any, town: Any) -> None:
    """Alarm by decree."""
    w.need(w.council.trust >= 2 and not town.alarm)
    w.council.trust -= 2
    town.alarm = True
    w.later(8, calm, town)


@action
def set_ferry(w: Simulation, actor: Any, on: bool) -> None:
    """Stops the ferry or lets it run."""
    w.need(w.ferry.running != on)
    w.ferry.running = on
    w.council.trust = max(0, w.council.trust - 1)


@action
def field_beds(w: Simulation, actor: Any) -> None:
    """More beds for doses."""

    def ready(w: Simulation) -> None:
        w.hospital.beds += 3

    w.need(w.hospital.doses >= 2)
    w.hospital.doses -= 2
    w.later(3, ready)


@action
def fair(w: Simulation, actor: Any, n: int) -> None:
    """People go to the fair."""
    moved = min(w.hill.healthy, n)
    w.hill.healthy -= moved
    w.quay.healthy += moved


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return 100 - 2 * sum(t.sick for t in w.of("town"))


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"trusted": w.council.trust > 3, "beds_free": w.hospital.beds > 0}
