# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input gets a typed error that names the value and what is allowed, and changes nothing."""

import os
import random

import pytest

import civworld
from civworld.edits import AddGold
from helpers import SMALL, with_dead_player


@pytest.mark.parametrize(
    ("kwargs", "error", "words"),
    [
        ({"ruleset": "civ2civ4"}, civworld.UnknownNameError, ["civ2civ4", "civ2civ3"]),
        ({"ruleset": ""}, civworld.UnknownNameError, ["classic"]),
        ({"players": 0}, civworld.ArgumentError, ["players=0", "1 to 30"]),
        ({"players": 31}, civworld.ArgumentError, ["players=31", "1 to 30"]),
        ({"players": 2.0}, civworld.ArgumentError, ["players=2.0"]),
        ({"players": True}, civworld.ArgumentError, ["players=True"]),
        ({"players": 30, "map_size": 2}, civworld.ArgumentError, ["map_size=2", "players=30", "100"]),
        ({"map_size": 0}, civworld.ArgumentError, ["map_size=0"]),
        ({"seed": -1}, civworld.ArgumentError, ["seed=-1"]),
        ({"seed": 0.5}, civworld.ArgumentError, ["seed=0.5"]),
        ({"difficulty": "brutal"}, civworld.UnknownNameError, ["brutal", "hard"]),
        ({"rng": "dice"}, civworld.UnknownNameError, ["dice", "stock", "keyed"]),
    ],
)
def test_config(kwargs, error, words):
    with pytest.raises(error) as caught:
        civworld.WorldConfig(**kwargs)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize("turns", [-1, 1.5, "3", True])
def test_advance(world, turns):
    before = world.digest()
    with pytest.raises(civworld.ArgumentError, match=r"advance: turns=.*whole number"):
        world.advance(turns)
    assert world.digest() == before and world.turn == 11


@pytest.mark.parametrize("edit", ["gold", None, AddGold, {"edit": "add_gold"}])
def test_apply_takes_edits_alone(world, edit):
    before = world.digest()
    with pytest.raises(civworld.ArgumentError, match=r"a value of civworld\.edits"):
        world.apply(edit)
    with pytest.raises(civworld.ArgumentError, match="a Checkpoint is needed"):
        world.restore(edit)
    assert world.digest() == before


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"edit": "add_golf"},
        {"edit": "add_gold", "player": 1},
        {"edit": "add_gold", "player": 1, "amount": 1, "sum": 1},
        {"edit": "add_gold", "player": 1, "amount": 1.5},
        {"edit": ["add_gold"], "player": 1, "amount": 1},
        [1],
        {1: 2},
    ],
)
def test_plain_values_that_are_no_edit(values):
    with pytest.raises(civworld.ArgumentError):
        civworld.edits.Edit.from_dict(values)


@pytest.mark.parametrize("seed", [-1, True, 0.5])
def test_reseed(world, seed):
    before = world.digest()
    with pytest.raises(civworld.ArgumentError, match="whole number"):
        world.reseed(seed)
    assert world.digest() == before


@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (AddGold(player=99, amount=5), civworld.ArgumentError),
        (AddGold(player=-1, amount=5), civworld.ArgumentError),
        (AddGold(player=0, amount=0), civworld.EditRefused),
        (AddGold(player=0, amount=-(2**30)), civworld.EditRefused),
    ],
)
def test_refused_edit_changes_nothing(world, edit, error):
    before = world.digest()
    with pytest.raises(error, match=str(edit.player)):
        world.apply(edit)
    assert world.digest() == before
    assert len(world.checkpoint().image.diff(world.fork().checkpoint().image)) == 0


def test_edit_of_a_value_that_is_no_number():
    with pytest.raises(civworld.ArgumentError, match="amount='3'"):
        AddGold(player=0, amount="3")


def test_use_after_close(early):
    world = early.fork()
    world.close()
    world.close()
    for use in (world.advance, world.state, world.digest, world.checkpoint, world.fork, lambda: world.turn):
        with pytest.raises(civworld.LifecycleError, match="closed"):
            use()


def test_use_in_a_forked_process(world):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            world.advance()
            said = b"advanced"
        except civworld.LifecycleError as error:
            said = str(error).encode()
        except BaseException as error:
            said = repr(error).encode()
        os.write(writer, said)
        os._exit(0)
    os.waitpid(child, 0)
    said = os.read(reader, 4096).decode()
    assert "belongs to process" in said and str(os.getpid()) in said
    assert world.advance().turn == 12


def test_checkpoint_of_another_build(early, tmp_path, monkeypatch):
    early.save(tmp_path / "cp")
    other = type(early)(early.config, early.turn, early.digest, "0" * 32, early.image)
    other.save(tmp_path / "other")
    for use in (lambda: civworld.Checkpoint.load(tmp_path / "other"), lambda: early.fork().restore(other)):
        with pytest.raises(civworld.CheckpointMismatch, match="build") as caught:
            use()
        assert caught.value.field == "build_id"


def test_damaged_checkpoint_files_are_refused(early, tmp_path):
    early.save(tmp_path / "cp")
    whole = (tmp_path / "cp").read_bytes()
    assert civworld.Checkpoint.load(tmp_path / "cp").fork().advance(2).digest() == early.fork().advance(2).digest()
    rng = random.Random(3)
    for trial in range(60):
        bad = bytearray(whole)
        if trial % 3 == 0:
            del bad[rng.randrange(len(bad)) :]
        else:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(civworld.CheckpointCorrupt):
            civworld.Checkpoint.load(tmp_path / "bad")


def test_missing_file_and_missing_folder(early, tmp_path):
    with pytest.raises(FileNotFoundError):
        civworld.Checkpoint.load(tmp_path / "none")
    with pytest.raises(civworld.LifecycleError, match="does not exist"):
        early.save(tmp_path / "no" / "cp")


def test_world_needs_a_config():
    with pytest.raises(civworld.ArgumentError, match="WorldConfig"):
        civworld.World("civ2civ3")


def test_config_survives_its_dict():
    assert civworld.WorldConfig.from_dict(SMALL.to_dict()) == SMALL
    with pytest.raises(civworld.ArgumentError, match="colour"):
        civworld.WorldConfig.from_dict(SMALL.to_dict() | {"colour": 1})


def test_edit_of_a_dead_player_is_refused_and_the_world_goes_on(early):
    world = with_dead_player(early, 0)
    assert not world.state().player(0)["is_alive"]
    before = world.digest()
    with pytest.raises(civworld.EditRefused, match=r"player 0 .* is dead") as caught:
        world.apply(AddGold(player=0, amount=5))
    assert "dead" in caught.value.reason
    assert world.digest() == before
    assert world.advance(3).turn == 15
    assert civworld.quantities.get("treasury")(world.state())[0] == 0
