# SPDX-License-Identifier: GPL-2.0-or-later
"""What a world is made from: one frozen, validated value that fixes everything that follows."""

from __future__ import annotations

import hashlib
import numbers
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from civworld.checks import named, seed_within, whole
from civworld.errors import ArgumentError

RULESETS = ("civ2civ3", "classic", "civ1", "civ2", "multiplayer", "sandbox", "alien")
DIFFICULTIES = ("novice", "easy", "normal", "hard", "cheating")
RNGS = ("keyed", "stock")
# behaviours that differ from the stock engine, in canonical order; the engine knows each by this name
PATCHES = (
    "aggression", "expansion", "trade", "building", "first_contact_peace", "wars_end", "spending", "government",
)  # fmt: skip
VICTORIES = ("spacerace", "allied", "culture")
TRAITS = ("expansionist", "trader", "aggressive", "builder")
MAX_PLAYERS = 30
# civilizations for which a ruleset has nations, where that is fewer
NATIONS = {"civ1": 14, "civ2": 21, "alien": 7}
MAX_MAP_SIZE = 50
MIN_TILES_PER_PLAYER = 100
MAX_SEED = 2**31 - 3
MAX_TRAIT = 1000
# world rules with the range of the engine's setting of that name
RULES = {"disasters": (0, 1000), "foodbox": (1, 10000), "sciencebox": (1, 10000)}

# fields that are whole numbers, with their range
_RANGES = (("players", 1, MAX_PLAYERS), ("map_size", 1, MAX_MAP_SIZE), ("turn_work", 1, 2**62))
# what a ruleset's maps need beyond the engine's defaults, to have starting places for its civilizations
_MAPS = {"alien": ("set landmass 50",)}
# settings of the first version: configs that leave all others alone are written as they were before there were any
_FIRST = (
    "seed", "players", "ruleset", "map_size", "difficulty", "humans", "rng", "patches", "traits", "teams",
    "disasters", "foodbox", "sciencebox", "fatal_assertions", "turn_work", "turn_seconds",
)  # fmt: skip

# one civilization's traits, in the order of TRAITS
Traits = tuple[int, ...]


@dataclass(frozen=True)
class WorldConfig:
    """Settings of one world; equal configs give equal worlds, in any process of the same build.

    Attributes:
        seed: fixes map, starting places, personalities and every later draw; 0..2147483645. A larger one stands for
            one in that range, which the config then holds: see `civworld.checks.seed_within`.
        players: number of civilizations, all run by the engine's AI unless an agent takes one; 1..30, as far as the
            ruleset has nations (14 in civ1, 21 in civ2, 7 in alien).
        ruleset: name of a shipped ruleset.
        map_size: thousands of tiles, 1..50; at least 100 tiles per player.
        difficulty: skill of the built-in AI.
        humans: numbers of the players that wait for orders from turn 1 on; the start is the same whoever plays.
        rng: how the engine draws random numbers once the game has started. `stock`: one stream, as the
            unpatched server does, so that one extra draw anywhere shifts all later ones. `keyed`: afresh at fixed
            points from (seed, turn, stage, subject), so that arms of an experiment share their luck.
        patches: behaviours that differ from the stock engine, by name; all unless told, () = none. `aggression`,
            `expansion`, `trade`, `building`: each trait acts steadily over its whole range. `first_contact_peace`:
            civilizations meet at peace. `wars_end`: civilizations at war make peace when war no longer pays.
            `spending`: they buy what they want most, and see to it that upkeep can be paid. `government`: they change
            government for a clearly better one.
        traits: what the civilizations strive for. None: the engine's own, 50 for every trait. A pair (low, high):
            each trait of each civilization drawn uniformly from low..high, a function of seed, player number and
            trait alone. Otherwise one (expansionist, trader, aggressive, builder) per civilization; 1..1000.
        teams: civilizations per team, in order of player numbers; they are allied for good and research together.
            None: every civilization for itself.
        disasters: per mille and turn, 0..1000; None: the ruleset's own.
        foodbox: food a city needs to grow, percent of the usual, 1..10000; None: the ruleset's own.
        sciencebox: bulbs an advance costs, percent of the usual, 1..10000; None: the ruleset's own.
        victories: ways to win that the rules offer besides being the last one alive, by name; none unless told.
            `spacerace`: spaceships can be built, and the first to arrive wins. `allied`: all who are left are
            allies. `culture`: culture far ahead of all others. The world goes on after a victory (`World.over`).
        fatal_assertions: a failed engine assertion raises EngineFatal; False logs it and goes on, as the
            stock server does.
        turn_work: units of work (requirement checks and path steps) a turn may take before EngineHang; the
            same on every machine.
        turn_seconds: wall-clock limit of a turn, a backstop for loops that do no counted work; 0 = none.

    Raises:
        ArgumentError: a value is outside its range.
        UnknownNameError: a name is not in its table.
    """

    seed: int = 0
    players: int = 6
    ruleset: str = "civ2civ3"
    map_size: int = 4
    difficulty: str = "hard"
    humans: tuple[int, ...] = ()
    rng: str = "keyed"
    patches: tuple[str, ...] = PATCHES
    traits: tuple[int, int] | tuple[Traits, ...] | None = None
    teams: int | None = None
    disasters: int | None = None
    foodbox: int | None = None
    sciencebox: int | None = None
    victories: tuple[str, ...] = ()
    fatal_assertions: bool = True
    turn_work: int = 5_000_000_000
    turn_seconds: float = 900.0

    def __post_init__(self) -> None:
        self._set("seed", seed_within("seed", self.seed, MAX_SEED))
        for name, low, high in _RANGES:
            self._set(name, whole(name, getattr(self, name), low, high))
        seconds: object = self.turn_seconds
        if not isinstance(seconds, numbers.Real) or isinstance(seconds, bool) or not 0 <= float(seconds) <= 1e6:
            raise ArgumentError(f"turn_seconds={seconds!r}: 0 (no limit) to 1e6 seconds are allowed")
        self._set("turn_seconds", float(seconds))
        named("ruleset", self.ruleset, RULESETS)
        named("difficulty", self.difficulty, DIFFICULTIES)
        named("rng", self.rng, RNGS)
        self._set("patches", _names("patches", "patch", self.patches, PATCHES))
        self._set("victories", _names("victories", "victory", self.victories, VICTORIES))
        if self.players > NATIONS.get(self.ruleset, MAX_PLAYERS):
            raise ArgumentError(
                f"players={self.players}: ruleset {self.ruleset!r} has nations for {NATIONS[self.ruleset]} players"
            )
        self._set("traits", _traits(self.traits, self.players))
        for name, (low, high) in (("teams", (1, self.players)), *RULES.items()):
            if getattr(self, name) is not None:
                self._set(name, whole(name, getattr(self, name), low, high))
        self._set("humans", _player_numbers(self.humans, self.players))
        if self.map_size * 1000 < self.players * MIN_TILES_PER_PLAYER:
            raise ArgumentError(
                f"map_size={self.map_size} ({self.map_size * 1000} tiles) is too small for players={self.players}: "
                f"each needs at least {MIN_TILES_PER_PLAYER} tiles"
            )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def console_lines(self) -> tuple[str, ...]:
        """The server console commands that set this world up; a stock server given them plays the same game."""
        return (
            "set minplayers 0",
            "set timeout -1",
            'set autosaves ""',
            "set endturn 32767",
            f'set victories "{"|".join(name.upper() for name in self.victories)}"',
            f"set mapseed {self.seed + 1}",
            f"set gameseed {self.seed + 1}",
            "set mapsize FULLSIZE",
            f"set size {self.map_size}",
            f"set aifill {self.players}",
            *_MAPS.get(self.ruleset, ()),
            self.difficulty,
            *(f"set {rule} {getattr(self, rule)}" for rule in RULES if getattr(self, rule) is not None),
            *(f"team AI*{player + 1} {team}" for player, team in enumerate(self._team_of_players())),
        )

    def _team_of_players(self) -> list[int]:
        return [] if self.teams is None else [player // self.teams for player in range(self.players)]

    def starting_traits(self) -> tuple[Traits, ...] | None:
        """(expansionist, trader, aggressive, builder) of each civilization; None = as the engine sets them.

        A draw from (low, high) is low + h modulo (high - low + 1), h being the first 8 bytes, little-endian, of the
        BLAKE2b hash of "trait SEED PLAYER NAME".
        """
        if self.traits is None or not isinstance(self.traits[0], int):
            return self.traits
        low, high = self.traits
        return tuple(tuple(self._draw(p, name, low, high) for name in TRAITS) for p in range(self.players))

    def _draw(self, player: int, trait: str, low: int, high: int) -> int:
        digest = hashlib.blake2b(f"trait {self.seed} {player} {trait}".encode(), digest_size=8).digest()
        return low + int.from_bytes(digest, "little") % (high - low + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for manifests. Settings that came after the first version are left out at their defaults."""
        new = {f.name for f in fields(self) if f.name not in _FIRST and getattr(self, f.name) == f.default}
        return {name: value for name, value in asdict(self).items() if name not in new}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config that `to_dict` described. What an older library did not write down has the default.

        Raises:
            ArgumentError: a key is unknown, or a value is not allowed.
        """
        unknown = set(values) - {f.name for f in fields(cls)}
        if unknown:
            known = sorted(f.name for f in fields(cls))
            raise ArgumentError(f"config keys {sorted(map(str, unknown))} are not known; known are {known}")
        return cls(**values)


def _player_numbers(value: object, players: int) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise ArgumentError(f"humans={value!r}: ascending player numbers from 0 to {players - 1} are needed")
    numbers = tuple(whole("humans: player", n, 0, players - 1) for n in value)
    if sorted(set(numbers)) != [*numbers]:
        raise ArgumentError(f"humans={value!r}: ascending player numbers from 0 to {players - 1} are needed")
    return numbers


def _names(setting: str, kind: str, names: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """The names as a tuple in canonical order, each once."""
    if isinstance(names, str) or not isinstance(names, tuple | list | set | frozenset):
        raise ArgumentError(f"{setting}={names!r}: a tuple of names is needed, of {', '.join(known)}")
    for name in names:
        named(kind, name, known)
    return tuple(name for name in known if name in names)


def _traits(traits: object, players: int) -> tuple[Any, ...] | None:
    """The traits as tuples, JSON's lists accepted."""
    if traits is None:
        return None
    if isinstance(traits, tuple | list) and len(traits) == 2 and not isinstance(traits[0], tuple | list):
        low, high = _trait_values(traits)
        if low <= high:
            return low, high
    elif isinstance(traits, tuple | list) and len(traits) == players:
        rows = tuple(_trait_values(row) for row in traits if isinstance(row, tuple | list) and len(row) == len(TRAITS))
        if len(rows) == players:
            return rows
    raise ArgumentError(
        f"traits={traits!r}: None, a pair (low, high), or {players} times ({', '.join(TRAITS)}) is needed, "
        f"numbers from 1 to {MAX_TRAIT}"
    )


def _trait_values(values: tuple[object, ...] | list[object]) -> Traits:
    return tuple(whole("traits", value, 1, MAX_TRAIT) for value in values)
