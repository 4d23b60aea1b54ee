# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the committed timelines anew; run it with `PYTHONPATH=src` and read the diff."""

from pathlib import Path

import civworld.world_agent.deduction
from civworld.world_agent.deduction import draw_timeline, load, names

if __name__ == "__main__":
    for name in names():
        path = Path(civworld.world_agent.deduction.__file__).parent / "cases" / f"{name}.timeline.txt"
        path.write_text(draw_timeline(load(name)), encoding="utf-8")
        print(path)
