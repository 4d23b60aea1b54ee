# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether everything that a contract asks for follows from what a model was told.

For each event the actor (unless it is open), the entities in which its effects must show, the numbers and values of
its conditions; for each relation the word or the number that tells the time. Each has its words in the quoted part of
the round's text (`says`); an implicit event has them in the text so far. A pronoun stands for somebody named before it
in the same round; an entity may be called by a word of the roster, which tells what every name stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from civworld.world_agent.maintenance.case import Event, MaintenanceCase, Relation
from civworld.world_agent.maintenance.patterns import Pattern

NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
PRONOUNS = frozenset(("he", "she", "they", "it", "him", "her", "them", "his"))
SMALL = frozenset(
    ("the", "of", "and", "a", "an", "in", "on", "at", "to", "with", "its", "by", "from", "into", "first", "for", "off")
)
MEANWHILE = ("while", "meanwhile", "during", "meantime", "same time", "same hour", "as long as")
SEQUENCE = (
    "then", "after", "before", "until", "when", "first", "as soon as", "again", "in the end", "no longer", "once",
)  # fmt: skip


SPAN = re.compile(r"(?:within|at most|between (?P<low>\w+) and) (?P<high>\w+) hours?\b")


class Told(NamedTuple):
    """One demanded value and the words that tell it; no words when nothing does."""

    item: str
    what: str
    value: str
    words: str

    def __str__(self) -> str:
        return f"{self.item}: {self.what} {self.value}: {self.words or 'UNTOLD'}"


def told(case: MaintenanceCase) -> Iterator[Told]:
    """Every demanded value of a case, with its words."""
    for event in case.events:
        yield from _event(case, event)
    for relation in case.relations:
        if relation.kind != "CA":
            what = {"TM": "time", "CC": "at the same time", "OR": "order"}[relation.kind]
            span = f"{relation.low}..{'' if relation.high is None else relation.high}" if relation.kind == "TM" else ""
            yield Told(relation.id, what, span, _time(case, relation))


def untold(case: MaintenanceCase) -> list[str]:
    """What a contract asks for and the text does not tell."""
    return [str(one) for one in told(case) if not one.words]


def _event(case: MaintenanceCase, event: Event) -> Iterator[Told]:
    here = _plain(case.narrative[event.round - 1])
    text = event.says or here
    before = here[: here.find(text)] if event.says else ""
    if event.by and not event.open:
        yield Told(event.id, "actor", event.by, _named(case, event.by, text, before))
    for role in event.targets():
        so_far = " ".join([*map(_plain, case.narrative[: event.round - 1]), before, here])
        yield Told(event.id, "entity", role, _named(case, role, text, so_far))
    for pattern in event.done:
        if pattern.value is not None:
            yield Told(event.id, "value", str(pattern), _value(case, event, pattern, text))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _named(case: MaintenanceCase, name: str, text: str, before: str) -> str:
    """The word for an entity: its name, a word of what it is, or a pronoun after either."""
    words = _words(text)
    calls = [name, *(w for w in _words(case.whats[name]) if w not in SMALL and not _shared(case, name, w))]
    for call in calls:
        if call in words:
            return call
    if set(calls) & set(_words(before)) and PRONOUNS & set(words):
        return next(word for word in words if word in PRONOUNS)
    return ""


def _shared(case: MaintenanceCase, name: str, word: str) -> bool:
    return any(word in _words(what) for other, what in case.whats.items() if other != name)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))


def _value(case: MaintenanceCase, event: Event, pattern: Pattern, text: str) -> str:
    """The words for a pattern's value; a truth value is what the sentence says of the entity."""
    value: Any = pattern.value
    if isinstance(value, bool):
        return f"'{text[:60]}'"
    if isinstance(value, (int, Decimal)):
        return next((word for word in _words(text) if number(word) == value), "")
    if value in case.whats:
        return _named(case, value, text, "")
    places = case.structures["map"]["places"]
    if value in places:
        calls = [value, *(w for w in _words(places[value]) if w not in SMALL)]
        return next((call for call in calls if call in _words(text)), "")
    return f"'{value}'" if f"'{value}'" in text else ""


def number(word: str) -> int | None:
    """The number that a word says."""
    if word.isascii() and word.isdecimal():
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else TENS.get(word)


def _time(case: MaintenanceCase, relation: Relation) -> str:
    text = _plain(case.narrative[relation.round - 1]).lower()
    words = MEANWHILE if relation.kind == "CC" else SEQUENCE
    if relation.kind != "TM":
        return next((word for word in words if word in text), "")
    for found in SPAN.finditer(text):
        high, low = _hours(found["high"]), _hours(found["low"] or "zero")
        if (low, high) == (relation.low, relation.high):
            return found[0]
    return ""


def _hours(word: str) -> int | None:
    return 1 if word in ("a", "an") else number(word)
