# SPDX-License-Identifier: GPL-2.0-or-later
"""Offline solvers: the baselines, the oracle, and scripted answers for tests and adapters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from civworld.errors import ArgumentError
from civworld.world_agent.deduction.backend import WAIT
from civworld.world_agent.deduction.disclosure import state_text
from civworld.world_agent.deduction.episode import Query, Refer


def rotate(query: Query) -> str:
    """The baselines' policy: the actions in turn."""
    return query.actions[query.index % len(query.actions)] if query.actions else WAIT


def rotating_plan(query: Query) -> list[str]:
    """The baselines' plan: the actions in turn, from the present one on."""
    count = len(query.actions)
    return [query.actions[(query.index + step) % count] for step in range(query.units // query.interval)]


def answer_text(
    changes: Mapping[str, Any], fired: Iterable[str] = (), action: str = WAIT, plan: Sequence[str] = ()
) -> str:
    """An answer in the asked format."""
    parts = [f'"changes": {state_text(changes)}', f'"fired": {json.dumps(sorted(fired))}']
    parts += [f'"action": {json.dumps(action)}', f'"plan": {json.dumps(list(plan))}']
    return "{" + ", ".join(parts) + "}"


class Oracle:
    """Knows the reference: F1 = 1 everywhere."""

    def begin(self, opening: str) -> None:
        """Nothing to do."""

    def answer_knowing(self, query: Query, refer: Refer) -> str:
        """The reference itself, under the rotating policy."""
        action, plan = _choices(query)
        truth = refer({"interval": [action], "lookahead": plan}.get(query.kind, [WAIT]))
        return answer_text(truth.changes, truth.fired, action, plan)


class NothingChanges:
    """Predicts that nothing changes."""

    def begin(self, opening: str) -> None:
        """Nothing to do."""

    def answer_knowing(self, query: Query, refer: Refer) -> str:
        """Nothing."""
        action, plan = _choices(query)
        return answer_text({}, (), action, plan)


@dataclass(slots=True)
class RepeatLast:
    """Predicts that the last observed changes happen again, as often as the span to predict is longer.

    Numbers take the same step again, other values swing back. (The same resulting values again would score 0
    by construction: a field that already has a value does not change to it.) In M1, where a model is told
    nothing, this baseline still sees the true last segment: it bounds what persistence can reach.
    """

    last: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    fired: frozenset[str] = frozenset()
    state: dict[str, Any] = field(default_factory=dict)

    def begin(self, opening: str) -> None:
        """Forgets the last episode."""
        self.last, self.before, self.fired, self.state = {}, {}, frozenset(), {}

    def answer_knowing(self, query: Query, refer: Refer) -> str:
        """The last changes; then it looks at the true ones, if the query lets time pass."""
        self.state.update(query.state)
        action, plan = _choices(query)
        times = query.units // query.interval if query.kind == "lookahead" else 1
        again = {path: _again(self.before.get(path), value, times) for path, value in self.last.items()}
        if query.kind in ("segment", "interval"):
            truth = refer([action])
            self.before = {path: self.state.get(path) for path in truth.changes}
            self.last, fired = truth.changes, truth.fired
            self.state.update(truth.changes)
        else:
            fired = self.fired
        said, self.fired = answer_text(again, self.fired, action, plan), fired
        return said


def _again(before: Any, after: Any, times: int) -> Any:
    """The value after the change from ``before`` to ``after`` has happened so many times more."""
    if all(isinstance(one, (int, Decimal)) and not isinstance(one, bool) for one in (before, after)):
        return after + times * (after - before)
    return before if times % 2 else after


def _choices(query: Query) -> tuple[str, list[str]]:
    plan = rotating_plan(query) if query.kind == "lookahead" else []
    return (rotate(query) if query.kind == "interval" else WAIT), plan


@dataclass(slots=True)
class ScriptedSolver:
    """Gives prepared texts in order and keeps what it was asked."""

    replies: Iterable[str]
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.replies = iter(self.replies)

    def begin(self, opening: str) -> None:
        """Keeps the opening."""
        self.asked.append(opening)

    def answer(self, query: Query) -> str:
        """The next text; ArgumentError when there is none left."""
        self.asked.append(query.text)
        reply = next(iter(self.replies), None)
        if reply is None:
            raise ArgumentError(f"scripted solver: no reply left for {query.kind} {query.index}")
        return reply


BASELINES = {
    "nothing_changes": NothingChanges,
    "repeat_last": RepeatLast,
    "oracle": Oracle,
}
"""Makers of the baselines by name."""
