# SPDX-License-Identifier: GPL-2.0-or-later
"""Do wars end, and how do civilizations meet? Read from the state of diplomacy turn by turn.

A war begins when a pair of civilizations comes to the state War, and lasts while the pair is at war or in a cease-fire
that runs out into war again. How it ended: `treaty` (peace, armistice, alliance, or a cease-fire that still stands),
`death` of one of the two, or `open` at the last turn. First contact: the pair's state in the first turn in which it
has met. Barbarians and animals are left out.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import civworld
from benchmarks.validity.study import Job, Row, Study, interval, passed
from civworld.config import PATCHES

CIVS = 5
TURNS = 150
WORLDS = {"patched": 20, "stock": 4}
BEHAVIOURS = ("stock", "patched")
NEVER, WAR, TRUCE = "Never met", "War", "Cease-fire"
TREATIES = ("Armistice", "Peace", "Alliance", "Team", TRUCE)

Pair = tuple[int, int]


def jobs(quick: bool) -> list[Job]:
    """One job per world and set of behaviours."""
    turns = 60 if quick else TURNS
    return [
        {"world": world, "behaviour": behaviour, "turns": turns}
        for behaviour in reversed(BEHAVIOURS)
        for world in range(1, (1 if quick else WORLDS[behaviour]) + 1)
    ]


def run(job: Job) -> dict[str, Any]:
    """First contacts and wars of one world."""
    return follow(config_of(job, players=CIVS, map_size=2), job["turns"])


def config_of(job: Job, **fields: Any) -> civworld.WorldConfig:
    """The job's world: all behaviour patches on, or none."""
    return civworld.WorldConfig(seed=job["world"], patches=PATCHES if job["behaviour"] == "patched" else (), **fields)


def follow(config: civworld.WorldConfig, turns: int) -> dict[str, Any]:
    """Play a world and note first contacts and wars."""
    before: dict[Pair, str] = {}
    open_wars: dict[Pair, int] = {}
    contacts: Counter[str] = Counter()
    wars: list[list[Any]] = []
    with civworld.World(config) as world:
        while True:
            view = world.state()
            states, dead = read(view)
            for pair, state in states.items():
                if before.get(pair, NEVER) == NEVER and state != NEVER:
                    contacts[state] += 1
                if state == WAR:
                    open_wars.setdefault(pair, view.turn)
                elif pair in open_wars and state != TRUCE:
                    wars.append([open_wars.pop(pair), view.turn, "treaty"])
            for pair in [p for p in open_wars if dead & set(p)]:
                wars.append([open_wars.pop(pair), view.turn, "death"])
            before = states
            if view.turn > turns:
                break
            world.advance()
    wars += [[start, view.turn, "treaty" if before[p] in TREATIES else "open"] for p, start in open_wars.items()]
    return {"contacts": dict(sorted(contacts.items())), "wars": sorted(wars)}


def read(view: civworld.StateView) -> tuple[dict[Pair, str], set[int]]:
    """State of every pair of living civilizations, and the dead ones."""
    players = view.players
    civs = players["id"][~players["is_barbarian"]]
    dead = set(players["id"][~players["is_alive"]].tolist())
    pairs = view.diplomacy
    rows = pairs[(pairs["player"] < pairs["other"])]
    known = set(civs.tolist()) - dead
    states = {
        (int(r["player"]), int(r["other"])): r["state"].decode()
        for r in rows
        if r["player"] in known and r["other"] in known
    }
    return states, dead


def tables(results: list[tuple[Job, Any]]) -> dict[str, list[Row]]:
    """Every world, and the totals."""
    worlds: list[Row] = []
    for job, result in results:
        ends = Counter(how for _, _, how in result["wars"])
        contacts = result["contacts"]
        worlds.append(
            {"world": job["world"], "behaviour": job["behaviour"], "wars": len(result["wars"])}
            | {how: ends[how] for how in ("treaty", "death", "open")}
            | {"contacts": sum(contacts.values()), "contacts_at_war": contacts.get(WAR, 0)}
            | {"contacts_at_peace": contacts.get("Peace", 0)}
        )
    played = [b for b in BEHAVIOURS if any(w["behaviour"] == b for w in worlds)]
    return {"wars_worlds": worlds, "wars": [_total(worlds, b) for b in played]}


def _total(worlds: list[Row], behaviour: str) -> Row:
    rows = [w for w in worlds if w["behaviour"] == behaviour]
    total = {k: sum(w[k] for w in rows) for k in rows[0] if k not in ("world", "behaviour")}
    shares = [w["treaty"] / w["wars"] for w in rows if w["wars"]]
    mean, low, high = interval(shares)
    return (
        {"behaviour": behaviour, "worlds": len(rows)}
        | total
        | {"treaty_share": total["treaty"] / total["wars"] if total["wars"] else None}
        | {"world_mean": mean, "world_low": low, "world_high": high}
    )


def plot(found: dict[str, list[Row]], path: Path) -> None:
    """How wars ended and how civilizations met, stock beside patched."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    names = [row["behaviour"] for row in found["wars"]]
    for axis, parts, title in (
        (axes[0], ("treaty", "death", "open"), "how wars ended"),
        (axes[1], ("contacts_at_peace", "contacts_at_war"), "state at first contact"),
    ):
        left = [0.0] * len(names)
        for part in parts:
            width = [float(row[part]) for row in found["wars"]]
            axis.barh(names, width, left=left, label=part)
            left = [a + b for a, b in zip(left, width, strict=True)]
        axis.set(title=title, xlabel="number in all worlds")
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def verdict(found: dict[str, list[Row]]) -> list[str]:
    """Most wars end in a treaty, and no first contact starts as war."""
    row = next(r for r in found["wars"] if r["behaviour"] == "patched")
    share = row["treaty_share"] or 0.0
    text = f"{row['treaty']} of {row['wars']} wars in {row['worlds']} worlds"
    met = f"{row['contacts_at_war']} of {row['contacts']} first contacts"
    return [
        passed("most wars end in a treaty", share > 0.5, text),
        passed("no first contact starts as war", row["contacts_at_war"] == 0, met),
    ]


STUDY = Study("wars", jobs, run, tables, plot, verdict)
