# SPDX-License-Identifier: GPL-2.0-or-later
"""What was done to a world since it was made, written down so that no interrupt can part it from the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from civworld.checkpoint import Checkpoint

Step = tuple[Any, ...]
"""Name of what was done and its arguments, plain values; see `civworld.recipe`."""


class Course:
    """The steps of a world, oldest first. A value: one more step makes another course, by one assignment.

    Neighbouring advances become one. A course is a link to the one before until all its steps are asked for.

    Args:
        steps: all of them.
    """

    __slots__ = ("_before", "_last", "_steps")

    def __init__(self, steps: tuple[Step, ...] = ()) -> None:
        self._steps: tuple[Step, ...] | None = steps
        self._last: Step | None = steps[-1] if steps else None
        self._before: Course | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps."""
        later: list[Step] = []
        course = self
        while course._steps is None:
            assert course._before is not None and course._last is not None
            later.append(course._last)
            course = course._before
        if later:
            self._steps = (*course._steps, *reversed(later))
            self._before = None
            return self._steps
        return course._steps

    def then(self, *step: Any) -> Course:
        """This course and one more step."""
        before = self
        if step[0] == "advance" and self._last is not None and self._last[0] == "advance":
            step = ("advance", self._last[1] + step[1])
            before = self._before if self._before is not None else Course(self.steps[:-1])
        course = Course()
        course._steps, course._last, course._before = None, step, before
        return course


@dataclass(slots=True)
class Change:
    """A change of a world that has begun: it is completed, or taken back, by whatever call comes next.

    Attributes:
        course: the world's course once the change is done.
        back: where to go unless the change is found whole: the moment before an edit, the goal of a restore.
        whole: whether all that belongs to it is done, given that the engine's part is.
        done: the engine's status, there as soon as the engine's part is over. The binding puts it there in one step,
            so that an exception of a signal handler finds both or neither.
    """

    course: Course
    back: Checkpoint | None = None
    whole: bool = True
    done: list[int] = field(default_factory=list)
