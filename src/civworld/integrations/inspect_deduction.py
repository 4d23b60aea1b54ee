# SPDX-License-Identifier: GPL-2.0-or-later
"""Deduction in inspect_ai: a dialogue of queries and answers, and the scorer (extra `eval`).

The log of a sample holds every answer, so the scorer plays the episode again with them: scores are those of
`civworld.world_agent.deduction.play`, also when a log is scored again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import chain, repeat
from typing import Any

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.scorer import Score, Scorer, Target, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver

from civworld.config import WorldConfig
from civworld.errors import UnknownNameError
from civworld.integrations.epochs import EPOCH, epoch_mean
from civworld.world_agent.deduction import BASELINES, Episode, KernelTask, ScriptedSolver, Task, load, play, questions
from civworld.world_agent.deduction.freeciv import FreecivTask

ANSWERS = "civworld_answers"
VALUES = {"m1": ("segment", "fired_f1"), "m2": ("interval", "lookahead", "counterfactual", "outcome", "upkeep")}
"""What a score holds in each mode; F1 by kind of query, and what stands apart."""


def task_of(metadata: Mapping[str, Any]) -> Task:
    """The task that a sample names."""
    if "case" in metadata:
        return KernelTask(load(metadata["case"]))
    fields = dict(metadata["freeciv"])
    return FreecivTask(WorldConfig.from_dict(fields.pop("config")), **fields)


@solver
def deduce() -> Solver:
    """Asks every query in turn; the dialogue keeps queries, answers and feedback."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        answers: list[str] = []
        asking = questions(task_of(state.metadata), state.metadata["information"], state.metadata["mode"])
        query, _ = next(asking)
        while True:
            state.messages.append(ChatMessageUser(content=query.text))
            state = await generate(state)
            answers.append(state.output.completion)
            state.store.set(ANSWERS, list(answers))
            try:
                query, _ = asking.send(answers[-1])
            except StopIteration:
                return state

    return solve


@solver
def scripted_deduction(baseline: str = "oracle") -> Solver:
    """Answers without a model: one of `civworld.world_agent.deduction.BASELINES`, else UnknownNameError."""
    if baseline not in BASELINES:
        raise UnknownNameError("baseline", baseline, BASELINES)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asking = questions(task_of(state.metadata), state.metadata["information"], state.metadata["mode"])
        answers, knowing = [], BASELINES[baseline]()
        knowing.begin(state.input_text)
        query, refer = next(asking)
        while True:
            answers.append(knowing.answer_knowing(query, refer))
            try:
                query, refer = asking.send(answers[-1])
            except StopIteration:
                state.store.set(ANSWERS, answers)
                return state

    return solve


def replay_episode(metadata: Mapping[str, Any], answers: Iterable[str]) -> Episode:
    """The episode that recorded answers make again; an answer that was never given predicts nothing."""
    given = ScriptedSolver(chain(answers, repeat("")))
    return play(task_of(metadata), metadata["information"], metadata["mode"], given)


@scorer(metrics={"*": [epoch_mean()]})
def deduction_scorer() -> Scorer:
    """F1 by kind of query, with rule firings, outcome and upkeep apart; the episode is in the metadata."""

    async def scored(state: TaskState, target: Target) -> Score:
        row = replay_episode(state.metadata, state.store.get(ANSWERS, [])).to_data()
        values = {key: row["f1"].get(key, row.get(key)) for key in VALUES[state.metadata["mode"]]}
        value = {key: math.nan if one is None else one for key, one in values.items()}
        return Score(value=value, metadata={EPOCH: state.epoch, "track": "deduction", "row": row})

    return scored
