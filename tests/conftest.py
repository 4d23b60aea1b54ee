# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures: worlds that many tests start from."""

import shutil

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


@pytest.fixture(scope="module")
def browser():
    """A real browser, for tests of pages."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield running
        running.close()
