# SPDX-License-Identifier: GPL-2.0-or-later
"""What an episode needs to know of a world to predict, and kernel cases as one kind of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from civworld.world_agent.deduction.backend import Backend
from civworld.world_agent.deduction.case import LOOKAHEAD, DeductionCase
from civworld.world_agent.deduction.disclosure import prompt


class Task(Protocol):
    """What an episode needs to know of a case."""

    @property
    def name(self) -> str:
        """Its name in tables."""
        ...

    @property
    def interval(self) -> int:
        """Units of a segment and between decision points; divides the lookahead."""
        ...

    @property
    def segments(self) -> int:
        """Segments or decisions of an episode."""
        ...

    @property
    def lookahead(self) -> int:
        """Units that a plan looks ahead in M2, `LOOKAHEAD` unless there is a reason."""
        ...

    def backend(self) -> Backend:
        """A fresh world."""
        ...

    def rules(self) -> Sequence[str]:
        """Names of the autonomous rules; empty where a world has none."""
        ...

    def prompt(self, information: str, mode: str) -> str:
        """The opening text."""
        ...


@dataclass(frozen=True, slots=True)
class KernelTask:
    """A kernel case as a task."""

    case: DeductionCase

    @property
    def name(self) -> str:
        """The case's name."""
        return self.case.name

    @property
    def interval(self) -> int:
        """The case's interval."""
        return self.case.interval

    @property
    def segments(self) -> int:
        """The case's segments."""
        return self.case.segments

    @property
    def lookahead(self) -> int:
        """The same for all kernel cases."""
        return LOOKAHEAD

    def backend(self) -> Backend:
        """A fresh world."""
        return self.case.backend()

    def rules(self) -> Sequence[str]:
        """The case's processes."""
        return [rule["name"] for rule in self.case.spec["processes"]]

    def prompt(self, information: str, mode: str) -> str:
        """The case's disclosure."""
        return prompt(self.case, information, mode)
