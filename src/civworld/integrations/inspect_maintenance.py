# SPDX-License-Identifier: GPL-2.0-or-later
"""Maintenance in inspect_ai: the session's tools, a solver that plays the rounds, and the scorer (extra `eval`).

The log of a sample holds every request, so the scorer rebuilds the session from it: scores are those of
`civworld.world_agent.maintenance.score`, also when a log is scored again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
    from inspect_ai.scorer import Score, Scorer, Target, scorer
    from inspect_ai.solver import Generate, Solver, TaskState, solver
    from inspect_ai.tool import ToolCall, ToolDef, ToolParams

from civworld.errors import ArgumentError, UnknownNameError
from civworld.integrations.epochs import EPOCH, epoch_mean
from civworld.world_agent.maintenance import (
    TOOLS,
    Agent,
    MaintenanceCase,
    ModelJudge,
    Result,
    RuleJudge,
    ScriptedModel,
    Session,
    contract,
    do_nothing,
    judge_prompt,
    load,
    run,
    score,
    solution,
)

REQUESTS = "civworld_requests"
END_OF_ROUND = "To end a round before its requests are used up, answer without a tool call."
JUDGES = ("rules", "model")
AGENTS = ("reference", "do_nothing")


def session_tools(session: Session) -> list[ToolDef]:
    """The session's tools with their JSON schemas, for any inspect agent."""
    return [
        ToolDef(
            _executor(session, name),
            name=name,
            description=tool.about,
            parameters=ToolParams.model_validate(tool.schema()),
        )
        for name, tool in TOOLS.items()
    ]


def _executor(session: Session, name: str) -> Any:
    async def execute(**args: Any) -> str:
        return json.dumps(session.request(name, args))

    return execute


def answer_call(session: Session, call: ToolCall) -> ChatMessageTool:
    """Runs one call as it came: one that inspect itself would turn away is recorded and counts, too."""
    answer = session.request(call.function, call.parse_error or call.arguments)
    return ChatMessageTool(content=json.dumps(answer), tool_call_id=call.id, function=call.function)


def open_session(metadata: Mapping[str, Any]) -> Session:
    """A fresh session of a sample."""
    return Session(load(metadata["case"]), metadata["tier"], metadata["budget"])


def requests_of(session: Session) -> list[list[Any]]:
    """Everything that was asked, as [round, tool, arguments]."""
    return [[one.round, one.tool, one.args] for one in session.requests]


def replay_session(metadata: Mapping[str, Any], requests: Iterable[Sequence[Any]]) -> Session:
    """The finished session that recorded requests make again; rounds that were never reached stay empty."""
    session = open_session(metadata)
    for number, tool, args in requests:
        while session.round < number:
            _close_round(session)
            session.next_round()
        session.request(tool, args)
    while not session.finished:
        _close_round(session)
        if not session.finished:
            session.next_round()
    return session


def logged_session(path: str, case: str) -> Session:
    """The session of a log's first sample of a case, made again from its requests."""
    for sample in read_eval_log(path).samples or ():
        if sample.metadata.get("case") and load(sample.metadata["case"]).name == case:
            return replay_session(sample.metadata, sample.store.get(REQUESTS, []))
    raise ArgumentError(f"log {path}: has no sample of case {case}")


def _close_round(session: Session) -> None:
    if not session.frozen:
        session.freeze()


@solver
def maintain() -> Solver:
    """Plays all rounds: narrative, tool calls until the round freezes or an answer has none, next narrative."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = open_session(state.metadata)
        state.tools = session_tools(session)
        narrative = session.narrative()
        while True:
            state.messages.append(ChatMessageUser(content=narrative))
            while not session.frozen:
                state = await generate(state, tool_calls="none")
                calls = state.output.message.tool_calls or []
                state.messages += [answer_call(session, call) for call in calls]
                state.store.set(REQUESTS, requests_of(session))
                if not calls:
                    session.freeze()
            if session.finished:
                return state
            narrative = session.next_round()

    return solve


@solver
def scripted_maintenance(agent: str = "reference") -> Solver:
    """Plays a sample without a model: ``reference`` or ``do_nothing``; UnknownNameError for another agent."""
    if agent not in AGENTS:
        raise UnknownNameError("agent", agent, AGENTS)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        case, tier = load(state.metadata["case"]), state.metadata["tier"]
        played = run(case, tier, _agent(agent, case, tier), state.metadata["budget"])
        state.store.set(REQUESTS, requests_of(played))
        return state

    return solve


def _agent(name: str, case: MaintenanceCase, tier: str) -> Agent:
    return solution(case, tier) if name == "reference" else do_nothing(case)


@scorer(metrics={"*": [epoch_mean()]})
def maintenance_scorer(judge: str = "rules") -> Scorer:
    """Completion and relation; the whole result is in the score's metadata.

    Args:
        judge: ``rules`` for the rule judge, ``model`` for the model in the role ``grader``.

    Raises:
        UnknownNameError: there is no such judge.
    """
    if judge not in JUDGES:
        raise UnknownNameError("judge", judge, JUDGES)

    async def judged(state: TaskState, target: Target) -> Score:
        session = replay_session(state.metadata, state.store.get(REQUESTS, []))
        result = score(session, RuleJudge()) if judge == "rules" else await score_with_model(session)
        value = {"completion": _number(result.completion), "relation": _number(result.relation)}
        return Score(value=value, metadata={EPOCH: state.epoch, "track": "maintenance", "row": result.to_data()})

    return judged


async def score_with_model(session: Session) -> Result:
    """The result with inspect's grader model as the judge; programs still confirm every binding."""
    grader = get_model(role="grader")
    replies = []
    for boundary in session.boundaries:
        output = await grader.generate(judge_prompt(contract(session.case, boundary.round), boundary))
        replies.append(output.completion)
    return score(session, ModelJudge(ScriptedModel(replies)))


def _number(value: float | None) -> float:
    """Inspect's mark for what is not scored is not-a-number."""
    return math.nan if value is None else value
