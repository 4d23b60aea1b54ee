# SPDX-License-Identifier: GPL-2.0-or-later
"""`render_mode="human"`: a window in every step, here on the screen that SDL makes up."""

import copy
import sys

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

import civworld
from civworld.errors import LifecycleError, MissingExtra

TINY = civworld.WorldConfig(seed=7, players=3, map_size=1)


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield pytest.importorskip("pygame", reason="the extra [window] is not installed")


@pytest.mark.filterwarnings("ignore")
def test_pettingzoos_render_test_passes(pygame):
    render_test(lambda render_mode: civworld.env(TINY, turns=9, render_mode=render_mode))


def on_screen(pygame):
    return pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)


def test_every_step_shows_the_map_without_being_asked(pygame):
    env = gymnasium.make("civworld/Freeciv-v0", config=TINY, render_mode="human")
    env.reset(seed=3)
    first = on_screen(pygame)
    other = civworld.envs.FreecivEnv(TINY, render_mode="rgb_array")
    other.reset(seed=3)
    assert np.array_equal(first, other.render()), "the window shows the picture, pixel by pixel"
    founding = other.menu()[1].command
    env.step([founding]), other.step([founding])
    assert np.array_equal(on_screen(pygame), other.render()) and not np.array_equal(on_screen(pygame), first)
    assert env.render() is None
    fork = copy.deepcopy(env.unwrapped)
    shown = on_screen(pygame)
    fork.step([])
    assert np.array_equal(on_screen(pygame), shown), "a fork leaves the window alone"
    env.reset(seed=4)
    assert not np.array_equal(on_screen(pygame), shown)
    env.close()
    assert not pygame.display.get_init()


def test_without_a_screen_or_the_extra_one_sentence_says_so(pygame, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "x11")
    monkeypatch.setenv("DISPLAY", ":99")
    pygame.display.quit()
    with pytest.raises(LifecycleError, match="no window can be opened"):
        civworld.parallel_env(TINY, render_mode="human")
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingExtra, match="window"):
        civworld.parallel_env(TINY, render_mode="human")
