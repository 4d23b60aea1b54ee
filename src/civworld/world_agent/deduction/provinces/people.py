# SPDX-License-Identifier: GPL-2.0-or-later
"""Who troubles and helps a province: the sick in their wards, robbers and the watch, guilds."""

from __future__ import annotations

from civworld.world_agent.deduction.provinces.part import Part

WARDS = Part(
    name="wards",
    numbers={
        "catching": (3, 5),
        "healing": (3, 5),
        "dying": (5, 8),
        "gathering": (4, 7),
        "visiting": (4, 6),
        "hushing": (4, 6),
        "closed": (5, 9),
    },
    fields={
        "ward": {
            "town": "ref town",
            "sick": ("int", (1, 6)),
            "beds": ("int", (4, 7)),
            "herbs": ("int", (1, 6)),
            "closed": "bool",
            "buried": "int",
        },
    },
    processes="""
[[processes]]
name = "catching"
about = "people fall ill, more of them in a full ward's town and in hungry ones"
every = $catching
each = "h in ward"
let = { t = "h.town" }
do = ["h.sick += (t.people + h.sick) // 8 + (1 if t.grain < t.people else 0)"]
[[processes]]
name = "healing"
about = "herbs heal the sick"
every = $healing
each = "h in ward"
let = { n = "min(min(h.sick, h.herbs), 4)" }
do = ["h.sick -= n", "h.herbs -= n"]
[[processes]]
name = "dying"
about = "where there are more sick than beds some die and some recover"
every = $dying
each = "h in ward"
let = { t = "h.town" }
when = "h.sick > h.beds"
do = ["h.buried += 1", "h.sick -= 2", "t.people = max(4, t.people - 1)"]
[[processes]]
name = "gathering"
about = "herbs are gathered in the warmth"
every = $gathering
each = "h in ward"
when = "sky.warmth > 4"
do = ["h.herbs += 2"]
[[processes]]
name = "visiting"
about = "when many wards are full the sickness travels to those that are open"
every = $visiting
each = "h in ward"
let = { n = "count(o for o in ward if o.sick > o.beds)" }
when = ["n > 1", "not h.closed"]
do = ["h.sick += n // 2"]
[[processes]]
name = "closing"
about = "a ward with very many sick closes its doors for a while and its town is uneasy"
on = "h.sick"
each = "h in ward"
let = { t = "h.town" }
when = ["h.sick > h.beds + 2", "not h.closed"]
do = ["h.closed = true", "t.unrest += 1"]
after = $closed
then = ["h.closed = false"]
[[processes]]
name = "hushing"
about = "closed doors cost their town coin"
every = $hushing
each = "h in ward"
let = { t = "h.town" }
when = "h.closed"
do = ["t.coin = max(0, t.coin - 2)"]
""",
    capabilities="""
[[capabilities]]
name = "physician"
about = "pay a physician who brings herbs"
actor = "steward"
params = { ward = "ref ward" }
when = "actor.purse >= 4"
do = ["actor.purse -= 4", "ward.herbs += 5"]
[[capabilities]]
name = "add_beds"
about = "pay for more beds, which takes a while"
actor = "steward"
params = { ward = "ref ward" }
when = ["actor.purse >= 5", "ward.beds < 9"]
do = ["actor.purse -= 5"]
after = 4
then = ["ward.beds += 2"]
""",
    menu={"physician": ("physician", "ward", "send a physician"), "beds": ("add_beds", "ward", "more beds")},
    rules='''
def crowd(w: Simulation, h: Any, change: int) -> None:
    """Changes how many are sick; a ward may close."""
    h.sick += change
    if change:
        closing(w, h)


@every($catching)
def catching(w: Simulation) -> None:
    """People fall ill."""
    for h in w.of("ward"):
        t = w[h.town]
        crowd(w, h, (h.sick + t.people) // 8 + (1 if t.people > t.grain else 0))


@every($healing)
def healing(w: Simulation) -> None:
    """Herbs heal."""
    for h in w.of("ward"):
        healed = min(min(h.herbs, h.sick), 4)
        h.herbs -= healed
        crowd(w, h, -healed)


@every($dying)
def dying(w: Simulation) -> None:
    """Some die."""
    for h in w.of("ward"):
        if h.sick > h.beds:
            t = w[h.town]
            t.people = max(t.people - 1, 4)
            h.buried += 1
            crowd(w, h, -2)


@every($gathering)
def gathering(w: Simulation) -> None:
    """Herbs are gathered."""
    for h in w.of("ward"):
        if w.sky.warmth > 4:
            h.herbs += 2


@every($visiting)
def visiting(w: Simulation) -> None:
    """The sickness travels."""
    for h in w.of("ward"):
        full = len([o for o in w.of("ward") if o.sick > o.beds])
        if full > 1 and not h.closed:
            crowd(w, h, full // 2)


def closing(w: Simulation, h: Any) -> None:
    """A ward closes for a while."""

    def opened(w: Simulation) -> None:
        h.closed = False

    if not h.closed and h.sick - h.beds > 2:
        h.closed = True
        w.later($closed, opened)
        stir(w, w[h.town], 1)


@every($hushing)
def hushing(w: Simulation) -> None:
    """Closed doors cost coin."""
    for h in w.of("ward"):
        if h.closed:
            t = w[h.town]
            t.coin = max(t.coin - 2, 0)


@action
def physician(w: Simulation, actor: Any, ward: Any) -> None:
    """Herbs for a ward."""
    w.need(actor.purse >= 4)
    actor.purse -= 4
    ward.herbs += 5


@action
def add_beds(w: Simulation, actor: Any, ward: Any) -> None:
    """Beds for a ward."""

    def built(w: Simulation) -> None:
        ward.beds += 2

    w.need(actor.purse >= 5 and ward.beds < 9)
    actor.purse -= 5
    w.later(4, built)
''',
)

ROBBERS = Part(
    name="robbers",
    numbers={
        "prowling": (3, 5),
        "joining": (4, 7),
        "deserting": (4, 6),
        "carousing": (5, 8),
        "patrolling": (3, 5),
        "resting": (5, 8),
        "raid": (7, 9),
    },
    fields={
        "band": {"town": "ref town", "men": ("int", (3, 6)), "loot": ("int", (1, 6)), "raids": "int"},
        "watch": {"town": "ref town", "men": ("int", (2, 5)), "tired": ("int", (0, 2)), "caught": "int"},
    },
    processes="""
[[processes]]
name = "prowling"
about = "robbers take coin from the town they prowl around, as much as there are men to carry it"
every = $prowling
each = "b in band"
let = { t = "b.town", n = "min(t.coin, b.men // 2)" }
do = ["b.loot += n", "t.coin -= n"]
[[processes]]
name = "joining"
about = "people of restless towns join the robbers"
every = $joining
each = "b in band"
let = { t = "b.town" }
when = "t.unrest > 2"
do = ["b.men += 2"]
[[processes]]
name = "deserting"
about = "robbers without loot desert"
every = $deserting
each = "b in band"
when = ["b.loot < b.men", "b.men > 1"]
do = ["b.men -= 1"]
[[processes]]
name = "carousing"
about = "robbers spend a part of their loot"
every = $carousing
each = "b in band"
do = ["b.loot = b.loot * 2 // 3"]
[[processes]]
name = "raiding"
about = "a large band raids its town, scatters, and the steward is blamed"
on = "b.men"
each = "b in band"
let = { t = "b.town" }
when = "b.men > $raid"
do = ["b.raids += 1", "b.men = 4", "steward.esteem -= 2", "t.grain = max(0, t.grain - 6)"]
[[processes]]
name = "patrolling"
about = "a watch that is not tired patrols and calms its town"
every = $patrolling
each = "g in watch"
let = { t = "g.town" }
when = ["g.tired < g.men", "t.unrest > 1"]
do = ["g.tired += 2", "g.caught += 1", "t.unrest -= 1"]
[[processes]]
name = "resting"
about = "the watch rests"
every = $resting
each = "g in watch"
do = ["g.tired = max(0, g.tired - 3)"]
""",
    capabilities="""
[[capabilities]]
name = "hire_watch"
about = "hire more men for a watch"
actor = "steward"
params = { watch = "ref watch" }
when = ["actor.purse >= 5", "watch.men < 6"]
do = ["actor.purse -= 5", "watch.men += 1"]
[[capabilities]]
name = "pardon"
about = "pardon robbers, who go home"
actor = "steward"
params = { band = "ref band" }
when = ["actor.esteem >= 3", "band.men > 3"]
do = ["actor.esteem -= 3", "band.men -= 2"]
""",
    menu={"hire": ("hire_watch", "watch", "hire watchmen"), "pardon": ("pardon", "band", "pardon robbers")},
    rules='''
def muster(w: Simulation, b: Any, change: int) -> None:
    """Changes the men of a band, which raids when there are many."""
    b.men += change
    raiding(w, b)


@every($prowling)
def prowling(w: Simulation) -> None:
    """Robbers take coin."""
    for b in w.of("band"):
        t = w[b.town]
        taken = min(b.men // 2, t.coin)
        t.coin -= taken
        b.loot += taken


@every($joining)
def joining(w: Simulation) -> None:
    """People join."""
    for b in w.of("band"):
        if w[b.town].unrest > 2:
            muster(w, b, 2)


@every($deserting)
def deserting(w: Simulation) -> None:
    """Robbers desert."""
    for b in w.of("band"):
        if b.men > 1 and b.men > b.loot:
            muster(w, b, -1)


@every($carousing)
def carousing(w: Simulation) -> None:
    """Loot is spent."""
    for b in w.of("band"):
        b.loot = 2 * b.loot // 3


def raiding(w: Simulation, b: Any) -> None:
    """A raid."""
    if b.men > $raid:
        t = w[b.town]
        t.grain = max(t.grain - 6, 0)
        b.raids, b.men = b.raids + 1, 4
        w.steward.esteem -= 2


@every($patrolling)
def patrolling(w: Simulation) -> None:
    """The watch patrols."""
    for g in w.of("watch"):
        t = w[g.town]
        if t.unrest > 1 and g.men > g.tired:
            g.caught += 1
            g.tired += 2
            stir(w, t, -1)


@every($resting)
def resting(w: Simulation) -> None:
    """The watch rests."""
    for g in w.of("watch"):
        g.tired = max(g.tired - 3, 0)


@action
def hire_watch(w: Simulation, actor: Any, watch: Any) -> None:
    """Watchmen."""
    w.need(actor.purse >= 5 and watch.men < 6)
    actor.purse -= 5
    watch.men += 1


@action
def pardon(w: Simulation, actor: Any, band: Any) -> None:
    """Robbers go home."""
    w.need(actor.esteem >= 3 and band.men > 3)
    actor.esteem -= 3
    muster(w, band, -2)
''',
)

GUILDS = Part(
    name="guilds",
    numbers={
        "collecting": (3, 5),
        "grumbling": (3, 5),
        "admitting": (4, 7),
        "lending": (5, 8),
        "repaying": (5, 8),
        "struck": (5, 9),
    },
    fields={
        "guild": {
            "town": "ref town",
            "members": ("int", (4, 8)),
            "dues": ("int", (2, 9)),
            "mood": ("int", (2, 6)),
            "struck": "bool",
            "strikes": "int",
        },
    },
    processes="""
[[processes]]
name = "collecting"
about = "guilds that work collect dues from their members"
every = $collecting
each = "q in guild"
when = "not q.struck"
do = ["q.dues += q.members // 2"]
[[processes]]
name = "grumbling"
about = "dear grain makes a guild grumble, cheap grain contents it"
every = $grumbling
each = "q in guild"
let = { t = "q.town" }
do = ["q.mood = clamp(q.mood + (2 if t.price > 5 else -1), 0, 12)"]
[[processes]]
name = "striking"
about = "an angry guild strikes for a while, which costs its town coin and contents its members a little"
on = "q.mood"
each = "q in guild"
let = { t = "q.town" }
when = ["q.mood > 6", "not q.struck"]
do = ["q.struck = true", "q.strikes += 1", "t.coin = max(0, t.coin - 4)", "q.mood -= 3"]
after = $struck
then = ["q.struck = false"]
[[processes]]
name = "admitting"
about = "a guild with dues to spare admits a member from its town"
every = $admitting
each = "q in guild"
when = "q.dues >= 9"
do = ["q.dues -= 6", "q.members += 1"]
[[processes]]
name = "lending"
about = "guilds lend to a steward whose purse is thin"
every = $lending
each = "q in guild"
when = ["steward.purse < 9", "q.dues > 5"]
do = ["q.dues -= 4", "steward.purse += 4", "steward.debts += 5"]
[[processes]]
name = "repaying"
about = "a steward with a full purse repays debts"
every = $repaying
let = { n = "min(steward.debts, 3)" }
when = "steward.purse >= 14"
do = ["steward.purse -= n", "steward.debts -= n", "steward.esteem += n // 3"]
""",
    capabilities="""
[[capabilities]]
name = "parley"
about = "pay for a parley that contents a guild"
actor = "steward"
params = { guild = "ref guild" }
when = ["actor.purse >= 3", "guild.mood > 2"]
do = ["actor.purse -= 3", "guild.mood -= 2"]
""",
    menu={"parley": ("parley", "guild", "parley with a guild")},
    rules='''
@every($collecting)
def collecting(w: Simulation) -> None:
    """Dues."""
    for q in w.of("guild"):
        if not q.struck:
            q.dues += q.members // 2


@every($grumbling)
def grumbling(w: Simulation) -> None:
    """Moods."""
    for q in w.of("guild"):
        before = q.mood
        q.mood = min(max(q.mood + (2 if w[q.town].price > 5 else -1), 0), 12)
        if q.mood != before:
            striking(w, q)


def striking(w: Simulation, q: Any) -> None:
    """A strike."""

    def over(w: Simulation) -> None:
        q.struck = False

    if not q.struck and q.mood > 6:
        t = w[q.town]
        t.coin = max(t.coin - 4, 0)
        q.struck = True
        q.strikes += 1
        q.mood -= 3
        w.later($struck, over)


@every($admitting)
def admitting(w: Simulation) -> None:
    """Members."""
    for q in w.of("guild"):
        if q.dues >= 9:
            q.members += 1
            q.dues -= 6


@every($lending)
def lending(w: Simulation) -> None:
    """Loans."""
    for q in w.of("guild"):
        if q.dues > 5 and w.steward.purse < 9:
            w.steward.debts += 5
            w.steward.purse += 4
            q.dues -= 4


@every($repaying)
def repaying(w: Simulation) -> None:
    """Debts are repaid."""
    if w.steward.purse >= 14:
        paid = min(w.steward.debts, 3)
        w.steward.esteem += paid // 3
        w.steward.debts -= paid
        w.steward.purse -= paid


@action
def parley(w: Simulation, actor: Any, guild: Any) -> None:
    """A parley."""
    w.need(actor.purse >= 3 and guild.mood > 2)
    actor.purse -= 3
    guild.mood -= 2
    striking(w, guild)
''',
)
