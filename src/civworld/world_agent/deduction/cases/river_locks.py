# SPDX-License-Identifier: GPL-2.0-or-later
"""The locks' rules in plain Python; see `civworld.world_agent.deduction.simulation` for the conventions."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(19, "regatta", "", {"n": 3}, 25)]


def fill(w: Simulation, r: Any, change: int) -> None:
    """Changes a reach's level without looking at its weir."""
    r.level += change


def settle(w: Simulation, *reaches: Any) -> None:
    """Lets the weirs of changed reaches spill, each spill possibly causing the next, in breadth."""
    changed = list(reaches)
    while changed:
        once = [r for r in w.of("reach") if any(r is one for one in changed)]
        changed = []
        for r in once:
            changed += weir(w, r)


def weir(w: Simulation, r: Any) -> list[Any]:
    """A high reach spills; gives the reaches that changed."""
    if r.below is not None and r.level > 36:
        r.spilled += 1
        fill(w, w[r.below], 3)
        fill(w, r, -3)
        return [w[r.below], r]
    return []


@every(2)
def inflow(w: Simulation) -> None:
    """Rain comes in."""
    fill(w, w.summit, w.rain.falling)
    w.rain.total += w.rain.falling
    if w.rain.falling:
        settle(w, w.summit)


@every(5)
def showers(w: Simulation) -> None:
    """The rain changes."""
    w.rain.falling = (w.rain.falling * 2 + 3) % 7


@every(4)
def leak(w: Simulation) -> None:
    """Chambers leak."""
    for c in w.of("chamber"):
        upper, lower = w[c.upper], w[c.lower]
        if upper.level > lower.level:
            fill(w, lower, 1)
            fill(w, upper, -1)
            settle(w, upper, lower)


@every(3)
def tide_out(w: Simulation) -> None:
    """The sea drains."""
    if w.sea.level > 16:
        fill(w, w.sea, -2)


@every(3, 1)
def milling(w: Simulation) -> None:
    """The mill works."""
    if w.basin.level >= 12:
        fill(w, w.sea, w.mill.wheel)
        w.mill.ground += w.mill.wheel * 2
        fill(w, w.basin, -w.mill.wheel)
        if w.mill.wheel:
            settle(w, w.sea, w.basin)


@every(2, 1)
def line_up(w: Simulation) -> None:
    """Barges line up."""
    for b in w.of("barge"):
        ahead = [c for c in w.of("chamber") if (c.lower if b.up else c.upper) == b.reach]
        if not b.locking:
            b.locking = True
            chosen, *_ = ahead
            chosen.queue.append(b.id)


@every(3)
def lock(w: Simulation) -> None:
    """Chambers work."""
    for c in w.of("chamber"):
        if len(c.queue) > 0 and not c.broken:
            b = w[c.queue[0]]
            w.later(3 if b.up == c.full else 2, passed, c, b)
            del c.queue[:1]
            worked(w, c)


def passed(w: Simulation, c: Any, b: Any) -> None:
    """A barge has passed a chamber."""
    c.full, b.locking, before = b.up, False, b.reach
    b.reach = c.upper if b.up else c.lower
    if b.reach != before:
        turn_back(w, b)


def worked(w: Simulation, c: Any) -> None:
    """A chamber has worked once more: it draws, it may wear out, and then the weirs settle."""
    c.worked += 1
    draw(w, c)
    wear_out(w, c)
    settle(w, w[c.lower], w[c.upper])


def draw(w: Simulation, c: Any) -> None:
    """Water moves down."""
    fill(w, w[c.lower], 4)
    w.keeper.tolls += 2
    fill(w, w[c.upper], -4)


def turn_back(w: Simulation, b: Any) -> None:
    """A barge turns round."""
    if b.reach in ("summit", "sea"):
        b.up = not b.up
        b.trips += 1
        b.cargo = (b.cargo * 3 + 2) % 11


def wear_out(w: Simulation, c: Any) -> None:
    """A chamber breaks."""

    def mended(w: Simulation) -> None:
        c.broken = False

    if c.worked % 6 == 0:
        c.broken = True
        w.later(7, mended)


@every(6)
def grumble(w: Simulation) -> None:
    """Impatience."""
    bad = [c for c in w.of("chamber") if len(c.queue) > 1 or c.broken]
    if len(bad) > 0:
        w.keeper.patience -= len(bad)


@action
def set_wheel(w: Simulation, actor: Any, n: int) -> None:
    """The mill's wheel."""
    w.need(w.mill.wheel + n >= 0 and w.mill.wheel + n < 6)
    w.mill.wheel += n


@action
def prepare(w: Simulation, actor: Any, chamber: Any) -> None:
    """Turns a chamber round."""
    w.need(not chamber.broken)
    chamber.full = not chamber.full


@action
def open_sluice(w: Simulation, actor: Any) -> None:
    """Water comes down."""

    def arrives(w: Simulation) -> None:
        fill(w, w.basin, 6)
        settle(w, w.basin)

    w.need(w.summit.level > 12)
    fill(w, w.summit, -6)
    settle(w, w.summit)
    w.later(3, arrives)


@action
def treat_crews(w: Simulation, actor: Any) -> None:
    """Patience for tolls."""
    w.need(actor.tolls >= 3)
    actor.tolls -= 3
    actor.patience += 2


@action
def regatta(w: Simulation, actor: Any, n: int) -> None:
    """A regatta."""
    w.keeper.tolls += 5
    fill(w, w.basin, -n)
    settle(w, w.basin)


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return w.keeper.tolls + 2 * w.keeper.patience


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {"basin_deep": w.basin.level >= 8, "summit_deep": w.summit.level >= 14, "patient": w.keeper.patience > 3}
