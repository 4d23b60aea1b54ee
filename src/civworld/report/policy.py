# SPDX-License-Identifier: GPL-2.0-or-later
"""What each civilization is about to do, from the state of the built-in AI that plays it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from civworld.report.layout import civilizations, listed, nations, records
from civworld.state import StateView


class Policy(NamedTuple):
    """The policy of one civilization.

    Attributes:
        nation: whose it is.
        goal: advance that its research aims at, "" without one.
        courses: what it does, the most pressing first: "at war with the X", "preparing war against the X",
            "space race", "expanding", or "building up" when it is none of these.
    """

    nation: str
    goal: str
    courses: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.nation}: {'; '.join(self.courses)}; research goal {self.goal or 'none'}"


def policies(view: StateView) -> dict[int, Policy]:
    """Player number -> policy of each living civilization, in the order of their numbers.

    - at war: the diplomatic state with another civilization that it has met is War;
    - preparing war: the AI counts down to a declaration against it;
    - space race: a spaceship is begun or under way, or the AI means to win by one;
    - expanding: it has a unit that can found a city, or a city that makes one.
    """
    civs = sorted((c for c in civilizations(view) if c["is_alive"]), key=lambda c: c["id"])
    alive, names = {c["id"] for c in civs}, nations(view)
    wars, plans = _wars(view, alive), _plans(view, alive)
    racing = {p["player"] for p in records(view.hidden.players) if p["strategy"] == "Space"}
    racing |= {c["id"] for c in civs if c["spaceship"] in ("Started", "Launched")}
    expanding = _expanding(view)
    found = {}
    for civ in civs:
        me = civ["id"]
        courses = [f"at war with the {names[q]}" for q in wars[me]]
        courses += [f"preparing war against the {names[q]}" for q in plans[me] if q not in wars[me]]
        courses += ["space race"] * (me in racing) + ["expanding"] * (me in expanding)
        found[me] = Policy(civ["nation"], civ["tech_goal"], tuple(courses) or ("building up",))
    return found


def _wars(view: StateView, alive: set[int]) -> Mapping[int, list[int]]:
    found = defaultdict(list)
    for d in records(view.diplomacy[["player", "other", "state"]]):
        if d["state"] == "War" and d["player"] in alive and d["other"] in alive:
            found[d["player"]].append(d["other"])
    return found


def _plans(view: StateView, alive: set[int]) -> Mapping[int, list[int]]:
    found = defaultdict(list)
    for pair in records(view.hidden.pairs[["player", "other", "countdown"]]):
        if pair["countdown"] >= 0 and pair["player"] in alive and pair["other"] in alive:
            found[pair["player"]].append(pair["other"])
    return found


def _expanding(view: StateView) -> set[int]:
    founders = {t["id"]: t["name"] for t in records(view.rules.unit_types) if t["founds_cities"]}
    names = set(founders.values())
    owners = {u["owner"] for u in records(view.units[["owner", "type"]]) if u["type"] in founders}
    makers = {
        c["owner"]
        for c in records(view.cities[["owner", "production_kind", "production"]])
        if c["production_kind"] == "UnitType" and c["production"] in names
    }
    return owners | makers


def policy_text(found: Mapping[int, Policy], players: Iterable[int] | None = None) -> str:
    """One line per civilization; if asked only those of some players."""
    chosen = [str(policy) for player, policy in found.items() if players is None or player in set(players)]
    return "\n".join(chosen) + "\n" if chosen else listed([]) + "\n"
