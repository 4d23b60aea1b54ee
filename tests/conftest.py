# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: worlds that many tests start from."""

import pytest

import civworld
from helpers import SMALL, played


@pytest.fixture
def early():
    """A checkpoint of a small world at turn 11."""
    return played(SMALL, 11)


@pytest.fixture
def late():
    """A checkpoint of a small world at turn 61."""
    return played(SMALL, 61)


@pytest.fixture
def world(early):
    """A live world at turn 11, closed afterwards."""
    with civworld.World.from_checkpoint(early) as live:
        yield live
