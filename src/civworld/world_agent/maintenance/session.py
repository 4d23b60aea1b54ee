# SPDX-License-Identifier: GPL-2.0-or-later
"""One maintenance episode: rounds, the request budget, the tools, and the frozen boundaries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from civworld.errors import ArgumentError, CivworldError, LifecycleError, RefusedError
from civworld.world_agent.kernel import KernelCheckpoint, KernelWorld, Limits, Record, plain
from civworld.world_agent.maintenance.case import TIERS, MaintenanceCase
from civworld.world_agent.maintenance.tools import TOOLS

BUDGET = 60
"""Requests that a round allows, unless told otherwise."""
MAX_BUDGET = 10_000
MAX_REQUEST = 20_000
MAX_NESTING = 12
LIMITS = Limits(work=100_000, log=500_000)
"""What a session's world may do in one request or unit, and remember: a hundred milliseconds, fifty megabytes."""


@dataclass(frozen=True, slots=True)
class Request:
    """One tool request and its response; refused ones are kept with their reason."""

    round: int
    tool: str
    args: Any
    ok: bool
    response: Any
    first: int
    last: int

    @property
    def reason(self) -> str:
        """Why it was refused, '' when it was not."""
        return "" if self.ok else str(self.response)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A round as it froze: its time and its records, and the whole world at its end."""

    round: int
    start: int
    end: int
    first: int
    last: int
    before: Mapping[str, Mapping[str, Any]]
    checkpoint: KernelCheckpoint
    loose: bool = False

    @property
    def records(self) -> tuple[Record, ...]:
        """The records of this round."""
        return self.checkpoint.records[self.first : self.last + 1]


@dataclass(slots=True)
class Session:
    """A running episode of one case at one tier.

    ``request`` never raises on bad input: it answers with a reason, the request counts, nothing changes.
    """

    case: MaintenanceCase
    tier: str
    budget: int = BUDGET
    world: KernelWorld = field(init=False)
    round: int = field(init=False, default=1)
    frozen: bool = field(init=False, default=False)
    requests: list[Request] = field(init=False, default_factory=list)
    boundaries: list[Boundary] = field(init=False, default_factory=list)
    _used: int = field(init=False, default=0)
    _start: int = field(init=False, default=0)
    _first: int = field(init=False, default=0)
    _before: dict[str, dict[str, Any]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if type(self.budget) is not int or not 1 <= self.budget <= MAX_BUDGET:
            raise ArgumentError(f"budget {self.budget!r}: allowed are whole numbers from 1 to {MAX_BUDGET}")
        self.world = self.case.world(self.tier, LIMITS)
        self._open()

    def _open(self) -> None:
        self._start, self._first, self._used, self.frozen = self.world.time, self.world.record_count, 0, False
        self._before = {name: self.world.entity(name) for name in self.world.entities()}

    @property
    def loose(self) -> bool:
        """Whether the model builds the types itself, and so chooses how to write things down."""
        return "types" not in TIERS[self.tier]

    @property
    def end(self) -> int:
        """The time at which the present round ends."""
        return self._start + self.case.units

    @property
    def left(self) -> int:
        """Requests left in the present round."""
        return 0 if self.frozen else self.budget - self._used

    @property
    def finished(self) -> bool:
        """Whether the last round has frozen."""
        return self.frozen and self.round == self.case.rounds

    def narrative(self) -> str:
        """The text of the present round with its time and budget; the first one also introduces the case."""
        span = f"time {self._start} to {self.end}, {self.budget} requests"
        intro = f"{self.case.title}. {self.case.intro}\n{roster(self.case)}\n\n" if self.round == 1 else ""
        head = f"Round {self.round} of {self.case.rounds}: {span}."
        return f"{intro}{head}\n{self.case.narrative[self.round - 1]}"

    def request(self, tool: object, args: object = None) -> dict[str, Any]:
        """Runs one tool request.

        Returns:
            ``{"ok": True, "result": ...}`` or ``{"ok": False, "reason": ...}``, with ``left`` and ``frozen``.
        """
        before = self.world.record_count
        given: Any = {} if args is None else args
        try:
            given = _clean(given)
            result, ok = self._run(tool, given), True
        except CivworldError as error:
            result, ok = str(error), False
        kept = given if ok else _kept(given)
        self.requests.append(Request(self.round, _kept(tool)[:60], kept, ok, result, before, self.world.record_count))
        if not self.frozen:
            self._used += 1
            if self._used >= self.budget:
                self.freeze()
        answer = {"ok": True, "result": result} if ok else {"ok": False, "reason": result}
        return {**answer, "left": self.left, "frozen": self.frozen}

    def _run(self, tool: object, args: Any) -> Any:
        if not isinstance(tool, str) or tool not in TOOLS:
            raise ArgumentError(f"unknown tool {_kept(tool)[:60]!r}: known are {', '.join(TOOLS)}")
        if self.frozen:
            raise RefusedError(f"round {self.round} froze: no request can change or repair it")
        if not isinstance(args, Mapping):
            raise ArgumentError(f"tool {tool}: arguments must be a JSON object, found {type(args).__name__}")
        known = TOOLS[tool]
        known.check(tool, args)
        if tool == "wait" and self.world.time + args["units"] > self.end:
            raise RefusedError(f"wait {args['units']}: the round ends at {self.end}, now is {self.world.time}")
        return plain(known.run(self.world, dict(args)))

    def freeze(self) -> Boundary:
        """Lets the rest of the round pass and fixes its boundary; requests are refused until `next_round`.

        Raises:
            LifecycleError: it has frozen already.
        """
        if self.frozen:
            raise LifecycleError(f"round {self.round} has frozen already")
        self.world.advance(self.end - self.world.time)
        last = self.world.record_count - 1
        boundary = Boundary(
            self.round, self._start, self.end, self._first, last, self._before, self.world.checkpoint(), self.loose
        )
        self.boundaries.append(boundary)
        self.frozen = True
        return boundary

    def next_round(self) -> str:
        """Opens the next round and gives its narrative.

        Raises:
            LifecycleError: the round has not frozen, or was the last.
        """
        if not self.frozen or self.finished:
            raise LifecycleError("next_round: the present round must have frozen, and another must follow")
        self.round += 1
        self._open()
        return self.narrative()


def roster(case: MaintenanceCase) -> str:
    """The entities of the story with the names that they bear in the world, at every tier."""
    return "Entities, by the names they bear: " + ", ".join(f"{key} ({what})" for key, what in case.whats.items()) + "."


def _clean(value: Any) -> Any:
    """A request's arguments as JSON data, with numbers that have a point as decimal text."""
    try:
        _check_nesting(value)
        text = json.dumps(value, allow_nan=False)
        if len(text) > MAX_REQUEST:
            raise ArgumentError(f"request of {len(text)} characters: allowed are {MAX_REQUEST}")
        return json.loads(text, parse_float=str)
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, CivworldError):
            raise
        raise ArgumentError(f"arguments are not JSON data ({type(error).__name__})") from None


def _check_nesting(value: Any) -> None:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_NESTING:
            raise ArgumentError(f"arguments: nested deeper than {MAX_NESTING}")
        inner = [one for one in level if isinstance(one, (dict, list, tuple))]
        level = [item for one in inner for item in (one.values() if isinstance(one, dict) else one)]


def _kept(value: Any) -> str:
    """What the request log keeps of what was refused: text of bounded length."""
    try:
        return str(value)[:200]
    except (RecursionError, ValueError, TypeError):
        return f"<{type(value).__name__}>"
