# SPDX-License-Identifier: GPL-2.0-or-later
"""What every command is, what comes of an order, and the registry of all commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from civworld._engine import words
from civworld.checks import named, whole
from civworld.errors import ArgumentError

COMMANDS: dict[str, type[Command]] = {}
"""Every command by its name."""

Call = tuple[str, tuple[int, ...], str, str]
"""Name of the engine's command, its numbers and its two names; the command's row in `csrc/command/` says more."""


def results() -> tuple[str, ...]:
    """How a lawful order can end, in the engine's order.

    `failed`: tried in earnest without success, at a price. `lost`: the unit died of it. `proposed`: a treaty waits
    for the other side. `agreed`, `declined`: the other side's answer.
    """
    return words("results")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an order.

    Attributes:
        result: one of `results()`.
        text: what the server told the player meanwhile, perhaps empty.
        unit: id of the unit that acted, 0 without.
        city: id of the city that acted or was founded, 0 without.
        tile: index of the tile where the unit or city is now, -1 when it is gone.
        target: what was aimed at: a city id, unit id or tile index.
        value: a number that the command's docstring explains, such as the price paid.
    """

    result: str
    text: str = ""
    unit: int = 0
    city: int = 0
    tile: int = 0
    target: int = 0
    value: int = 0

    @property
    def ok(self) -> bool:
        """Whether what was ordered has happened, or has begun."""
        return self.result in ("done", "proposed", "agreed")


def document() -> str:
    """All commands as a Markdown table: the end of docs/orders.md."""
    rows = ["| command | class | what it does |", "|---|---|---|"]
    for name, cls in COMMANDS.items():
        first = " ".join((cls.__doc__ or "").partition("\n\n")[0].split())
        rows.append(f"| `{name}` | `{cls.__name__}` | {first} |")
    return "\n".join([*rows, ""])


class Command(ABC):
    """A frozen description of one order; `World.order` carries it out for a player."""

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if name:
            cls.name = name
            COMMANDS[name] = cls

    def call(self) -> Call:
        """How the engine room is asked for it.

        Raises:
            ArgumentError: a field is not of the kind that it must be.
        """
        return self._call()

    @abstractmethod
    def _call(self) -> Call: ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values under the field names, and the command's name under `command`."""
        return {"command": self.name} | {f.name: plain(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]


def command_from_dict(values: dict[str, Any]) -> Command:
    """The command that `Command.to_dict` described, also after a trip through JSON.

    Raises:
        UnknownNameError: there is no such command.
        ArgumentError: a field is missing, unknown or of the wrong kind.
    """
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ArgumentError(f"command {values!r}: a dict with string keys is needed")
    rest = dict(values)
    name = named("command", rest.pop("command", None), COMMANDS)
    try:
        command = COMMANDS[name](**rest)
    except TypeError:
        allowed = [f.name for f in fields(COMMANDS[name])]  # type: ignore[arg-type]
        raise ArgumentError(f"command '{name}' with fields {sorted(rest)}: allowed are {allowed}") from None
    command.call()
    return command


def plain(value: Any) -> Any:
    """The value without numpy's types, which JSON does not know."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.__index__() if hasattr(value, "__index__") and not isinstance(value, bool) else value


def number(command: Command, field: str) -> int:
    """The field's value, if it is a whole number that the engine can hold.

    Raises:
        ArgumentError: it is not; also for booleans and whole floats.
    """
    return whole(f"order '{command.name}': {field}", getattr(command, field))


def text(command: Command, field: str) -> str:
    """The field's value, if it is a name that the engine can look up.

    Raises:
        ArgumentError: it is not a string, or an impossible one.
    """
    value: object = getattr(command, field)
    if not isinstance(value, str) or len(value) > 200 or not value.isprintable():
        raise ArgumentError(f"order '{command.name}': {field}={value!r}: a name of up to 200 characters is needed")
    return value
