# SPDX-License-Identifier: GPL-2.0-or-later
"""How a world begins: the engine with a ruleset loaded, and what a config tells it."""

from __future__ import annotations

import functools
import os

from civworld._engine import Engine, Image, Space, engine, words
from civworld.config import TRAITS, WorldConfig


def booted(config: WorldConfig) -> Image:
    """The engine with the config's ruleset loaded and no game yet; every new world starts from this image."""
    with engine()._lock:
        return _booted(config.ruleset, config.fatal_assertions)


@functools.cache
def _booted(ruleset: str, fatal_assertions: bool) -> Image:
    space = Space(engine().pristine)
    space.mount().call("cw_world_boot", ruleset.encode(), int(fatal_assertions))
    image = space.capture()
    space.close()
    return image


def start(running: Engine, config: WorldConfig) -> None:
    """Have the mounted engine, as booted, make the config's world and go to turn 1."""
    for line in config.console_lines():
        running.call("cw_world_command", line.encode())
    _behave(running, config)
    for player, values in enumerate(config.starting_traits() or ()):
        for trait, value in zip(TRAITS, values, strict=True):
            running.call("cw_world_trait", player, words("traits").index(trait), value)
    running.call("cw_world_humans", sum(1 << player for player in config.humans))
    running.call("cw_world_start", int(config.rng == "keyed"))


def load_savegame(running: Engine, config: WorldConfig, path: str | os.PathLike[str]) -> None:
    """Have the mounted engine, as booted, load a text savegame, which brings its own traits."""
    _behave(running, config)
    running.call("cw_world_load_savegame", os.fsencode(os.path.abspath(path)), int(config.rng == "keyed"))


def _behave(running: Engine, config: WorldConfig) -> None:
    for name in config.patches:
        running.call("cw_world_behaviour", name.encode())
