# SPDX-License-Identifier: GPL-2.0-or-later
"""The narrative: what happened, as sentences in blocks of five turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from civworld.events import Event
from civworld.report.layout import counted, named

BLOCK = 5
# kinds that are no news by themselves: another event or the frames tell the same
SILENT = frozenset({"government_restored", "hut_entered", "pact_cancelled", "embassy_lost"})
# what the engine announces to every player of the game
ANNOUNCED = frozenset(
    {
        "wonder_built", "civil_war", "player_died", "player_joined", "spaceship_started", "spaceship_launched",
        "spaceship_arrived", "spaceship_lost", "victory",
    }
)  # fmt: skip
# what an embassy with either of the two tells
BY_EMBASSY = frozenset(
    {
        "advance_gained", "advance_lost", "revolution_started", "government_changed", "contact", "contact_undone",
        "war_started",
        "ceasefire", "armistice", "peace", "alliance",
    }
)  # fmt: skip
# losses that are no news: units used up as intended
SPENT = frozenset({"used", "disbanded", "retired", "missile", "detonated", "editor"})
# gold that is no news: what a government earns and spends as a matter of course
EARNED = frozenset({"sold", "trade", "coinage", "hut", "script", "upgrade"})
# clauses that are told by what they bring about
TOLD = frozenset({"Ceasefire", "Peace", "Alliance", "Embassy", "City"})

Names = Mapping[int, str]
Sentence = Callable[[Event, Names], str]


def _who(e: Event, names: Names) -> str:
    return names.get(e.player, "nobody")


def _other(e: Event, names: Names) -> str:
    return names.get(e.other, "nobody")


def _city_taken(e: Event, names: Names) -> str:
    capital = "the capital " if e.number == 1 else ""
    how = {
        "conquest": "conquer {}{} from the {}", "incited": "incite {}{} to leave the {}",
        "treaty": "receive {}{} from the {} by treaty", "civil_war": "take {}{} from the {} in civil war",
        "original_owner": "get {}{} back from the fallen {}", "barbarians": "take {}{} of the fallen {}",
    }.get(e.cause, "take over {}{} from the {}")  # fmt: skip
    return f"The {_who(e, names)} {how.format(capital, e.name, _other(e, names))}"


def _city_gone(e: Event, names: Names) -> str:
    capital = ", its capital," if e.number == 1 else ""
    end = f"destroyed by the {_other(e, names)}" if e.other >= 0 else "gone"
    return f"{e.name} of the {_who(e, names)}{capital} is {end}"


def _war(e: Event, names: Names) -> str:
    if e.cause == "cancelled":
        return f"The {_who(e, names)} break their {e.former} with the {_other(e, names)}: war"
    if e.cause == "expired":
        return f"The {e.former} of the {_who(e, names)} and the {_other(e, names)} runs out: war"
    return f"The {_who(e, names)} and the {_other(e, names)} are at war (before: {e.former})"


def _clause(e: Event, names: Names) -> str:
    what = {"Advance": e.name, "Gold": f"{e.number} gold", "Map": "their map", "Seamap": "their sea map",
            "Vision": "shared vision"}  # fmt: skip
    return f"By treaty the {_who(e, names)} give the {_other(e, names)} {what.get(e.cause, e.cause)}"


def _achieved(e: Event, names: Names) -> str:
    first = " as the first" if e.cause == "first" else ""
    return f"The {_who(e, names)} reach the achievement {e.name}{first}"


def _gold(e: Event, names: Names) -> str:
    if e.player < 0:
        spent = {"bribe": "to bribe a unit", "incite": "to incite a city"}
        return f"The {_other(e, names)} spend {e.number} gold {spent.get(e.cause, 'in vain')}"
    if e.other < 0:
        return f"The {_who(e, names)} seize {e.number} gold"
    return f"The {_who(e, names)} take {e.number} gold from the {_other(e, names)} ({e.cause})"


def _between(text: str) -> Sentence:
    return lambda e, names: f"The {_who(e, names)} and the {_other(e, names)} {text.format(e=e)}"


def _by(text: str) -> Sentence:
    return lambda e, names: f"The {_who(e, names)} {text.format(e=e)}"


# one sentence per event; kinds in GROUPED are told together, and every kind is here, there or in SILENT
SENTENCES: Mapping[str, Sentence] = {
    "city_captured": _city_taken,
    "city_transferred": _city_taken,
    "city_destroyed": _city_gone,
    "wonder_built": _by("complete {e.name}"),
    "wonder_lost": _by("lose {e.name}"),
    "advance_lost": _by("forget {e.name}"),
    "revolution_started": _by("overthrow their {e.former}: anarchy"),
    "government_changed": _by("change from {e.former} to {e.name}"),
    "contact": _between("meet for the first time ({e.name})"),
    "contact_undone": _between("know nothing of each other any more"),
    "war_started": _war,
    "ceasefire": _between("agree on a cease-fire"),
    "armistice": _between("enter an armistice (before: {e.former})"),
    "peace": _between("are at peace"),
    "alliance": _between("become allies"),
    "treaty": _clause,
    "embassy": lambda e, names: f"The {_who(e, names)} have an embassy with the {_other(e, names)}",
    "disaster": lambda e, names: f"{e.name} strikes {e.former or 'a city'} of the {_who(e, names)}",
    "civil_war": lambda e, names: f"Civil war: the {_other(e, names)} break away from the {_who(e, names)}",
    "player_joined": _by("rise up"),
    "player_died": _by("are no more"),
    "spaceship_started": _by("start to build a spaceship"),
    "spaceship_launched": _by("launch their spaceship"),
    "spaceship_arrived": _by("reach Alpha Centauri"),
    "spaceship_lost": _by("lose their spaceship with their capital"),
    "victory": _by("win the game; it goes on"),
    "achievement": _achieved,
    "gold_moved": _gold,
}


def _founded(group: Sequence[Event], names: Names) -> str:
    return f"The {_who(group[0], names)} found {', '.join(f'{e.name} (T{e.turn})' for e in group)}"


def _learned(group: Sequence[Event], names: Names) -> str:
    return f"The {_who(group[0], names)} learn " + ", ".join(
        e.name + ("" if e.cause == "researched" else f" ({e.cause})") for e in group
    )


def _lost(group: Sequence[Event], names: Names) -> str:
    first = group[0]
    how = f"to the {_other(first, names)}" if first.other >= 0 else f"({first.cause.replace('_', ' ')})"
    return f"The {_who(first, names)} lose {counted(e.name for e in group)} {how}"


def _handed_over(group: Sequence[Event], names: Names) -> str:
    return f"The {_who(group[0], names)} take over {counted(e.name for e in group)} from the {_other(group[0], names)}"


def _bought(group: Sequence[Event], names: Names) -> str:
    return f"The {_who(group[0], names)} buy " + ", ".join(
        f"{named(e.name)} in {e.former} (T{e.turn}, {e.number} gold)" for e in group
    )


# kind -> (what makes events of a block one sentence, the sentence)
GROUPED: Mapping[str, tuple[Callable[[Event], tuple[object, ...]], Callable[[Sequence[Event], Names], str]]] = {
    "city_founded": (lambda e: (e.player,), _founded),
    "advance_gained": (lambda e: (e.player,), _learned),
    "unit_lost": (lambda e: (e.player, e.other, e.cause), _lost),
    "unit_transferred": (lambda e: (e.player, e.other), _handed_over),
    "purchase": (lambda e: (e.player,), _bought),
}


def is_news(event: Event) -> bool:
    """Whether the narrative tells the event: what is used up as intended or told by another event is left out."""
    if event.kind in SILENT or event.stage == "start":
        return False
    if event.kind == "unit_lost":
        return event.cause not in SPENT
    if event.kind == "advance_gained":
        return event.cause != "inherited"
    if event.kind == "gold_moved":
        return event.cause not in EARNED
    return event.kind != "treaty" or event.cause not in TOLD


def known_to(log: Iterable[Event], player: int) -> tuple[Event, ...]:
    """The events that a player learns of: its own, what the engine announces to all, and what its embassies tell.

    Embassies are those that events of the log establish; what effects such as wonders reveal beyond them is left out.
    """
    embassies: set[int] = set()
    found = []
    for event in log:
        if event.kind == "embassy" and event.player == player:
            embassies.add(event.other)
        elif event.kind == "embassy_lost" and event.player == player:
            embassies.discard(event.other)
        informed = event.player in embassies or event.other in embassies
        if event.about(player) or event.kind in ANNOUNCED or (event.kind in BY_EMBASSY and informed):
            found.append(event)
    return tuple(found)


def narrative(log: Iterable[Event], names: Names, *, first: int = 1, last: int | None = None) -> str:
    """What happened from turn `first` to turn `last` (both included), in blocks of five turns.

    Args:
        log: events, oldest first; for one player's story pass them through `known_to`.
        names: player number -> how to call it, see `layout.nations`.
        first: first turn to tell.
        last: last turn to tell; the last of the log when not given.
    """
    blocks: dict[int, list[Event]] = defaultdict(list)
    for event in log:
        if event.turn >= first and (last is None or event.turn <= last) and is_news(event):
            blocks[(event.turn - 1) // BLOCK].append(event)
    parts = []
    for block in sorted(blocks):
        start, end = max(first, block * BLOCK + 1), (block + 1) * BLOCK
        parts.append(f"Turns {start}-{end if last is None else min(end, last)}")
        parts += [f"  {line}" for line in _lines(blocks[block], names)]
    return "\n".join(parts) + "\n" if parts else "Nothing is known to have happened.\n"


def _lines(block: Sequence[Event], names: Names) -> list[str]:
    groups: dict[tuple[object, ...], list[Event]] = defaultdict(list)
    for event in block:
        key = GROUPED[event.kind][0](event) if event.kind in GROUPED else (len(groups), event.turn)
        groups[event.kind, *key].append(event)
    told = []
    for (kind, *_), group in groups.items():
        if kind in GROUPED:
            told.append(GROUPED[str(kind)][1](group, names) + ".")
        else:
            told.append(f"T{group[0].turn}: {SENTENCES[str(kind)](group[0], names)}.")
    return told
