# SPDX-License-Identifier: GPL-2.0-or-later
"""Every public method of a world as something to do, and how to hold what came of it against the recipe."""

import functools
import inspect
import tempfile

import civworld
from civworld import commands, edits
from civworld.replay import _do as follow
from helpers import played

SMALLEST = civworld.WorldConfig(seed=3, players=2, map_size=1)
AGENT, AI = 0, 1


@functools.cache
def start():
    """A checkpoint in which one player waits for orders."""
    with played(SMALLEST, 9).fork() as world:
        return world.take_over(AGENT).checkpoint()


CHANGES = {
    "advance": lambda world: world.advance(2),
    "reseed": lambda world: world.reseed(5),
    "apply": lambda world: world.apply(edits.AddGold(AI, 1)),
    "order": lambda world: world.order(AGENT, commands.Rates(60, 0, 40)),
    "take_over": lambda world: world.take_over(AI),
    "release": lambda world: world.release(AGENT),
    "set_plan": lambda world: world.set_plan(AI, civworld.Plan(turns=3, garrison=1)),
    "restore": lambda world: world.restore(start()),
}
READS = {
    "turn": lambda world: world.turn,
    "over": lambda world: world.over,
    "config": lambda world: world.config,
    "state": lambda world: world.state(),
    "view": lambda world: world.view(AI),
    "table": lambda world: world.table("cities"),
    "digest": lambda world: world.digest(),
    "events": lambda world: world.events(),
    "report": lambda world: world.report(),
    "checkpoint": lambda world: world.checkpoint(),
    "timeline": lambda world: world.timeline().turns,
    "fork": lambda world: world.fork().close(),
    "taken_over": lambda world: world.taken_over(AI),
    "legal": lambda world: world.legal(AGENT),
    "count_legal": lambda world: world.count_legal(AGENT),
    "plan": lambda world: world.plan(AI),
    "violations": lambda world: world.violations(AI),
    "export_savegame": lambda world: exported(world),
}
ELSEWHERE = {"close", "from_checkpoint", "from_savegame"}  # they end a world or begin one


def exported(world):
    """Write a savegame and throw it away."""
    with tempfile.TemporaryDirectory() as folder:
        world.export_savegame(f"{folder}/game.sav")


def public_methods():
    """Names of all public methods and properties of a world."""
    return {name for name, _ in inspect.getmembers(civworld.World) if not name.startswith("_")}


def replayed(checkpoint, steps):
    """Digest of a world that goes from a checkpoint, whose last step is no advance, through steps that hold its own."""
    assert steps[: len(checkpoint.steps)] == checkpoint.steps
    with checkpoint.fork() as world:
        for step in steps[len(checkpoint.steps) :]:
            follow(world, list(step))
        return world.digest()
