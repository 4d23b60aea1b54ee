# SPDX-License-Identifier: GPL-2.0-or-later
"""Any turn can be revisited, exactly, here and in another process, and damage is noticed."""

import json
import random

import pytest

import civworld
from helpers import SMALL, digests, in_new_process, played

LOAD = """
import civworld
timeline = civworld.Timeline.load(args[0])
print(json.dumps([timeline[t].fork().digest() for t in args[1]]))
"""
RECOUNT = """
import civworld
timeline = civworld.Timeline.load(args[0])
seen = []
for turn in args[1]:
    world = timeline[turn].fork()
    world._cache.clear()
    seen.append(world.digest())
print(json.dumps(seen))
"""


def test_every_turn_comes_back_in_any_order():
    with civworld.World(SMALL, history=True) as world:
        world.advance(14)
        timeline = world.timeline()
        assert timeline.turns == list(range(1, 16))
        order = timeline.turns
        random.Random(1).shuffle(order)
        for turn in order:
            fork = timeline[turn].fork()
            fork._cache.clear()  # count again instead of trusting the record
            assert fork.digest() == digests(SMALL, 1, 15)[turn - 1]
        assert timeline[5].fork().advance(3).digest() == digests(SMALL, 1, 15)[7]


def test_going_back_rewrites_what_followed(early):
    world = early.fork()
    timeline = world.timeline()
    world.advance(4)
    straight = timeline[15].digest
    world.restore(timeline[12])
    world.reseed(9)
    world.advance(2)
    assert timeline.turns == [11, 12, 13, 14]
    assert timeline[13].fork().advance(2).digest() != straight


def test_a_file_serves_another_process_and_stays_small(early, tmp_path):
    path = tmp_path / "world.timeline"
    world = early.fork()
    world.timeline(path)
    world.advance(10)
    expected = [world.timeline()[t].digest for t in range(11, 22)]
    assert in_new_process(RECOUNT, str(path), list(range(11, 22))) == expected
    assert len(set(expected)) == 11
    sizes = [e.length for e in world.timeline()._entries]
    assert max(sizes[1:]) < sizes[0] / 4


def test_a_torn_last_record_ends_the_timeline_before_it(early, tmp_path):
    path = tmp_path / "world.timeline"
    world = early.fork()
    world.timeline(path)
    world.advance(3)
    whole = path.read_bytes()
    last = world.timeline()._entries[-1]
    for cut in (last.at + 1, last.at + last.length // 2, last.at + last.length - 1):
        path.write_bytes(whole[:cut])
        assert civworld.Timeline.load(path).turns == [11, 12, 13]
    flipped = bytearray(whole)
    flipped[last.at + last.length // 2] ^= 4
    path.write_bytes(flipped)
    with pytest.raises(civworld.CheckpointCorrupt):
        civworld.Timeline.load(path)


def test_unknown_turn_and_other_build(early, tmp_path, monkeypatch):
    world = early.fork()
    timeline = world.timeline(tmp_path / "t")
    with pytest.raises(civworld.ArgumentError, match="11-11"):
        timeline[99]
    data = (tmp_path / "t").read_bytes()
    with pytest.raises(civworld.CheckpointCorrupt, match="not a civworld timeline"):
        (tmp_path / "other").write_bytes(b"x" + data)
        civworld.Timeline.load(tmp_path / "other")


def test_recipe_goes_through_json_and_replays_exactly(early):
    world = early.fork()
    world.advance(2)
    world.apply(civworld.edits.AddGold(player=1, amount=250))
    world.advance(2)
    world.reseed(77)
    world.advance(3)
    text = json.dumps(civworld.recipe(world))
    assert civworld.replay(json.loads(text)).digest() == world.digest()
    changed = json.loads(text)
    changed["steps"][1][2]["amount"] = 251
    with pytest.raises(civworld.CheckpointMismatch, match="digest"):
        civworld.replay(changed)
    for bad, error in ((["jump", 3], civworld.ArgumentError), (["edit", "add_golf", {}], civworld.UnknownNameError)):
        changed["steps"] = [bad]
        with pytest.raises(error):
            civworld.replay(changed)


def test_savegame_is_a_way_out_and_in(early, tmp_path):
    world = early.fork()
    world.export_savegame(tmp_path / "w.sav")
    world._cache.clear()
    assert world.digest() == early.digest
    loaded = civworld.World.from_savegame(tmp_path / "w.sav", early.config)
    assert loaded.turn == world.turn
    assert (loaded.state().players["gold"] == world.state().players["gold"]).all()
    assert loaded.advance(2).turn == world.turn + 2
    with pytest.raises(FileNotFoundError):
        civworld.World.from_savegame(tmp_path / "none.sav", early.config)
    (tmp_path / "bad.sav").write_text("this is no savegame\n")
    with pytest.raises((civworld.CheckpointCorrupt, civworld.EngineFatal)):
        civworld.World.from_savegame(tmp_path / "bad.sav", early.config)


def test_checkpoint_bytes_pickle_and_info(early, tmp_path, capsys):
    import pickle

    from civworld.cli import main

    again = pickle.loads(pickle.dumps(early))
    assert again == early and again.steps == early.steps
    assert again.fork().advance(2).digest() == early.fork().advance(2).digest()
    early.save(tmp_path / "cp")
    assert main(["checkpoint", "info", str(tmp_path / "cp")]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["digest"] == early.digest and shown["turn"] == 11
    assert main(["checkpoint", "info", str(tmp_path / "none")]) == 1
    assert played(SMALL, 11) is early


def test_a_world_whose_timeline_is_closed_plays_no_turn(early, tmp_path):
    world = early.fork()
    timeline = world.timeline(tmp_path / "t")
    world.advance(2)
    timeline.close()
    timeline.close()
    before = (world.turn, world.digest(), world.checkpoint().steps)
    for use in (lambda: world.advance(1), lambda: timeline[12], lambda: timeline.record(early)):
        with pytest.raises(civworld.LifecycleError, match="the timeline is closed"):
            use()
    world._cache.clear()
    assert (world.turn, world.digest(), world.checkpoint().steps) == before
    assert timeline.turns == [11, 12, 13]
    assert world.fork().advance(1).turn == 14
    with pytest.raises(civworld.LifecycleError, match="loaded from a file"):
        civworld.Timeline.load(tmp_path / "t").record(world.checkpoint())


def test_a_timeline_goes_back_with_its_world_and_starts_anew_from_another(early, late, tmp_path):
    world = early.fork()
    timeline = world.timeline(tmp_path / "t")
    world.advance(6)
    world.restore(timeline[14])
    world.reseed(4)
    world.advance(2)
    other = world.digest()
    assert timeline.turns == list(range(11, 17))
    world.restore(early)
    assert civworld.Timeline.load(tmp_path / "t")[16].digest == other
    with late.fork() as elsewhere:
        timeline.record(elsewhere.advance(1).checkpoint())
        world.restore(early).advance(1)
    kept = civworld.Timeline.load(tmp_path / "t")
    assert kept.turns == [11, 12]
    assert kept[12].fork().advance(1).digest() == early.fork().advance(2).digest()


def test_a_world_of_a_savegame_has_no_recipe(early, tmp_path):
    early.fork().export_savegame(tmp_path / "w.sav")
    with civworld.World.from_savegame(tmp_path / "w.sav", early.config) as world:
        for source in (world, world.advance(1), world.checkpoint()):
            with pytest.raises(civworld.ArgumentError, match="savegame"):
                civworld.recipe(source)
        assert world.turn == early.turn + 1


@pytest.mark.parametrize("missing", ["build_id", "config", "steps", "digest"])
def test_a_recipe_that_lacks_something_says_what(early, missing):
    recipe = {key: value for key, value in civworld.recipe(early).items() if key != missing}
    with pytest.raises(civworld.CivworldError, match="recipe"):
        civworld.replay(recipe)
