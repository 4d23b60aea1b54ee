# SPDX-License-Identifier: GPL-2.0-or-later
"""What the worlds and checkpoints of this process hold of its memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from civworld._engine import PAGE, engine


@dataclass(frozen=True)
class Memory:
    """Memory of worlds and checkpoints, in bytes; that of Python objects such as state views is not part of it.

    Attributes:
        worlds: worlds alive, forks among them.
        checkpoints: images alive: checkpoints, their copies count once.
        bases: full copies of a world that others share pages of; shared memory, which the resident size of the
            process does not show.
        base_bytes: what they hold.
        checkpoint_bytes: pages of checkpoints that differ from their base.
        world_bytes: pages that worlds have written and that are theirs alone.
    """

    worlds: int
    checkpoints: int
    bases: int
    base_bytes: int
    checkpoint_bytes: int
    world_bytes: int

    @property
    def nbytes(self) -> int:
        """All of it."""
        return self.base_bytes + self.checkpoint_bytes + self.world_bytes


def memory() -> Memory:
    """What the worlds and checkpoints of this process hold now. Takes a millisecond or more: for looking, not loops."""
    held = engine().memory()
    return Memory(
        worlds=held["spaces"] - 1,  # one stands in when no world is mounted
        checkpoints=held["images"],
        bases=held["bases"],
        base_bytes=held["base_pages"] * PAGE,
        checkpoint_bytes=held["delta_pages"] * PAGE,
        world_bytes=_private_bytes(),
    )


def _private_bytes() -> int:
    """Anonymous memory in private mappings of bases: pages that a world was first to write."""
    total, world = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(maxsplit=1)[0]:
            world = "civworld-image" in line and " rw-p " in line
        elif world and line.startswith("Anonymous:"):
            total += int(line.split()[1]) * 1024
    return total
