# SPDX-License-Identifier: GPL-2.0-or-later
"""Which build of the engine this package holds."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from civworld.errors import LifecycleError

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class BuildInfo:
    """What the engine was built from; worlds and checkpoints of equal `build_id` run alike.

    Attributes:
        build_id: hash of the engine library and of every data file it reads.
        engine: name and version of the engine.
        patches: hash of the pinned archives and of the patch series.
        profile: kind of build, `release` or `dev`.
        compiler: first line of the compiler's version text.
    """

    build_id: str
    engine: str
    patches: str
    profile: str
    compiler: str


@functools.cache
def build_info() -> BuildInfo:
    """The build in this package; LifecycleError when the engine has not been built."""
    path = FOLDER / "build_info.json"
    if not path.exists():
        raise LifecycleError(f"the engine is not built: {path} is missing; run `pip install .` or `make`")
    return BuildInfo(**json.loads(path.read_text(encoding="utf-8")))
