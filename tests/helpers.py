# SPDX-License-Identifier: GPL-2.0-or-later
"""Worlds that several test modules start from, played once per test process."""

import functools
import json
import subprocess
import sys

import civworld

SMALL = civworld.WorldConfig(seed=7, players=4, map_size=2)


@functools.cache
def played(config: civworld.WorldConfig, turn: int) -> civworld.Checkpoint:
    """A checkpoint of the config's world at a turn."""
    with civworld.World(config) as world:
        return world.advance(turn - 1).checkpoint()


@functools.cache
def digests(config: civworld.WorldConfig, first: int, last: int) -> tuple[str, ...]:
    """Digests of an undisturbed world at turns first..last."""
    with civworld.World.from_checkpoint(played(config, first)) as world:
        return (world.digest(), *(world.advance().digest() for _ in range(last - first)))


def in_new_process(code: str, *args: object) -> object:
    """Run code in a fresh interpreter with `args` as a list; it prints one JSON value as its last line."""
    script = f"import json, sys\nargs = json.loads(sys.argv[1])\n{code}"
    done = subprocess.run([sys.executable, "-c", script, json.dumps(args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def with_dead_player(start: civworld.Checkpoint, player: int) -> civworld.World:
    """A world one turn on in which a player has lost everything and died."""
    script = (
        f"lua cmd local p = find.player({player}) "
        "for u in p:units_iterate() do edit.unit_kill(u, 'retired', nil) end "
        "for c in p:cities_iterate() do edit.remove_city(c) end"
    )
    world = start.fork()
    with world._engine_call() as running:
        running.call("cw_world_command", script.encode())
    world._cache.clear()
    return world.advance(1)
