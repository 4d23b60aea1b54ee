# SPDX-License-Identifier: GPL-2.0-or-later
"""What a step of the parallel environment costs beyond the engine's own turn: two agents, six civilizations, turn 50.

Usage: python benchmarks/envs/run.py [--turns 30]
A step without orders: it advances the world, observes, lists the legal orders of both agents, and pays. What it takes
is set against what `World.advance` takes within it, in processor time, so that other programs count little.
"""

import argparse
import statistics
import time

import civworld


def seconds(call):
    """How long a call takes, processor time."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def main():
    """Play, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=30, help="turns to measure")
    turns = parser.parse_args().turns
    config = civworld.WorldConfig(seed=42)
    env = civworld.parallel_env(config, agents=2, turns=1000)
    env.reset(options={"start": civworld.World(config).advance(49).checkpoint()})
    start = env.world.checkpoint()
    world, engine, step = env.world, [], []
    advance = world.advance
    world.advance = lambda: engine.append(seconds(advance))
    for _ in range(turns):
        step.append(seconds(lambda: env.step({a: [] for a in env.agents})))
    bare = start.fork().advance(turns)
    assert world.digest() == bare.digest(), "the world has played the turns that it plays without an environment"
    over = sum(step) - sum(engine)
    print(f"turns {turns}, {len(world.view(0).own_units)} units, {len(world.view(0).own_cities)} cities")
    print(f"engine {1e3 * sum(engine) / turns:.2f} ms a turn, step {1e3 * sum(step) / turns:.2f} ms")
    print(f"overhead {1e3 * over / turns:.2f} ms = {100 * over / sum(engine):.1f} % of the engine's turn")
    parts = {"view": [], "legal": [], "observe": []}
    for _ in range(5):
        bare.advance()
        parts["view"].append(seconds(lambda: [bare.view(n) for n in (0, 1)]))
        parts["legal"].append(seconds(lambda: [bare.legal(n) for n in (0, 1)]))
        parts["observe"].append(seconds(lambda: [env.observe(a) for a in env.agents]))
    for name, spent in parts.items():
        print(f"  {name}: {1e3 * statistics.mean(spent):.2f} ms for both agents")


if __name__ == "__main__":
    main()
