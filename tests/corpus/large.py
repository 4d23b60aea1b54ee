# SPDX-License-Identifier: GPL-2.0-or-later
"""What a corpus tells of a large world, made up: for tests of size that no played world would be worth."""

import numpy as np

from civworld import corpus, quantities
from civworld.events import Event

TURNS, CIVS, TILES, D = 240, 10, (60, 100), 40
NAMES = list(quantities.table())


class LargeCorpus:
    """Ten civilizations on 6,000 tiles for 240 turns, four decision points, eleven operators, busier than real ones."""

    suite, version, build_id = "made-up", 1, "0" * 32

    def __init__(self):
        self.draws = np.random.default_rng(5)

    def world(self, world):
        return corpus.WorldInfo(world, "large", "civ2civ3", "hard", CIVS, 6, *TILES, 0, 1, 200, TURNS)

    def decision_points(self, world):
        return tuple(corpus.DecisionPoint(t, D) for t in (81, 120, 160, 200))

    def years(self, world):
        return list(range(-4000, -4000 + 20 * TURNS, 20))

    def _rows(self, **columns):
        rows = np.empty(len(next(iter(columns.values()))), [(n, np.asarray(c).dtype) for n, c in columns.items()])
        for name, column in columns.items():
            rows[name] = column
        return rows

    def _turns_and_players(self):
        return {"turn": np.repeat(np.arange(1, TURNS + 1), CIVS), "player": np.tile(np.arange(CIVS), TURNS)}

    def records(self, world):
        n = TURNS * CIVS
        return self._rows(**self._turns_and_players(), nation=np.tile([f"Nation{p}" for p in range(CIVS)], TURNS),
                          is_alive=np.ones(n, bool))  # fmt: skip

    def civs(self, world):
        return self._rows(**self._turns_and_players(), color=np.tile([f"#{p:02x}80ff" for p in range(CIVS)], TURNS))

    def _track(self, first, turns, seed=None):
        values = np.zeros((turns, CIVS), [(n, "<i8") for n in NAMES])
        for name in NAMES:
            values[name] = self.draws.integers(0, 10_000, (turns, CIVS)).cumsum(0) // 50
        return quantities.Track(np.arange(first, first + turns), np.arange(CIVS), values, seed, ("",))

    def track(self, world):
        return self._track(1, TURNS)

    def futures(self, world, t1):
        return tuple(self._track(t1, D + 1, seed) for seed in range(8))

    def arms(self, world, t1):
        def tracks():
            return self._track(t1, D + 1)

        return {
            f"operator_{i}": corpus.ArmSet(
                f"operator_{i}", "usual", True, i % CIVS, -1, ("treasury", "production", "cities", "score"), {}, (),
                tracks(), "", tracks(), tracks(), tuple((tracks(), tracks()) for _ in range(8)),
            )
            for i in range(11)
        }  # fmt: skip

    def events(self, world):
        return [
            Event(turn, "window", "unit_lost", int(p), int(q), unit=7, cause="killed", name="Battering Ram")
            for turn in range(1, TURNS + 1)
            for p, q in self.draws.integers(0, CIVS, (40, 2))
        ]

    def map_changes(self, world):
        every, later = TILES[0] * TILES[1], 150
        n = every + (TURNS - 1) * later
        turn = np.concatenate([np.ones(every, int), np.repeat(np.arange(2, TURNS + 1), later)])
        tile = np.concatenate([np.arange(every), self.draws.integers(0, every, n - every)])
        return self._rows(turn=turn, tile=tile, terrain=self.draws.choice(["Hills", "Ocean", "Plains"], n),
                          owner=self.draws.integers(-1, CIVS, n), city_owner=self.draws.integers(-1, CIVS, n),
                          city_size=self.draws.integers(0, 30, n))  # fmt: skip
