# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a case's rules module: plain Python functions over plain objects, without the kernel.

A rules module defines its processes in order with `every`, its actions with `action`, and `SCRIPT`, the
scripted actions of others as (time, action, arguments, period). Functions get the simulation `w`: `w.ship`
is the entity called ship, `w.of("ship")` are all of a type, `w[name]` looks a reference up, `w.now` is the
time, `w.later(3, function, ...)` calls later, `w.need(condition)` refuses an action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from types import ModuleType, SimpleNamespace
from typing import Any

from civworld.errors import ArgumentError, RefusedError
from civworld.world_agent.kernel import CONTEXT, KernelWorld, Value

Function = Callable[..., None]
LOOKS = 100_000
"""How often a module may look entities up in one unit of time or one action; a loop without end stops there."""


def every(period: int, offset: int = 0) -> Callable[[Function], Function]:
    """Marks a process that runs when the time is a multiple of the period, moved by the offset."""

    def mark(function: Function) -> Function:
        function.period, function.offset = period, offset  # type: ignore[attr-defined]
        return function

    return mark


def action(function: Function) -> Function:
    """Marks what an actor can do; it is called with the simulation, the actor and the arguments."""
    function.action = True  # type: ignore[attr-defined]
    return function


class Simulation:
    """A second implementation of discrete time: calendar first, then processes in order of definition."""

    def __init__(self, spec: Mapping[str, Any], module: ModuleType) -> None:
        start = KernelWorld({key: spec[key] for key in ("map", "types", "entities") if key in spec})
        self.now, self._looks = 0, 0
        self._map = start.map
        self._kinds = start.entities()
        self._rows = {name: SimpleNamespace(id=name, **_plain(start.entity(name))) for name in self._kinds}
        found = [value for value in vars(module).values() if callable(value)]
        self._processes = [function for function in found if hasattr(function, "period")]
        self._actions = {function.__name__: function for function in found if hasattr(function, "action")}
        self._task = (vars(module).get("outcome", _missing), vars(module).get("upkeep", _missing))
        self._calendar: dict[int, list[tuple[Function, tuple[Any, ...]]]] = {}
        for at, name, actor, args, period in module.SCRIPT:
            self._calendar.setdefault(at, []).append((self._scripted, (name, actor, args, period)))

    def __getattr__(self, name: str) -> SimpleNamespace:
        try:
            return self.__dict__["_rows"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name: str) -> SimpleNamespace:
        return self._rows[name]

    def of(self, kind: str) -> list[SimpleNamespace]:
        """All entities of a type, in order."""
        self._look()
        return [self._rows[name] for name, found in self._kinds.items() if found == kind]

    def _look(self) -> None:
        self._looks += 1
        if self._looks > LOOKS:
            raise ArgumentError(f"the module looks at entities more than {LOOKS} times in one unit: does it end?")

    def dist(self, a: str, b: str) -> int:
        """The length of the shortest way."""
        return self._map.distance(a, b)

    def next_hop(self, a: str, b: str) -> str:
        """The next location on the shortest way."""
        return self._map.next_hop(a, b)

    def linked(self, a: str, b: str) -> bool:
        """Whether a link joins two locations."""
        return self._map.linked(a, b)

    def need(self, condition: object) -> None:
        """Refuses the running action unless the condition holds."""
        if not condition:
            raise RefusedError("condition does not hold")

    def later(self, delay: int, function: Function, *args: Any) -> None:
        """Calls ``function(w, *args)`` after the delay, before that unit's processes."""
        self._calendar.setdefault(self.now + delay, []).append((function, args))

    @staticmethod
    def fix(value: Any, places: int) -> Decimal:
        """A decimal rounded half-even."""
        return Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN, CONTEXT)

    def act(self, name: str, actor: str, args: Mapping[str, Any]) -> bool:
        """Does an action; False when it is refused. Actions check before they change anything."""
        self._looks = 0
        given = {key: self._rows.get(value, value) if isinstance(value, str) else value for key, value in args.items()}
        try:
            self._actions[name](self, self._rows.get(actor), **given)
        except RefusedError:
            return False
        return True

    @staticmethod
    def _scripted(w: Simulation, name: str, actor: str, args: Mapping[str, Any], period: int) -> None:
        w.act(name, actor, args)
        if period:
            w.later(period, w._scripted, name, actor, args, period)

    def outcome(self) -> float:
        """What the module says of the task, as the backend gives it."""
        return float(min(max(self._task[0](self), 0), 100)) / 100

    def upkeep(self) -> dict[str, bool]:
        """What the module says of the background conditions."""
        return {name: bool(value) for name, value in self._task[1](self).items()}

    def step(self) -> None:
        """One unit of time."""
        self.now, self._looks = self.now + 1, 0
        for function, args in self._calendar.pop(self.now, ()):
            function(self, *args)
        for process in self._processes:
            if self.now % process.period == process.offset % process.period:
                process(self)

    def state(self) -> dict[str, Value]:
        """Field path to value, as `KernelWorld.state` gives it."""
        out: dict[str, Value] = {}
        for name, row in self._rows.items():
            for field, value in vars(row).items():
                if isinstance(value, list):
                    out.update({f"{name}.{field}.{place}": one for place, one in enumerate(value)})
                elif field != "id":
                    out[f"{name}.{field}"] = value
        return out


def _missing(w: Simulation) -> Any:
    raise LookupError("the module has no function outcome or upkeep")


def _plain(row: Mapping[str, Value]) -> dict[str, Value]:
    return {field: list(value) if isinstance(value, tuple) else value for field, value in row.items()}
