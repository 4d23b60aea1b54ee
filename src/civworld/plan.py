# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans: what a slow thinker wants of the built-in AI for some turns, and where the world differed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy.typing as npt

from civworld._engine import constant, record_type, words
from civworld.checks import named, whole
from civworld.errors import ArgumentError, UnknownNameError
from civworld.state import StateView, diplomatic_states


def stances() -> tuple[str, ...]:
    """Names of the stances, in the engine's order; "none" leaves the choice to the AI."""
    return words("stances")


def topics() -> tuple[str, ...]:
    """What a violation can be about, in the engine's order."""
    return words("topics")


@dataclass(frozen=True)
class Plan:
    """What the built-in AI of a player carries out for some turns, choosing for itself wherever the plan is silent.

    Attributes:
        turns: how many turns it is carried out, 1 or more.
        rates: tax, luxury and science, percent, together 100. What exceeds the government's highest rate goes to
            the other two. None: the AI's choice.
        research_goal: rule name of the advance that research leads to; once known, the AI chooses again.
        government: rule name; sought from the turn on in which the player can have it.
        production: pairs (rule name of a unit type or building, how many the player is to have), at most 16, the most
            urgent first. Each city builds the first of them that it can build and that is missing; else the AI's
            choice.
        stance: other player's number -> "war" (declared at once, no treaties), "peace" (offered, never broken, no
            alliance) or "alliance" (offered); also accepted as pairs.
        garrison: military units with defence that stay in every city; a city with fewer builds them before anything
            else. 0: the AI's choice.
        purchases: rule names of what is bought when a city builds it, whichever is affordable, and nothing else, unit
            upgrades included; at most 16. None: the AI's choice.
        reserve: gold that purchases leave in the treasury.
    """

    turns: int = 20
    rates: tuple[int, int, int] | None = None
    research_goal: str | None = None
    government: str | None = None
    production: tuple[tuple[str, int], ...] = ()
    stance: tuple[tuple[int, str], ...] = ()
    garrison: int = 0
    purchases: tuple[str, ...] | None = None
    reserve: int = 0

    def __post_init__(self) -> None:
        stance = self.stance.items() if isinstance(self.stance, Mapping) else self.stance
        try:
            for name, value in (
                ("turns", whole("plan: turns", self.turns, 1)),
                ("garrison", whole("plan: garrison", self.garrison, 0, 100)),
                ("reserve", whole("plan: reserve", self.reserve, 0)),
                ("rates", None if self.rates is None else tuple(whole("plan: rates", r, 0, 100) for r in self.rates)),
                ("production", tuple((name, whole("plan: production", n, 1)) for name, n in self.production)),
                ("stance", tuple(sorted((_other(other), wish) for other, wish in stance))),
                ("purchases", None if self.purchases is None else tuple(_names(self.purchases))),
            ):
                object.__setattr__(self, name, value)
        except ArgumentError:
            raise
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"plan: {error}") from None
        self._check()

    def _check(self) -> None:
        if self.rates is not None and (len(self.rates) != 3 or sum(self.rates) != 100):
            raise ArgumentError(f"plan: rates={self.rates}: tax, luxury and science that are 100 together are needed")
        for _, wish in self.stance:
            named("stance", wish, stances())
        for name, _ in self.production:
            _text("production", name)
        alone = (name for name in (self.research_goal, self.government) if name is not None)
        for name in (*(self.purchases or ()), *alone):
            _text("plan", name)
        for field, values, most in (
            ("production", self.production, _room("item_kind")),
            ("purchases", self.purchases or (), _room("buy_kind")),
        ):
            if len(values) > most:
                raise ArgumentError(f"plan: {field} has {len(values)} entries, at most {most}")

    # ---- to and from plain values and the engine's numbers -------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "turns": self.turns,
            "rates": self.rates and list(self.rates),
            "research_goal": self.research_goal,
            "government": self.government,
            "production": [list(p) for p in self.production],
            "stance": [list(s) for s in self.stance],
            "garrison": self.garrison,
            "purchases": None if self.purchases is None else list(self.purchases),
            "reserve": self.reserve,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """A plan from what `to_dict` returned.

        Raises:
            ArgumentError: a value is malformed, or a name is no field of a plan.
        """
        unknown = set(values) - set(cls.__dataclass_fields__)
        if unknown:
            raise ArgumentError(f"plan: unknown fields {sorted(unknown)}; known: {sorted(cls.__dataclass_fields__)}")
        return cls(**values)

    def numbers(self, view: StateView) -> dict[str, Any]:
        """The engine's form of the plan, by the fields of its record "plan".

        Raises:
            UnknownNameError: a name or player does not exist in that world.
        """
        stance = [0] * _room("stance")
        for other, wish in self.stance:
            stance[int(view.row("players", other)["id"])] = stances().index(wish)
        items = [_item(view, name) for name, _ in self.production]
        buys = [_item(view, name) for name in self.purchases or ()]
        tax, luxury, science = self.rates or (-1, -1, -1)
        return {
            "turns": self.turns,
            "tax": tax,
            "luxury": luxury,
            "science": science,
            "goal": -1 if self.research_goal is None else view.rules.id("advances", self.research_goal),
            "government": -1 if self.government is None else view.rules.id("governments", self.government),
            "garrison": self.garrison,
            "reserve": self.reserve,
            "items": len(items),
            "buys": -1 if self.purchases is None else len(buys),
            "item_kind": [kind for kind, _ in items],
            "item_value": [value for _, value in items],
            "item_count": [count for _, count in self.production],
            "buy_kind": [kind for kind, _ in buys],
            "buy_value": [value for _, value in buys],
            "stance": stance,
        }

    @classmethod
    def from_numbers(cls, found: Mapping[str, Any], view: StateView) -> Self | None:
        """The plan that the engine holds, None when it holds none."""
        if found["turns"] == 0:
            return None
        tables = words("items")

        def named(what: str, count: int) -> list[str]:
            kinds, values = found[f"{what}_kind"], found[f"{what}_value"]
            return [view.rules.name(tables[kinds[i]], values[i]) for i in range(count)]

        return cls(
            turns=found["turns"],
            rates=None if found["tax"] < 0 else (found["tax"], found["luxury"], found["science"]),
            research_goal=None if found["goal"] < 0 else view.rules.name("advances", found["goal"]),
            government=None if found["government"] < 0 else view.rules.name("governments", found["government"]),
            production=tuple(zip(named("item", found["items"]), found["item_count"], strict=False)),
            stance=tuple((p, stances()[s]) for p, s in enumerate(found["stance"]) if s),
            garrison=found["garrison"],
            purchases=None if found["buys"] < 0 else tuple(named("buy", found["buys"])),
            reserve=found["reserve"],
        )


class Violation(NamedTuple):
    """One point in which the world differed from a plan when a turn's command window opened.

    Attributes:
        turn: the turn of that command window.
        topic: one of `topics()`.
        subject: the city (garrison, production) or the other player (stance) it is about, -1 for neither.
        asked: what the plan asks for.
        found: what there was instead.
    """

    turn: int
    topic: str
    subject: int
    asked: int | str
    found: int | str


def violations(notes: npt.NDArray[Any], view: StateView) -> tuple[Violation, ...]:
    """The engine's notes on a plan, its records "plan_notes", in words."""
    return tuple(_violation(view, *row) for row in notes[list(Violation._fields)].tolist())


def _violation(view: StateView, turn: int, topic: int, subject: int, asked: int, found: int) -> Violation:
    name = topics()[topic]
    if name == "government":
        return Violation(turn, name, subject, *(view.rules.name("governments", n) for n in (asked, found)))
    if name == "research_goal":
        return Violation(turn, name, subject, *(_advance(view, n) for n in (asked, found)))
    if name == "stance":
        return Violation(turn, name, subject, stances()[-asked], diplomatic_states()[found])
    if name == "production":
        return Violation(turn, name, subject, *(_product(view, n) for n in (asked, found)))
    return Violation(turn, name, subject, asked, found)


def _advance(view: StateView, number: int) -> str:
    rows = view.table("rules_advances")
    named = rows["name"][(rows["id"] == number) & rows["exists"]]
    return str(named[0].decode()) if len(named) else "none"


def _product(view: StateView, code: int) -> str:
    kind, number = divmod(code, constant("CW_NOTE_ITEM"))
    return view.rules.name(words("items")[kind], number) if code >= 0 else "none"


def _item(view: StateView, name: str) -> tuple[int, int]:
    """Kind and number of a unit type or building."""
    tables = [view.table(f"rules_{what}") for what in words("items")]
    for kind, rows in enumerate(tables):
        found = rows["id"][rows["name"] == name.encode()]
        if len(found):
            return kind, int(found[0])
    known = [n.decode() for rows in tables for n in rows["name"]]
    raise UnknownNameError("unit type or building", name, known)


def _other(player: object) -> int:
    return whole("plan: stance", player, 0, _room("stance") - 1)


def _room(field: str) -> int:
    """How many entries a list of the engine's record of a plan has room for."""
    return int(record_type("plan")[field].shape[0])


def _names(names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise TypeError(f"purchases={names!r}: a sequence of names is needed")
    return names


def _text(name: str, value: object) -> None:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ArgumentError(f"plan: {name}: {value!r} (a name is needed)")
