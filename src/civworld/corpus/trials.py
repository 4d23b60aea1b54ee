# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators at decision points: whom they are tried on, the arms that are played, and their rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from civworld import arms
from civworld.arms import Intervention, Operator, Trial
from civworld.checkpoint import Checkpoint
from civworld.corpus.declared import AMOUNTS
from civworld.corpus.schema import Table, table
from civworld.edits import Edit
from civworld.errors import EditRefused, EngineFatal
from civworld.quantities import Track
from civworld.state import StateView
from civworld.world import World


@dataclass(frozen=True)
class Cell:
    """One operator at a decision point: the first of the given ones that anybody there is eligible for.

    Attributes:
        world: id of the world.
        t1: turn of the decision point.
        operators: names of operators, in the order in which they are tried.
        turns: how many turns each arm plays.
        seeds: seeds under which the real arm is played besides the world's own future.
        digests: the mainline's digests from t1 on, which the recheck must meet.
    """

    world: str
    t1: int
    operators: tuple[str, ...]
    turns: int
    seeds: tuple[int, ...]
    digests: tuple[str, ...]

    def play(self, checkpoint: Checkpoint) -> tuple[list[tuple[Table, dict[str, Any]]], int]:
        """Rows of the cell in every table, and how many turns were played.

        Edits that the world refuses make the cell ineligible; the refusal is among the hidden rows.
        """
        with World.from_checkpoint(checkpoint) as world:
            key, view = f"{self.world} {checkpoint.config.seed} {self.t1}", world.state()
            plans = (choose(arms.get(name), view, key) for name in self.operators)
            plan = next((plan for plan in plans if plan is not None), None)
            if plan is None:
                return self._rows(None, ()), 0
            played: list[Track] = []
            refusal = ""
            own: list[tuple[str, int | None]] = [("recheck", None), ("real", None), ("placebo", None)]
            try:
                for name, seed in [*own, *(("real", seed) for seed in self.seeds)]:
                    played.append(plan.arm(name, seed, self.turns)(world.restore(checkpoint)))
            except EditRefused as error:
                refusal = str(error)
        self._recheck(played[0], checkpoint)
        return self._rows(plan, played, refusal), self.turns * len(played)

    def _recheck(self, control: Track, checkpoint: Checkpoint) -> None:
        """Raise unless the world's own future was played again exactly."""
        for turn, expected, found in zip(control.turns.tolist(), self.digests, control.digests, strict=True):
            if expected != found:
                text = f"world {self.world}: played again from turn {self.t1}, turn {turn} is not what it was"
                raise EngineFatal(text, seed=checkpoint.config.seed, turn=turn)

    def _rows(
        self, plan: Intervention | None, played: Sequence[Track], refusal: str = ""
    ) -> list[tuple[Table, dict[str, Any]]]:
        here = {"world": self.world, "t1": self.t1, "operator": self.operators[0] if plan is None else plan.operator}
        told = {**here, **_cell(plan, played, refused=bool(refusal))}
        made: list[tuple[Table, dict[str, Any]]] = [(table("cells"), {name: [value] for name, value in told.items()})]
        if plan is None:
            return made
        hidden = [
            {**here, "arm": arm, "edits": _edits(edits), "refusal": refusal}
            for arm, edits in (("real", plan.real), ("placebo", plan.placebo))
        ]
        kept = played[:1] if refusal else played
        ends = [
            {**here, "arm": t.arm, "seed": -1 if t.seed is None else t.seed, "turn": int(t.turns[-1]),
             "digest": t.digests[-1]} for t in kept
        ]  # fmt: skip
        made += [(table("hidden_edits"), by_column(hidden)), (table("branches"), by_column(ends))]
        rows = [_civ_rows(here, t) for t in kept if t.arm != "recheck"]
        if rows:
            columns: dict[str, Any] = {name: np.concatenate([part[name] for part in rows]) for name in rows[0]}
            made.append((table("arms"), columns))
        return made


def by_column(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def choose(operator: Operator, view: StateView, key: str) -> Intervention | None:
    """The plan of a form and a civilization drawn, by a hash of the key, among those that are possible; None: none is.

    Forms are drawn first, so that each appears as often as its eligibility allows.
    """
    variants = list(operator.variants)
    first = _draw(f"{key} {operator.name} variant", len(variants))
    for variant in variants[first:] + variants[:first]:
        eligible = operator.eligible(view, variant)
        if eligible:
            player = eligible[_draw(f"{key} {operator.name} player", len(eligible))]
            return operator.plan(view, player, variant)
    return None


def _draw(key: str, among: int) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little") % among


def _cell(plan: Intervention | None, played: Sequence[Track], refused: bool) -> dict[str, Any]:
    """What everyone may know about the cell."""
    if plan is None:
        return {"variant": "", "eligible": False, "reason": "nobody", "player": -1, "other": -1, "targets": "[]",
                "expected": "{}", "undone": "[]"}  # fmt: skip
    undone: list[dict[str, Any]] = []
    if not refused:
        control, real, placebo = played[:3]
        trial = Trial(plan, control.digests[0], control, control, real, placebo)
        undone = [{"field": u.place[2], "turn": u.turn, "by": u.by} for u in trial.undone()]
    return {
        "variant": plan.variant,
        "eligible": not refused,
        "reason": "refused" if refused else "",
        "player": plan.player,
        "other": -1 if plan.other is None else plan.other,
        "targets": _json(list(plan.targets)),
        "expected": _json(dict(plan.expected)),
        "undone": _json(undone),
    }


def _edits(edits: Sequence[Edit]) -> str:
    return _json([edit.parts() for edit in edits])


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _civ_rows(here: dict[str, Any], played: Track) -> dict[str, Any]:
    turns, civs = played.values.shape
    same = {**here, "arm": played.arm, "seed": -1 if played.seed is None else played.seed}
    rows: dict[str, Any] = {name: np.full(turns * civs, value) for name, value in same.items()}
    rows["turn"] = np.repeat(played.turns, civs)
    rows["player"] = np.tile(played.players, turns)
    for name in AMOUNTS:
        rows[name] = played.values[name].ravel()
    return rows
