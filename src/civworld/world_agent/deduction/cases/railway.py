# SPDX-License-Identifier: GPL-2.0-or-later
"""The junction's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [
    (9, "occupy", "gang", {}, 26),
    (15, "school_trip", "", {"n": 14}, 21),
]


@every(1)
def set_off(w: Simulation) -> None:
    """Trains go when the next place is free."""
    for t in w.of("train"):
        if t.moving or t.held or t.at == t.dest:
            continue
        ahead = w.next_hop(t.at, t.dest)
        blocked = [o for o in w.of("train") if o.at == ahead and o.dest == t.dest and not o.moving]
        if not blocked:
            t.moving = True
            w.later(w.dist(t.at, ahead) + (2 if w.gang.at_work else 0), come_in, t, ahead)


def come_in(w: Simulation, t: Any, place: str) -> None:
    """A train comes in; what that triggers runs in the order of the rules."""
    t.moving, t.at = False, place
    trips = t.trips
    turn_round(w, t)
    board(w, t)
    if t.trips != trips:
        alight(w, t)


def turn_round(w: Simulation, t: Any) -> None:
    """The opposite destination."""
    if t.at == t.dest:
        t.trips += 1
        t.dest = t.home if t.dest == t.far else t.far


def board(w: Simulation, t: Any) -> None:
    """Passengers board."""
    for s in w.of("station"):
        if s.place == t.at and t.home != "quarry":
            t.riders += min(s.waiting, 25 - min(25, t.riders))
            s.waiting = max(0, s.waiting - 12)
            return


def alight(w: Simulation, t: Any) -> None:
    """Passengers leave."""
    if t.riders > 0:
        w.depot.served += t.riders
        t.riders = 0


@every(3)
def gather(w: Simulation) -> None:
    """Passengers gather."""
    for s in w.of("station"):
        s.waiting += 2 + s.waiting // 9


@every(2, 1)
def delay(w: Simulation) -> None:
    """Standing trains get later."""
    for t in w.of("train"):
        if not t.moving and t.at != t.dest:
            t.late += 1


@every(6)
def complaint(w: Simulation) -> None:
    """The public is angry."""
    late = len([t for t in w.of("train") if t.late > 4])
    crowded = len([s for s in w.of("station") if s.waiting > 20])
    if late + crowded > 0:
        w.signalman.anger += late + crowded


@action
def hold(w: Simulation, actor: Any, train: Any) -> None:
    """Holds a train for a while."""

    def release(w: Simulation) -> None:
        train.held = False

    w.need(not train.held)
    train.held = True
    w.later(5, release)


@action
def shunt(w: Simulation, actor: Any, train: Any) -> None:
    """A train goes to the loop."""
    w.need(actor.favours > 0 and train.dest != "loop")
    actor.favours -= 1
    train.dest = "loop"


@action
def bus(w: Simulation, actor: Any) -> None:
    """A bus takes passengers."""

    def leaves(w: Simulation) -> None:
        w.halt.waiting = max(0, w.halt.waiting - 15)

    w.need(w.halt.waiting > 0)
    actor.anger += 1
    w.later(4, leaves)


@action
def apologize(w: Simulation, actor: Any) -> None:
    """Calms the public."""
    w.need(actor.anger >= 2)
    actor.anger -= 2


@action
def occupy(w: Simulation, actor: Any) -> None:
    """The gang works on the line."""

    def done(w: Simulation) -> None:
        actor.at_work = False

    actor.at_work = True
    actor.shifts += 1
    w.later(8, done)


@action
def school_trip(w: Simulation, actor: Any, n: int) -> None:
    """A school comes."""
    w.halt.waiting += n


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return w.depot.served // 2


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"calm": w.signalman.anger < 6, "halt_free": w.halt.waiting <= 24, "kestrel_on_time": w.kestrel.late < 8}
