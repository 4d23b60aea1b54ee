# SPDX-License-Identifier: GPL-2.0-or-later
"""`rng="stock"` plays as the unpatched server does: every score-log field, against stored figures of the latter.

The figures come from `benchmarks/stock/compare.py --write`, which builds and runs the unpatched server.
"""

import numpy as np
import pytest
from benchmarks.stock import compare

CONFIGS = {f"{c.ruleset}-{c.seed}": c for c in compare.CONFIGS}


@pytest.mark.parametrize("turns", [pytest.param(60), pytest.param(compare.TURNS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CONFIGS)
def test_score_log_equals_the_unpatched_servers(name, turns):
    with np.load(compare.GOLDEN) as stored:
        rows = stored[name]
    stock = {(t, p, k): v for t, p, k, v in rows.tolist() if t <= turns}
    assert len(stock) > 150 * turns
    wrong = compare.differing(stock, *compare.embedded(CONFIGS[name], turns))
    assert not wrong, f"{len(wrong)} of {len(stock)} fields differ, first (turn, player, tag) {wrong[0]}"
