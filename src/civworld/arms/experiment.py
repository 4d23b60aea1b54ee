# SPDX-License-Identifier: GPL-2.0-or-later
"""Running the arms of an operator from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from civworld.arms.forks import Workers, listed_seeds, play_all
from civworld.arms.operator import Intervention, Operator, get
from civworld.arms.trial import Trial
from civworld.checkpoint import Checkpoint
from civworld.checks import flag, whole
from civworld.errors import EngineFatal, NotEligible
from civworld.quantities import Track


def run(
    checkpoint: Checkpoint,
    operator: str | Operator,
    turns: int,
    seeds: int | Sequence[int] = (),
    *,
    player: int | None = None,
    variant: str | None = None,
    placebos: bool = False,
    rng: str | None = None,
    pool: Workers | None = None,
) -> Trial:
    """Play an operator's four arms from a checkpoint, and pairs of control and real under further seeds.

    Control, recheck, real and placebo play the world's own future. Under each of `seeds` a control and a real arm
    are re-seeded alike; their mean difference is the expected effect.

    Args:
        checkpoint: the decision point.
        operator: an operator or its name.
        turns: how many turns each arm plays, 1 or more.
        seeds: seeds of the pairs, or how many (then 1, 2, ...).
        player: player number of the civilization; None takes the first eligible one.
        variant: form of the operator; None takes its usual one.
        placebos: play the placebo under each of the seeds too.
        rng: generator that draws in the pairs, `keyed` or `stock`; None for the world's own.
        pool: where to play; None plays here, one arm after another.

    Raises:
        NotEligible: the operator cannot be used there; `.reason` says why.
        EditRefused: the world refused one of the edits.
        EngineFatal: the recheck differs from the control, which no sound engine lets happen.
    """
    turns = whole("arms.run: turns", turns, 1)
    plan = plan_at(checkpoint, operator, player, variant)
    listed = listed_seeds("arms.run", seeds)
    arms = [plan.arm(name, None, turns) for name in ("control", "recheck", "real", "placebo")]
    names = ("control", "real", "placebo") if flag("arms.run: placebos", placebos) else ("control", "real")
    arms += [replace(plan.arm(name, seed, turns), rng=rng) for name in names for seed in listed]
    played = play_all(checkpoint, arms, Track, pool, label="arms")
    control, recheck, real, placebo = played[:4]
    under = {name: tuple(arm for arm in played[4:] if arm.arm == name) for name in ("control", "real", "placebo")}
    paired = tuple(zip(under["control"], under["real"], strict=True))
    trial = Trial(plan, checkpoint.digest, control, recheck, real, placebo, paired, under["placebo"])
    differs = trial.recheck_differs()
    if differs is not None:
        raise EngineFatal(
            f"operator '{plan.operator}': the recheck is not the control at turn {differs}",
            seed=checkpoint.config.seed, turn=differs,
        )  # fmt: skip
    return trial


def plan_at(checkpoint: Checkpoint, operator: str | Operator, player: int | None, variant: str | None) -> Intervention:
    """The plan of an operator at a checkpoint; NotEligible as `run` raises it."""
    chosen = get(operator) if isinstance(operator, str) else operator
    with checkpoint.fork() as world:
        view = world.state()
    if player is None:
        eligible = chosen.eligible(view, variant)
        if not eligible:
            raise NotEligible(
                f"operator '{chosen.name}': no civilization at turn {view.turn} is eligible", reason="nobody"
            )
        player = eligible[0]
    return chosen.plan(view, player, variant)
