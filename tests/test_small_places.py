# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads with small stacks and processes with little address space, each in a process of its own."""

import pytest

from helpers import in_new_process

THREADS = """
import threading
import civworld
config = civworld.WorldConfig(seed=7, players=4, map_size=2)
told = {}
def play(name):
    with civworld.World(config) as world:
        told[name] = world.advance(30).digest()
        with world.fork() as fork:
            fork.apply(civworld.edits.AddGold(0, 1))
            fork.state(), fork.report()
usual = threading.stack_size(args[0])
small = threading.Thread(target=play, args=("small",))
small.start()
small.join()
threading.stack_size(usual)
play("main")
assert threading.stack_size() == usual
print(json.dumps([told["small"], told["main"]]))
"""


@pytest.mark.parametrize("kib", [80, 128, 256])
def test_a_thread_with_a_small_stack_plays_as_any_other(kib):
    small, usual = in_new_process(THREADS, kib << 10)
    assert small == usual


ADDRESSES = """
import resource
import civworld
config = civworld.WorldConfig(seed=7, players=4, map_size=2)
first = civworld.World(config)
first.advance(2)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
said, made = "", []
try:
    for _ in range(40):
        made.append(first.fork())
        made[-1].state()
except civworld.errors.CivworldError as error:
    said = f"{type(error).__name__}: {error}"
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
fork = made[-1]
print(json.dumps([said, fork.advance(2).digest() == first.fork().advance(2).digest()]))
"""


def test_too_little_address_space_is_told_and_harms_no_world():
    said, equal = in_new_process(ADDRESSES)
    assert said.startswith("EngineFatal: cannot map a world: Cannot allocate memory"), said
    assert equal
