# SPDX-License-Identifier: GPL-2.0-or-later
"""Recipes: a world as its config and everything that was done to it, safe to share and exact to replay."""

from __future__ import annotations

from typing import Any

from civworld._engine import build_info
from civworld.checkpoint import Checkpoint
from civworld.commands import command_from_dict
from civworld.config import WorldConfig
from civworld.edits import Edit
from civworld.errors import ArgumentError, CheckpointMismatch
from civworld.plan import Plan
from civworld.world import World

FORMAT = 1


def recipe(source: World | Checkpoint) -> dict[str, Any]:
    """How to make this world again: plain values that JSON can hold.

    Args:
        source: a world, or a checkpoint of one.

    Raises:
        ArgumentError: the world began from a savegame, which no recipe can make again.
    """
    checkpoint = source.checkpoint() if isinstance(source, World) else source
    for step in checkpoint.steps:
        if step[0] == "savegame":
            raise ArgumentError(
                f"recipe: this world began from the savegame {step[1]!r}, which no recipe can hold; keep a checkpoint"
            )
    return {
        "format": FORMAT,
        "build_id": checkpoint.build_id,
        "config": checkpoint.config.to_dict(),
        "steps": [list(step) for step in checkpoint.steps],
        "turn": checkpoint.turn,
        "digest": checkpoint.digest,
    }


def replay(recipe: dict[str, Any], *, verify: bool = True) -> World:
    """The world that a recipe describes, played again from turn 1.

    Unlike an image, a recipe is data: nothing in it can run.

    Args:
        recipe: what `recipe` returned, perhaps after a trip through JSON.
        verify: raise when the result is not the recorded world, or when the build differs.

    Raises:
        CheckpointMismatch: the recipe is of another build or format, or the replay's digest differs.
        ArgumentError: a step is malformed.
    """
    if recipe.get("format") != FORMAT:
        raise CheckpointMismatch(f"recipe format {recipe.get('format')!r}, this library reads {FORMAT}", field="format")
    if verify and recipe.get("build_id") != build_info().build_id:
        raise CheckpointMismatch(
            f"recipe of build {recipe.get('build_id')}, this engine is {build_info().build_id}; "
            "verify=False replays it all the same, to a world of its own",
            field="build_id",
        )
    missing = {"build_id", "config", "steps", "turn", "digest"} - set(recipe)
    if missing:
        raise ArgumentError(f"recipe without {sorted(missing)}: what `recipe` returned is needed")
    world = World(WorldConfig.from_dict(recipe["config"]))
    for step in recipe["steps"]:
        _do(world, step)
    if verify and world.digest() != recipe["digest"]:
        raise CheckpointMismatch(
            f"the replay reached digest {world.digest()} at turn {world.turn}, recorded was {recipe['digest']}",
            field="digest",
        )
    return world


def _do(world: World, step: list[Any]) -> None:
    match step:
        case ["advance", int(turns)]:
            world.advance(turns)
        case ["reseed", int(seed), *rng]:
            world.reseed(seed, *rng)
        case ["edit", str(name), dict(fields)]:
            world.apply(Edit.from_parts(name, fields))
        case ["order", int(player), dict(values)]:
            world.order(player, command_from_dict(values))
        case ["plan", int(player), dict(values)]:
            world.set_plan(player, Plan.from_dict(values))
        case ["plan", int(player), None]:
            world.set_plan(player, None)
        case ["take_over", int(player)]:
            world.take_over(player)
        case ["release", int(player)]:
            world.release(player)
        case _:
            raise ArgumentError(
                f"recipe step {step!r}: advance, reseed, edit, order, plan, take_over or release is needed"
            )
