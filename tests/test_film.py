# SPDX-License-Identifier: GPL-2.0-or-later
"""Films: valid files with a frame for every turn, each the picture of its moment."""

import numpy as np
import pytest

import civworld
from civworld.errors import ArgumentError, UnknownNameError
from civworld.report import map_pixels
from helpers import SMALL, played

Image = pytest.importorskip("PIL.Image", reason="the extra [plot] is not installed")
SCALE = 6


@pytest.fixture
def line():
    with civworld.World.from_checkpoint(played(SMALL, 11)) as world:
        held = world.timeline()
        world.advance(5)
        yield held
        held.close()


def frames_of(path):
    with Image.open(path) as file:
        frames = []
        for number in range(file.n_frames):
            file.seek(number)
            frames.append((np.asarray(file.convert("RGB")), file.info.get("duration")))
    return frames


@pytest.mark.parametrize("ending", ["png", "gif", "webp"])
def test_a_film_shows_every_turn_of_a_timeline(line, ending, tmp_path):
    path = tmp_path / f"game.{ending}"
    assert civworld.film(line, path, scale=SCALE, milliseconds=200) == len(line.turns) == 6
    frames = frames_of(path)
    assert len(frames) == 6 and {duration for _, duration in frames[1:]} == {200}
    for (shown, _), turn in zip(frames, line.turns, strict=True):
        with line[turn].fork() as world:
            expected = map_pixels(world.state(), SCALE)
        found = shown[: expected.shape[0]].astype(int)
        if ending == "png":
            assert np.array_equal(found, expected), turn
        else:
            assert np.abs(found - expected).mean() < 8, turn


def test_a_film_shows_what_a_player_knows_and_chosen_turns(line, tmp_path):
    path = tmp_path / "fog.png"
    assert civworld.film(line, path, turns=[12, 15], view=1, scale=SCALE) == 2
    with line[15].fork() as world:
        expected = map_pixels(world.view(1), SCALE)
    assert np.array_equal(frames_of(path)[1][0][: expected.shape[0]], expected)


def test_a_film_is_made_of_views_too(line, tmp_path):
    with line[11].fork() as world:
        views = [world.state(), world.advance().state(), world.advance().state()]
    assert civworld.film(views, tmp_path / "views.png", scale=SCALE) == 3
    assert np.array_equal(frames_of(tmp_path / "views.png")[2][0][: 6 * views[0].ysize], map_pixels(views[2], SCALE))


def test_what_cannot_be_filmed_is_said_and_no_file_is_made(line, tmp_path):
    path = tmp_path / "bad.gif"
    for wrong in ({"turns": [3]}, {"turns": []}, {"milliseconds": 0}, {"scale": 1}):
        with pytest.raises(ArgumentError):
            civworld.film(line, path, **wrong)
    with pytest.raises(UnknownNameError, match="ending"):
        civworld.film(line, tmp_path / "bad.txt")
    with pytest.raises(ArgumentError, match="views"):
        civworld.film([], path, view=1)
    assert not list(tmp_path.iterdir())
