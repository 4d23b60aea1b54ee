# SPDX-License-Identifier: GPL-2.0-or-later
"""If two worlds should be equal, they are: forks, restores, second worlds, other processes."""

import pytest

import civworld
from helpers import SMALL, digests, in_new_process, played

RUN_ON = """
import civworld
cp = civworld.Checkpoint.load(args[0])
world = civworld.World.from_checkpoint(cp)
print(json.dumps([cp.digest] + [world.advance().digest() for _ in range(args[1])]))
"""


def run_on(world, turns):
    return [world.digest()] + [world.advance().digest() for _ in range(turns)]


def test_recheck_equals_control_at_every_turn_here_and_in_another_process(late, tmp_path):
    control = run_on(late.fork(), 30)
    assert len(set(control)) == 31, "the world stood still, so equality proves nothing"
    assert run_on(late.fork(), 30) == control

    others = [civworld.World(civworld.WorldConfig(seed=s, players=3, map_size=1)) for s in (1, 2, 3)]
    recheck = late.fork()
    seen = [recheck.digest()]
    for turn in range(30):
        others[turn % 3].advance()
        seen.append(recheck.advance().digest())
    assert seen == control

    late.save(tmp_path / "cp")
    assert in_new_process(RUN_ON, str(tmp_path / "cp"), 30) == control


@pytest.mark.parametrize("ruleset", ["civ2civ3", "classic"])
@pytest.mark.parametrize("seed", range(5))
def test_restoring_equals_continuing_at_every_turn(seed, ruleset):
    config = civworld.WorldConfig(seed=seed, players=4, map_size=2, ruleset=ruleset)
    with civworld.World(config) as world:
        checkpoints, straight = {}, []
        for turn in range(1, 51):
            straight.append(world.digest())
            if turn in (4, 20, 40):
                checkpoints[turn] = world.checkpoint()
            world.advance()
        for turn, cp in checkpoints.items():
            world.restore(cp)
            assert run_on(world, 10) == straight[turn - 1 : turn + 10] + [world.digest()] * (turn + 10 > 50)


def test_second_world_of_a_process_equals_the_first_and_a_fresh_process():
    first = digests(SMALL, 1, 15)
    with civworld.World(SMALL) as second:
        assert tuple(run_on(second, 14)) == first
    code = """
import civworld
world = civworld.World(civworld.WorldConfig.from_dict(args[0]))
print(json.dumps([world.digest()] + [world.advance().digest() for _ in range(14)]))
"""
    assert tuple(in_new_process(code, SMALL.to_dict())) == first


def test_the_engine_agrees_that_equal_worlds_are_equal(early, tmp_path):
    """A second witness beside our own digest: the engine's text savegame, byte for byte."""
    a, b = early.fork().advance(5), early.fork()
    for _ in range(5):
        b.advance()
        civworld.World.from_checkpoint(early).advance().close()
    saves = {}
    for name, world in {"a": a, "b": b, "start": early.fork()}.items():
        world.export_savegame(tmp_path / f"{name}.sav")
        saves[name] = (tmp_path / f"{name}.sav").read_bytes()
    assert saves["a"] == saves["b"] != saves["start"]
    assert len(saves["a"]) > 10_000


def test_siblings_and_parent_do_not_disturb_each_other(early):
    parent = early.fork()
    child = parent.fork()
    child.apply(civworld.edits.AddGold(player=0, amount=500))
    child.advance(3)
    assert parent.digest() == early.digest
    assert run_on(parent, 3) == run_on(early.fork(), 3)
    assert child.digest() != parent.digest()


def test_fork_at_every_turn():
    with civworld.World(SMALL) as world:
        for turn in range(12):
            assert world.fork().advance(2).digest() == digests(SMALL, 1, 15)[turn + 2]
            world.advance()


def test_looking_changes_nothing(early):
    plain, watched = early.fork(), early.fork()
    for _ in range(5):
        plain.advance()
        watched.state()
        watched.digest()
        watched.advance()
        watched.checkpoint()
    assert watched.digest() == plain.digest()


def test_different_seeds_give_different_worlds():
    seen = {played(civworld.WorldConfig(seed=s, players=3, map_size=1), 2).digest for s in range(6)}
    assert len(seen) == 6


def test_reseeding_gives_another_future_from_the_same_state(early):
    a, b, c = early.fork(), early.fork(), early.fork()
    a.reseed(1)
    b.reseed(2)
    c.reseed(1)
    assert a.digest() != b.digest()
    assert run_on(a, 4) == run_on(c, 4)
    assert a.digest() != b.advance(4).digest()
