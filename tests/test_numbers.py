# SPDX-License-Identifier: GPL-2.0-or-later
"""numpy's integers, which the library's own tables hold, are as good as Python's wherever a number is asked for."""

import json
from dataclasses import fields, replace
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import civworld
import edit_samples
from civworld import arms, checks, commands
from civworld.commands.base import COMMANDS
from civworld.config import MAX_SEED
from civworld.edits import EDITS, Edit
from civworld.pool import Pool
from helpers import SMALL, played
from world_methods import AGENT, AI, start

KINDS = [np.int64, np.int32, np.uint8, np.array]


def in_numpy(value, kind=np.int64):
    """The value with numpy's integers in place of Python's."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return kind(value)
    if isinstance(value, tuple):
        made = [in_numpy(v, kind) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return value


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_takes_them_and_keeps_plain_numbers(name):
    with played(SMALL, 25).fork() as world, played(SMALL, 25).fork() as twin:
        edit = edit_samples.works(name, world.state())
        other = replace(edit, **{f.name: in_numpy(getattr(edit, f.name)) for f in fields(edit)})
        assert other == edit
        assert Edit.from_dict(json.loads(json.dumps(other.to_dict()))) == edit
        assert twin.apply(other).digest() == world.apply(edit).digest()
        assert civworld.recipe(twin) == json.loads(json.dumps(civworld.recipe(twin))) | {
            "steps": civworld.recipe(world)["steps"],
            "config": civworld.recipe(world)["config"],
        }


FILL = {int: 3, str: "Warriors", bool: False, int | str: 3, int | None: 3, str | None: "Warriors"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_them(name):
    hints = get_type_hints(COMMANDS[name])
    values = {f.name: FILL.get(hints[f.name], (commands.Clause(0, "Gold", 5),)) for f in fields(COMMANDS[name])}
    plain, other = COMMANDS[name](**values), COMMANDS[name](**{k: in_numpy(v) for k, v in values.items()})
    try:
        expected = plain.call()
    except civworld.ArgumentError:
        expected = None  # what fills the fields makes no sense for this command
    if expected is not None:
        assert other.call() == expected
        assert json.dumps(other.to_dict()) == json.dumps(plain.to_dict())


@pytest.mark.parametrize("kind", KINDS)
def test_every_call_of_a_world_takes_them(kind):
    def play(number):
        config = civworld.WorldConfig(
            seed=number(3), players=number(2), map_size=number(1), traits=(number(40), number(60)), humans=(number(0),)
        )
        json.dumps(config.to_dict())
        with civworld.World(config) as world:
            world.advance(number(2)).reseed(number(9))
            world.release(number(AGENT)).take_over(number(AGENT))
            world.order(number(AGENT), commands.Rates(number(60), number(0), number(40)))
            world.set_plan(number(AI), civworld.Plan(number(5), rates=(number(60), number(0), number(40))))
            world.plan(number(AI)), world.violations(number(AI)), world.taken_over(number(AI))
            world.legal(number(AGENT)), world.count_legal(number(AGENT))
            world.timeline()[number(3)].fork(number(1))[0].close()
            seen = (world.view(number(AI)), world.report(number(AI)), world.report(view=number(AI)))
            return world.digest(), json.dumps(civworld.recipe(world)), seen

    assert play(kind) == play(int)


def test_arms_environments_and_pools_take_them(early):
    trial = arms.run(early, "treasury_grant", np.int32(1), seeds=np.int64(1), player=np.int8(1))
    assert json.dumps(trial.to_dict()) == json.dumps(arms.run(early, "treasury_grant", 1, (1,), player=1).to_dict())
    config = civworld.envs.EnvConfig(start().config, agents=np.int64(1), turns=np.int64(3), menu=np.int64(40))
    assert config == civworld.envs.EnvConfig(start().config, agents=1, turns=3, menu=40)
    Pool(np.int64(1), progress=False).close()


@pytest.mark.parametrize(
    "value", [True, np.True_, 1.0, np.float64(1), "1", None, 2**40, -1, np.int64(-1), np.array([1])]
)
def test_what_is_no_number_in_the_range_is_refused(value, early):
    with early.fork() as world:
        for call in (world.advance, world.view, world.take_over, world.legal, world.plan):
            with pytest.raises(civworld.ArgumentError, match="whole number from 0"):
                call(value)
        assert world.digest() == early.digest


@given(st.integers(0, 2**200), st.integers(0, 2**64))
def test_every_seed_stands_for_one_in_the_range(seed, most):
    mapped = checks.seed_within("seed", seed, most)
    assert 0 <= mapped <= most
    assert checks.seed_within("seed", mapped, most) == mapped
    assert seed > most or mapped == seed


@pytest.mark.parametrize("seed", [MAX_SEED + 1, 2**31, 2**32 - 1, 2**63, 10**40, np.uint64(2**64 - 1)])
def test_a_config_holds_the_seed_that_its_worlds_have(seed):
    config = civworld.WorldConfig(seed=seed, players=2, map_size=1)
    assert 0 <= config.seed <= MAX_SEED
    assert config != replace(config, seed=int(seed) + 1)
    assert civworld.WorldConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    with civworld.World(config) as world, civworld.World(replace(config, seed=config.seed)) as twin:
        assert world.digest() == twin.digest()
        world.reseed(seed)
        assert world.checkpoint().steps[-1] == ("reseed", checks.seed_within("seed", seed, 2**32 - 1))


def test_a_config_of_before_a_setting_existed_has_its_default():
    old = {"seed": 4, "players": 3, "map_size": 1}
    assert civworld.WorldConfig.from_dict(old) == civworld.WorldConfig(**old)
    with pytest.raises(civworld.ArgumentError, match="gravity"):
        civworld.WorldConfig.from_dict({**old, "gravity": 3})
