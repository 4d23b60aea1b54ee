# SPDX-License-Identifier: GPL-2.0-or-later
"""Orders: what a player may do works, what it may not is refused with a reason and changes nothing."""

import dataclasses
import json
import random

import pytest

import civworld
from civworld import commands as c
from civworld.errors import ArgumentError, CivworldError, CommandRefused
from helpers import SMALL, played

HUMAN = dataclasses.replace(SMALL, humans=(0,))


@pytest.fixture
def opening():
    with played(HUMAN, 1).fork() as world:
        yield world


def own(table, player=0, **equal):
    rows = table[table["owner"] == player]
    for field, value in equal.items():
        rows = rows[rows[field] == value]
    return [int(i) for i in rows["id"]]


def test_what_is_listed_as_legal_can_be_done():
    with played(SMALL, 40).fork() as start:
        start.take_over(0)
        checkpoint, digest = start.checkpoint(), start.digest()
        listed = start.legal(0)
        assert start.digest() == digest, "listing changes nothing"
        assert len({legal.text for legal in listed}) == len(listed)
        for legal in random.Random(1).sample(listed, 60):
            with checkpoint.fork() as world:
                assert world.order(0, legal.command).result in c.RESULTS, legal
                assert world.digest() != digest or legal.probability < 1, legal


def test_a_refusal_says_why_and_changes_nothing(opening):
    digest = opening.digest()
    workers = own(opening.state().units, type_name=b"Workers")[0]
    with pytest.raises(CommandRefused) as refused:
        opening.order(0, c.Fortify(workers))
    assert "Fortify" in refused.value.reason
    assert opening.digest() == digest
    assert opening.checkpoint().steps == ()


def test_orders_are_part_of_the_recipe(opening):
    settlers = own(opening.state().units, type_name=b"Settlers")[0]
    opening.order(0, c.FoundCity(settlers, "Firstville"))
    opening.advance(3)
    opening.release(0).advance(1)
    recipe = json.loads(json.dumps(civworld.recipe(opening)))
    with civworld.replay(recipe) as again:
        assert again.digest() == opening.digest()
        assert own(again.state().cities, name=b"Firstville")


@pytest.mark.parametrize(
    "values",
    [
        {"command": "move", "unit": float("nan"), "tile": 1},
        {"command": "move", "unit": True, "tile": 1},
        {"command": "move", "unit": 2**40, "tile": 1},
        {"command": "move", "unit": 1.0, "tile": 1},
        {"command": "move", "unit": 1},
        {"command": "no_such"},
        {"command": "produce", "city": 1, "item": None},
        {"command": "produce", "city": 1, "item": "a\0b"},
        {"command": "propose", "player": 1, "clauses": []},
        {"command": "propose", "player": 1, "clauses": [[0, "Gold", 1.5]]},
        {"command": "propose", "player": 1, "clauses": [[0, "Slaves", 1]]},
        {},
    ],
)
def test_malformed_commands_are_named(values):
    with pytest.raises(ArgumentError):
        c.command_from_dict(values)


@pytest.mark.parametrize("player", [-1, 4, 99, True, 1.0, None])
def test_only_players_that_exist_can_be_given_orders(opening, player):
    digest = opening.digest()
    for call in (lambda: opening.order(player, c.Research("Alphabet")), lambda: opening.take_over(player)):
        with pytest.raises(ArgumentError):
            call()
    assert opening.digest() == digest


def test_ai_run_players_take_no_orders(opening):
    with pytest.raises(CommandRefused, match="built-in AI"):
        opening.order(1, c.Research("Alphabet"))
    assert opening.legal(1) == ()
    with pytest.raises(CivworldError):
        opening.take_over(0)
