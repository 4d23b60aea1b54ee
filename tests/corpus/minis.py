# SPDX-License-Identifier: GPL-2.0-or-later
"""A suite small enough to be built many times over."""

import hashlib
from pathlib import Path

import civworld
from civworld import corpus

OPERATORS = ("treasury_grant", "trait_shift", "research_loss")


def mini(worlds: int = 1, seed: int = 5, **kwargs) -> corpus.Suite:
    """Worlds of 16 + 4 turns with two decision points each."""
    points = (corpus.DecisionPoint(9, 4), corpus.DecisionPoint(16, 4))
    specs = []
    for i in range(worlds):
        config = civworld.WorldConfig(seed=seed + i, players=3, map_size=1, traits=(10, 150), disasters=60)
        specs.append(corpus.WorldSpec(f"mini-{i}", config, "small", 16, points))
    return corpus.Suite("mini", 1, tuple(specs), **{"futures": 2, "pairs": 1, "operators": OPERATORS, **kwargs})


def contents(root: Path) -> dict[str, str]:
    """Path -> hash of every file of a corpus, images left out: they may differ where the engine never looks."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith("images/"):
            found[name] = hashlib.blake2b(path.read_bytes()).hexdigest()
    return found
