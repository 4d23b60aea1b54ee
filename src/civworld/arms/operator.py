# SPDX-License-Identifier: GPL-2.0-or-later
"""What an operator is: a named intervention with its matched placebo, and the registry of all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from civworld.arms.play import PlayArm
from civworld.checks import named, player_number
from civworld.edits import Edit
from civworld.edits.base import Place
from civworld.errors import NotEligible
from civworld.quantities import civ_ids
from civworld.state import StateView


class Reason(StrEnum):
    """Why an operator cannot be used on a civilization at a moment."""

    DEAD = "the civilization is dead or has no city"
    POOR = "the treasury is too small to take anything that matters"
    NO_RESEARCH = "nothing is being researched, or the next advance is all but there"
    NO_BULBS = "no bulbs are accumulated"
    FEW_CITIES = "the civilization has too few cities"
    NO_NEIGHBOUR = "no other living civilization has been met"
    NO_GOVERNMENT = "no government is left that an advance would unlock"
    NOTHING_HIDDEN = "the neighbour's territory is known already, or nothing is known that could be shown again"
    EXTREME = "the attitude is at its bound, or where events alone have driven it beyond"
    AT_VALUE = "the edited value is where the edit would put it"


@dataclass(frozen=True)
class Intervention:
    """The two edits of an operator for one civilization at one moment.

    Attributes:
        operator: name of the operator.
        variant: which form of it.
        player: player number of the civilization it is about.
        other: player number of the second civilization it changes, None without one.
        real: edits of the real arm, in order.
        placebo: edits of the placebo arm, in order.
        refused: edits of the placebo arm that the world must refuse as doing nothing (a verified no-op).
        targets: names of the quantities that the real edit is meant to move.
        expected: target -> +1 or -1, where the game's rules leave one direction for `player`.
        watched: the edited fields, followed over the turns to see whether the edit lasts.
    """

    operator: str
    variant: str
    player: int
    other: int | None
    real: tuple[Edit, ...]
    placebo: tuple[Edit, ...]
    targets: tuple[str, ...]
    refused: tuple[Edit, ...] = ()
    expected: Mapping[str, int] = field(default_factory=dict)
    watched: tuple[Place, ...] = ()

    def arm(self, name: str, seed: int | None, turns: int) -> PlayArm:
        """The job of one arm: control or recheck (no edits), real or placebo."""
        edits = {"real": self.real, "placebo": self.placebo}.get(name, ())
        refused = self.refused if name == "placebo" else ()
        return PlayArm(name, seed, edits, refused, turns, self.watched)


@dataclass(frozen=True)
class Told:
    """What a sentence about an edit may rest on. It holds nothing that a forecaster may not read.

    Attributes:
        who: the civilization that the edit is about, as readers know it.
        other: the second one that it changes; empty without one.
        variant: which form of the operator.
        edits: the real arm's edits as (name, fields). Values of traits, attitudes and world rules stand there too:
            a sentence must not tell them.
        cities: city id -> name, of the cities edited.
    """

    who: str
    other: str
    variant: str
    edits: tuple[tuple[str, Mapping[str, Any]], ...]
    cities: Mapping[int, str] = field(default_factory=dict)

    def only(self, name: str) -> Any:
        """A field of the one edit that the real arm has."""
        ((_, fields),) = self.edits
        return fields[name]


Planner = Callable[[StateView, int, str], Intervention | Reason]
Words = Callable[[Told], str]


@dataclass(frozen=True)
class Operator:
    """A named intervention.

    Attributes:
        name: what it is called in corpora and scores.
        doc: what the real and the placebo edit do, one sentence each.
        variants: the forms it has, the usual one first.
        planner: (view, player, variant) -> a plan, or why there is none.
        real: what a reader is told about the real edit, one sentence.
        placebo: what a reader is told about the placebo.
    """

    name: str
    doc: str
    variants: tuple[str, ...]
    planner: Planner
    real: Words
    placebo: Words

    def plan(self, view: StateView, player: int, variant: str | None = None) -> Intervention:
        """The edits for a civilization at a moment.

        Args:
            view: the moment.
            player: player number of the civilization.
            variant: one of `variants`; None takes the first.

        Raises:
            NotEligible: the operator cannot be used there; `.reason` says why.
            UnknownNameError: there is no such variant.
        """
        form = named(
            f"variant of operator {self.name!r}", self.variants[0] if variant is None else variant, self.variants
        )
        player = player_number(f"operator '{self.name}'", player)
        found = self._found(view, player, form)
        if isinstance(found, Reason):
            raise NotEligible(
                f"operator '{self.name}' ({form}): player {player} at turn {view.turn}: {found.value}",
                reason=found.name.lower(),
            )
        return found

    def ineligible(self, view: StateView, player: int, variant: str | None = None) -> Reason | None:
        """Why the operator cannot be used on a civilization at a moment, None where it can."""
        found = self._found(view, player, self.variants[0] if variant is None else variant)
        return found if isinstance(found, Reason) else None

    def edits(self, view: StateView, player: int) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
        """(real edits, placebo edits) of the usual variant; raises as `plan` does."""
        plan = self.plan(view, player)
        return plan.real, plan.placebo

    def eligible(self, view: StateView, variant: str | None = None) -> tuple[int, ...]:
        """Player numbers of the civilizations it can be used on at a moment, ascending."""
        return tuple(int(p) for p in civ_ids(view) if self.ineligible(view, int(p), variant) is None)

    def _found(self, view: StateView, player: int, variant: str) -> Intervention | Reason:
        record = view.player(player)
        if not record["is_alive"] or record["is_barbarian"] or not record["cities"]:
            return Reason.DEAD
        return self.planner(view, player, variant)


_registry: dict[str, Operator] = {}
OPERATORS: Mapping[str, Operator] = MappingProxyType(_registry)
"""Every operator by its name."""


def operator(*variants: str, real: Words, placebo: Words) -> Callable[[Planner], Planner]:
    """Register a planner as an operator under its own name; its docstring says what the edits do.

    Args:
        *variants: the forms it has, the usual one first; one without any.
        real: the sentence about the real edit, made from the same constants and edits.
        placebo: that about the placebo.
    """

    def register(planner: Planner) -> Planner:
        doc = " ".join((planner.__doc__ or "").split())
        _registry[planner.__name__] = Operator(planner.__name__, doc, variants or ("usual",), planner, real, placebo)
        return planner

    return register


def get(name: str) -> Operator:
    """The operator of that name.

    Raises:
        UnknownNameError: there is no such operator.
    """
    return _registry[named("operator", name, _registry)]
