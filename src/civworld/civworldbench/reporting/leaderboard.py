# SPDX-License-Identifier: GPL-2.0-or-later
"""Many forecasters side by side: completion of every metric, the index with its interval, as text and data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.asking.query import SETTINGS
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.metrics import ALL, METRICS, VARIANTS
from civworld.civworldbench.evaluating.tables import Ints, Table, score_of
from civworld.errors import ArgumentError

NOTES = (
    "0 % is the floor, 100 % the ceiling. Capture's floor is -1, the lower end of its scale, and not the floor "
    "predictor's score: to foresee no effect at all scores 0. A dash: undefined, or no ceiling is at hand."
)
"""What stands below a table."""

LEVEL_NAMES = {1: "L1 association", 2: "L2 belief", 3: "L3 intervention"}
CEILING_NAMES = {"published": "as published", "all": "on all cells"}

Ceilings = Mapping[str, Mapping[str, float | None]]
"""Setting -> metric -> raw score of the best that can be known; None where it was not measured."""


@dataclass(frozen=True)
class Line:
    """One forecaster in one setting.

    Attributes:
        score: metric -> score, adjusted where the metric is an accuracy.
        completion: metric -> share of the way from floor to ceiling, not clipped.
        intervals: metric -> the score with its 95 % interval over worlds.
        coverage: share of the cells with a usable answer.
        failures: name of a failure -> how often.
    """

    score: Mapping[str, float | None]
    completion: Mapping[str, float | None]
    intervals: Mapping[str, scoring.Interval]
    coverage: float
    failures: Mapping[str, int]


@dataclass(frozen=True)
class Leaderboard:
    """The table of a benchmark run.

    Attributes:
        lines: forecaster -> setting -> line.
        index: forecaster -> mean completion over the settings at hand, in %, with its 95 % interval; no estimate
            where a part is undefined. See `index_name`.
        levels: forecaster -> level -> mean completion of its metrics over the settings, in %, with its 95 % interval.
        settings: the settings that the index averages over.
        ceilings: raw scores of the best that can be known.
        measured_on: which of them completion is measured against, see `VARIANTS`.
    """

    lines: Mapping[str, Mapping[str, Line]]
    index: Mapping[str, scoring.Interval]
    levels: Mapping[str, Mapping[int, scoring.Interval]]
    settings: tuple[str, ...]
    ceilings: Ceilings
    measured_on: str = "published"

    @property
    def index_name(self) -> str:
        """SWFI, where all of its settings are at hand; what it is an index over, where they are not."""
        return "SWFI" if self.settings == SETTINGS else f"index over {' and '.join(self.settings)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "settings": list(self.settings),
            "index": self.index_name,
            "floors": {name: ALL[name].floor for name in METRICS},
            "measured_on": self.measured_on,
            "ceilings": {setting: dict(values) for setting, values in self.ceilings.items()},
            "forecasters": {
                name: {
                    "index": _interval(self.index[name]),
                    "levels": {f"L{level}": _interval(value) for level, value in self.levels[name].items()},
                    "settings": {setting: _line(line) for setting, line in lines.items()},
                }
                for name, lines in self.lines.items()
            },
        }

    def to_json(self) -> str:
        """The table as JSON text."""
        return json.dumps(self.to_dict(), indent=1) + "\n"

    def to_markdown(self) -> str:
        """The index first, then one table of completions per setting, in per cent."""
        titles = " | ".join(f"{title} | 95 % interval" for title in (self.index_name, *LEVEL_NAMES.values()))
        parts = [f"| forecaster | {titles} |", "|---|" + "---:|---:|" * (1 + len(LEVEL_NAMES))]
        for name, value in self.index.items():
            shown = (value, *self.levels[name].values())
            parts.append(f"| {name} | {' | '.join(f'{_cell(v.estimate, 1)} | {_range(v, 1)}' for v in shown)} |")
        for setting in self.settings:
            parts += ["", f"**{setting}**: completion in % (score)", ""]
            parts += [f"| forecaster | {' | '.join(METRICS)} | answered |", "|---|" + "---:|" * (len(METRICS) + 1)]
            for name, lines in self.lines.items():
                line = lines[setting]
                cells = [f"{_percent(line.completion[m])} ({_cell(line.score[m], 3)})" for m in METRICS]
                parts.append(f"| {name} | {' | '.join(cells)} | {line.coverage:.0%} |")
            for which in VARIANTS:
                limits = [_cell(ALL[m].limit(self.ceilings[setting], which), 3) for m in METRICS]
                parts.append(f"| *ceiling, {CEILING_NAMES[which]}* | {' | '.join(limits)} | |")
            parts += ["", f"**{setting}**: 95 % interval of the score, over worlds", ""]
            parts += [f"| forecaster | {' | '.join(METRICS)} |", "|---|" + "---:|" * len(METRICS)]
            for name, lines in self.lines.items():
                parts.append(f"| {name} | {' | '.join(_range(lines[setting].intervals[m], 3) for m in METRICS)} |")
        note = f"Completion and index use the ceilings {CEILING_NAMES[self.measured_on]}."
        return "\n".join([*parts, "", f"{note} {NOTES}"]) + "\n"


def leaderboard(
    evaluations: Mapping[str, Mapping[str, Evaluation]],
    ceilings: Ceilings,
    rng: np.random.Generator,
    *,
    n_resamples: int = 1000,
    measured_on: str = "published",
) -> Leaderboard:
    """The table of several forecasters.

    Args:
        evaluations: forecaster -> setting -> evaluation; the same settings for all.
        ceilings: raw scores of the best that can be known.
        rng: draws the worlds of the intervals.
        n_resamples: how many times.
        measured_on: `published` (Trait on pairs 60 or more apart, Direction on effects beyond sigma) or `all` cells.

    Raises:
        ArgumentError: no forecaster, or settings that differ between forecasters.
    """
    found = {tuple(sorted(lines)) for lines in evaluations.values()}
    if len(found) != 1:
        raise ArgumentError(f"leaderboard: settings {sorted(found)}; the same ones for every forecaster are needed")
    settings = tuple(s for s in SETTINGS if s in next(iter(found)))
    limits = {s: {m: ALL[m].limit(ceilings[s], measured_on) for m in METRICS} for s in settings}
    found_of = {
        name: _figures(by_setting, settings, limits, rng, n_resamples) for name, by_setting in evaluations.items()
    }
    lines = {
        name: {
            setting: _make_line(found, limits[setting], {m: found_of[name][setting, m] for m in METRICS})
            for setting, found in ((s, by_setting[s]) for s in settings)
        }
        for name, by_setting in evaluations.items()
    }
    index = {name: figures["", "index"] for name, figures in found_of.items()}
    levels = {name: {level: figures["", str(level)] for level in scoring.LEVELS} for name, figures in found_of.items()}
    return Leaderboard(lines, index, levels, settings, ceilings, measured_on)


def _make_line(
    found: Evaluation, ceilings: Mapping[str, float | None], intervals: Mapping[str, scoring.Interval]
) -> Line:
    return Line(
        {m: ALL[m].adjusted(found.raw[m], ceilings[m]) for m in METRICS},
        {m: ALL[m].completion(found.raw[m], ceilings[m]) for m in METRICS},
        intervals,
        found.coverage,
        found.failures,
    )


def _figures(
    by_setting: Mapping[str, Evaluation],
    settings: tuple[str, ...],
    ceilings: Ceilings,
    rng: np.random.Generator,
    n_resamples: int,
) -> dict[tuple[str, str], scoring.Interval]:
    """Every figure of a forecaster with its interval over worlds; settings that share worlds are resampled together.

    Returns:
        (setting, metric) -> score; ("", "index") and ("", level) -> mean completion in %.
    """
    names = sorted({world for setting in settings for world in by_setting[setting].worlds})
    keys = [(s, m) for s in settings for m in METRICS] + [("", "index"), *(("", str(k)) for k in scoring.LEVELS)]

    def statistics(rows: Ints, _: Ints) -> list[float | None]:
        raw = _raw_over(by_setting, settings, [names[row] for row in rows])
        done = {s: {m: ALL[m].completion(raw[s][m], ceilings[s][m]) for m in METRICS} for s in settings}
        scores = [ALL[m].adjusted(raw[s][m], ceilings[s][m]) for s in settings for m in METRICS]
        return [*scores, scoring.composite_index(done), *(_level(done, level) for level in scoring.LEVELS)]

    found = scoring.world_bootstraps(np.arange(len(names)), statistics, rng, n_resamples=n_resamples)
    return dict(zip(keys, found, strict=True))


def _level(completions: Mapping[str, Mapping[str, float | None]], level: int) -> float | None:
    """Mean completion of a level over settings, in %; None where a part is undefined."""
    parts = [scoring.level_completion(found, level) for found in completions.values()]
    defined = [part for part in parts if part is not None]
    return 100 * sum(defined) / len(defined) if len(defined) == len(parts) else None


def _raw_over(
    by_setting: Mapping[str, Evaluation], settings: Sequence[str], chosen: Sequence[str]
) -> dict[str, dict[str, float | None]]:
    """Setting -> metric -> raw score over chosen worlds, each counting as often as it was chosen."""
    return {
        setting: {m: resampled(by_setting[setting].tables[m], by_setting[setting].worlds, chosen) for m in METRICS}
        for setting in settings
    }


def index_over(
    by_setting: Mapping[str, Evaluation], settings: Sequence[str], ceilings: Ceilings, chosen: Sequence[str]
) -> float | None:
    """The index over chosen worlds, each counting as often as it was chosen; None where a part is undefined."""
    raw = _raw_over(by_setting, settings, chosen)
    return scoring.composite_index(
        {s: {m: ALL[m].completion(raw[s][m], ceilings[s][m]) for m in METRICS} for s in settings}
    )


def resampled(table: Table, worlds: tuple[str, ...], chosen: Sequence[str]) -> float | None:
    """A table's metric over chosen worlds, each counting as often as it was chosen."""
    if not len(table.world):
        return score_of(table)
    places = [np.flatnonzero(table.world == worlds.index(name)) for name in chosen if name in worlds]
    if not places:
        return None
    keys = np.repeat(np.arange(len(places)), [len(rows) for rows in places])
    return table.score(np.concatenate(places), keys)


def _interval(value: scoring.Interval) -> dict[str, float | None]:
    return {"estimate": value.estimate, "low": value.low, "high": value.high}


def _line(line: Line) -> dict[str, Any]:
    return {
        "score": dict(line.score),
        "completion": dict(line.completion),
        "intervals": {metric: _interval(value) for metric, value in line.intervals.items()},
        "coverage": line.coverage,
        "failures": dict(line.failures),
    }


def _cell(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _range(value: scoring.Interval, digits: int) -> str:
    return "-" if value.low is None else f"{value.low:.{digits}f} to {value.high:.{digits}f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}"
