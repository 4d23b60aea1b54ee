# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole table of edits: each does what it declares and nothing else, or is refused and nothing changed."""

from dataclasses import replace

import pytest

import civworld
from civworld.edits import EDITS, AddBulbs, AddGold, RenameCity, SetAttitude, SetRule, SetTrait
from helpers import SMALL, played, with_dead_player

# per edit: one that works in any world, one that does nothing, one that cannot be
EXAMPLES = {
    "add_gold": (AddGold(1, 77), AddGold(1, 0), AddGold(99, 5)),
    "add_bulbs": (AddBulbs(1, 9), AddBulbs(1, 0), AddBulbs(1, -(10**6))),
    "set_trait": (SetTrait(1, "builder", 140), None, SetTrait(1, "builder", 5000)),
    "set_attitude": (SetAttitude(1, 2, -900), None, SetAttitude(1, 2, 1001)),
    "rename_city": (None, None, RenameCity(999_999, "Nowhere")),
    "set_rule": (SetRule("sciencebox", 60), None, SetRule("foodbox", -4)),
}
WORLDS = {
    "early": lambda: played(SMALL, 11).fork(),
    "late classic": lambda: played(replace(SMALL, ruleset="classic"), 81).fork(),
    "dead player": lambda: with_dead_player(played(SMALL, 31), 0),
}


@pytest.fixture(params=WORLDS)
def any_world(request):
    with WORLDS[request.param]() as world:
        yield world


def example(name, world):
    if name == "rename_city":
        city = world.state().cities[0]
        return RenameCity(int(city["id"]), "Ultima Thule")
    return EXAMPLES[name][0]


def test_every_edit_has_examples():
    assert EXAMPLES.keys() == EDITS.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_edit_changes_what_it_declares_and_nothing_else(name, any_world):
    edit = example(name, any_world)
    before = any_world.state()
    expected = edit.expects(before)
    any_world.apply(edit)
    changed = {(c.table, c.row, c.field): c.new for c in before.changes(any_world.state())}
    assert {place: changed[place] for place in expected} == expected
    assert all(p in expected or (p[0], p[2]) in edit.may_change() for p in changed)
    assert any_world.advance(2).turn == before.turn + 2


@pytest.mark.parametrize("name", EXAMPLES)
def test_doing_it_twice_or_to_nothing_is_refused_and_changes_nothing(name, any_world):
    edit = example(name, any_world)
    repeated = [] if name.startswith("add_") else [edit]
    any_world.apply(edit)
    before = any_world.digest()
    for wrong in (*repeated, *(e for e in EXAMPLES[name][1:] if e is not None)):
        with pytest.raises((civworld.EditRefused, civworld.ArgumentError), match=name.split("_")[0]):
            any_world.apply(wrong)
        any_world._cache.clear()
        assert any_world.digest() == before


def test_edits_reach_what_the_ai_acts_on(late):
    control, edited = late.fork(), late.fork()
    edited.apply(SetRule("sciencebox", 30))
    control.advance(10)
    edited.advance(10)
    assert edited.state().players["techs"].sum() > control.state().players["techs"].sum()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: SetTrait(0, "brave", 3), civworld.UnknownNameError),
        (lambda: SetRule("gravity", 3), civworld.UnknownNameError),
        (lambda: RenameCity(3, ""), civworld.ArgumentError),
        (lambda: RenameCity(3, "x" * 80), civworld.ArgumentError),
        (lambda: AddBulbs(0, 1.5), civworld.ArgumentError),
        (lambda: SetAttitude(0, 1, 2**40), civworld.ArgumentError),
    ],
)
def test_senseless_edits_cannot_be_made(make, error):
    with pytest.raises(error):
        make()


def test_a_recipe_holds_every_edit(early):
    world = early.fork()
    for name in EDITS:
        world.apply(example(name, world))
        world.advance(1)
    assert civworld.replay(civworld.recipe(world)).digest() == world.digest()
