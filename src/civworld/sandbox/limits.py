# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program may use, and what can come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from civworld.checks import whole
from civworld.errors import UnknownNameError

MIB = 1 << 20

FAILURES: Mapping[str, str] = MappingProxyType(
    {
        "no_program": "no Python program with a function `simulate(seed)`",
        "crashed": "the program raised an exception, or its process ended",
        "forbidden": "the program asked the kernel for what the sandbox does not allow",
        "timeout": "the program ran longer than it may",
        "too_much_memory": "the program needed more memory than it may have",
        "too_much_output": "the program wrote more than it may",
        "wrong_shape": "`simulate` gave no dictionary with a number for each id",
        "not_deterministic": "the same seed gave two different results",
        "bad_result": "what came out of the process is not what the harness writes",
    }
)
"""Every way a program can fail as a whole."""

NUMBER_FAILURES: Mapping[str, str] = MappingProxyType(
    {
        "missing": "no value for an id in one of the draws",
        "wrong_type": "a value that is no number",
        "not_finite": "NaN, an infinity or a number beyond 1e50",
    }
)
"""Every way a single value of a draw can fail."""


@dataclass(frozen=True)
class Limits:
    """What a program may use, all its seeds together.

    Attributes:
        seconds: of time, of the clock and of the processor.
        memory: MiB of address space, Python and numpy among them.
        scratch: MiB of files, in a folder that is empty before and gone afterwards.
        output: MiB that it may write to standard output and error.
    """

    seconds: int = 20
    memory: int = 1024
    scratch: int = 16
    output: int = 4

    def __post_init__(self) -> None:
        for name in ("seconds", "memory", "scratch", "output"):
            whole(f"Limits: {name}", getattr(self, name), 1, 1 << 20)


@dataclass(frozen=True)
class Failure:
    """A program that gave nothing.

    Attributes:
        name: a key of `FAILURES`.
        detail: what was seen, for people; it comes from the program, so believe nothing of it.
    """

    name: str
    detail: str = ""

    def __post_init__(self) -> None:
        if self.name not in FAILURES:
            raise UnknownNameError("failure of a program", self.name, FAILURES)


@dataclass(frozen=True, eq=False)
class Draws:
    """What a program gave.

    Attributes:
        values: name -> a value for each seed, float64 (seeds,); only names whose values are all usable.
        failures: name -> key of `NUMBER_FAILURES`, for the others.
        unknown: names beside those that were asked for, in the first draw.
    """

    values: Mapping[str, npt.NDArray[np.float64]]
    failures: Mapping[str, str]
    unknown: int = 0
