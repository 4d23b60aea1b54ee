# SPDX-License-Identifier: GPL-2.0-or-later
"""Actions: a menu of fixed size over the legal orders, orders themselves, and whole turns of orders."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from civworld.commands import Command, Legal
from civworld.errors import ArgumentError

END_TURN = 0
"""The menu entry that ends the agent's turn."""

Action = SupportsIndex | Command | Sequence[Command] | None
"""What an agent may give in a step: a number of its menu, an order, a sequence of orders, or nothing."""


@dataclass(frozen=True)
class Refused:
    """An order that was not carried out; it changed nothing.

    Attributes:
        action: the menu entry or the command.
        reason: why.
    """

    action: int | Command
    reason: str


class Menu:
    """The legal orders of one player at one moment, numbered from 1; what does not fit is left out.

    Entries keep the order of `World.legal`. Where there are more than fit, every unit and city gets its first
    entries before any gets its last ones.
    """

    def __init__(self, legal: Sequence[Legal], size: int) -> None:
        self.size = size
        self.entries = tuple(_fit(legal, size - 1))
        self.left_out = len(legal) - len(self.entries)

    def __len__(self) -> int:
        return len(self.entries) + 1

    def __iter__(self) -> Iterator[Legal]:
        """The orders, from entry 1 on; the entry that ends the turn is none."""
        return iter(self.entries)

    def __getitem__(self, index: SupportsIndex) -> Legal:
        """The entry of a number from 1 on."""
        index = operator.index(index)
        if not 1 <= index < len(self):
            raise IndexError(f"menu entry {index}: entries 1-{len(self) - 1} hold orders")
        return self.entries[index - 1]

    def mask(self) -> npt.NDArray[np.int8]:
        """int8 (size,): 1 for the entries that can be chosen; entry 0 always can."""
        return mask_of(len(self.entries), self.size)

    def index(self, command: Command) -> int:
        """Number of a command's entry.

        Raises:
            ArgumentError: the menu does not hold it.
        """
        for i, entry in enumerate(self.entries, 1):
            if entry.command == command:
                return i
        raise ArgumentError(f"the menu of {len(self)} entries does not hold {command!r}")


def mask_of(orders: int, size: int) -> npt.NDArray[np.int8]:
    """The mask of a menu of that size over that many legal orders."""
    mask = np.zeros(size, np.int8)
    mask[: orders + 1] = 1
    return mask


def _fit(legal: Sequence[Legal], room: int) -> Sequence[Legal]:
    if len(legal) <= room:
        return legal
    taken: dict[int, int] = {}
    ranks = []
    for i, entry in enumerate(legal):
        taken[entry.actor] = taken.get(entry.actor, 0) + 1
        ranks.append((taken[entry.actor], i))
    return [legal[i] for i in sorted(i for _, i in sorted(ranks)[:room])]


@dataclass(frozen=True)
class Choice:
    """An action as it was understood.

    Attributes:
        entry: number of the menu entry, None for commands given as such.
        commands: the commands given as such.
        ends: whether the agent's turn ends with it.
    """

    entry: int | None
    commands: tuple[Command, ...]
    ends: bool

    @classmethod
    def read(cls, action: Any, size: int) -> Choice:
        """The choice an action stands for.

        Raises:
            ArgumentError: it is no action, or a number outside the menu.
        """
        if action is None:
            return cls(None, (), False)
        if isinstance(action, Command):
            return cls(None, (action,), False)
        if isinstance(action, list | tuple):
            strange = [a for a in action if not isinstance(a, Command)]
            if strange:
                raise ArgumentError(f"a turn of orders holds {strange[0]!r}: only civworld.commands may be in it")
            return cls(None, tuple(action), True)
        try:
            entry = operator.index(action) if not isinstance(action, bool | np.bool_) else -1
        except TypeError:
            entry = -1
        if not 0 <= entry < size:
            raise ArgumentError(
                f"action {action!r}: a menu entry from 0 to {size - 1}, a command, a sequence of commands, or None "
                "is needed"
            )
        return cls(entry, (), entry == END_TURN)
