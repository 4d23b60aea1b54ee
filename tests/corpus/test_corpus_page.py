# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a world, in a real browser: it opens, the slider moves, nothing goes wrong, nothing is fetched."""

import base64
import re
import shutil

import pytest
from large import LargeCorpus

import civworld
from civworld import cli, corpus
from civworld.corpus.page import _map
from civworld.corpus.schema import rows_of, table


@pytest.fixture
def tab(browser, built, tmp_path, capsys):
    """A tab with the page of a world, and what it complained about or asked of others."""
    out = tmp_path / "page.html"
    assert cli.main(["show", str(built), "mini-1", "--out", str(out)]) == 0
    assert "open it in a browser" in capsys.readouterr().out
    page = browser.new_page(viewport={"width": 1200, "height": 1400})
    page.noted = []
    page.on("console", lambda message: page.noted.append(message.text))
    page.on("pageerror", lambda error: page.noted.append(str(error)))
    page.on("request", lambda request: page.noted.append(request.url) if request.url != out.as_uri() else None)
    page.goto(out.as_uri(), timeout=120_000)
    yield page
    page.close()


PIXELS = "() => document.getElementById('map').toDataURL()"


def slide(tab, turn):
    tab.locator("#turn").evaluate("(e, t) => { e.value = t; e.dispatchEvent(new Event('input')); }", str(turn))


def test_the_slider_moves_map_text_and_events(tab):
    assert tab.locator("#now").inner_text().startswith("20 of 20")
    last = tab.evaluate(PIXELS)
    slide(tab, 1)
    assert tab.locator("#now").inner_text().startswith("1 of 20")
    first = tab.evaluate(PIXELS)
    assert first != last
    tab.locator("#turn").press("ArrowRight")
    assert tab.locator("#now").inner_text().startswith("2 of 20")
    slide(tab, 20)
    assert tab.evaluate(PIXELS) == last
    assert tab.locator("#events li").count() > 5
    slide(tab, int(tab.locator("#events li").nth(3).get_attribute("data-turn")))
    assert tab.locator("#events li.now").count() >= 1
    assert not tab.noted


def test_it_shows_what_the_tables_say(tab, held):
    turn, track = 12, held.track("mini-1")
    slide(tab, turn)
    shown = tab.evaluate("() => Array.from(document.querySelectorAll('#civs .key'), e => e.textContent)")
    records = held.records("mini-1")
    here = records[records["turn"] == turn]
    assert shown == [f"{row['nation']} {row['score']}" for row in here]
    assert track.value("score", turn, 0) == int(shown[0].split()[-1])
    tab.locator("#kind").select_option("all")
    assert tab.locator("#events li").count() == len(held.events("mini-1"))
    assert not tab.noted


def test_quantities_and_futures_can_be_chosen(tab):
    chart = "() => document.getElementById('curves').toDataURL()"
    before = tab.evaluate(chart)
    tab.locator("#quantity").select_option("territory")
    other = tab.evaluate(chart)
    tab.locator("#from").select_option("9")
    assert len({before, other, tab.evaluate(chart)}) == 3
    tab.locator("#play").click()
    tab.wait_for_function("() => document.getElementById('now').textContent.startsWith('4 of')")
    tab.locator("#play").click()
    assert not tab.noted


def test_arms_stand_side_by_side(tab, held):
    tab.locator("#point").select_option("16")
    tab.locator("#operator").select_option("treasury_grant")
    cell = held.arms("mini-1", 16)["treasury_grant"]
    assert tab.locator("#panels figure").count() == len(cell.targets) >= 3
    assert tab.locator("#panels figcaption").first.inner_text().startswith("treasury of")
    kinds = tab.locator("#armkeys .key").all_inner_texts()
    assert [k.split()[0] for k in kinds] == ["control", "placebo", "real", "control"]
    wide = tab.evaluate("() => document.querySelector('#panels canvas').width")
    assert wide > 200 and not tab.noted


def test_the_page_fetches_nothing_and_needs_nothing_hidden(held, built, tmp_path):
    text = corpus.page(held, "mini-1")
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", text) and "http" not in text
    shutil.copytree(built, tmp_path / "c", ignore=shutil.ignore_patterns("hidden"))
    assert corpus.page(corpus.open(tmp_path / "c"), "mini-1") == text
    with pytest.raises(civworld.UnknownNameError, match="mini-1"):
        corpus.page(held, "mini-3")


def test_changes_of_tiles_are_packed_without_loss(held):
    made = table("maps").make(
        {
            "world": ["w"] * 3, "turn": [1, 1, 3], "tile": [0, 70_000, 5], "terrain": ["Hills", "Lake", "Hills"],
            "owner": [-1, 29, 0], "city": [0, 9, 0], "city_owner": [-1, 29, -1], "city_size": [0, 300, 0],
        }
    )  # fmt: skip
    info = held.world("mini-1")
    packed = _map(rows_of(made), info)
    data = base64.b64decode(packed["changes"])
    assert data[:7] == bytes([0, 0, 0, 0, 0, 0, 0])
    assert data[7:14] == bytes([0x70, 0x11, 0x01, 1, 30, 30, 255])
    assert packed["starts"][:5] == [0, 2, 2, 3, 3] and len(packed["colors"]) == 2


def test_a_large_world_of_200_turns_fits_and_opens(browser, tmp_path):
    text = corpus.page(LargeCorpus(), "made-up-000")
    assert 1_000_000 < len(text.encode()) < 5_000_000
    (tmp_path / "large.html").write_text(text)
    page = browser.new_page()
    noted = []
    page.on("console", lambda message: noted.append(message.text))
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.goto((tmp_path / "large.html").as_uri(), timeout=120_000)
    slide(page, 200)
    assert page.locator("#now").inner_text().startswith("200 of 240")
    assert page.locator("#events li").count() == 0  # losses of units are listed when asked for
    page.locator("#kind").select_option("unit_lost")
    assert page.locator("#events li").count() == 40 * 240
    assert not noted
    page.close()


def test_names_stand_under_the_pointer(tab, held):
    box = tab.locator("#curves").bounding_box()
    said = set()
    for y in range(10, 250, 12):
        tab.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + y)
        if tab.locator("#tip").is_visible():
            said.add(tab.locator("#tip").inner_text())
    nations = {str(n) for n in held.records("mini-1")["nation"]}
    assert said and all(text.split(":")[0] in nations and "at turn" in text for text in said)
    box, seen = tab.locator("#map").bounding_box(), set()
    for k in range(400):
        tab.mouse.move(box["x"] + box["width"] * (k % 20 + 0.5) / 20, box["y"] + box["height"] * (k // 20 + 0.5) / 20)
        seen.add(tab.locator("#tip").inner_text() if tab.locator("#tip").is_visible() else "")
    assert seen & nations and not tab.noted


def test_the_map_fits_the_window_and_lines_can_be_read(tab):
    for width, height in ((1280, 700), (400, 800)):
        tab.set_viewport_size({"width": width, "height": height})
        box = tab.locator("#map").bounding_box()
        assert box["height"] <= height - 150 and box["width"] <= width
    colors = tab.evaluate("() => ['#ffffff', '#ffff00', '#c0ffee', ...D.civs.map(c => c.color)].map(readable)")
    for color in colors:
        red, green, blue = (int(v) / 255 for v in re.findall(r"\d+", color))
        light = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
        assert 1.05 / (light + 0.05) >= 2.9, f"{color} on white"


def test_arms_with_an_effect_come_first(tab, held):
    point, operator = (tab.locator(f"#{name}").input_value() for name in ("point", "operator"))
    cell = held.arms("mini-1", int(point))[operator]
    assert cell.real is not None
    moved = [(cell.real.of(q) != cell.control.of(q)).any() for q in cell.targets]
    assert any(moved), f"{operator} at {point} shows no effect"
