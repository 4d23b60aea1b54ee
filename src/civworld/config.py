# SPDX-License-Identifier: GPL-2.0-or-later
"""What a world is made from: one frozen, validated value that fixes everything that follows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from civworld.errors import ArgumentError, UnknownNameError

RULESETS = ("civ2civ3", "classic", "civ1", "civ2", "multiplayer", "sandbox", "alien")
DIFFICULTIES = ("novice", "easy", "normal", "hard", "cheating")
RNGS = ("keyed", "stock")
MAX_PLAYERS = 30
MAX_MAP_SIZE = 50
MIN_TILES_PER_PLAYER = 100
MAX_SEED = 2**31 - 3


@dataclass(frozen=True)
class WorldConfig:
    """Settings of one world; equal configs give equal worlds, in any process of the same build.

    Attributes:
        seed: fixes map, starting places, personalities and every later draw; 0..2147483645.
        players: number of civilizations, all run by the engine's AI unless an agent takes one; 1..30.
        ruleset: name of a shipped ruleset.
        map_size: thousands of tiles, 1..50; at least 100 tiles per player.
        difficulty: skill of the built-in AI.
        rng: how the engine draws random numbers once the game has started. `stock`: one stream, as the
            unpatched server does, so that one extra draw anywhere shifts all later ones. `keyed`: afresh at fixed
            points from (seed, turn, stage, player or city), so that arms of an experiment share their luck.
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
    rng: str = "keyed"
    fatal_assertions: bool = True
    turn_work: int = 5_000_000_000
    turn_seconds: float = 900.0

    def __post_init__(self) -> None:
        _whole("seed", self.seed, 0, MAX_SEED)
        _whole("players", self.players, 1, MAX_PLAYERS)
        _whole("map_size", self.map_size, 1, MAX_MAP_SIZE)
        _whole("turn_work", self.turn_work, 1, 2**62)
        if not 0 <= self.turn_seconds <= 1e6:
            raise ArgumentError(f"turn_seconds={self.turn_seconds!r}: 0 (no limit) to 1e6 seconds are allowed")
        _named("ruleset", self.ruleset, RULESETS)
        _named("difficulty", self.difficulty, DIFFICULTIES)
        _named("rng", self.rng, RNGS)
        if self.map_size * 1000 < self.players * MIN_TILES_PER_PLAYER:
            raise ArgumentError(
                f"map_size={self.map_size} ({self.map_size * 1000} tiles) is too small for players={self.players}: "
                f"each needs at least {MIN_TILES_PER_PLAYER} tiles"
            )

    def console_lines(self) -> tuple[str, ...]:
        """The server console commands that set this world up; a stock server given them plays the same game."""
        return (
            "set minplayers 0",
            "set timeout -1",
            'set autosaves ""',
            "set endturn 32767",
            'set victories ""',
            f"set mapseed {self.seed + 1}",
            f"set gameseed {self.seed + 1}",
            "set mapsize FULLSIZE",
            f"set size {self.map_size}",
            f"set aifill {self.players}",
            self.difficulty,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for manifests."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The config that `to_dict` described.

        Raises:
            ArgumentError: a key is missing or unknown, or a value is not allowed.
        """
        known = {f.name for f in fields(cls)}
        if set(values) != known:
            raise ArgumentError(f"config keys {sorted(values)}, expected {sorted(known)}")
        return cls(**values)


def _whole(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ArgumentError(f"{name}={value!r}: a whole number from {low} to {high} is needed")


def _named(kind: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UnknownNameError(kind, value, known)
