# SPDX-License-Identifier: GPL-2.0-or-later
"""Scripted plan-level players: what a player knows -> a plan, or None to leave what is in place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from civworld.errors import UnknownNameError
from civworld.plan import Plan
from civworld.view import PlayerView

Policy = Callable[[PlayerView, np.random.Generator, int], Plan | None]
"""(what the player knows, draws of its own, turns the plan is for) -> plan."""

_DEFENDERS = ("Musketeers", "Pikemen", "Phalanx", "Warriors")
_ATTACKERS = ("Artillery", "Cannon", "Catapult", "Elephants", "Horsemen", "Archers", "Warriors")
_USEFUL = ("Library", "Temple", "Marketplace", "Granary", "Aqueduct", "University", "Bank", "Harbour", "Courthouse")
_WONDERS = (
    "Temple of Artemis", "Pyramids", "Statue of Zeus", "Mausoleum of Mausolos", "Colossus", "Great Library",
    "Hanging Gardens", "Lighthouse", "Great Wall", "Marco Polo's Embassy", "Copernicus' Observatory",
    "Michelangelo's Chapel", "Sun Tzu's War Academy", "King Richard's Crusade", "Shakespeare's Theatre",
)  # fmt: skip


def keep_course(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """Leave what is in place."""
    return None


def copy_ai(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """A plan that says nothing: the built-in AI chooses everything."""
    return Plan(turns=turns)


def wonders(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """Great wonders, each worth 5 points of score, in whichever city can build them; bought where gold suffices."""
    names = _names(view, _WONDERS)
    return Plan(turns=turns, production=tuple((name, 1) for name in names), purchases=names)


def expand(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """Settlers first, bought where gold suffices, and workers for them."""
    wanted = [("Settlers", 3), ("Workers", max(2, len(view.own_cities) // 2))]
    return Plan(turns=turns, production=_there(view, wanted), purchases=_names(view, ("Settlers",)))


def build(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """Useful buildings in every city, bought where they can be; peace with everybody met."""
    cities = max(1, len(view.own_cities))
    wanted = [(name, cities) for name in _USEFUL]
    return Plan(
        turns=turns,
        production=_there(view, wanted),
        purchases=_names(view, _USEFUL),
        stance=tuple((other, "peace") for other in _met(view)),
        reserve=30,
    )


def science(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """As many bulbs as the government allows; libraries first."""
    cities = max(1, len(view.own_cities))
    wanted = [("Library", cities), ("University", cities)]
    return Plan(turns=turns, rates=(40, 0, 60), production=_there(view, wanted), purchases=_names(view, ("Library",)))


def war_party(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """Attackers, and war on the weakest civilization met."""
    met = _met(view)
    weakest = min(met, key=lambda other: int(view.player(other)["score"]), default=None)
    wanted = [(name, 4) for name in _ATTACKERS]
    stance = () if weakest is None else ((weakest, "war"),)
    return Plan(turns=turns, production=_there(view, wanted), stance=stance, garrison=1)


def random_plan(view: PlayerView, draw: np.random.Generator, turns: int) -> Plan | None:
    """A plan drawn from what the rules know."""
    tax = 10 * int(draw.integers(2, 7))
    science = 10 * int(draw.integers(0, (100 - tax) // 10 + 1))
    pool = [*_USEFUL, "Settlers", "Workers", "Caravan", *_DEFENDERS, *_ATTACKERS[:-1]]
    items = [(pool[i], int(draw.integers(1, 7))) for i in draw.permutation(len(pool))[: draw.integers(0, 5)]]
    stance = tuple((o, str(draw.choice(["war", "peace", "alliance"]))) for o in _met(view) if draw.random() < 0.3)
    return Plan(
        turns=turns,
        rates=(tax, 100 - tax - science, science) if draw.random() < 0.5 else None,
        production=_there(view, items),
        stance=stance,
        garrison=int(draw.integers(0, 3)),
        purchases=_names(view, [name for name, _ in items]) if draw.random() < 0.3 else None,
        reserve=int(draw.integers(0, 100)),
    )


POLICIES: dict[str, Policy] = {
    "keep-course": keep_course,
    "copy-ai": copy_ai,
    "expand": expand,
    "wonders": wonders,
    "build": build,
    "science": science,
    "war-party": war_party,
    "random": random_plan,
}
"""Every scripted policy by its name."""


def policy(name: str) -> Policy:
    """The policy of that name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in POLICIES:
        raise UnknownNameError("policy", name, POLICIES)
    return POLICIES[name]


def candidates(view: PlayerView, n: int, turns: int, seed: int) -> list[Plan | None]:
    """The first n plans that an adviser tries: keep course, the scripted ones, then random ones drawn from the seed."""
    draw = np.random.default_rng(seed)
    named = ("keep-course", "wonders", "expand", "build", "science", "war-party")
    plans = [POLICIES[name](view, draw, turns) for name in named[:n]]
    return plans + [random_plan(view, draw, turns) for _ in range(n - len(plans))]


def _met(view: PlayerView) -> list[int]:
    rows = view.players
    there = rows["is_alive"] & ~rows["is_barbarian"] & (rows["level"] >= 1) & (rows["level"] < 3)
    return [int(i) for i in rows["id"][there]]


def _names(view: PlayerView, names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """The names that the ruleset knows."""
    tables = (view.table("rules_unit_types"), view.table("rules_buildings"))
    known = {name.decode() for rows in tables for name in rows["name"]}
    return tuple(name for name in names if name in known)


def _there(view: PlayerView, wanted: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    known = set(_names(view, [name for name, _ in wanted]))
    return tuple((name, n) for name, n in wanted if name in known)
