# SPDX-License-Identifier: GPL-2.0-or-later
"""The land of a province: the weather and the river, acres, granaries."""

from __future__ import annotations

from civworld.world_agent.deduction.provinces.part import Part

WEATHER = Part(
    name="weather",
    numbers={
        "seasons": (11, 17),
        "showers": (2, 4),
        "warming": (3, 5),
        "gusts": (3, 5),
        "rising": (2, 3),
        "banks": (10, 13),
        "rest": (3, 6),
    },
    fields={
        "sky": {"rain": ("int", (1, 5)), "warmth": ("int", (2, 8)), "wind": ("int", (0, 6)), "season": ("int", (0, 2))},
        "river": {"level": ("int", (4, 8)), "floods": "int"},
    },
    single=("sky", "river"),
    processes="""
[[processes]]
name = "seasons"
about = "the seasons follow each other"
every = $seasons
do = ["sky.season = (sky.season + 1) % 4"]
[[processes]]
name = "showers"
about = "the rain changes by its own rhythm and the season"
every = $showers
do = ["sky.rain = (sky.rain * 3 + sky.season + 2) % 7"]
[[processes]]
name = "warming"
about = "the warmth changes by its own rhythm and the season"
every = $warming
do = ["sky.warmth = (sky.warmth * 2 + sky.season * 3 + 1) % 11"]
[[processes]]
name = "gusts"
about = "the wind follows its own rhythm and the warmth"
every = $gusts
do = ["sky.wind = (sky.wind * 5 + sky.warmth) % 8"]
[[processes]]
name = "rising"
about = "rain makes the river rise, dry days make it fall"
every = $rising
do = ["river.level = clamp(river.level + sky.rain - 2, 0, 20)"]
[[processes]]
name = "burst"
about = "a river that stands too high bursts its banks and falls back"
on = "river.level"
when = "river.level > $banks"
do = ["river.floods += 1", "river.level = $rest"]
[[processes]]
name = "drown"
about = "a flood spoils grain in the towns on the bank and frightens them"
on = "river.floods"
each = "t in town"
when = "t.bank"
do = ["t.grain = max(0, t.grain - 5)", "t.unrest += 1"]
""",
    rules='''
@every($seasons)
def seasons(w: Simulation) -> None:
    """Seasons follow each other."""
    w.sky.season = (w.sky.season + 1) % 4


@every($showers)
def showers(w: Simulation) -> None:
    """The rain."""
    w.sky.rain = (w.sky.rain * 3 + w.sky.season + 2) % 7


@every($warming)
def warming(w: Simulation) -> None:
    """The warmth."""
    w.sky.warmth = (2 * w.sky.warmth + 3 * w.sky.season + 1) % 11


@every($gusts)
def gusts(w: Simulation) -> None:
    """The wind."""
    w.sky.wind = (w.sky.warmth + 5 * w.sky.wind) % 8


@every($rising)
def rising(w: Simulation) -> None:
    """The river."""
    before = w.river.level
    w.river.level = min(max(w.river.level + w.sky.rain - 2, 0), 20)
    if w.river.level != before:
        burst(w)


def burst(w: Simulation) -> None:
    """A flood."""
    if w.river.level > $banks:
        w.river.floods += 1
        w.river.level = $rest
        drown(w)


def drown(w: Simulation) -> None:
    """What a flood does; riots come when all towns have drowned."""
    wet = [t for t in w.of("town") if t.bank]
    for t in wet:
        t.grain = max(t.grain - 5, 0)
        t.unrest += 1
    for t in wet:
        riot(w, t)
''',
)

ACRES = Part(
    name="acres",
    numbers={
        "growing": (2, 4),
        "ripe": (9, 13),
        "reaping": (5, 8),
        "fallow": (4, 7),
        "sprouting": (4, 7),
        "hoeing": (5, 9),
        "frost": (4, 6),
        "rot": (3, 5),
    },
    fields={
        "acre": {
            "town": "ref town",
            "crop": ("int", (0, 8)),
            "ripe": "bool",
            "soil": ("int", (4, 12)),
            "weeds": ("int", (0, 3)),
            "reaped": "int",
        },
    },
    processes="""
[[processes]]
name = "growing"
about = "crops that are not ripe grow, faster in rain and slower in the cold"
every = $growing
each = "a in acre"
when = "not a.ripe"
do = ["a.crop += 2 + sky.rain // 4 - (1 if sky.warmth < 4 else 0)"]
[[processes]]
name = "ripening"
about = "a high crop is ripe"
on = "a.crop"
each = "a in acre"
when = "a.crop >= $ripe"
do = ["a.ripe = true"]
[[processes]]
name = "reaping"
about = "ripe acres are reaped for their town; good soil gives more, weeds take some, and the soil tires"
every = $reaping
each = "a in acre"
let = { t = "a.town", n = "max(2, a.crop + a.soil // 3 - a.weeds)" }
when = "a.ripe"
do = ["t.grain += n", "a.reaped += n", "a.ripe = false", "a.soil = max(1, a.soil - 4)", "a.crop = 0"]
[[processes]]
name = "fallow"
about = "tired soil recovers"
every = $fallow
each = "a in acre"
when = "a.soil < 10"
do = ["a.soil += 1"]
[[processes]]
name = "sprouting"
about = "weeds sprout after rain, up to what the soil feeds"
every = $sprouting
each = "a in acre"
when = ["sky.rain > 2", "a.weeds < a.soil // 2"]
do = ["a.weeds += 2"]
[[processes]]
name = "hoeing"
about = "quiet towns hoe their acres"
every = $hoeing
each = "a in acre"
let = { t = "a.town" }
when = "t.unrest < 5"
do = ["a.weeds = max(0, a.weeds - 3)"]
[[processes]]
name = "frost"
about = "frost bites what stands on the acres"
every = $frost
each = "a in acre"
when = ["sky.warmth < 3", "a.crop > 2"]
do = ["a.crop -= 2"]
[[processes]]
name = "rot"
about = "ripe crops rot in the rain"
every = $rot
each = "a in acre"
when = ["a.ripe", "sky.rain > 4"]
do = ["a.crop -= 1"]
""",
    capabilities="""
[[capabilities]]
name = "manure"
about = "pay for manure, which makes an acre's soil better after a while"
actor = "steward"
params = { acre = "ref acre" }
when = "actor.purse >= 3"
do = ["actor.purse -= 3"]
after = 4
then = ["acre.soil += 6"]
[[capabilities]]
name = "weed"
about = "pay people to weed an acre"
actor = "steward"
params = { acre = "ref acre" }
when = ["actor.purse >= 2", "acre.weeds > 1"]
do = ["actor.purse -= 2", "acre.weeds = 0"]
""",
    menu={"manure": ("manure", "acre", "manure an acre"), "weed": ("weed", "acre", "weed an acre")},
    rules='''
@every($growing)
def growing(w: Simulation) -> None:
    """Crops grow."""
    for a in w.of("acre"):
        if not a.ripe:
            a.crop += 2 + w.sky.rain // 4 - (1 if w.sky.warmth < 4 else 0)
            ripening(w, a)


def ripening(w: Simulation, a: Any) -> None:
    """A high crop is ripe."""
    if a.crop >= $ripe:
        a.ripe = True


@every($reaping)
def reaping(w: Simulation) -> None:
    """Ripe acres are reaped."""
    for a in w.of("acre"):
        if a.ripe:
            bushels = max(a.crop + a.soil // 3 - a.weeds, 2)
            w[a.town].grain += bushels
            a.reaped += bushels
            a.soil, a.crop, a.ripe = max(a.soil - 4, 1), 0, False


@every($fallow)
def fallow(w: Simulation) -> None:
    """Soil recovers."""
    for a in w.of("acre"):
        if a.soil < 10:
            a.soil += 1


@every($sprouting)
def sprouting(w: Simulation) -> None:
    """Weeds sprout."""
    for a in w.of("acre"):
        if w.sky.rain > 2 and a.soil // 2 > a.weeds:
            a.weeds += 2


@every($hoeing)
def hoeing(w: Simulation) -> None:
    """Acres are hoed."""
    for a in w.of("acre"):
        if w[a.town].unrest < 5:
            a.weeds = max(a.weeds - 3, 0)


@every($frost)
def frost(w: Simulation) -> None:
    """Frost bites."""
    for a in w.of("acre"):
        if w.sky.warmth < 3 and a.crop > 2:
            a.crop -= 2
            ripening(w, a)


@every($rot)
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
''',
)

GRANARIES = Part(
    name="granaries",
    numbers={
        "storing": (3, 5),
        "releasing": (3, 5),
        "breeding": (4, 6),
        "gnawing": (4, 6),
        "starving": (5, 8),
        "foul": (6, 11),
    },
    fields={
        "granary": {
            "town": "ref town",
            "stock": ("int", (3, 12)),
            "rats": ("int", (1, 5)),
            "foul": "bool",
            "lost": "int",
        },
    },
    processes="""
[[processes]]
name = "storing"
about = "a town with more grain than it needs stores some, unless its granary is foul"
every = $storing
each = "g in granary"
let = { t = "g.town" }
when = ["t.grain > t.people + 3", "not g.foul"]
do = ["t.grain -= 4", "g.stock += 4"]
[[processes]]
name = "releasing"
about = "a town in need takes grain out of its granary"
every = $releasing
each = "g in granary"
let = { t = "g.town" }
when = ["t.grain < t.people", "g.stock >= 3"]
do = ["g.stock -= 3", "t.grain += 3"]
[[processes]]
name = "breeding"
about = "rats breed on what is stored"
every = $breeding
each = "g in granary"
when = "g.stock > 6"
do = ["g.rats += 1 + g.stock // 10"]
[[processes]]
name = "gnawing"
about = "many rats gnaw at the stock"
every = $gnawing
each = "g in granary"
when = "g.rats > 3"
do = ["g.lost += min(g.stock, g.rats // 3)", "g.stock -= min(g.stock, g.rats // 3)"]
[[processes]]
name = "starving"
about = "where little is stored most rats go"
every = $starving
each = "g in granary"
when = "g.stock < 5"
do = ["g.rats = g.rats // 2"]
[[processes]]
name = "fouling"
about = "too many rats foul a granary for a while and people fall ill"
on = "g.rats"
each = "g in granary"
let = { t = "g.town" }
when = ["g.rats > 7", "not g.foul"]
do = ["g.foul = true", "t.people = max(5, t.people - 1)"]
after = $foul
then = ["g.foul = false"]
""",
    capabilities="""
[[capabilities]]
name = "cats"
about = "buy cats for a granary"
actor = "steward"
params = { granary = "ref granary" }
when = ["actor.purse >= 4", "granary.rats > 2"]
do = ["actor.purse -= 4", "granary.rats -= 3"]
""",
    menu={"cats": ("cats", "granary", "buy cats")},
    rules='''
@every($storing)
def storing(w: Simulation) -> None:
    """Grain is stored."""
    for g in w.of("granary"):
        t = w[g.town]
        if not g.foul and t.grain - t.people > 3:
            t.grain -= 4
            g.stock += 4


@every($releasing)
def releasing(w: Simulation) -> None:
    """Grain is taken out."""
    for g in w.of("granary"):
        t = w[g.town]
        if t.people > t.grain and g.stock >= 3:
            g.stock -= 3
            t.grain += 3


@every($breeding)
def breeding(w: Simulation) -> None:
    """Rats breed."""
    for g in w.of("granary"):
        if g.stock > 6:
            g.rats += 1 + g.stock // 10
            fouling(w, g)


@every($gnawing)
def gnawing(w: Simulation) -> None:
    """Rats gnaw; the loss is told first, and what is left may feed them less."""
    for g in w.of("granary"):
        if g.rats > 3:
            g.lost += min(g.rats // 3, g.stock)
            g.stock -= min(g.rats // 3, g.stock)


@every($starving)
def starving(w: Simulation) -> None:
    """Rats go."""
    for g in w.of("granary"):
        if g.stock < 5:
            before, g.rats = g.rats, g.rats // 2
            if g.rats != before:
                fouling(w, g)


def fouling(w: Simulation, g: Any) -> None:
    """A granary is foul for a while."""

    def clean(w: Simulation) -> None:
        g.foul = False

    if not g.foul and g.rats > 7:
        t = w[g.town]
        g.foul = True
        t.people = max(t.people - 1, 5)
        w.later($foul, clean)


@action
def cats(w: Simulation, actor: Any, granary: Any) -> None:
    """Cats."""
    w.need(actor.purse >= 4 and granary.rats > 2)
    actor.purse -= 4
    granary.rats -= 3
    fouling(w, granary)
''',
)
