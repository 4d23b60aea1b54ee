# SPDX-License-Identifier: GPL-2.0-or-later
"""The way to answers: support of good answers, process quality against Capture, Capture by protocol; with a picture."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld.civworldbench import scoring
from civworld.civworldbench.asking.protocols import PROTOCOLS
from civworld.civworldbench.evaluating.evaluate import Evaluation
from civworld.civworldbench.evaluating.metrics import ALL
from civworld.civworldbench.evaluating.tables import Ints, Supports
from civworld.civworldbench.reporting.leaderboard import resampled
from civworld.extras import needs

Conditions = Mapping[str, Mapping[str, Mapping[str, Evaluation]]]
"""Protocol -> setting -> forecaster -> evaluation."""
Limits = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""Protocol -> setting -> metric -> the best that can be known."""
Key = tuple[str, str, str]
"""Forecaster, protocol, figure."""

STEPWISE = tuple(name for name, protocol in PROTOCOLS.items() if protocol.stepwise)
FIGURES = ("above", "unsupported", "process", "process_edits")
"""Of a protocol that asks for the way; `capture` is a figure of every protocol."""
FEWEST = 3
"""Forecasters that an association needs."""


@dataclass(frozen=True)
class Process:
    """What the way to answers tells, settings averaged equally, with 95 % intervals over worlds.

    Attributes:
        forecasters: their names.
        settings: those averaged over.
        found: (forecaster, protocol, figure) -> value. `above`: share of forecasts that exceed the trend at the end;
            `unsupported`: share that does so without exceeding it on the way; `process`, `process_edits`: skill on the
            way, of worlds as they are and after edits; `capture`: completion of Capture. With the protocol "" the mean
            over `table` and `code`.
        association: Pearson's r of `process_edits` and `capture` over forecasters, with protocol "".
        over_forecasters: ends of its 95 % interval over forecasters drawn with replacement; None where undefined.
        p_value: of its permutation test, None where undefined.
    """

    forecasters: tuple[str, ...]
    settings: tuple[str, ...]
    found: Mapping[Key, scoring.Interval]
    association: scoring.Interval
    over_forecasters: tuple[float, float] | None
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        figures: dict[str, Any] = {name: {} for name in self.forecasters}
        for (name, protocol, figure), value in self.found.items():
            figures[name].setdefault(protocol or "table and code", {})[figure] = _plain(value)
        about = {"r": _plain(self.association), "over_forecasters": self.over_forecasters, "p": self.p_value}
        return {"settings": list(self.settings), "forecasters": figures, "association": about}

    def to_markdown(self) -> str:
        """A table for each part of the picture."""
        lines = [
            "**Above the trend at the end, and of these not above it on the way (share of matched forecasts)**",
            "",
        ]
        lines += ["| forecaster | " + " | ".join(f"{p}: above | {p}: unsupported" for p in STEPWISE) + " |"]
        lines += ["|---|" + "---:|" * 2 * len(STEPWISE)]
        lines += self._rows([(p, figure) for p in STEPWISE for figure in FIGURES[:2]])
        lines += ["", "**Process quality (skill over the trend on the way) and completion of Capture**", ""]
        heads = [f"{p}: {words}" for p in STEPWISE for words in ("as it is", "after edits")]
        lines += [f"| forecaster | {' | '.join(heads)} | after edits, both | Capture, both |", "|---|" + "---:|" * 6]
        both = [("", "process_edits"), ("", "capture")]
        lines += self._rows([*((p, figure) for p in STEPWISE for figure in FIGURES[2:]), *both])
        r, span = self.association, self.over_forecasters
        ends = "-" if span is None else f"{span[0]:+.2f} to {span[1]:+.2f}"
        p = "-" if self.p_value is None else f"{self.p_value:.3f}"
        lines += ["", f"Association of the last two columns: r = {_text(r)}; over forecasters {ends}; p = {p}."]
        lines += ["", "**Completion of Capture by protocol**", "", f"| forecaster | {' | '.join(PROTOCOLS)} |"]
        lines += ["|---|" + "---:|" * len(PROTOCOLS), *self._rows([(p, "capture") for p in PROTOCOLS])]
        note = f"Means over {' and '.join(self.settings)}; in brackets 95 % intervals over worlds."
        return "\n".join([*lines, "", note]) + "\n"

    def _rows(self, columns: Sequence[tuple[str, str]]) -> list[str]:
        return [
            f"| {name} | {' | '.join(_text(self.found[name, p, figure]) for p, figure in columns)} |"
            for name in self.forecasters
        ]


def process(conditions: Conditions, limits: Limits, seed: int, *, n_resamples: int = 1000) -> Process:
    """What the way to answers tells of several forecasters.

    Args:
        conditions: evaluations by protocol; settings that all of them have are averaged over.
        limits: ceilings by protocol.
        seed: of the worlds that intervals draw.
        n_resamples: how often.
    """
    settings = tuple(s for s in next(iter(conditions.values())) if all(s in found for found in conditions.values()))
    stepwise = [found[s] for p, found in conditions.items() if p in STEPWISE for s in settings]
    names = tuple(dict.fromkeys(name for found in stepwise for name in found))
    worlds = sorted({w for found in stepwise for one in found.values() for w in one.worlds})
    keys = [(n, p, f) for n in names for p in PROTOCOLS for f in (*(FIGURES if p in STEPWISE else ()), "capture")]
    both = [(n, "", f) for n in names for f in ("process_edits", "capture")]

    def statistics(rows: Ints, _: Ints) -> list[float | None]:
        chosen = [worlds[row] for row in rows]
        values: dict[Key, float | None] = {}
        for name, protocol, figure in keys:
            parts = [_figure(conditions, limits, (name, protocol, figure), s, chosen) for s in settings]
            values[name, protocol, figure] = _mean(parts)
        values |= {(n, "", f): _mean([values[n, p, f] for p in STEPWISE if p in conditions]) for n, _, f in both}
        return [*values.values(), _association(values, names)]

    rng = np.random.default_rng(seed)
    *found, association = scoring.world_bootstraps(np.arange(len(worlds)), statistics, rng, n_resamples=n_resamples)
    told = dict(zip([*keys, *both], found, strict=True))
    x, y = _columns({key: value.estimate for key, value in told.items()}, names)
    test = scoring.permutation_test(x, y, np.random.default_rng(seed)) if len(x) >= FEWEST else None
    return Process(names, settings, told, association, _over(x, y, seed), test.p_value if test else None)


def _figure(conditions: Conditions, limits: Limits, key: Key, setting: str, chosen: Sequence[str]) -> float | None:
    """One figure of a forecaster in a setting over chosen worlds; None where it did not answer or is undefined."""
    name, protocol, figure = key
    one = conditions.get(protocol, {}).get(setting, {}).get(name)
    if one is None:
        return None
    table = one.tables["unsupported" if figure == "above" else figure]
    if figure == "above":
        assert isinstance(table, Supports)
        table = Supports(table.world, table.above, np.zeros_like(table.supported))
    value = resampled(table, one.worlds, chosen)
    return ALL["capture"].completion(value, limits[protocol][setting]["capture"]) if figure == "capture" else value


def _mean(parts: Sequence[float | None]) -> float | None:
    defined = [part for part in parts if part is not None]
    return sum(defined) / len(defined) if parts and len(defined) == len(parts) else None


def _columns(values: Mapping[Key, float | None], names: Sequence[str]) -> tuple[list[float], list[float]]:
    """Process quality after edits and completion of Capture of the forecasters that have both."""
    pairs = [(values[n, "", "process_edits"], values[n, "", "capture"]) for n in names]
    known = [(x, y) for x, y in pairs if x is not None and y is not None]
    return [x for x, _ in known], [y for _, y in known]


def _association(values: Mapping[Key, float | None], names: Sequence[str]) -> float | None:
    x, y = _columns(values, names)
    return scoring.pearson_r(x, y) if len(x) >= FEWEST else None


def _over(x: Sequence[float], y: Sequence[float], seed: int) -> tuple[float, float] | None:
    """Interval of r over forecasters drawn with replacement; draws without a correlation are left out."""
    if len(x) < FEWEST:
        return None
    rng, a, b = np.random.default_rng(seed), np.array(x), np.array(y)
    drawn = (rng.integers(0, len(a), len(a)) for _ in range(2000))
    values = [r for rows in drawn if (r := scoring.pearson_r(a[rows], b[rows])) is not None]
    low, high = np.quantile(values, [0.025, 0.975]).tolist() if values else (np.nan, np.nan)
    return (low, high) if values else None


def _plain(value: scoring.Interval) -> dict[str, float | None]:
    return {"estimate": value.estimate, "low": value.low, "high": value.high}


def _text(value: scoring.Interval) -> str:
    if value.estimate is None:
        return "-"
    return f"{value.estimate:.3f}" + ("" if value.low is None else f" ({value.low:.3f} to {value.high:.3f})")


# ---- the picture ----------------------------------------------------------------------------------------------


def save_picture(path: str | os.PathLike[str], told: Process) -> None:
    """Write the picture with its three parts; needs matplotlib (extra `plot`)."""
    with needs("plot", "the picture of protocols"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.6), layout="constrained")
    support, scatter, capture = figure.subplots(1, 3, width_ratios=(1.3, 1, 1.3))
    _support(support, told)
    _scatter(scatter, told)
    _bars(capture, told, list(PROTOCOLS), lambda name, p: told.found[name, p, "capture"], 100)
    capture.set_title("(c) Capture by protocol")
    capture.set_ylabel("completion, %")
    capture.legend(fontsize="small")
    figure.savefig(path, dpi=110)


def _support(axes: Any, told: Process) -> None:
    _bars(axes, told, list(STEPWISE), lambda name, p: told.found[name, p, "above"], 100)
    width = 0.8 / len(STEPWISE)
    for k, protocol in enumerate(STEPWISE):
        heights = [100 * (told.found[n, protocol, "unsupported"].estimate or 0) for n in told.forecasters]
        place = np.arange(len(heights)) + (k + 0.5) * width - 0.4
        axes.bar(place, heights, width, facecolor="none", edgecolor="black", hatch="///", linewidth=0.5)
    axes.set_title("(a) Above the trend at the end; hatched: not on the way")
    axes.set_ylabel("matched forecasts, %")
    axes.legend(fontsize="small")


def _scatter(axes: Any, told: Process) -> None:
    for k, name in enumerate(told.forecasters):
        x, y = told.found[name, "", "process_edits"], told.found[name, "", "capture"]
        if x.estimate is None or y.estimate is None:
            continue
        whiskers = ([[part] for part in _whiskers(v, by)] for v, by in ((y, 100), (x, 1)))
        axes.errorbar(x.estimate, 100 * y.estimate, *whiskers, fmt="o", color=f"C{k}", label=name)
    r = told.association
    axes.set_title("(b) Process and Capture" + ("" if r.estimate is None else f", r = {r.estimate:+.2f}"))
    axes.set_xlabel("skill over the trend on the way, after edits")
    axes.set_ylabel("completion of Capture, %")
    axes.legend(fontsize="x-small")


def _bars(axes: Any, told: Process, groups: list[str], value: Callable[[str, str], scoring.Interval], by: int) -> None:
    """A bar for each forecaster and group, with its interval."""
    width = 0.8 / len(groups)
    for k, group in enumerate(groups):
        found = [value(name, group) for name in told.forecasters]
        heights = [np.nan if v.estimate is None else by * v.estimate for v in found]
        place = np.arange(len(found)) + (k + 0.5) * width - 0.4
        axes.bar(
            place,
            heights,
            width,
            yerr=np.array([_whiskers(v, by) for v in found]).T,
            label=group,
            color=f"C{k}",
            ecolor="grey",
        )
    axes.axhline(0, color="black", linewidth=1)
    axes.set_xticks(np.arange(len(told.forecasters)), told.forecasters, rotation=30, ha="right")


def _whiskers(value: scoring.Interval, by: float) -> tuple[float, float]:
    """How far an interval reaches below and above its estimate; 0 where there is none."""
    if value.estimate is None or value.low is None or value.high is None:
        return 0.0, 0.0
    return by * max(value.estimate - value.low, 0.0), by * max(value.high - value.estimate, 0.0)
