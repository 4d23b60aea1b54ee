# SPDX-License-Identifier: GPL-2.0-or-later
"""Two studies of plans and advice, one job a world: the full game, and the same plans carried out again and again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from civworld._engine import build_info
from civworld.advice.playing import Actor, Adviser, consult
from civworld.advice.reading import read_plan
from civworld.advice.rollouts import Rollout, play
from civworld.checks import whole
from civworld.config import WorldConfig
from civworld.errors import ArgumentError
from civworld.world import World


@dataclass(frozen=True)
class Study:
    """What to play; `advice-full` and `advice-local` are plans with seeds of their own.

    Attributes:
        name: what it is called in files.
        first_seed: seed of the first world; the others follow.
        worlds: how many.
        players: civilizations of a world.
        map_size: thousands of tiles.
        start: turn of the decision point, or of the first plan.
        turns: how many turns are played from there.
        every: turns between two consultations of the full game.
        executions: times a plan of the local study is carried out; the first half is for selection.
        player: whom the actor leads.
    """

    name: str
    first_seed: int
    worlds: int
    players: int = 5
    map_size: int = 4
    start: int = 60
    turns: int = 150
    every: int = 10
    executions: int = 4
    player: int = 0


FULL = Study("advice-full", 7_600_000, 76)
LOCAL = Study("advice-local", 3_600_000, 36, turns=20)
TINY_FULL = Study("advice-full-tiny", 7_700_000, 2, players=2, map_size=1, start=11, turns=4, every=2)
TINY_LOCAL = Study("advice-local-tiny", 3_700_000, 2, players=2, map_size=1, start=11, turns=2)


@dataclass(frozen=True)
class Team:
    """Who plays: one actor, and advisers by name."""

    actor: Actor
    advisers: Mapping[str, Adviser] = field(default_factory=dict)


def run_full(study: Study, team: Team, folder: str | Path) -> list[dict[str, Any]]:
    """Play each world without advice and with each adviser; the score of every turn.

    One file a world, written when it is whole: a run that was stopped goes on at the world it was in.

    Raises:
        ArgumentError: a file of the folder is of another study, other advisers or another engine build.
    """
    return _run(study, ["none", *team.advisers], Path(folder), lambda world: _full(study, team, world))


def run_local(study: Study, team: Team, folder: str | Path) -> list[dict[str, Any]]:
    """Have each world's plan written, reviewed and revised with each adviser's advice, and carry each out.

    Every plan is carried out from the same image under the same seeds; files and errors as with `run_full`.
    """
    whole("run_local: executions", study.executions, 2)
    names = ["original", "self-reviewed", *team.advisers]
    return _run(study, names, Path(folder), lambda world: _local(study, team, world))


def _run(study: Study, names: list[str], folder: Path, played: Any) -> list[dict[str, Any]]:
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for seed in range(study.first_seed, study.first_seed + study.worlds):
        path = folder / f"{seed}.json"
        head = {"study": study.name, "world": seed, "build": build_info().build_id, "conditions": names}
        if not path.exists():
            config = WorldConfig(seed=seed, players=study.players, map_size=study.map_size)
            with World(config) as world:
                text = json.dumps(head | played(world.advance(study.start - 1)), indent=1) + "\n"
            part = path.with_suffix(".part")  # one name a world: the next run writes over what a killed one left
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        row = json.loads(path.read_text(encoding="utf-8"))
        differs = [key for key, wanted in head.items() if row.get(key) != wanted]
        if differs:
            raise ArgumentError(f"{path}: {differs} differ from this run's; another folder is needed")
        found.append(row)
    return found


def _full(study: Study, team: Team, start: World) -> dict[str, Any]:
    scores = {}
    for name, adviser in {"none": None, **team.advisers}.items():
        with start.fork() as world:
            line = [_score(world, study.player)]
            for at in range(0, study.turns, study.every):
                span = min(study.every, study.turns - at)
                if world.state().player(study.player)["is_alive"]:
                    consult(world, study.player, team.actor, span, adviser)
                line += [_score(world.advance(), study.player) for _ in range(span)]
            scores[name] = line
    return {"scores": scores}


def _local(study: Study, team: Team, start: World) -> dict[str, Any]:
    image = start.checkpoint()
    drafted = _planned(start, study, team.actor)
    plans = {"original": drafted, "self-reviewed": _planned(start, study, team.actor, draft=drafted)}
    for name, adviser in team.advisers.items():
        plans[name] = _planned(start, study, team.actor, draft=drafted, adviser=adviser)
    seeds = range(1, study.executions + 1)
    scores = {}
    for name, text in plans.items():
        rollouts = [Rollout(study.player, seed, study.turns, read_plan(text)) for seed in seeds]
        scores[name] = play(image, rollouts)[:, 2].tolist()
    return {"plans": plans, "scores": scores}


def _planned(start: World, study: Study, actor: Actor, *, draft: str = "", adviser: Adviser | None = None) -> str:
    """The plan that an actor writes in a fork; `null` leaves what is in place, a draft included."""
    with start.fork() as world:
        _, text = consult(world, study.player, actor, study.turns, adviser, draft)
    return draft if draft and text == "null" else text


def _score(world: World, player: int) -> int:
    row = world.state().player(player)
    return int(row["score"]) if row["is_alive"] else 0


def gain_by_turn(rows: list[dict[str, Any]], resamples: int = 2000) -> list[dict[str, Any]]:
    """Mean gain over no advice by turn since the start, with pointwise 95 % intervals over resampled worlds."""
    draw = np.random.default_rng(0).integers(0, len(rows), (resamples, len(rows)))
    told = []
    for name in rows[0]["conditions"][1:]:
        gains = np.array([np.subtract(row["scores"][name], row["scores"]["none"]) for row in rows], np.float64)
        low, high = np.quantile(gains[draw].mean(1), (0.025, 0.975), axis=0)
        for turn, mean in enumerate(gains.mean(0).tolist()):
            told.append(
                {"adviser": name, "turns": turn, "gain": mean, "low": float(low[turn]), "high": float(high[turn])}
            )
    return told


def local_gains(rows: list[dict[str, Any]], resamples: int = 2000) -> list[dict[str, Any]]:
    """Gain of each plan over the self-reviewed one, and of selecting with advice over selecting without it.

    Selection is on the first half of the executions, evaluation on the second; intervals over resampled worlds.
    """
    names = rows[0]["conditions"]
    scores = np.array([[row["scores"][name] for name in names] for row in rows], np.float64)
    half = scores.shape[2] // 2
    trial, held = scores[:, :, :half].mean(2), scores[:, :, half:].mean(2)
    each = np.arange(len(rows))
    gains = {name: held[:, i] - held[:, 1] for i, name in enumerate(names) if i != 1}
    gains["selection with advice"] = held[each, trial.argmax(1)] - held[each, trial[:, :2].argmax(1)]
    draw = np.random.default_rng(0).integers(0, len(rows), (resamples, len(rows)))
    told = []
    for name, values in gains.items():
        low, high = np.quantile(values[draw].mean(1), (0.025, 0.975))
        told.append({"plan": name, "gain": float(values.mean()), "low": float(low), "high": float(high)})
    return told
