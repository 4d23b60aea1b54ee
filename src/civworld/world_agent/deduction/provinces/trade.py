# SPDX-License-Identifier: GPL-2.0-or-later
"""What a province digs and carries: pits, and roads with carts."""

from __future__ import annotations

from civworld.world_agent.deduction.provinces.part import Part

PITS = Part(
    name="pits",
    numbers={
        "digging": (3, 5),
        "seeping": (2, 4),
        "pumping": (3, 5),
        "shut": (5, 10),
        "bracing": (5, 8),
        "hauling": (4, 6),
        "fumes": (6, 9),
        "thinning": (5, 8),
    },
    fields={
        "pit": {
            "town": "ref town",
            "depth": ("int", (2, 9)),
            "water": ("int", (0, 6)),
            "ore": ("int", (1, 5)),
            "props": ("int", (4, 8)),
            "shut": "bool",
            "caved": "int",
        },
        "town": {"ore": ("int", (0, 6))},
    },
    processes="""
[[processes]]
name = "seeping"
about = "water seeps into pits, more when the river is high"
every = $seeping
each = "p in pit"
do = ["p.water += 1 + river.level // 6"]
[[processes]]
name = "pumping"
about = "towns pay for pumping wet pits"
every = $pumping
each = "p in pit"
let = { t = "p.town" }
when = ["p.water > 4", "t.coin >= 2"]
do = ["p.water = max(0, p.water - 6)", "t.coin -= 2"]
[[processes]]
name = "digging"
about = "open pits that are not drowned are dug deeper for ore, and props wear"
every = $digging
each = "p in pit"
when = ["not p.shut", "p.water < 9"]
do = ["p.ore += 2 + p.depth % 3", "p.depth += 1", "p.props -= 1"]
[[processes]]
name = "cave_in"
about = "a pit without props caves in and stays shut until it is propped anew"
on = "p.props"
each = "p in pit"
when = ["not p.shut", "p.props < 3"]
do = ["p.shut = true", "p.caved += 1", "p.ore = p.ore // 2"]
after = $shut
then = ["p.shut = false", "p.props = 7"]
[[processes]]
name = "bracing"
about = "rich towns set props in pits that need them"
every = $bracing
each = "p in pit"
let = { t = "p.town" }
when = ["p.props < 6", "t.coin > 6"]
do = ["t.coin -= 3", "p.props += 2"]
[[processes]]
name = "hauling"
about = "ore is hauled to the town, which earns some coin"
every = $hauling
each = "p in pit"
let = { t = "p.town", n = "min(p.ore, 4)" }
when = "p.ore >= 2"
do = ["t.ore += n", "t.coin += n // 2", "p.ore -= n"]
[[processes]]
name = "fumes"
about = "deep pits fill with fumes when there is little wind, which frightens their town"
every = $fumes
each = "p in pit"
let = { t = "p.town" }
when = ["p.depth > 12", "sky.wind < 3"]
do = ["t.unrest += 1"]
[[processes]]
name = "thinning"
about = "the vein thins at some depths"
every = $thinning
each = "p in pit"
when = "p.depth % 4 == 0"
do = ["p.ore = max(0, p.ore - 3)"]
""",
    capabilities="""
[[capabilities]]
name = "drain"
about = "pay for an adit that drains a pit after a while"
actor = "steward"
params = { pit = "ref pit" }
when = "actor.purse >= 5"
do = ["actor.purse -= 5"]
after = 2
then = ["pit.water = max(0, pit.water - 9)"]
[[capabilities]]
name = "prop_up"
about = "pay for props in an open pit"
actor = "steward"
params = { pit = "ref pit" }
when = ["not pit.shut", "actor.purse >= 4"]
do = ["actor.purse -= 4", "pit.props += 3"]
""",
    menu={"drain": ("drain", "pit", "drain a pit"), "prop": ("prop_up", "pit", "set props")},
    rules='''
def shore(w: Simulation, p: Any, change: int) -> None:
    """Changes a pit's props, without which it caves in."""
    p.props += change
    cave_in(w, p)


@every($seeping)
def seeping(w: Simulation) -> None:
    """Water seeps in."""
    for p in w.of("pit"):
        p.water += w.river.level // 6 + 1


@every($pumping)
def pumping(w: Simulation) -> None:
    """Pits are pumped."""
    for p in w.of("pit"):
        t = w[p.town]
        if t.coin >= 2 and p.water > 4:
            t.coin -= 2
            p.water = max(p.water - 6, 0)


@every($digging)
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
        w.later($shut, opened)


@every($bracing)
def bracing(w: Simulation) -> None:
    """Props are set."""
    for p in w.of("pit"):
        t = w[p.town]
        if t.coin > 6 and p.props < 6:
            t.coin -= 3
            shore(w, p, 2)


@every($hauling)
def hauling(w: Simulation) -> None:
    """Ore is hauled."""
    for p in w.of("pit"):
        t, load = w[p.town], min(p.ore, 4)
        if p.ore >= 2:
            p.ore -= load
            t.ore += load
            t.coin += load // 2


@every($fumes)
def fumes(w: Simulation) -> None:
    """Fumes frighten."""
    for p in w.of("pit"):
        if w.sky.wind < 3 and p.depth > 12:
            stir(w, w[p.town], 1)


@every($thinning)
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
''',
)

ROADS = Part(
    name="roads",
    numbers={
        "muddying": (2, 4),
        "rolling": (1, 2),
        "loading": (2, 4),
        "mending": (5, 8),
        "axles": (5, 9),
        "grudges": (6, 9),
    },
    fields={
        "road": {
            "near": "ref town",
            "far": "ref town",
            "length": ("int", (3, 7)),
            "mud": ("int", (0, 5)),
            "wear": ("int", (0, 3)),
            "toll": ("int", (1, 3)),
        },
        "cart": {
            "road": "ref road",
            "outward": ("bool", True),
            "way": ("int", (1, 6)),
            "load": ("int", (2, 5)),
            "trips": "int",
            "broken": "int",
        },
    },
    processes="""
[[processes]]
name = "muddying"
about = "rain makes roads muddy, dry weather dries them"
every = $muddying
each = "r in road"
do = ["r.mud = clamp(r.mud + sky.rain - 3, 0, 9)"]
[[processes]]
name = "rolling"
about = "carts on the way roll on, slower in the mud"
every = $rolling
each = "c in cart"
let = { r = "c.road" }
when = "c.way > 0"
do = ["c.way -= 1 if r.mud > 4 else 2"]
[[processes]]
name = "arriving"
about = "a cart at the end of its way unloads there and turns round"
on = "c.way"
each = "c in cart"
let = { r = "c.road", t = "r.far if c.outward else r.near" }
when = "c.way <= 0"
do = [
  "t.grain += c.load", "t.coin -= min(t.coin, c.load // 3)", "c.load = 0", "c.outward = not c.outward", "c.trips += 1",
]
[[processes]]
name = "paying"
about = "every trip pays the road's toll to the town at its near end and wears the road"
on = "c.trips"
each = "c in cart"
let = { r = "c.road", t = "r.near" }
do = ["t.coin += r.toll", "r.wear += 1"]
[[processes]]
name = "loading"
about = "a cart that stands in a town with grain to spare loads some and sets off, for longer when the road is worn"
every = $loading
each = "c in cart"
let = { r = "c.road", t = "r.near if c.outward else r.far" }
when = ["c.way <= 0", "t.grain >= t.people"]
do = ["t.grain -= 5", "t.coin += t.price // 3", "c.load = 5", "c.way = 1 + r.length + r.wear // 2"]
[[processes]]
name = "mending"
about = "towns mend the worn roads that begin at them"
every = $mending
each = "r in road"
let = { t = "r.near" }
when = ["r.wear > 2", "t.coin >= 4"]
do = ["t.coin -= 4", "r.wear -= 3"]
[[processes]]
name = "axles"
about = "axles break on worn roads, which holds a cart up"
every = $axles
each = "c in cart"
let = { r = "c.road" }
when = ["c.way > 2", "r.wear > 3"]
do = ["c.way += 2", "c.broken += 1"]
[[processes]]
name = "grudges"
about = "high tolls make the towns at the far end of a road restless"
every = $grudges
each = "r in road"
let = { t = "r.far" }
when = "r.toll > 2"
do = ["t.unrest += 1"]
""",
    capabilities="""
[[capabilities]]
name = "pave"
about = "pay for paving a road, which takes a while"
actor = "steward"
params = { road = "ref road" }
when = "actor.purse >= 7"
do = ["actor.purse -= 7"]
after = 5
then = ["road.wear = 0", "road.mud = 0"]
[[capabilities]]
name = "set_toll"
about = "change the toll of a road"
actor = "steward"
params = { road = "ref road", n = "int" }
when = ["road.toll + n >= 0", "road.toll + n < 6"]
do = ["road.toll += n"]
""",
    menu={
        "pave": ("pave", "road", "pave a road"),
        "dearer": ("set_toll 2", "road", "raise a toll"),
        "cheaper": ("set_toll -1", "road", "lower a toll"),
    },
    rules='''
@every($muddying)
def muddying(w: Simulation) -> None:
    """Mud."""
    for r in w.of("road"):
        r.mud = min(max(r.mud + w.sky.rain - 3, 0), 9)


@every($rolling)
def rolling(w: Simulation) -> None:
    """Carts roll."""
    for c in w.of("cart"):
        if c.way > 0:
            c.way -= 1 if w[c.road].mud > 4 else 2
            arriving(w, c)


def arriving(w: Simulation, c: Any) -> None:
    """A cart unloads and turns round."""
    if c.way <= 0:
        r = w[c.road]
        t = w[r.far if c.outward else r.near]
        t.grain += c.load
        t.coin -= min(c.load // 3, t.coin)
        c.load, c.outward = 0, not c.outward
        c.trips += 1
        paying(w, r)


def paying(w: Simulation, r: Any) -> None:
    """Toll and wear."""
    w[r.near].coin += r.toll
    r.wear += 1


@every($loading)
def loading(w: Simulation) -> None:
    """Carts load and set off."""
    for c in w.of("cart"):
        r, before = w[c.road], c.way
        t = w[r.near if c.outward else r.far]
        if t.grain >= t.people and c.way <= 0:
            t.coin += t.price // 3
            t.grain -= 5
            c.load, c.way = 5, r.length + r.wear // 2 + 1
            if c.way != before:
                arriving(w, c)


@every($mending)
def mending(w: Simulation) -> None:
    """Roads are mended."""
    for r in w.of("road"):
        t = w[r.near]
        if t.coin >= 4 and r.wear > 2:
            t.coin -= 4
            r.wear -= 3


@every($axles)
def axles(w: Simulation) -> None:
    """Axles break."""
    for c in w.of("cart"):
        if c.way > 2 and w[c.road].wear > 3:
            c.way += 2
            c.broken += 1


@every($grudges)
def grudges(w: Simulation) -> None:
    """High tolls are resented."""
    for r in w.of("road"):
        if r.toll > 2:
            stir(w, w[r.far], 1)


@action
def pave(w: Simulation, actor: Any, road: Any) -> None:
    """A road is paved."""

    def paved(w: Simulation) -> None:
        road.wear, road.mud = 0, 0

    w.need(actor.purse >= 7)
    actor.purse -= 7
    w.later(5, paved)


@action
def set_toll(w: Simulation, actor: Any, road: Any, n: int) -> None:
    """A road's toll."""
    w.need(n + road.toll >= 0 and n + road.toll < 6)
    road.toll += n
''',
)
