# SPDX-License-Identifier: GPL-2.0-or-later
"""Diplomacy: treaties, their acceptance, and the end of pacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from civworld._engine import words
from civworld.checks import named, whole
from civworld.commands.base import Call, Command, number, plain
from civworld.errors import ArgumentError


def clauses() -> tuple[str, ...]:
    """Kinds of clauses in the engine's order (`common/diptreaty.h`)."""
    return words("clauses")


class Clause(NamedTuple):
    """One promise of a treaty.

    Attributes:
        giver: player number of who gives; either side for what holds between both.
        kind: one of `clauses()`.
        value: rule name for "Advance", amount for "Gold", city id for "City", else 0.
    """

    giver: int
    kind: str
    value: int | str = 0


@dataclass(frozen=True)
class Propose(Command, name="propose"):
    """Propose a treaty of 1 to 20 clauses to another player.

    The built-in AI answers at once: the result is `agreed` or `declined`, and the treaty is in force or gone.
    Another agent finds it on the table (`proposed`) until it accepts or one of the two cancels.
    """

    player: int
    clauses: tuple[Clause, ...]

    def __post_init__(self) -> None:
        if isinstance(self.clauses, list | tuple):  # plain lists, as JSON has them
            made = (
                Clause(*map(plain, c)) if isinstance(c, list | tuple) and 2 <= len(c) <= 3 else c for c in self.clauses
            )
            object.__setattr__(self, "clauses", tuple(made))

    def _call(self) -> Call:
        if not isinstance(self.clauses, tuple) or not 1 <= len(self.clauses) <= 20:
            raise ArgumentError(f"order 'propose': clauses={self.clauses!r}: 1 to 20 are needed")
        numbers, names = [number(self, "player")], list[str]()
        for clause in self.clauses:
            if not isinstance(clause, Clause):
                raise ArgumentError(f"order 'propose': {clause!r}: a Clause is needed")
            named("clause", clause.kind, clauses())
            value = clause.value
            if clause.kind == "Advance":
                if not isinstance(value, str) or not 0 < len(value) < 48 or not value.isprintable():
                    raise ArgumentError(f"order 'propose': {clause!r}: the advance's rule name is needed")
                names.append(value)
                value = len(names) - 1
            what = f"order 'propose': {clause!r}"
            giver, value = whole(f"{what}: giver", clause.giver), whole(f"{what}: value", value)
            numbers += [giver, clauses().index(clause.kind), value]
        return ("propose", tuple(numbers), "\n".join(names), "")


@dataclass(frozen=True)
class _Player(Command):
    player: int

    def _call(self) -> Call:
        return (self.name, (number(self, "player"),), "", "")


@dataclass(frozen=True)
class AcceptTreaty(_Player, name="accept_treaty"):
    """Say yes to the treaty on the table; when both have, it is carried out (`agreed`)."""


@dataclass(frozen=True)
class CancelTreaty(_Player, name="cancel_treaty"):
    """Take the treaty off the table, whoever proposed it."""


@dataclass(frozen=True)
class CancelPact(_Player, name="cancel_pact"):
    """Go one step down from what holds with another player; a declaration of war is the last.

    `Outcome.value` is the new state: 0 armistice, 1 war, 2 ceasefire, 3 peace, 4 alliance.
    """


@dataclass(frozen=True)
class EndVision(_Player, name="end_vision"):
    """No longer share vision with another player."""
