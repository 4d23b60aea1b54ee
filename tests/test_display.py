# SPDX-License-Identifier: GPL-2.0-or-later
"""Values show themselves briefly: in a console by a line or a small table, in a notebook by a table or the map."""

import io
import pickle
from html.parser import HTMLParser

import numpy as np
import pytest

import civworld
from civworld import arms, display, quantities
from helpers import SMALL, played

WIDE = 120
VOID = {"img", "br", "meta"}


class Balanced(HTMLParser):
    """Reads HTML and sees that every element is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def trial():
    return arms.run(played(SMALL, 11), "treasury_grant", player=1, turns=3, seeds=2)


def test_a_measurement_prints_with_names(world):
    told = quantities.measure(world.state())
    lines = str(told).splitlines()
    assert lines[0].split() == ["player", *quantities.table()] and len(lines) == 1 + len(told)
    assert repr(told) == str(told) and lines[1].split() == [str(v) for v in told[0]]
    assert "<th>treasury</th>" in told._repr_html_() and Balanced(told._repr_html_()).seen.count("tr") == len(lines)


def test_a_measurement_is_an_array_in_all_else(world):
    told = quantities.measure(world.state())
    assert isinstance(told, np.ndarray) and str(told["score"]) == str(np.asarray(told)["score"])
    again = pickle.loads(pickle.dumps(told))
    assert np.array_equal(again, told) and str(again) == str(told)
    assert quantities.stack([told, told]).shape == (2, len(told)) and str(told[0]) == str(np.asarray(told)[0])


def test_a_checkpoint_a_trial_and_a_timeline_are_one_line(trial):
    with civworld.World(SMALL) as world:
        timeline = world.timeline()
        assert repr(timeline).startswith("<Timeline turns 1-1")
        world.advance(2)
        assert repr(timeline).startswith("<Timeline turns 1-3")
        told = [repr(world.checkpoint()), repr(timeline), repr(trial), repr(trial.control)]
    assert "<Checkpoint civ2civ3 seed=7 turn=3" in told[0] and "<Trial of treasury_grant" in told[2]
    assert all(len(line) <= WIDE and "\n" not in line for line in told), told


def test_a_world_shows_its_map(world):
    text = world._repr_html_()
    assert Balanced(text).seen.count("img") == 1 and world.state().players["nation"][0].decode() in text
    world.close()
    assert "closed" in world._repr_html_()


def test_a_view_shows_its_civilizations(world):
    for view in (world.state(), world.view(1)):
        assert Balanced(view._repr_html_()).seen.count("table") == 1 and "<th>nation</th>" in view._repr_html_()


def test_a_trial_shows_its_effects_and_their_errors(trial):
    text = trial._repr_html_()
    assert Balanced(text).seen.count("table") == 1
    assert '<td style="text-align:right">treasury</td>' in text and "standard error" in text


def test_texts_are_escaped_and_long_tables_cut():
    rows = [(f"<b>{i}", 1.23456) for i in range(30)]
    text = display.html_table(("a&b", "c"), rows, "<i>")
    assert "<b>" not in text and "&lt;b&gt;0" in text and "a&amp;b" in text and "... 30 rows" in text
    assert display.text_table(("a", "b"), rows).splitlines()[-1] == "... 30 rows" and "1.23" in text


def test_pictures_are_what_they_were(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    pixels = np.random.default_rng(0).integers(0, 256, (7, 5, 3), np.uint8)
    read = image.imread(io.BytesIO(display.png(pixels)), format="png")
    assert np.array_equal(np.round(read[..., :3] * 255).astype(np.uint8), pixels)


def test_units_are_round_and_cities_square():
    from civworld.report import map_pixels

    view = played(SMALL, 11).fork().state()
    pixels = map_pixels(view, 12)
    shift = 12 * (view.topology & 4 > 0)
    cities = set(view.cities["tile"].tolist())
    unit = next(int(u["tile"]) for u in view.units if int(u["tile"]) not in cities)
    for tile, inside in ((next(iter(cities)), True), (unit, False)):
        y, x = divmod(tile, view.xsize)
        wide = 2 if shift else 1
        block = np.roll(pixels, -shift if shift and y % 2 else 0, 1)[y * 12 : y * 12 + 12, x * 12 * wide :: wide][
            :, :12
        ]
        corner, middle = block[1, 1].tolist(), block[5, 5].tolist()
        assert (corner == [0, 0, 0]) == inside, "a city fills its tile up to its black edge"
        assert middle != block[0, 6].tolist()


def test_a_saved_map_has_a_legend(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    from civworld.report import map_pixels, save_map

    view = played(SMALL, 11).fork().state()
    save_map(tmp_path / "map.png", view, 10)
    save_map(tmp_path / "map.svg", view, 10)
    height, width = map_pixels(view, 10).shape[:2]
    read = image.imread(tmp_path / "map.png")
    assert read.shape[1] == width + 220 and abs(read.shape[0] - max(height, 25 * (3 + len(view.players)))) <= 1
    assert (read[:, width + 20 :, :3] < 0.5).any(), "something stands beside the map"
