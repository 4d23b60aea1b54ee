# SPDX-License-Identifier: GPL-2.0-or-later
"""Two scripted simulators: a random walk, and growth along the own trend, with steps as practice worlds made them.

They answer in numbers or, where a program is asked for, with a program that plays the same process turn by turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from civworld import quantities
from civworld.civworldbench.answering.predictors import Predictor, as_text, reference
from civworld.civworldbench.asking.forecasts import QUANTITIES, from_scale, is_log, to_scale
from civworld.civworldbench.asking.protocols import CODE
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.scoring import TAUS
from civworld.corpus import Corpus, DecisionPoint

NORMAL = tuple(NormalDist().inv_cdf(tau) for tau in TAUS)


@dataclass(frozen=True)
class Step:
    """How a quantity moves in a turn, on the scale of its errors: drift + pull * own recent pace, and noise."""

    drift: float
    pull: float
    spread: float


@dataclass(frozen=True)
class Path:
    """One quantity of one civilization: where it starts and how each turn moves it, on the scale of its errors."""

    start: float
    drift: float
    spread: float
    quantity: str

    def quantiles(self, turns: int) -> list[float]:
        """The distribution after some turns, at the levels of `TAUS`."""
        values = [self.start + self.drift * turns + self.spread * turns**0.5 * z for z in NORMAL]
        return [float(from_scale(self.quantity, value)) for value in values]


def random_walk(corpus: Corpus, queries: QuerySet, practice: Corpus) -> Predictor:
    """No drift; a program of it draws every question anew, so that its effects of edits are chance."""
    return _simulator(corpus, queries, steps(practice, growing=False), common=False)


def growth(corpus: Corpus, queries: QuerySet, practice: Corpus) -> Predictor:
    """The part of the own pace, and the drift, that practice worlds went on with; the same luck with an edit as
    without."""
    return _simulator(corpus, queries, steps(practice, growing=True), common=True)


def steps(practice: Corpus, *, growing: bool) -> dict[str, Step]:
    """For each quantity the step that fits the changes after the decision points of practice worlds best."""
    found = {}
    for name in QUANTITIES:
        rows = [
            row for w in practice.worlds for p in practice.decision_points(w) for row in _paces(practice, w, p, name)
        ]
        pace, change, turns = (np.array(column, np.float64) for column in zip(*rows, strict=True))
        columns = np.column_stack([np.ones(len(pace)), pace])
        drift, pull = np.linalg.lstsq(columns, change / turns, rcond=None)[0] if growing else (0.0, 0.0)
        left = change - turns * (drift + pull * pace)
        found[name] = Step(float(drift), float(pull), float(np.sqrt(np.mean(left**2 / turns))))
    return found


def _paces(corpus: Corpus, world: str, point: DecisionPoint, name: str) -> list[tuple[float, float, int]]:
    """For each living civilization and horizon: recent change a turn, the change that came, turns ahead."""
    records, last = corpus.records(world), point.horizons[-1]
    living = records["player"][(records["turn"] == point.turn) & records["is_alive"]].tolist()
    return [
        (_pace(corpus, world, point, name, civ), _level(corpus, world, point, name, civ, h) - now, h)
        for civ in living
        for now in [_level(corpus, world, point, name, civ, 0)]
        for h in (last // 2, last)
    ]


def _level(corpus: Corpus, world: str, point: DecisionPoint, name: str, civ: int, ahead: int) -> float:
    """A quantity so many turns from t1, on the scale of its errors; a gain counts from t1."""
    track = corpus.track(world)
    value = float(track.value(name, point.turn + ahead, civ))
    if quantities.get(name).as_gain:
        value -= float(track.value(name, point.turn, civ))
    return float(to_scale(name, value))


def _pace(corpus: Corpus, world: str, point: DecisionPoint, name: str, civ: int) -> float:
    """Change a turn between the last two frames, on the scale of errors."""
    before, now = point.frames[-2:]
    past = _level(corpus, world, point, name, civ, before - now)
    here = _level(corpus, world, point, name, civ, 0)
    return (here - past) / (now - before)


def _simulator(corpus: Corpus, queries: QuerySet, step: Mapping[str, Step], *, common: bool) -> Predictor:
    floor = reference(queries)

    def path(query: Query, cell: Cell) -> Path:
        place = (corpus, query.world, corpus.point(query.world, query.turn), cell.subject, cell.civ)
        how = step[cell.subject]
        return Path(_level(*place, 0), how.drift + how.pull * _pace(*place), how.spread, cell.subject)

    def predict(query: Query) -> str:
        if query.cells[0].kind != "quantiles":
            return floor(query)
        paths = {cell.id: path(query, cell) for cell in query.cells}
        if query.protocol == CODE:
            return _program(query, paths, common=common)
        return as_text({cell.id: paths[cell.id].quantiles(cell.horizon) for cell in query.cells})

    return predict


def _program(query: Query, paths: Mapping[str, Path], *, common: bool) -> str:
    """A program that plays every path turn by turn."""
    rows: dict[str, list[object]] = {}
    for cell in query.cells:
        p = paths[cell.id]
        luck = cell.civ * len(QUANTITIES) + QUANTITIES.index(cell.subject) if common else len(rows)
        row = rows.setdefault(
            f"{cell.civ}.{cell.subject}", [p.start, p.drift, p.spread, int(is_log(p.quantity)), luck, {}]
        )
        assert isinstance(row[-1], dict)
        row[-1][str(cell.horizon)] = cell.id
    number = 0 if common else sum(query.id.encode())
    return "\n".join(["```python", _HEAD, f"PATHS = {json.dumps(list(rows.values()), indent=1)}", f"NUMBER = {number}",
                      _TAIL, "```"])  # fmt: skip


_HEAD = """import numpy as np

# start, drift and spread of a turn, whether logarithmic, number of its luck, turns ahead -> id"""
_TAIL = """

def simulate(seed):
    found = {}
    for value, drift, spread, log, luck, asked in PATHS:
        rng = np.random.default_rng([seed, luck, NUMBER])
        for turn in range(1, max(map(int, asked)) + 1):
            value += drift + spread * rng.normal()
            if str(turn) in asked:
                found[asked[str(turn)]] = np.sign(value) * np.expm1(abs(value)) if log else value
    return found
"""
