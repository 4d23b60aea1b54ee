# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of The coast of Saltmere in plain Python; see `civworld.world_agent.deduction.simulation`."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = [(16, "crown_due", "", {"n": 2}, 16)]


@every(14)
def seasons(w: Simulation) -> None:
    """Seasons follow each other."""
    w.sky.season = (w.sky.season + 1) % 4


@every(4)
def showers(w: Simulation) -> None:
    """The rain."""
    w.sky.rain = (w.sky.rain * 3 + w.sky.season + 2) % 7


@every(4)
def warming(w: Simulation) -> None:
    """The warmth."""
    w.sky.warmth = (2 * w.sky.warmth + 3 * w.sky.season + 1) % 11


@every(4)
def gusts(w: Simulation) -> None:
    """The wind."""
    w.sky.wind = (w.sky.warmth + 5 * w.sky.wind) % 8


@every(2)
def rising(w: Simulation) -> None:
    """The river."""
    before = w.river.level
    w.river.level = min(max(w.river.level + w.sky.rain - 2, 0), 20)
    if w.river.level != before:
        burst(w)


def burst(w: Simulation) -> None:
    """A flood."""
    if w.river.level > 12:
        w.river.floods += 1
        w.river.level = 5
        drown(w)


def drown(w: Simulation) -> None:
    """What a flood does; riots come when all towns have drowned."""
    wet = [t for t in w.of("town") if t.bank]
    for t in wet:
        t.grain = max(t.grain - 5, 0)
        t.unrest += 1
    for t in wet:
        riot(w, t)


def stir(w: Simulation, t: Any, change: int) -> None:
    """Changes a town's unrest, which may become a riot."""
    t.unrest += change
    riot(w, t)


@every(4)
def eat(w: Simulation) -> None:
    """Grain is eaten."""
    for t in w.of("town"):
        t.grain = max(t.grain - (1 + t.people // 4), 0)


@every(7)
def hunger(w: Simulation) -> None:
    """Hunger makes restless."""
    for t in w.of("town"):
        if t.people > t.grain:
            stir(w, t, 2)


@every(4)
def calm(w: Simulation) -> None:
    """The fed calm down."""
    for t in w.of("town"):
        if t.grain >= t.people and t.unrest > 0:
            stir(w, t, -1)


@every(8)
def births(w: Simulation) -> None:
    """Towns grow."""
    for t in w.of("town"):
        if t.grain - t.people > 5 and t.unrest < 4:
            t.people += 1


def riot(w: Simulation, t: Any) -> None:
    """A town riots."""
    if t.unrest >= 10:
        t.people = max(4, t.people - 2)
        w.steward.esteem -= 1
        t.unrest = 3


@every(10)
def tithe(w: Simulation) -> None:
    """Towns pay."""
    for t in w.of("town"):
        paid = min(max((t.people - t.unrest) // 4, 0), t.coin)
        w.steward.purse += paid
        t.coin -= paid


@every(3)
def pricing(w: Simulation) -> None:
    """Scarcity makes dear."""
    for t in w.of("town"):
        step = 1 if t.people + t.people // 2 > t.grain else -1
        t.price = min(max(t.price + step, 1), 9)


@every(5)
def earning(w: Simulation) -> None:
    """Coin is earned."""
    for t in w.of("town"):
        t.coin += t.people // t.price


@every(7)
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


@every(3)
def growing(w: Simulation) -> None:
    """Crops grow."""
    for a in w.of("acre"):
        if not a.ripe:
            a.crop += 2 + w.sky.rain // 4 - (1 if w.sky.warmth < 4 else 0)
            ripening(w, a)


def ripening(w: Simulation, a: Any) -> None:
    """A high crop is ripe."""
    if a.crop >= 10:
        a.ripe = True


@every(8)
def reaping(w: Simulation) -> None:
    """Ripe acres are reaped."""
    for a in w.of("acre"):
        if a.ripe:
            bushels = max(a.crop + a.soil // 3 - a.weeds, 2)
            w[a.town].grain += bushels
            a.reaped += bushels
            a.soil, a.crop, a.ripe = max(a.soil - 4, 1), 0, False


@every(5)
def fallow(w: Simulation) -> None:
    """Soil recovers."""
    for a in w.of("acre"):
        if a.soil < 10:
            a.soil += 1


@every(7)
def sprouting(w: Simulation) -> None:
    """Weeds sprout."""
    for a in w.of("acre"):
        if w.sky.rain > 2 and a.soil // 2 > a.weeds:
            a.weeds += 2


@every(5)
def hoeing(w: Simulation) -> None:
    """Acres are hoed."""
    for a in w.of("acre"):
        if w[a.town].unrest < 5:
            a.weeds = max(a.weeds - 3, 0)


@every(4)
def frost(w: Simulation) -> None:
    """Frost bites."""
    for a in w.of("acre"):
        if w.sky.warmth < 3 and a.crop > 2:
            a.crop -= 2
            ripening(w, a)


@every(4)
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


@every(4)
def storing(w: Simulation) -> None:
    """Grain is stored."""
    for g in w.of("granary"):
        t = w[g.town]
        if not g.foul and t.grain - t.people > 3:
            t.grain -= 4
            g.stock += 4


@every(5)
def releasing(w: Simulation) -> None:
    """Grain is taken out."""
    for g in w.of("granary"):
        t = w[g.town]
        if t.people > t.grain and g.stock >= 3:
            g.stock -= 3
            t.grain += 3


@every(4)
def breeding(w: Simulation) -> None:
    """Rats breed."""
    for g in w.of("granary"):
        if g.stock > 6:
            g.rats += 1 + g.stock // 10
            fouling(w, g)


@every(4)
def gnawing(w: Simulation) -> None:
    """Rats gnaw; the loss is told first, and what is left may feed them less."""
    for g in w.of("granary"):
        if g.rats > 3:
            g.lost += min(g.rats // 3, g.stock)
            g.stock -= min(g.rats // 3, g.stock)


@every(5)
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
        w.later(11, clean)


@action
def cats(w: Simulation, actor: Any, granary: Any) -> None:
    """Cats."""
    w.need(actor.purse >= 4 and granary.rats > 2)
    actor.purse -= 4
    granary.rats -= 3
    fouling(w, granary)


@every(4)
def muddying(w: Simulation) -> None:
    """Mud."""
    for r in w.of("road"):
        r.mud = min(max(r.mud + w.sky.rain - 3, 0), 9)


@every(2)
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


@every(2)
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


@every(8)
def mending(w: Simulation) -> None:
    """Roads are mended."""
    for r in w.of("road"):
        t = w[r.near]
        if t.coin >= 4 and r.wear > 2:
            t.coin -= 4
            r.wear -= 3


@every(9)
def axles(w: Simulation) -> None:
    """Axles break."""
    for c in w.of("cart"):
        if c.way > 2 and w[c.road].wear > 3:
            c.way += 2
            c.broken += 1


@every(6)
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


def crowd(w: Simulation, h: Any, change: int) -> None:
    """Changes how many are sick; a ward may close."""
    h.sick += change
    if change:
        closing(w, h)


@every(4)
def catching(w: Simulation) -> None:
    """People fall ill."""
    for h in w.of("ward"):
        t = w[h.town]
        crowd(w, h, (h.sick + t.people) // 8 + (1 if t.people > t.grain else 0))


@every(5)
def healing(w: Simulation) -> None:
    """Herbs heal."""
    for h in w.of("ward"):
        healed = min(min(h.herbs, h.sick), 4)
        h.herbs -= healed
        crowd(w, h, -healed)


@every(5)
def dying(w: Simulation) -> None:
    """Some die."""
    for h in w.of("ward"):
        if h.sick > h.beds:
            t = w[h.town]
            t.people = max(t.people - 1, 4)
            h.buried += 1
            crowd(w, h, -2)


@every(4)
def gathering(w: Simulation) -> None:
    """Herbs are gathered."""
    for h in w.of("ward"):
        if w.sky.warmth > 4:
            h.herbs += 2


@every(5)
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
        w.later(8, opened)
        stir(w, w[h.town], 1)


@every(5)
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


def muster(w: Simulation, b: Any, change: int) -> None:
    """Changes the men of a band, which raids when there are many."""
    b.men += change
    raiding(w, b)


@every(4)
def prowling(w: Simulation) -> None:
    """Robbers take coin."""
    for b in w.of("band"):
        t = w[b.town]
        taken = min(b.men // 2, t.coin)
        t.coin -= taken
        b.loot += taken


@every(6)
def joining(w: Simulation) -> None:
    """People join."""
    for b in w.of("band"):
        if w[b.town].unrest > 2:
            muster(w, b, 2)


@every(5)
def deserting(w: Simulation) -> None:
    """Robbers desert."""
    for b in w.of("band"):
        if b.men > 1 and b.men > b.loot:
            muster(w, b, -1)


@every(5)
def carousing(w: Simulation) -> None:
    """Loot is spent."""
    for b in w.of("band"):
        b.loot = 2 * b.loot // 3


def raiding(w: Simulation, b: Any) -> None:
    """A raid."""
    if b.men > 8:
        t = w[b.town]
        t.grain = max(t.grain - 6, 0)
        b.raids, b.men = b.raids + 1, 4
        w.steward.esteem -= 2


@every(3)
def patrolling(w: Simulation) -> None:
    """The watch patrols."""
    for g in w.of("watch"):
        t = w[g.town]
        if t.unrest > 1 and g.men > g.tired:
            g.caught += 1
            g.tired += 2
            stir(w, t, -1)


@every(6)
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


@every(4)
def collecting(w: Simulation) -> None:
    """Dues."""
    for q in w.of("guild"):
        if not q.struck:
            q.dues += q.members // 2


@every(5)
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
        w.later(9, over)


@every(6)
def admitting(w: Simulation) -> None:
    """Members."""
    for q in w.of("guild"):
        if q.dues >= 9:
            q.members += 1
            q.dues -= 6


@every(8)
def lending(w: Simulation) -> None:
    """Loans."""
    for q in w.of("guild"):
        if q.dues > 5 and w.steward.purse < 9:
            w.steward.debts += 5
            w.steward.purse += 4
            q.dues -= 4


@every(7)
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


def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return min(w.steward.purse // 2, 40) + w.steward.esteem - w.steward.debts


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {
        "fed": not any(t.grain < 3 for t in w.of("town")),
        "quiet": len([t for t in w.of("town") if t.unrest > 5]) <= 1,
        "solvent": w.steward.purse > 4,
    }
