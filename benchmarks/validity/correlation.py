# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the arms of an experiment share their luck? Correlation of outcomes between control and edited arm.

In each world both arms start from one checkpoint at turn 60 and are re-seeded alike with each of K seeds. The
outcome of a civilization is its score some turns later. Two correlations per world, both Pearson's r between the
control's and the edited arm's outcomes:

- `r_all`: over seeds and civilizations, each outcome less its civilization's mean over the seeds in that arm, so
  that strong and weak civilizations do not count as agreement;
- `r_edited`: over seeds, the edited civilization alone.

A correlation is 1 where both arms agree in every outcome, and missing where the outcomes of one arm do not vary.
Stock worlds are the same maps played with the unpatched server's stream of random numbers.

The arms are played in step, so that the first turn in which anything but the edited field differs is seen; what then
differs says which decision, or which draw, separates them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from civworld import arms, edits, quantities
from civworld.civworldbench.scoring.resampling import pearson_r
from civworld.edits import Edit
from civworld.state import Change, StateView

CIVS = 6
START = 60
RNGS = ("stock", "keyed")
EDITS = ("gold_1", "gold_300", "city_transfer")


@dataclass(frozen=True)
class Part:
    """Edits that are played beside one control, in so many worlds with so many seeds, up to the last horizon."""

    edits: tuple[str, ...]
    worlds: int
    seeds: int
    horizons: tuple[int, ...]


PARTS = (Part(("gold_300",), 16, 6, (10, 30)), Part(EDITS, 10, 3, (10, 30, 60)))
"""What is claimed of +300 gold after 30 turns is measured on most worlds and seeds; where both parts have a figure of a
world, that of more seeds counts."""

# what differs first, by the first of these sets of fields that it touches
CAUSES = {
    "builds something else": ("production", "shield_stock", "turn_last_built", "improvements", "units_built"),
    "tax rates": ("tax", "luxury", "science"),
    "government or revolution": ("government", "target_government", "revolution_finishes"),
    "research": ("researching", "tech_goal", "bulbs", "known"),
    "diplomacy or attitude": ("state", "love", "countdown", "has_embassy", "spam"),
    "a city more, less or elsewhere": ("size", "cities"),
    "a unit moves or works elsewhere": ("tile", "activity", "moves_left", "goto_tile", "hp", "x", "y"),
}


def jobs(quick: bool) -> list[Job]:
    """One job per part, world and generator."""
    parts = [Part(part.edits, 1, 2, (10,)) for part in PARTS] if quick else PARTS
    return [
        {"world": world, "rng": rng, "seeds": part.seeds, "horizons": list(part.horizons), "edits": list(part.edits)}
        for part in parts
        for world in range(1, part.worlds + 1)
        for rng in RNGS
    ]


def run(job: Job) -> dict[str, Any]:
    """Scores of every arm, name -> [seed][horizon][civilization], and what first separated them from the control."""
    config = civworld.WorldConfig(seed=job["world"], players=CIVS, map_size=2, rng=job["rng"])
    with civworld.World(config) as world:
        start = world.advance(START - 1).checkpoint()
        view = world.state()
    transfer = arms.OPERATORS["city_transfer"]
    player = transfer.eligible(view)[0]
    known: dict[str, tuple[Edit, ...]] = {
        "gold_1": (edits.AddGold(player, 1),),
        "gold_300": (edits.AddGold(player, 300),),
        "city_transfer": transfer.plan(view, player).real,
    }
    made = {"control": ()} | {name: known[name] for name in job["edits"]}
    played = [_seed(start, made, seed, job["horizons"], player) for seed in range(1, job["seeds"] + 1)]
    return {
        "player": player,
        "scores": {name: [scores[name] for scores, _ in played] for name in made},
        "causes": {name: [causes[name] for _, causes in played] for name in job["edits"]},
    }


def _seed(
    start: civworld.Checkpoint, made: dict[str, tuple[Edit, ...]], seed: int, horizons: list[int], player: int
) -> tuple[dict[str, list[list[int]]], dict[str, dict[str, Any]]]:
    """All arms of one seed in step: scores at the horizons, and first differences from the control."""
    worlds = {name: start.fork() for name in made}
    scores: dict[str, list[list[int]]] = {name: [] for name in made}
    causes: dict[str, dict[str, Any]] = {name: {} for name in made if name != "control"}
    for name, world in worlds.items():
        world.reseed(seed)
        for edit in made[name]:
            world.apply(edit)
    for turn in range(1, horizons[-1] + 1):
        views = {name: world.advance().state() for name, world in worlds.items()}
        for name in causes:
            _note(causes[name], views["control"], views[name], turn, player)
        if turn in horizons:
            for name, view in views.items():
                scores[name].append(quantities.measure(view)["score"][:CIVS].tolist())
    for world in worlds.values():
        world.close()
    return scores, causes


def _note(found: dict[str, Any], control: StateView, edited: StateView, turn: int, player: int) -> None:
    """Remember what first differs for the edited civilization (own) and for the others."""
    if "others" in found:
        return
    owner = {
        (table, int(row["id"])): int(row["owner"])
        for view in (control, edited)
        for table in ("cities", "units")
        for row in view.table(table)
    }
    own: list[Change] = []
    others: list[Change] = []
    for change in control.changes(edited):
        if change.table in ("cities", "units"):
            (own if owner[change.table, change.row] == player else others).append(change)  # type: ignore[index]
        elif change.table in ("players", "research", "hidden_players", "diplomacy", "hidden_pairs"):
            first = change.row[0] if isinstance(change.row, tuple) else change.row
            (own if first == player else others).append(change)
    own = [c for c in own if (c.table, c.field) != ("players", "gold")]
    for side, changes in (("own", own), ("others", others)):
        if changes and side not in found:
            found[side] = [turn, _cause(changes)]


def _cause(changes: list[Change]) -> str:
    fields = {c.field for c in changes}
    if any(c.field == "row" and c.table in ("cities", "units") for c in changes):
        fields.add("units_built" if any(c.table == "units" for c in changes) else "cities")
    return next(
        (cause for cause, names in CAUSES.items() if fields & set(names)), "other: " + ", ".join(sorted(fields))
    )


def correlations(control: npt.NDArray[Any], edited: npt.NDArray[Any], player: int) -> tuple[float | None, float | None]:
    """(r_all, r_edited) of outcomes with shape (seeds, civilizations)."""
    a, b = (x - x.mean(0) for x in (control.astype(float), edited.astype(float)))
    return _r(a.ravel(), b.ravel()), _r(a[:, player], b[:, player])


def _r(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float | None:
    return 1.0 if a.any() and np.array_equal(a, b) else pearson_r(a, b)


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Every world, and the means over worlds."""
    best: dict[tuple[Any, ...], Row] = {}
    for job, result in results:
        scores = {name: np.array(values) for name, values in result["scores"].items()}
        for edit in job["edits"]:
            for i, horizon in enumerate(job["horizons"]):
                control, edited = scores["control"][:, i], scores[edit][:, i]
                r_all, r_edited = correlations(control, edited, result["player"])
                differs = float((control != edited).any(1).mean())
                place = {"edit": edit, "turns": horizon, "world": job["world"], "rng": job["rng"]}
                row = place | {
                    "seeds": job["seeds"],
                    "r_all": r_all,
                    "r_edited": r_edited,
                    "seeds_that_differ": differs,
                }
                known = best.get(tuple(place.values()))
                if known is None or known["seeds"] < row["seeds"]:
                    best[tuple(place.values())] = row
    worlds = list(best.values())
    return {"correlation_worlds": worlds, "correlation": summary(worlds), "correlation_causes": _causes(results)}


def _causes(results: list[tuple[Job, Any]]) -> list[Row]:
    """How often what came first, for the edited civilization and for the others, within 30 turns."""
    rows: list[Row] = []
    for rng in RNGS:
        for edit in EDITS:
            played = [(job, r) for job, r in results if job["rng"] == rng and edit in job["edits"]]
            most = {job["world"]: r for job, r in sorted(played, key=lambda entry: entry[0]["seeds"])}
            notes = [n for result in most.values() for n in result["causes"][edit]]
            for side in ("own", "others"):
                found = Counter(n[side][1] for n in notes if side in n and n[side][0] <= 30)
                rows += [
                    {"rng": rng, "edit": edit, "side": side, "first_difference": cause, "pairs": k, "of": len(notes)}
                    for cause, k in sorted(found.items(), key=lambda item: (-item[1], item[0]))
                ]
    return rows


def summary(worlds: list[Row]) -> list[Row]:
    """Means over the worlds in which both generators have a correlation, and the paired difference."""
    rows: list[Row] = []
    for edit, turns in dict.fromkeys((w["edit"], w["turns"]) for w in worlds):
        for kind in ("r_all", "r_edited"):
            found = {
                (w["rng"], w["world"]): w[kind]
                for w in worlds
                if (w["edit"], w["turns"]) == (edit, turns) and w[kind] is not None
            }
            both = sorted({w for _, w in found if ("stock", w) in found and ("keyed", w) in found})
            if not both:
                continue
            pairs = np.array([[found["stock", w], found["keyed", w]] for w in both])
            keyed, low, high = interval(pairs[:, 1].tolist())
            gain, gain_low, gain_high = interval((pairs[:, 1] - pairs[:, 0]).tolist())
            rows.append(
                {"edit": edit, "turns": turns, "correlation": kind, "worlds": len(both)}
                | {"seeds": max(w["seeds"] for w in worlds if (w["edit"], w["turns"]) == (edit, turns))}
                | {"stock": float(pairs[:, 0].mean()), "keyed": keyed}
                | {"keyed_low": low, "keyed_high": high, "gain": gain, "gain_low": gain_low, "gain_high": gain_high}
            )
    return rows


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """Each world as a dot, the means as bars, by edit and turns."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names = [name for name in EDITS if any(w["edit"] == name for w in found["correlation_worlds"])]
    turns = sorted({w["turns"] for w in found["correlation_worlds"]})
    figure, axes = plt.subplots(1, len(names), figsize=(3.2 * len(names), 3), sharey=True, squeeze=False)
    for axis, name in zip(axes[0], names, strict=True):
        for shift, rng in ((-0.18, "stock"), (0.18, "keyed")):
            for i, h in enumerate(turns):
                values = [
                    w["r_all"]
                    for w in found["correlation_worlds"]
                    if (w["edit"], w["turns"], w["rng"]) == (name, h, rng) and w["r_all"] is not None
                ]
                if not values:
                    continue
                colour = "tab:gray" if rng == "stock" else "tab:blue"
                axis.bar(i + shift, float(np.mean(values)), 0.34, color=colour, alpha=0.4, label=rng if not i else None)
                axis.plot([i + shift] * len(values), values, ".", color=colour, ms=5)
        axis.set_xticks(range(len(turns)), [str(h) for h in turns])
        axis.set(title=name, xlabel="turns after the edit")
    axes[0][0].set_ylabel("correlation of score between arms")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """The claim about +300 gold at 30 turns, under both correlations."""
    lines = []
    for row in found["correlation"]:
        if (row["edit"], row["turns"]) == ("gold_300", 30):
            text = f"{row['correlation']}: keyed {row['keyed']:.3f}, stock {row['stock']:.3f}, {row['worlds']} worlds"
            lines.append(passed("+300 gold, 30 turns: keyed correlation at least 0.95", row["keyed"] >= 0.95, text))
            gain = f"{row['correlation']}: gain {row['gain']:+.3f} [{row['gain_low']:+.3f}, {row['gain_high']:+.3f}]"
            lines.append(passed("above stock, 95 % interval excludes 0", row["gain_low"] > 0, gain))
    return lines


STUDY = Study("correlation", jobs, run, tables, plot, verdict)
