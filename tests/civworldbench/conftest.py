# SPDX-License-Identifier: GPL-2.0-or-later
"""A small built corpus that the tests of the benchmark share."""

import pytest

import civworld
from civworld import corpus

OPERATORS = ("treasury_grant", "trait_shift", "attitude_shift", "disaster_rate", "government_access")


def small_suite():
    """Three worlds with a decision point each, late enough for every task."""
    points = (corpus.DecisionPoint(31, 10),)
    specs = [
        corpus.WorldSpec(
            f"small-{i}",
            civworld.WorldConfig(seed=20 + i, players=3, map_size=1, traits=(10, 150), disasters=60, foodbox=60),
            "small",
            31,
            points,
        )
        for i in range(3)
    ]
    return corpus.Suite("small", 1, tuple(specs), futures=3, pairs=2, operators=OPERATORS)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("bench") / "corpus"
    report = corpus.build(small_suite(), root, runner=corpus.SingleRunner())
    assert not report.failures
    return root


@pytest.fixture(scope="session")
def held(folder):
    return corpus.open(folder)
