# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds in worker processes: many cores, and a crash that costs one job instead of the program.

Worlds travel to workers as memory files that both sides map, not as copies through a pipe.
"""

from civworld.pool.pool import TRIES, Failure, Pool

__all__ = ["TRIES", "Failure", "Pool"]
