# SPDX-License-Identifier: GPL-2.0-or-later
"""The harbour's rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = []


@every(2)
def tide(w: Simulation) -> None:
    """The water rises or falls."""
    w.sea.depth += 1 if w.sea.rising else -1
    turn(w)


def turn(w: Simulation) -> None:
    """High and low water."""
    if w.sea.depth >= 9 or w.sea.depth <= 4:
        w.sea.rising = w.sea.depth <= 4


@every(3)
def berth(w: Simulation) -> None:
    """The pilot brings a ship in."""
    for s in w.of("ship"):
        free = all(o.state != "quay" for o in w.of("ship"))
        if s.state == "roads" and w.sea.depth >= s.draught and free:
            s.state = "quay"


@every(1)
def unload(w: Simulation) -> None:
    """The crane works."""
    for s in w.of("ship"):
        moved = min(s.hold, w.crane.power)
        if s.state == "quay" and moved > 0:
            s.hold -= moved
            w.yard.stock += moved
            w.crane.wear += 1
            cast_off(w, s)
            seize(w)


def cast_off(w: Simulation, s: Any) -> None:
    """An empty ship leaves."""
    if s.hold == 0:
        s.state = "away"
        s.trips += 1
        w.later(9, come_back, s)


def come_back(w: Simulation, s: Any) -> None:
    """It returns loaded."""
    s.hold, s.state = s.load, "roads"


def seize(w: Simulation) -> None:
    """A worn crane stops."""
    if w.crane.wear >= 14:
        w.crane.power = 0


@every(4)
def mend(w: Simulation) -> None:
    """The fitter repairs the crane."""

    def mended(w: Simulation) -> None:
        w.crane.power, w.crane.wear, w.fitter.busy = 2, 0, False

    if w.crane.power == 0 and not w.fitter.busy:
        w.fitter.busy = True
        w.later(5, mended)


@every(8, 3)
def goods_train(w: Simulation) -> None:
    """The regular train."""
    if w.yard.stock >= 10:
        taken = min(w.yard.stock, 16)
        w.yard.stock -= taken
        w.yard.sent += taken


@every(6)
def demurrage(w: Simulation) -> None:
    """Fines."""
    if w.yard.stock > 14:
        w.master.fines += w.yard.stock // 7


@action
def oil(w: Simulation, actor: Any) -> None:
    """Takes wear away."""
    w.need(w.crane.power > 0)
    worn = w.crane.wear
    w.crane.wear = max(0, worn - 6)
    if w.crane.wear != worn:
        seize(w)


@action
def overtime_shift(w: Simulation, actor: Any) -> None:
    """A stronger crane for a while."""

    def over(w: Simulation) -> None:
        w.crane.power = max(0, w.crane.power - 2)

    w.need(actor.overtime > 0 and w.crane.power > 0)
    actor.overtime -= 1
    w.crane.power += 2
    w.later(6, over)


@action
def call_train(w: Simulation, actor: Any) -> None:
    """A small extra train."""

    def leaves(w: Simulation) -> None:
        w.yard.sent += min(w.yard.stock, 6)
        w.yard.stock -= min(w.yard.stock, 6)

    w.need(w.yard.stock > 0)
    actor.fines += 1
    w.later(2, leaves)


@action
def send_out(w: Simulation, actor: Any, ship: Any) -> None:
    """Frees the quay."""
    w.need(ship.state == "quay")
    ship.state = "roads"


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return 100 * w["yard"].sent // 90


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"yard_has_room": w["yard"].stock <= 24, "crane_works": w.crane.power > 0}
