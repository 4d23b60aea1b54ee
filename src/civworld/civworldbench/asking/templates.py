# SPDX-License-Identifier: GPL-2.0-or-later
"""The ten things that may happen to a civilization, each read off the engine's own events or quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from civworld import events
from civworld.civworldbench.asking.scene import Scene
from civworld.events import Event
from civworld.quantities import Track


@dataclass(frozen=True, eq=False)
class Stretch:
    """A stretch of play from a decision point to a horizon, on the mainline or in a future.

    What stands at its end follows from what stood at t1 and from the events since, the same way for both.

    Attributes:
        turn: the decision point t1.
        horizon: turns ahead.
        events: what happened after the command window of t1 opened, up to turn t1 + horizon.
        track: quantities, at least from t1 to t1 + horizon.
        states: diplomatic state at t1 of each pair (a, b) with a < b.
        governments: government of each civilization at t1.
    """

    turn: int
    horizon: int
    events: tuple[Event, ...]
    track: Track
    states: Mapping[tuple[int, int], str]
    governments: Mapping[int, str]

    @property
    def end(self) -> int:
        """The turn t1 + horizon."""
        return self.turn + self.horizon

    @property
    def seed(self) -> int | None:
        """What the future was re-seeded with; None for the mainline."""
        return self.track.seed

    def state(self, a: int, b: int) -> str:
        """Diplomatic state between two civilizations at the end."""
        found = self.states.get(_pair(a, b), "Never met")
        for e in self.events:
            new = e.name if e.kind in ("contact", "pact_cancelled") else _NEW_STATE.get(e.kind)
            if new is not None and _pair(e.player, e.other) == _pair(a, b):
                found = new
        return found

    def government(self, civ: int) -> str:
        """Government of a civilization at the end."""
        found = self.governments.get(civ, "")
        for e in self.events:
            if e.player == civ and e.kind == "revolution_started":
                found = "Anarchy"
            elif e.player == civ and e.kind in ("government_changed", "government_restored"):
                found = e.name
        return found

    def kind(self, *names: str) -> tuple[Event, ...]:
        """Events of the kinds named."""
        return events.select(self.events, *names)

    def by(self, kind: str, civ: int) -> bool:
        """Whether an event of the kind is about the civilization."""
        return any(e.player == civ for e in self.kind(kind))


_NEW_STATE = {
    "war_started": "War",
    "ceasefire": "Cease-fire",
    "armistice": "Armistice",
    "peace": "Peace",
    "alliance": "Alliance",
}


def _pair(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


def _cities_lost(s: Stretch, civ: int) -> list[Event]:
    taken = [e for e in s.kind("city_captured") if e.other == civ]
    razed = [e for e in s.kind("city_destroyed") if e.player == civ and e.cause == "conquest"]
    return taken + razed


def _war_started(s: Stretch, civ: int) -> bool:
    wars = s.kind("war_started")
    return any(e.about(civ) and s.states.get(_pair(e.player, e.other)) != "War" for e in wars)


def _war_ended(s: Stretch, civ: int) -> bool:
    return any(e.about(civ) and e.former == "War" for e in s.kind("ceasefire", "armistice", "peace"))


def _tech_lead_taken(s: Stretch, civ: int) -> bool:
    return not _leads_techs(s, s.turn, civ) and _leads_techs(s, s.end, civ)


def _leads_techs(s: Stretch, turn: int, civ: int) -> bool:
    own = s.track.value("techs", turn, civ)
    return all(own > s.track.value("techs", turn, int(other)) for other in s.track.players if other != civ)


@dataclass(frozen=True)
class Template:
    """A yes-or-no question about one civilization and a stretch.

    Attributes:
        doc: the question, to follow "does the civilization".
        happened: whether it did.
    """

    doc: str
    happened: Callable[[Stretch, int], bool]


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        "city_captured": Template("take a city by force", lambda s, c: s.by("city_captured", c)),
        "city_lost": Template("lose a city by force, captured or destroyed", lambda s, c: len(_cities_lost(s, c)) > 0),
        "capital_lost": Template(
            "lose its capital by force", lambda s, c: any(e.number == 1 for e in _cities_lost(s, c))
        ),
        "wonder_completed": Template("complete a great wonder", lambda s, c: s.by("wonder_built", c)),
        "alliance_formed": Template("enter an alliance", lambda s, c: any(e.about(c) for e in s.kind("alliance"))),
        "war_started": Template("come to be at war with anyone it is not at war with now", _war_started),
        "war_ended": Template("end a war by cease-fire, armistice or peace", _war_ended),
        "government_changed": Template(
            "get a different lasting government (anarchy is not one)", lambda s, c: s.by("government_changed", c)
        ),
        "tech_lead_taken": Template("know more advances than every other then, but not now", _tech_lead_taken),
        "disaster_struck": Template("have a city struck by a disaster", lambda s, c: s.by("disaster", c)),
    }
)
"""The ten templates; each rests on events that the engine recorded where it did the thing."""


def leader(s: Stretch, civs: tuple[int, ...], turn: int) -> int:
    """The civilization with the highest score at a turn; the lowest number among equals."""
    return max(civs, key=lambda civ: (s.track.value("score", turn, civ), -civ))


def mainline(scene: Scene, horizon: int) -> Stretch:
    """What happened in the world itself."""
    return _stretch(scene, horizon, scene.corpus.events(scene.world), scene.corpus.track(scene.world))


def futures(scene: Scene, horizon: int) -> tuple[Stretch, ...]:
    """What happened in each re-seeded future."""
    c, w = scene.corpus, scene.world
    tracks, logs = c.futures(w, scene.turn), c.future_events(w, scene.turn)
    return tuple(_stretch(scene, horizon, log, track) for log, track in zip(logs, tracks, strict=True))


def _stretch(scene: Scene, horizon: int, log: tuple[Event, ...], track: Track) -> Stretch:
    turn = scene.turn
    pairs, records = scene.corpus.pairs(scene.world), scene.corpus.records(scene.world)
    pairs, records = pairs[pairs["turn"] == turn], records[records["turn"] == turn]
    states = {_pair(int(p["player"]), int(p["other"])): str(p["state"]) for p in pairs}
    governments = {int(r["player"]): str(r["government"]) for r in records}
    inside = tuple(e for e in events.since(log, turn) if e.turn <= turn + horizon)
    return Stretch(turn, horizon, inside, track, states, governments)
