# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened in a world, told by the engine at the place where it does it.

The kinds of events and what their fields mean are one table in the engine's library (`csrc/events/table.h`); `kinds()`
is that table, `document()` writes it down. The log lies in the world's memory: forks and restored worlds carry it,
the digest leaves it out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from civworld._engine import Engine, engine, words
from civworld.errors import UnknownNameError


class Event(NamedTuple):
    """One thing that happened. What a field means depends on the kind, see `kinds()`; unused ones keep their default.

    Attributes:
        turn: turn of the first command window that shows it. What built-in AIs do in turn 30 and what happens at the
            turn change from 29 to 30 both belong to turn 30.
        stage: part of the turn, one of `stages()`.
        kind: name of the kind.
        player: number of the player it is about, -1 for none.
        other: number of a second player, -1 for none.
        city: city id, 0 for none.
        unit: unit id, 0 for none.
        tile: tile index, -1 for none.
        number: a number, -1 for none.
        cause: why or how.
        name: a name, at most 48 bytes of it.
        former: what was before.
    """

    turn: int
    stage: str
    kind: str
    player: int = -1
    other: int = -1
    city: int = 0
    unit: int = 0
    tile: int = -1
    number: int = -1
    cause: str = ""
    name: str = ""
    former: str = ""

    def about(self, player: int) -> bool:
        """Whether the player takes part in it, as the one it is about or as the second one."""
        return player in (self.player, self.other)


class Kind(NamedTuple):
    """One kind of event.

    Attributes:
        name: what `Event.kind` says.
        doc: what happened.
        fields: field of `Event` -> its meaning in events of this kind; the other fields keep their default.
    """

    name: str
    doc: str
    fields: Mapping[str, str]


def stages() -> tuple[str, ...]:
    """Parts of a turn in the order in which they run; "window" is where orders and edits are carried out."""
    return words("stages")[1:]  # the first is before the game, where nothing is recorded


@functools.cache
def kinds() -> Mapping[str, Kind]:
    """Every kind of event by its name, in the engine's order."""
    found = {}
    for name, doc, text in engine().event_kinds:
        fields: dict[str, str] = {}
        for part in text.split("; "):
            names, _, meaning = part.partition(": ")
            fields |= dict.fromkeys(names.split(", "), meaning)
        found[name] = Kind(name, doc, fields)
    return found


def read(source: Engine, first: int = 0) -> tuple[Event, ...]:
    """The mounted world's events from number `first` on, oldest first."""
    rows = source.events(first)
    kind = [name for name, _, _ in source.event_kinds]
    texts: dict[bytes, str] = {}

    def text(value: bytes) -> str:
        if value not in texts:
            texts[value] = value.decode()
        return texts[value]

    say: dict[str, Callable[[Any], str]] = {"stage": words("stages").__getitem__, "kind": kind.__getitem__}
    say |= dict.fromkeys(("cause", "name", "former"), text)
    columns = (map(say[name], rows[name].tolist()) if name in say else rows[name].tolist() for name in Event._fields)
    return tuple(map(Event._make, zip(*columns, strict=True)))


def since(log: Iterable[Event], turn: int) -> tuple[Event, ...]:
    """Events after the command window of a turn opened: what its orders and edits did, and all that came later.

    Between the state views of two turns, `since(log, earlier)` of the later world is exactly what happened.
    """
    return tuple(e for e in log if e.turn > turn or (e.turn == turn and e.stage == "window"))


def select(log: Iterable[Event], *names: str, player: int | None = None) -> tuple[Event, ...]:
    """Events of the named kinds (all when none is named), if asked only those that a player takes part in.

    Raises:
        UnknownNameError: there is no such kind.
    """
    for name in names:
        if name not in kinds():
            raise UnknownNameError("kind of event", name, kinds())
    return tuple(e for e in log if (not names or e.kind in names) and (player is None or e.about(player)))


@contextmanager
def recording_off() -> Iterator[None]:
    """For a block, no world of this process records events; its worlds play on exactly the same."""
    engine().record_events(False)
    try:
        yield
    finally:
        engine().record_events(True)


def document() -> str:
    """All kinds and their fields as Markdown: the text of docs/events.md."""
    parts = [
        "# Kinds of events",
        "",
        "Written by `civworld.events.document()` from `csrc/events/table.h`; do not edit by hand.",
        "`world.events(since=t)` gives what happened after the command window of turn `t` opened.",
        "`turn` is the turn of the first command window that shows an event; `stage` is the part of the turn:",
        ", ".join(f"`{stage}`" for stage in stages()) + ". Fields that a kind does not list keep their default.",
        "",
        "| kind | what happened | fields |",
        "|---|---|---|",
    ]
    for kind in kinds().values():
        fields = "<br>".join(f"`{name}`: {meaning}" for name, meaning in kind.fields.items())
        parts += [f"| `{kind.name}` | {kind.doc} | {fields} |"]
    return "\n".join([*parts, ""])
