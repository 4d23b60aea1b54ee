# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a maintenance run in a real browser: wide and narrow, with long words, and nothing asked of others."""

import shutil

import pytest

from civworld.world_agent.maintenance import Call, RuleJudge, Session, load, plan_of, run, solution
from civworld.world_agent.page import page

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def session():
    """A run that loses something and makes a refused request of one very long word."""
    case = load("lighthouse")
    agent = solution(case, "hard", plan_of(case)[:-4])
    agent.rounds = [[Call("list_entities", {"type": "x" * 300}), *calls] for calls in agent.rounds]
    return run(case, "hard", agent)


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits_its_window_and_says_what_was_lost(width, tmp_path):
    if BROWSER is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    played = session()
    assert isinstance(played, Session) and any(not request.ok for request in played.requests)
    out = tmp_path / "page.html"
    out.write_text(page(played, RuleJudge()), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": width, "height": 900})
        noted = []
        tab.on("pageerror", lambda error: noted.append(str(error)))
        tab.on("request", lambda request: noted.append(request.url) if request.url != out.as_uri() else None)
        tab.goto(out.as_uri(), timeout=120_000)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.locator("h2").count() >= played.case.rounds
        assert tab.locator("tr.no", has_text="lost").first.is_visible()
        assert noted == []
        browser.close()
