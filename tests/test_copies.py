# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies and pickles of live objects and of values: exact and independent, or refused with the way to go."""

import copy
import pickle

import pytest

import civworld
from civworld.pool import Pool
from helpers import in_new_process

COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_world_is_exact_and_independent(how, early):
    with early.fork() as world:
        world.apply(civworld.edits.AddGold(1, 5))
        before, recipe = world.digest(), civworld.recipe(world)
        with COPIES[how](world) as copied:
            assert copied.digest() == before
            assert copied.events() == world.events()
            assert civworld.recipe(copied) == recipe
            copied.advance(2)
            assert (world.digest(), civworld.recipe(world)) == (before, recipe)
            assert world.advance(2).digest() == copied.digest()
            assert civworld.recipe(world) == civworld.recipe(copied)


@pytest.mark.parametrize("how", COPIES)
def test_copied_values_are_equal(how, early):
    with early.fork() as world:
        values = (early, world.state(), world.view(1), world.events(), world.config, civworld.Plan(turns=3))
    for value in values:
        copied = COPIES[how](value)
        assert copied == value
        assert hash(copied) == hash(value)
        if hasattr(value, "changes"):
            assert not list(value.changes(copied))


def test_equal_views_need_not_share_the_bytes_between_their_fields(early):
    with early.fork() as world:
        view = world.state()
    make, (tables, info) = view.__reduce__()
    loose = {name: copy.deepcopy(rows) for name, rows in tables.items()}  # numpy copies fields alone
    assert make(loose, info) == view
    assert hash(make(loose, info)) == hash(view)
    richer = {name: rows.copy() for name, rows in tables.items()}
    richer["players"]["gold"][0] += 1
    assert make(richer, info) != view


def test_another_process_unpickles_a_world(early, tmp_path):
    with early.fork() as world:
        (tmp_path / "world").write_bytes(pickle.dumps(world))
        expected = world.advance(2).digest()
    code = """
import pickle
print(json.dumps(pickle.loads(open(args[0], "rb").read()).advance(2).digest()))
"""
    assert in_new_process(code, str(tmp_path / "world")) == expected


def test_a_closed_world_has_no_copy(early):
    world = early.fork()
    world.close()
    for make in COPIES.values():
        with pytest.raises(civworld.LifecycleError, match="closed"):
            make(world)


def live_things(early, tmp_path):
    world = early.fork()
    return {
        "timeline": world.timeline(tmp_path / "timeline"),
        "pool": Pool(1, progress=False),
        "engine": world._space.engine,
        "space": world._space,
    }


def test_what_has_no_copy_says_so(early, tmp_path):
    for name, thing in live_things(early, tmp_path).items():
        for make in COPIES.values():
            with pytest.raises(civworld.CopyError, match="cannot be copied"):
                make(thing)
        if name == "pool":
            thing.close()
    assert copy.copy(early.image) is early.image
    with pytest.raises(civworld.CopyError, match="checkpoint"):
        pickle.dumps(early.image)
