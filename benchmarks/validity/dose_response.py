# SPDX-License-Identifier: GPL-2.0-or-later
"""Does each trait of the built-in AI move what it is named after, steadily over its range?

One trait at a time: the five civilizations of a world have the five doses, the other traits stay at 50. Every world is
played five times with the doses turned by one place, so that each civilization has each dose once and good and bad
starting places cancel out of the comparison. Outcomes of a civilization at the last turn:

- `aggressive`: wars it started itself (pacts it cancelled into war);
- `expansionist`: cities it owns;
- `trader`: trade of its cities per turn and citizen, as the trait decides what citizens work for; trade in all, which
  depends as much on how many cities there are, stands in the table beside it;
- `builder`: buildings in its cities, wonders counted.

A world's outcome at a dose is the mean over its five civilizations; the effect of a trait in a world is the slope of
that over the dose's rank (0 to 4). The mean slope over worlds and its bootstrap interval tell whether the trait acts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from benchmarks.validity.wars import BEHAVIOURS, config_of
from civworld.config import TRAITS

DOSES = (1, 50, 100, 150, 250)
OUTCOME = {
    "expansionist": "cities",
    "trader": "trade_per_citizen",
    "aggressive": "wars_started",
    "builder": "buildings",
}
"""Trait -> what it is meant to move."""
BESIDE = {"trader": "trade"}
"""Trait -> what is told as well, without a claim."""
MEASURES = (*OUTCOME.values(), *BESIDE.values(), "founded")
TURNS = 100
WORLDS = {"patched": 12, "stock": 3}
MORE = {("expansionist", "patched"): 20}
"""Where the scatter from world to world is large against a step of dose."""
DEFAULT = 50


def jobs(quick: bool) -> list[Job]:
    """One job per world, trait, set of behaviours and shift of the doses."""
    turns = 20 if quick else TURNS
    return [
        {"world": world, "trait": trait, "behaviour": behaviour, "shift": shift, "turns": turns}
        for behaviour in reversed(BEHAVIOURS)
        for trait in TRAITS
        for world in range(1, (1 if quick else MORE.get((trait, behaviour), WORLDS[behaviour])) + 1)
        for shift in range(len(DOSES))
    ]


def doses_of(shift: int) -> list[int]:
    """The dose of each civilization, by player number."""
    return [DOSES[(place + shift) % len(DOSES)] for place in range(len(DOSES))]


def run(job: Job) -> dict[str, list[float]]:
    """Outcomes by civilization, all of them whatever the trait."""
    which = TRAITS.index(job["trait"])
    traits = tuple(
        tuple(dose if i == which else DEFAULT for i in range(len(TRAITS))) for dose in doses_of(job["shift"])
    )
    config = config_of(job, players=len(DOSES), map_size=2, traits=traits)
    with civworld.World(config) as world:
        view = world.advance(job["turns"]).state()
        events = world.events()
    started = [e.player for e in events if e.kind == "war_started" and e.cause == "cancelled"]
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for player in range(len(DOSES)):
        cities = view.cities[view.cities["owner"] == player]
        found["cities"].append(len(cities))
        trade = int(view.player(player)["trade_output"])
        found["trade"].append(trade)
        found["trade_per_citizen"].append(trade / max(int(cities["size"].sum()), 1))
        found["wars_started"].append(started.count(player))
        found["buildings"].append(int(cities["improvements"].sum()) + int(view.player(player)["wonders"]))
        found["founded"].append(sum(e.kind == "city_founded" and e.player == player for e in events))
    return found


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Outcome by dose, and the slope of every trait, of the worlds that were played with every shift."""
    doses: list[Row] = []
    slopes: list[Row] = []
    for trait, outcome in [*OUTCOME.items(), *BESIDE.items()]:
        for behaviour in BEHAVIOURS:
            found = by_dose([(j, r) for j, r in results if (j["trait"], j["behaviour"]) == (trait, behaviour)])
            if not found[outcome].size:
                continue
            means = found[outcome].mean(1)
            for i, dose in enumerate(DOSES):
                mean, low, high = interval(means[:, i].tolist())
                founded, built = found["founded"][..., i], found["buildings"][..., i]
                doses.append(
                    {"trait": trait, "behaviour": behaviour, "outcome": outcome, "dose": dose, "worlds": len(means)}
                    | {"mean": mean, "low": low, "high": high}
                    | {"founded_mean": float(founded.mean()), "founded_least": int(founded.min())}
                    | {"built_mean": float(built.mean()), "built_least": int(built.min())}
                )
            rank = np.arange(len(DOSES)) - (len(DOSES) - 1) / 2
            slope, low, high = interval((means @ rank / (rank @ rank)).tolist())
            steps = np.diff(means.mean(0))
            slopes.append(
                {"trait": trait, "behaviour": behaviour, "outcome": outcome, "worlds": len(means)}
                | {"slope": slope, "low": low, "high": high, "monotone": bool((steps > 0).all())}
            )
    return {"dose_response": doses, "dose_response_slopes": slopes}


def by_dose(results: list[tuple[Job, Any]]) -> dict[str, npt.NDArray[np.float64]]:
    """Outcomes of one trait and behaviour as arrays of shape (worlds, shifts, doses), complete worlds only."""
    worlds: dict[int, list[tuple[Job, Any]]] = {}
    for job, result in results:
        worlds.setdefault(job["world"], []).append((job, result))
    full = [mine for mine in worlds.values() if len(mine) == len(DOSES)]
    return {
        name: np.array(
            [[np.array(result[name])[np.argsort(doses_of(job["shift"]))] for job, result in mine] for mine in full],
            float,
        )
        for name in MEASURES
    }


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Outcome against dose, stock beside patched, with 95 % intervals."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(OUTCOME), figsize=(11, 3))
    for axis, (trait, outcome) in zip(axes, OUTCOME.items(), strict=True):
        for behaviour, colour in zip(BEHAVIOURS, ("tab:gray", "tab:blue"), strict=True):
            rows = [r for r in found["dose_response"] if (r["outcome"], r["behaviour"]) == (outcome, behaviour)]
            if not rows:
                continue
            mean = np.array([r["mean"] for r in rows])
            bars = np.abs(np.array([[r["low"], r["high"]] for r in rows]).T - mean)
            axis.errorbar(range(len(rows)), mean, bars, marker="o", ms=4, capsize=2, color=colour, label=behaviour)
        axis.set_xticks(range(len(DOSES)), [str(d) for d in DOSES])
        axis.set(title=trait, xlabel="dose", ylabel=outcome.replace("_", " "))
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """Each trait acts, steadily, and every civilization goes on founding and building."""
    lines = []
    for row in found["dose_response_slopes"]:
        text = (
            f"{row['behaviour']}: {row['slope']:+.3f} [{row['low']:+.3f}, {row['high']:+.3f}] {row['outcome']} a step"
        )
        if row["behaviour"] == "patched" and row["outcome"] in OUTCOME.values():
            lines.append(passed(f"{row['trait']}: 95 % interval excludes 0", row["low"] > 0, text))
            lines.append(passed(f"{row['trait']}: monotone over the doses", row["monotone"], "means by dose"))
        else:
            lines.append(f"{row['trait']}: {text}")
    ends = [r for r in found["dose_response"] if r["behaviour"] == "patched" and r["dose"] in (DOSES[0], DOSES[-1])]
    least = min(r["founded_least"] for r in ends), min(r["built_least"] for r in ends)
    claim = "every civilization founds cities and builds at both ends"
    return [*lines, passed(claim, min(least) > 0, f"least cities founded {least[0]}, least buildings {least[1]}")]


STUDY = Study("dose_response", jobs, run, tables, plot, verdict)
