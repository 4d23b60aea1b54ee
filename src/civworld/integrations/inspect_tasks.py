# SPDX-License-Identifier: GPL-2.0-or-later
"""The inspect_ai tasks of both benchmarks, found as `civworld/...` once the package is installed (extra `eval`)."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Any

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai import Task, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalLog, read_eval_log

from civworld.config import WorldConfig
from civworld.integrations.inspect_civworldbench import answers_of, bench_scorer, bench_task, scripted
from civworld.integrations.inspect_deduction import deduce, deduction_scorer, scripted_deduction
from civworld.integrations.inspect_maintenance import (
    END_OF_ROUND,
    maintain,
    maintenance_scorer,
    scripted_maintenance,
)
from civworld.world_agent import deduction, maintenance
from civworld.world_agent.deduction.freeciv import FreecivTask

__all__ = [
    "answers_of",
    "bench_scorer",
    "deduce",
    "deduction_scorer",
    "event",
    "intervene",
    "maintain",
    "maintenance_scorer",
    "quantity",
    "rows",
    "rules",
    "scripted",
    "scripted_deduction",
    "scripted_maintenance",
    "trait",
    "world_agent_deduction",
    "world_agent_freeciv",
    "world_agent_maintenance",
]


@task
def world_agent_maintenance(
    case: str = "", tier: str = "easy", judge: str = "rules", budget: int = maintenance.BUDGET
) -> Task:
    """Keep narrated worlds running through tools.

    Args:
        case: one case by name or TOML file; all packaged ones when empty.
        tier: ``easy``, ``hard`` or ``extreme``.
        judge: ``rules``, or ``model`` for the model in the role ``grader``.
        budget: requests a round.
    """
    samples = []
    for name in [case] if case else maintenance.names():
        text = maintenance.briefing(case_ := maintenance.load(name), tier, budget)
        metadata = {"case": name, "tier": tier, "budget": budget}
        samples.append(Sample(input=f"{text}\n\n{END_OF_ROUND}", id=f"{case_.name}-{tier}", metadata=metadata))
    return Task(dataset=samples, solver=maintain(), scorer=maintenance_scorer(judge), version=2)


@task
def world_agent_deduction(case: str = "", information: str = "open", mode: str = "m1") -> Task:
    """Predict kernel worlds.

    Args:
        case: one case by name or TOML file; all packaged ones when empty.
        information: ``open`` or ``naming``.
        mode: ``m1`` (autonomous evolution) or ``m2`` (closed loop).
    """
    samples = []
    for name in [case] if case else deduction.names():
        text = deduction.KernelTask(case_ := deduction.load(name)).prompt(information, mode)
        metadata = {"case": name, "information": information, "mode": mode}
        samples.append(Sample(input=text, id=f"{case_.name}-{information}-{mode}", metadata=metadata))
    return Task(dataset=samples, solver=deduce(), scorer=deduction_scorer(), version=2)


@task
def world_agent_freeciv(
    information: str = "open",
    mode: str = "m1",
    seed: int = 7,
    players: int = 3,
    map_size: int = 1,
    turn: int = 21,
    interval: int = 4,
    lookahead: int = deduction.LOOKAHEAD,
) -> Task:
    """Predict a Freeciv world.

    Args:
        information: ``open`` or ``naming``.
        mode: ``m1`` (autonomous evolution) or ``m2`` (closed loop).
        seed: seed of the world.
        players: civilizations.
        map_size: thousands of tiles.
        turn: the turn at which the episode begins.
        interval: turns of a segment.
        lookahead: turns that a plan looks ahead.
    """
    config = WorldConfig(seed=seed, players=players, map_size=map_size)
    world = FreecivTask(config, turn, interval=interval, lookahead=lookahead)
    fields = {"config": asdict(config), "turn": turn, "interval": interval, "lookahead": lookahead}
    metadata = {"freeciv": fields, "information": information, "mode": mode}
    sample = Sample(input=world.prompt(information, mode), id=f"{world.name}-{information}-{mode}", metadata=metadata)
    return Task(dataset=[sample], solver=deduce(), scorer=deduction_scorer(), version=2)


@task
def quantity(
    queries: str,
    setting: str = "omni-id",
    ablation: str = "",
    predictor: str = "",
    protocol: str = "free",
    unsafe_run_programs: bool = False,
) -> Task:
    """Forecast eleven quantities of each civilization.

    Args:
        queries: folder of a query set, as `civworld queries` writes it.
        setting: ``omni-id``, ``ego`` or ``omni-ood``.
        ablation: variant of the prompts.
        predictor: ``oracle``, or the name of a reference (``floor`` to ``futures``), to run without a model.
        protocol: ``free``, ``table`` or ``code``, as the queries were made.
        unsafe_run_programs: run programs of answers without walls, at your own risk.
    """
    return bench_task(["quantity"], queries, setting, ablation, predictor, protocol, unsafe=unsafe_run_programs)


@task
def event(queries: str, setting: str = "omni-id", ablation: str = "", predictor: str = "") -> Task:
    """Give probabilities of ten events for each civilization, and of who will lead. Arguments as `quantity`."""
    return bench_task(["event"], queries, setting, ablation, predictor)


@task
def trait(queries: str, setting: str = "omni-id", ablation: str = "", predictor: str = "") -> Task:
    """Rank civilizations on four hidden traits. Arguments as `quantity`."""
    return bench_task(["trait"], queries, setting, ablation, predictor)


@task
def rules(queries: str, setting: str = "omni-id", ablation: str = "", predictor: str = "") -> Task:
    """Classify three hidden world rules. Arguments as `quantity`."""
    return bench_task(["rules"], queries, setting, ablation, predictor)


@task
def intervene(
    queries: str,
    setting: str = "omni-id",
    ablation: str = "",
    predictor: str = "",
    protocol: str = "free",
    unsafe_run_programs: bool = False,
) -> Task:
    """Forecast quantities after edits and placebos, and without them. Arguments as `quantity`."""
    asked = ["quantity", "intervene"]
    return bench_task(asked, queries, setting, ablation, predictor, protocol, unsafe=unsafe_run_programs)


def rows(log: EvalLog | str | os.PathLike[str]) -> dict[str, list[dict[str, Any]]]:
    """The result rows of an inspect log by track, as `benchmarks/world_agent/run.py --add` takes them.

    The solver of a row is the model's name, or the script's where no model was asked; its harness is inspect's solver,
    its fold the epoch, its seed that of the model's sampling (0 where none was set).
    """
    if not isinstance(log, EvalLog):
        log = read_eval_log(os.fspath(log))
    found: dict[str, list[dict[str, Any]]] = {"maintenance": [], "deduction": []}
    steps = log.plan.steps[-1:]
    args = [str(value) for step in steps if "scripted" in step.solver for value in step.params.values()]
    name = args[0] if args else log.eval.model
    harness = "inspect " + (steps[0].solver.rpartition("/")[2] if steps else "")
    seed = log.plan.config.seed or 0
    for sample in log.samples or ():
        told = {"solver": name, "harness": harness.strip(), "seed": seed, "fold": sample.epoch}
        for score in (sample.scores or {}).values():
            if score.metadata and score.metadata.get("track") in found:
                found[score.metadata["track"]].append({**told, **score.metadata["row"]})
    return found
