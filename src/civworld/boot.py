# SPDX-License-Identifier: GPL-2.0-or-later
"""How a world begins: the engine with a ruleset loaded, and what a config tells it."""

from __future__ import annotations

import functools
import logging
import os
import threading
from pathlib import Path

from civworld._engine import Engine, Image, Space, build_info, engine, words
from civworld.checkpoint import Checkpoint
from civworld.config import TRAITS, WorldConfig
from civworld.errors import CheckpointError, LifecycleError

# rulesets as they lie in memory once loaded, on disk for other processes; more files than this are too old to matter
TEMPLATES_KEPT = 32
_log = logging.getLogger("civworld.boot")
# not the engine's lock: files are read and written by threads that need that one
_booting = threading.RLock()


def booted(config: WorldConfig) -> Image:
    """The engine with the config's ruleset loaded and no game yet; every new world starts from this image."""
    with _booting:
        return _booted(config.ruleset, config.fatal_assertions)


@functools.cache
def _booted(ruleset: str, fatal_assertions: bool) -> Image:
    path = template_path(ruleset, fatal_assertions)
    try:
        return Checkpoint.load(path).image
    except (OSError, CheckpointError) as error:
        _log.debug("no loaded ruleset to start from, so it is loaded and written anew: %s", error)
    with engine()._lock:
        space = Space(engine().pristine)
        space.mount().call("cw_world_boot", ruleset.encode(), int(fatal_assertions))
        image = space.capture()
        space.close()
    _keep_template(path, image, WorldConfig(ruleset=ruleset, fatal_assertions=fatal_assertions))
    return image


def template_path(ruleset: str, fatal_assertions: bool) -> Path:
    """Where processes of this build leave a loaded ruleset for one another: `$CIVWORLD_CACHE` or `~/.cache/civworld`.

    Loading a ruleset takes several times as long as making a world from one that is loaded. The file is a checkpoint
    of turn 0, so damage is noticed; like every checkpoint file it is trusted as the user's own code is.
    """
    named = os.environ.get("CIVWORLD_CACHE")
    cache = Path(named).absolute() if named else Path(os.path.expanduser("~/.cache/civworld"))
    name = f"{build_info().build_id}-{ruleset}-{'strict' if fatal_assertions else 'lenient'}.checkpoint"
    return cache / "templates" / name


def _keep_template(path: Path, image: Image, config: WorldConfig) -> None:
    """Write a template; a folder that cannot be written to costs the next process time, and nothing else."""
    try:
        if not path.is_absolute():
            raise LifecycleError(f"{path}: there is no home folder; $CIVWORLD_CACHE may name another")
        path.parent.mkdir(parents=True, exist_ok=True)
        Checkpoint(config, 0, "", build_info().build_id, image).save(path)
        written = sorted(path.parent.glob("*.checkpoint"), key=lambda p: p.stat().st_mtime, reverse=True)
        for old in written[TEMPLATES_KEPT:]:
            old.unlink(missing_ok=True)
    except (OSError, LifecycleError) as error:
        _log.info("the loaded ruleset is not kept for other processes: %s", error)


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
