# SPDX-License-Identifier: GPL-2.0-or-later
"""The world that report tests and their golden files are about: the engine's own behaviour and generator, so that
it stays the same whatever behaviours civworld adds. Run this file to write the golden files anew."""

import functools
from pathlib import Path

import civworld
from civworld import report

GOLDEN = Path(__file__).parent / "golden"
STOCK = civworld.WorldConfig(seed=31, players=4, map_size=1, patches=(), rng="stock")
TURN, VIEWER = 61, 1


@functools.cache
def history() -> dict[int, civworld.Checkpoint]:
    """Checkpoints of the golden world at the turns of its briefing for turn 61."""
    found = {}
    with civworld.World(STOCK) as world:
        for turn in report.frame_turns(TURN):
            found[turn] = world.advance(turn - world.turn).checkpoint()
    return found


def golden_texts() -> dict[str, str]:
    """File name -> text."""
    return {
        "report_omni.txt": report.briefing_at(history(), TURN),
        "report_ego.txt": report.briefing_at(history(), TURN, view=VIEWER),
    }


if __name__ == "__main__":
    for name, text in golden_texts().items():
        (GOLDEN / name).write_text(text)
