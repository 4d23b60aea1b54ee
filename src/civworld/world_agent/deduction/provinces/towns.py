# SPDX-License-Identifier: GPL-2.0-or-later
"""The towns of a province and their steward."""

from __future__ import annotations

from civworld.world_agent.deduction.provinces.part import Part

TOWNS = Part(
    name="towns",
    numbers={
        "eating": (3, 5),
        "hunger": (4, 7),
        "calm": (3, 6),
        "births": (7, 11),
        "riot": (8, 11),
        "tithe": (8, 12),
        "pricing": (3, 5),
        "earning": (4, 7),
        "renown": (5, 8),
        "allowance": (1, 3),
        "fair": (11, 17),
    },
    fields={
        "steward": {"purse": ("int", (12, 20)), "esteem": ("int", (20, 30)), "debts": "int"},
        "town": {
            "people": ("int", (8, 16)),
            "grain": ("int", (10, 30)),
            "coin": ("int", (4, 12)),
            "unrest": ("int", (0, 5)),
            "price": ("int", (2, 7)),
            "bank": ("bool", True),
        },
    },
    single=("steward",),
    processes="""
[[processes]]
name = "eat"
about = "the people of every town eat grain"
every = $eating
each = "t in town"
do = ["t.grain = max(0, t.grain - t.people // 4 - 1)"]
[[processes]]
name = "hunger"
about = "a town with little grain for its people grows restless"
every = $hunger
each = "t in town"
when = "t.grain < t.people"
do = ["t.unrest += 2"]
[[processes]]
name = "calm"
about = "a fed town calms down"
every = $calm
each = "t in town"
when = ["t.grain >= t.people", "t.unrest > 0"]
do = ["t.unrest -= 1"]
[[processes]]
name = "births"
about = "a quiet town with much grain grows"
every = $births
each = "t in town"
when = ["t.unrest < 4", "t.grain > t.people + 5"]
do = ["t.people += 1"]
[[processes]]
name = "riot"
about = "a very restless town riots: people leave, and it is quieter afterwards"
on = "t.unrest"
each = "t in town"
when = "t.unrest >= $riot"
do = ["t.people = max(4, t.people - 2)", "steward.esteem -= 1", "t.unrest = 3"]
[[processes]]
name = "tithe"
about = "towns pay the steward from their coin by their people, less when restless"
every = $tithe
each = "t in town"
let = { n = "clamp((t.people - t.unrest) // 4, 0, t.coin)" }
do = ["steward.purse += n", "t.coin -= n"]
[[processes]]
name = "pricing"
about = "grain grows dear where it is scarce and cheap where it is plenty"
every = $pricing
each = "t in town"
do = ["t.price = clamp(t.price + (1 if t.grain < t.people + t.people // 2 else -1), 1, 9)"]
[[processes]]
name = "earning"
about = "townspeople earn coin, more where grain is cheap"
every = $earning
each = "t in town"
do = ["t.coin += t.people // t.price"]
[[processes]]
name = "renown"
about = "the steward's esteem rises while few towns are restless and falls when many are"
every = $renown
let = { n = "count(t for t in town if t.unrest > 4)" }
do = ["steward.esteem = clamp(steward.esteem + 2 - n, 0, 60)"]
""",
    capabilities="""
[[capabilities]]
name = "dole"
about = "buy grain for a town, which arrives later"
actor = "steward"
params = { town = "ref town" }
when = "actor.purse >= town.price"
do = ["actor.purse -= town.price"]
after = 3
then = ["town.grain += 12"]
[[capabilities]]
name = "feast"
about = "hold a feast in a restless town"
actor = "steward"
params = { town = "ref town" }
when = ["actor.purse >= 6", "town.unrest > 2"]
do = ["actor.purse -= 6", "actor.esteem += 1", "town.unrest -= 2"]
[[capabilities]]
name = "levy"
about = "take coin from a town, which resents it"
actor = "steward"
params = { town = "ref town" }
when = "town.coin >= 3"
do = ["town.coin -= 3", "actor.purse += 3", "town.unrest += 2"]
[[capabilities]]
name = "crown_due"
about = "the crown takes all but an allowance out of the purse; where there is little it writes down a debt"
params = { n = "int" }
do = ["steward.debts += 1 if steward.purse < 6 else 0", "steward.purse = min(steward.purse, n)"]

[[schedule]]
at = $fair
do = "crown_due"
args = { n = $allowance }
every = $fair
""",
    menu={
        "dole": ("dole", "town", "buy grain"),
        "feast": ("feast", "town", "hold a feast"),
        "levy": ("levy", "town", "take coin"),
    },
    rules='''
def stir(w: Simulation, t: Any, change: int) -> None:
    """Changes a town's unrest, which may become a riot."""
    t.unrest += change
    riot(w, t)


@every($eating)
def eat(w: Simulation) -> None:
    """Grain is eaten."""
    for t in w.of("town"):
        t.grain = max(t.grain - (1 + t.people // 4), 0)


@every($hunger)
def hunger(w: Simulation) -> None:
    """Hunger makes restless."""
    for t in w.of("town"):
        if t.people > t.grain:
            stir(w, t, 2)


@every($calm)
def calm(w: Simulation) -> None:
    """The fed calm down."""
    for t in w.of("town"):
        if t.grain >= t.people and t.unrest > 0:
            stir(w, t, -1)


@every($births)
def births(w: Simulation) -> None:
    """Towns grow."""
    for t in w.of("town"):
        if t.grain - t.people > 5 and t.unrest < 4:
            t.people += 1


def riot(w: Simulation, t: Any) -> None:
    """A town riots."""
    if t.unrest >= $riot:
        t.people = max(4, t.people - 2)
        w.steward.esteem -= 1
        t.unrest = 3


@every($tithe)
def tithe(w: Simulation) -> None:
    """Towns pay."""
    for t in w.of("town"):
        paid = min(max((t.people - t.unrest) // 4, 0), t.coin)
        w.steward.purse += paid
        t.coin -= paid


@every($pricing)
def pricing(w: Simulation) -> None:
    """Scarcity makes dear."""
    for t in w.of("town"):
        step = 1 if t.people + t.people // 2 > t.grain else -1
        t.price = min(max(t.price + step, 1), 9)


@every($earning)
def earning(w: Simulation) -> None:
    """Coin is earned."""
    for t in w.of("town"):
        t.coin += t.people // t.price


@every($renown)
def renown(w: Simulation) -> None:
    """The steward's esteem."""
    restless = [t for t in w.of("town") if t.unrest > 4]
    w.steward.esteem = min(max(w.steward.esteem + 2 - len(restless), 0), 60)


@action
def dole(w: Simulation, actor: Any, town: Any) -> None:
    """Grain for a town."""

    def arrives(w: Simulation) -> None:
        town.grain += 12

    w.need(actor.purse >= town.price)
    actor.purse -= town.price
    w.later(3, arrives)


@action
def feast(w: Simulation, actor: Any, town: Any) -> None:
    """A feast."""
    w.need(actor.purse >= 6 and town.unrest > 2)
    actor.purse -= 6
    actor.esteem += 1
    stir(w, town, -2)


@action
def levy(w: Simulation, actor: Any, town: Any) -> None:
    """Coin from a town."""
    w.need(town.coin >= 3)
    town.coin -= 3
    actor.purse += 3
    stir(w, town, 2)


@action
def crown_due(w: Simulation, actor: Any, n: int) -> None:
    """The crown's due."""
    w.steward.debts += 1 if w.steward.purse < 6 else 0
    w.steward.purse = min(n, w.steward.purse)
''',
)
