# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs of answers in inspect_ai: in the sample's own sandbox (docker) where it has one (extra `eval`)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from civworld.extras import needs

with needs("eval", __name__):
    from inspect_ai.util import OutputLimitExceededError, SandboxEnvironment, sandbox
    from inspect_ai.util._sandbox.local import LocalSandboxEnvironment

from civworld import sandbox as walls
from civworld.civworldbench.answering import programs
from civworld.civworldbench.asking.protocols import SEEDS
from civworld.civworldbench.asking.query import Query
from civworld.errors import SandboxUnavailable
from civworld.sandbox import inside

SCRIPT = "civworld_inside.py"
GRACE = 30
"""Seconds beside a program's own, for a container to start Python and numpy."""


async def run_program(query: Query, text: str, *, unsafe: bool = False) -> str:
    """What comes of a program, as `answers.parse` reads it.

    Raises:
        SandboxUnavailable: there are no walls, or the sample's sandbox has no Python with numpy.
    """
    try:
        box = sandbox()
    except ProcessLookupError:
        return await asyncio.to_thread(programs.run_program, query, text, unsafe=unsafe)
    if not unsafe and _is_local(box):
        raise SandboxUnavailable("inspect's sandbox `local` isolates nothing; use docker, or leave --sandbox out")
    return programs.told(query, await _boxed(box, query, programs.source(text)))


def _is_local(box: SandboxEnvironment) -> bool:
    """Whether this is inspect's sandbox without walls, wrapped or not."""
    try:
        box.as_type(LocalSandboxEnvironment)
    except TypeError:
        return False
    return True


async def _boxed(box: SandboxEnvironment, query: Query, program: str) -> walls.Draws | walls.Failure:
    """Run a program by our script in a sandbox of inspect."""
    names = [cell.id for cell in query.cells]
    await box.write_file(SCRIPT, Path(inside.__file__).read_text(encoding="utf-8"))
    if not (await box.exec(["python3", "-c", "import numpy"], timeout=GRACE)).success:
        raise SandboxUnavailable("the sample's sandbox has no python3 with numpy; give it an image that has them")
    request = walls.request_of(program, range(SEEDS), names, programs.LIMITS, filtered=sys.platform == "linux")
    try:
        ended = await box.exec(
            ["python3", SCRIPT], input=request, env={"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
            timeout=programs.LIMITS.seconds + GRACE, timeout_retry=False,
        )  # fmt: skip
    except TimeoutError:
        return walls.Failure("timeout")
    except OutputLimitExceededError:
        return walls.Failure("too_much_output")
    if not ended.success and not ended.stdout:
        return walls.Failure("crashed", f"status {ended.returncode}; {ended.stderr[-300:]}")
    return walls.result_of(ended.stdout.encode(), SEEDS, names)
