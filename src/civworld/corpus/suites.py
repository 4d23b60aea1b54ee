# SPDX-License-Identifier: GPL-2.0-or-later
"""Suites: versioned lists of worlds that anyone can make again from a name and a version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

from civworld.config import DIFFICULTIES, NATIONS, WorldConfig
from civworld.errors import ArgumentError, UnknownNameError
from civworld.report import spacing

T = TypeVar("T")
Ranges = Mapping[str, tuple[int, ...]]

# behaviours that are on in each version of the suites, so that a version's worlds stay as they are
BEHAVIOURS: Mapping[int, tuple[str, ...]] = {
    1: ("aggression", "expansion", "trade", "building", "first_contact_peace", "wars_end"),
    2: ("aggression", "expansion", "trade", "building", "first_contact_peace", "wars_end", "spending", "government"),
}
VERSION = max(BEHAVIOURS)
# first turn at which a forecaster has three frames 20 turns apart
EARLIEST = 41
POINTS = 4
# what arms are played of, whatever is registered later
OPERATORS = (
    "treasury_grant", "treasury_drain", "research_grant", "research_loss", "city_growth", "city_transfer",
    "government_access", "map_reveal", "trait_shift", "attitude_shift", "disaster_rate",
)  # fmt: skip


@dataclass(frozen=True)
class DecisionPoint:
    """A turn at which forecasts are asked for.

    Attributes:
        turn: t1; a forecaster sees the world up to the command window of this turn.
        spacing: D, turns between the frames shown.
    """

    turn: int
    spacing: int

    @property
    def frames(self) -> tuple[int, int, int]:
        """Turns of the three frames: t1 - 2D, t1 - D, t1."""
        return (self.turn - 2 * self.spacing, self.turn - self.spacing, self.turn)

    @property
    def horizons(self) -> tuple[int, int]:
        """Turns ahead that are asked about: D/2 and D."""
        return (self.spacing // 2, self.spacing)


@dataclass(frozen=True)
class WorldSpec:
    """One world of a suite.

    Attributes:
        id: name of the world in every table and path.
        config: what it is made from; holds what forecasters must not see.
        map_class: "small", "medium" or "large".
        budget: turns of play that are reported to forecasters.
        points: the decision points, ascending.
    """

    id: str
    config: WorldConfig
    map_class: str
    budget: int
    points: tuple[DecisionPoint, ...]

    def __post_init__(self) -> None:
        turns = [p.turn for p in self.points]
        if not turns or turns != sorted(set(turns)):
            raise ArgumentError(f"world {self.id!r}: decision points {turns}: ascending turns are needed")
        for p in self.points:
            if p.spacing < 2 or p.frames[0] < 1:
                raise ArgumentError(f"world {self.id!r}: turn {p.turn} has no frames {p.spacing} turns apart")

    @property
    def last_turn(self) -> int:
        """Where the mainline ends: the budget plus the longest horizon."""
        return max(self.budget, self.points[-1].turn) + max(p.horizons[-1] for p in self.points)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        points = [[p.turn, p.spacing] for p in self.points]
        return {
            "id": self.id,
            "config": self.config.to_dict(),
            "map_class": self.map_class,
            "budget": self.budget,
            "points": points,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The world that `to_dict` described."""
        points = tuple(DecisionPoint(*p) for p in values["points"])
        config = WorldConfig.from_dict(values["config"])
        return cls(values["id"], config, values["map_class"], values["budget"], points)


@dataclass(frozen=True)
class Suite:
    """Worlds, and what is played from each of their decision points.

    Attributes:
        name: what it is called.
        version: raised whenever anything about it changes.
        worlds: the worlds in order.
        futures: re-seeded futures of each decision point.
        pairs: common seeds under which each operator's arms are played besides the world's own future.
        operators: names of the operators of the arms, see `civworld.arms`.
        one_operator: whether each decision point tries but one of them: the first, in an order drawn for the point,
            that anybody there is eligible for.
    """

    name: str
    version: int
    worlds: tuple[WorldSpec, ...] = field(repr=False)
    futures: int = 8
    pairs: int = 8
    operators: tuple[str, ...] = OPERATORS
    one_operator: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.pairs <= self.futures:
            raise ArgumentError(
                f"suite {self.name!r}: pairs={self.pairs}: 0 to futures={self.futures} are possible, since futures "
                "are the controls of the pairs"
            )
        ids = [w.id for w in self.worlds]
        if not ids or len(set(ids)) != len(ids):
            raise ArgumentError(f"suite {self.name!r}: worlds need ids of their own, found {ids[:5]}")

    @property
    def id(self) -> str:
        """Name and version, for example "basic-v1"."""
        return f"{self.name}-v{self.version}"

    def world(self, name: str) -> WorldSpec:
        """The world of that id; UnknownNameError when there is none."""
        for spec in self.worlds:
            if spec.id == name:
                return spec
        raise UnknownNameError(f"world of {self.id}", name, (w.id for w in self.worlds))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, hidden parameters among them."""
        return {
            "name": self.name,
            "version": self.version,
            "futures": self.futures,
            "pairs": self.pairs,
            "operators": list(self.operators),
            **({"one_operator": True} if self.one_operator else {}),
            "worlds": [w.to_dict() for w in self.worlds],
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The suite that `to_dict` described."""
        return cls(
            values["name"],
            values["version"],
            tuple(WorldSpec.from_dict(w) for w in values["worlds"]),
            values["futures"],
            values["pairs"],
            tuple(values["operators"]),
            values.get("one_operator", False),
        )


def decision_points(budget: int) -> tuple[DecisionPoint, ...]:
    """Four turns at 40, 60, 80 and 100 % of the budget.

    The first is no earlier than turn 41, where frames 20 turns apart begin to exist; the others then lie evenly
    between it and the budget. Frames are as far apart as those of a report, see `civworld.report.spacing`.
    """
    first = max(EARLIEST, round(0.4 * budget))
    if budget < first + POINTS - 1:
        raise ArgumentError(f"budget={budget}: {POINTS} decision points from turn {first} on do not fit")
    turns = [round(first + (budget - first) * i / (POINTS - 1)) for i in range(POINTS)]
    return tuple(DecisionPoint(t, spacing(t)) for t in turns)


class _Draws:
    """Choices that depend on a key alone, the same on every machine and in every version of Python."""

    def __init__(self, *key: object) -> None:
        self._key = " ".join(map(str, key))

    def number(self, what: str) -> int:
        digest = hashlib.blake2b(f"{self._key} {what}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little")

    def pick(self, what: str, among: Sequence[T]) -> T:
        return among[self.number(what) % len(among)]


@dataclass(frozen=True)
class _Size:
    map_class: str
    players: tuple[int, ...]
    map_size: int
    budget: int


SIZES = (
    _Size("small", (3, 4), 1, 120),
    _Size("medium", (5, 6, 7), 3, 160),
    _Size("large", (8, 9, 10), 6, 200),
)
BASIC: Ranges = {"disasters": (0, 10, 60), "foodbox": (60, 100, 160), "sciencebox": (60, 100, 160)}
BASIC_TRAITS = (10, 150)
WIDE: Ranges = {"disasters": (0, 5, 30, 120), "foodbox": (50, 80, 125, 200), "sciencebox": (50, 80, 125, 200)}
WIDE_TRAITS = (1, 250)
OTHER_RULESETS = ("civ1", "civ2", "multiplayer", "sandbox", "alien")


def _seed(draws: _Draws) -> int:
    return draws.number("seed") % 2**31 % 2_000_000_000


def _rules(draws: _Draws, ranges: Ranges) -> dict[str, Any]:
    return {rule: draws.pick(rule, values) for rule, values in ranges.items()}


def _basic_world(name: str, version: int, draws: _Draws, size: _Size) -> WorldSpec:
    config = WorldConfig(
        seed=_seed(draws),
        players=draws.pick("players", size.players),
        map_size=size.map_size,
        patches=BEHAVIOURS[version],
        traits=BASIC_TRAITS,
        **_rules(draws, BASIC),
    )
    return WorldSpec(name, config, size.map_class, size.budget, decision_points(size.budget))


_TINY = _Size("small", (3, 4), 1, 60)


def _tiny(version: int) -> Suite:
    """Six small worlds of 60 turns, for demonstrations and tests."""
    worlds = [_basic_world(f"tiny-{i:03}", version, _Draws("tiny", 1, i), _TINY) for i in range(6)]
    return Suite("tiny", version, tuple(worlds), futures=8, pairs=4)


def _tiny_practice(version: int) -> Suite:
    """200 worlds from the same draws as those of `tiny`, their mainlines alone: what references learn from."""
    names = [f"tiny-practice-{i:03}" for i in range(200)]
    worlds = [_basic_world(name, version, _Draws("tiny-practice", 1, i), _TINY) for i, name in enumerate(names)]
    return Suite("tiny-practice", version, tuple(worlds), futures=0, pairs=0, operators=())


def _tiny_generalization(version: int) -> Suite:
    """Four small worlds of 60 turns unlike those of `tiny`, drawn as those of `generalization` are."""
    worlds = []
    for i, ruleset in enumerate(("classic", "classic", "civ2", "multiplayer")):
        draws = _Draws("tiny-generalization", 1, i)
        config = WorldConfig(
            seed=_seed(draws),
            players=draws.pick("players", range(3, 6)),
            ruleset=ruleset,
            map_size=draws.pick("map_size", (1, 2)),
            difficulty=DIFFICULTIES[i % len(DIFFICULTIES)],
            patches=BEHAVIOURS[version],
            traits=WIDE_TRAITS,
            **_rules(draws, WIDE),
        )
        points = decision_points(_TINY.budget)
        worlds.append(WorldSpec(f"tiny-generalization-{i:03}", config, "small", _TINY.budget, points))
    return Suite("tiny-generalization", version, tuple(worlds), futures=8, pairs=4)


def _basic(version: int) -> Suite:
    """300 worlds on civ2civ3 with hard AIs: 100 small, 100 medium, 100 large, taking turns."""
    worlds = [_basic_world(f"basic-{i:03}", version, _Draws("basic", 1, i), SIZES[i % 3]) for i in range(300)]
    return Suite("basic", version, tuple(worlds), one_operator=version > 1)


def _generalization(version: int) -> Suite:
    """175 worlds unlike those of `basic`: 128 on classic, 47 on other rulesets, 60 of all in teams of two.

    No ruleset is asked for more civilizations than it has nations for.
    """
    worlds = []
    for i in range(175):
        draws = _Draws("generalization", 1, i)
        players = draws.pick("players", range(3, 11))
        map_size = draws.pick("map_size", [n for n in range(1, 11) if n * 1000 >= players * 200])
        budget = 120 if map_size <= 2 else 160 if map_size <= 4 else 200
        ruleset = "classic" if i < 128 else OTHER_RULESETS[(i - 128) % len(OTHER_RULESETS)]
        config = WorldConfig(
            seed=_seed(draws),
            players=min(players, NATIONS.get(ruleset, players)),
            ruleset=ruleset,
            map_size=map_size,
            difficulty=DIFFICULTIES[i % len(DIFFICULTIES)],
            patches=BEHAVIOURS[version],
            traits=WIDE_TRAITS,
            teams=2 if i % 35 % 3 == 1 else None,  # 60 of the 175
            **_rules(draws, WIDE),
        )
        map_class = {120: "small", 160: "medium", 200: "large"}[budget]
        worlds.append(WorldSpec(f"generalization-{i:03}", config, map_class, budget, decision_points(budget)))
    return Suite("generalization", version, tuple(worlds), one_operator=version > 1)


SUITES: dict[str, Callable[[int], Suite]] = {
    "tiny": _tiny,
    "tiny-practice": _tiny_practice,
    "tiny-generalization": _tiny_generalization,
    "basic": _basic,
    "generalization": _generalization,
}
"""Every suite by its name."""
PRACTICE: Mapping[str, str] = {"tiny": "tiny-practice"}
"""Suite -> the suite of worlds to learn from; worlds of the others are many enough to learn from one another."""


def suite(name: str, version: int | None = None, *, operators: str = "") -> Suite:
    """The suite of that name and version, made anew.

    Versions of a suite are the same maps, traits and rules; they differ in which behaviours are on (`BEHAVIOURS`).

    Args:
        name: a suite's name, or its id such as "tiny-v1".
        version: which version; None takes the id's, or the newest.
        operators: `one` at each decision point, or `all` of them; empty for the suite's own choice: one in `basic` and
            `generalization` from version 2 on, all elsewhere.

    Raises:
        UnknownNameError: there is no such suite.
        ArgumentError: this library does not make that version of it.
    """
    plain, mark, number = name.rpartition("-v")
    if version is None and mark and number.isdecimal():
        name, version = plain, int(number)
    if name not in SUITES:
        raise UnknownNameError("suite", name, SUITES)
    asked = VERSION if version is None else version
    if asked not in BEHAVIOURS:
        known = ", ".join(map(str, BEHAVIOURS))
        raise ArgumentError(f"suite {name!r}: version {asked!r} was asked for, this library makes {known}")
    if operators not in ("", "one", "all"):
        raise UnknownNameError("choice of operators", operators, ("one", "all"))
    found = SUITES[name](asked)
    return replace(found, one_operator=operators == "one") if operators else found
