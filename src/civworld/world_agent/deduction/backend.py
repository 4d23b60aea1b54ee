# SPDX-License-Identifier: GPL-2.0-or-later
"""The one interface through which deduction sees a world, and its kernel implementation.

A backend is a fixed deterministic dynamics: everything that a query asks about is computed by running a
fork of it under the stated actions. Nothing is labelled by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from civworld.errors import RefusedError, UnknownNameError
from civworld.world_agent.kernel import KernelWorld, Value

WAIT = "wait"
"""The action of doing nothing, legal everywhere."""


class Backend(Protocol):
    """A deterministic world that can be forked, with one controlled actor."""

    @property
    def time(self) -> int:
        """Units since the start."""
        ...

    def public_state(self) -> dict[str, Value]:
        """Field path to value, scalars only."""
        ...

    def kind_of(self, path: str) -> str | None:
        """``number``, ``decimal``, ``text``, ``name`` or ``bool``; None when no such field can exist.

        A ``?`` behind it says that the field itself can be gone at the end, which null predicts.
        """
        ...

    def advance(self, units: int) -> None:
        """Lets time pass."""
        ...

    def fork(self) -> Backend:
        """An independent world in the same state."""
        ...

    def actions(self) -> Sequence[str]:
        """Every action of the controlled actor by name, `WAIT` first."""
        ...

    def legal_actions(self) -> Sequence[str]:
        """Those that would not be refused now, `WAIT` first."""
        ...

    def apply(self, action: str) -> None:
        """Does an action now; raises RefusedError and changes nothing when the state does not allow it."""
        ...

    def mark(self) -> int:
        """A point in the log, for `fired_since`."""
        ...

    def fired_since(self, mark: int) -> set[str]:
        """Names of the autonomous rules that fired since the mark; empty where a world has none."""
        ...

    def outcome(self) -> float:
        """How far the task is achieved, 0 to 1."""
        ...

    def upkeep(self) -> Mapping[str, bool]:
        """The background conditions that should hold at any time, and whether they do."""
        ...


def changes(before: Mapping[str, Value], after: Mapping[str, Value]) -> dict[str, Value]:
    """The fields whose value differs, with their resulting value; a field that is gone results in None."""
    paths = [*after, *(path for path in before if path not in after)]
    return {path: after.get(path) for path in paths if not _same(before, after, path)}


def _same(before: Mapping[str, Value], after: Mapping[str, Value], path: str) -> bool:
    return path in before and path in after and bool(before[path] == after[path])


_KINDS = {"int": "number", "dec": "decimal", "str": "text", "bool": "bool", "ref": "name", "loc": "name"}


class KernelBackend:
    """A kernel case behind the interface.

    Args:
        world: the kernel world.
        actor: the controlled entity.
        menu: action name -> {do: capability, args}.
        task: {outcome: expression giving 0 to 100, upkeep: {name: expression}}.
    """

    def __init__(
        self, world: KernelWorld, actor: str, menu: Mapping[str, Mapping[str, Any]], task: Mapping[str, Any]
    ) -> None:
        self.world = world
        self._actor, self._menu, self._task = actor, menu, task

    @property
    def time(self) -> int:
        """Units since the start."""
        return self.world.time

    def public_state(self) -> dict[str, Value]:
        """Every field of every living entity."""
        return self.world.state()

    def kind_of(self, path: str) -> str | None:
        """The kind of a field path by the types of the world."""
        entity, _, rest = path.partition(".")
        name, _, key = rest.partition(".")
        kind = self.world.entities().get(entity)
        words = self.world.types().get(kind or "", {}).get(name, "").split()
        if not words or (words[0] in ("list", "map")) != bool(key):
            return None
        if words[0] == "list" and not (key.isascii() and key.isdecimal() and len(key) < 5):
            return None
        if words[0] == "map" and path not in self.world.state():
            return None
        return _KINDS[words[1] if key else words[0]]

    def advance(self, units: int) -> None:
        """Lets time pass."""
        self.world.advance(units)

    def fork(self) -> KernelBackend:
        """An independent world in the same state."""
        return KernelBackend(self.world.fork(), self._actor, self._menu, self._task)

    def actions(self) -> Sequence[str]:
        """The menu, `WAIT` first."""
        return [WAIT, *self._menu]

    def legal_actions(self) -> Sequence[str]:
        """The menu entries that a fork accepts now."""
        return [WAIT, *(name for name in self._menu if self._accepts(name))]

    def _accepts(self, action: str) -> bool:
        try:
            self.world.fork().apply(self._operation(action))
        except RefusedError:
            return False
        return True

    def _operation(self, action: str) -> dict[str, Any]:
        if action not in self._menu:
            raise UnknownNameError("action", action, self.actions())
        entry = self._menu[action]
        return {
            "op": "trigger",
            "capability": entry["do"],
            "actor": self._actor,
            "args": entry.get("args", {}),
        }

    def apply(self, action: str) -> None:
        """Triggers the action's capability."""
        if action != WAIT:
            self.world.apply(self._operation(action))

    def mark(self) -> int:
        """The number of records so far."""
        return self.world.record_count

    def fired_since(self, mark: int) -> set[str]:
        """Names of the processes that fired."""
        return {record.rule for record in self.world.events(mark) if record.kind == "process" and record.ok}

    def outcome(self) -> float:
        """The task's outcome expression, clamped to 0..100, as a share."""
        value = self._value(self._task["outcome"])
        return float(min(max(value, 0), 100)) / 100

    def upkeep(self) -> Mapping[str, bool]:
        """The task's upkeep conditions."""
        return {name: bool(self._value(text)) for name, text in self._task["upkeep"].items()}

    def _value(self, text: str) -> Any:
        return self.world.evaluate(text)
