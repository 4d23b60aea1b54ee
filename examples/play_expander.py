# SPDX-License-Identifier: GPL-2.0-or-later
"""A scripted expander against an agent that picks orders at random, in the same worlds.

Usage: python examples/play_expander.py [--seeds 10] [--turns 60]
"""

import argparse

import numpy as np

import civworld
from civworld.envs.baselines import expander, random_orders


def play(seed: int, turns: int) -> list[int]:
    """Scores of both agents at the end; the expander's first."""
    env = civworld.parallel_env(civworld.WorldConfig(players=3, map_size=1), agents=2, turns=turns)
    env.reset(seed=seed)
    draw = np.random.default_rng(seed)
    while env.agents:
        orders = {"player_0": lambda: expander(env.world.view(0), env.world.legal(0)),
                  "player_1": lambda: random_orders(env.world.legal(1), draw)}  # fmt: skip
        env.step({agent: orders[agent]() for agent in env.agents})
    players = env.world.state().players
    env.close()
    return [int(score) for score in players["score"][:2]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="number of worlds")
    parser.add_argument("--turns", type=int, default=60, help="turns of each")
    args = parser.parse_args()
    won = 0
    for seed in range(args.seeds):
        scores = play(seed, args.turns)
        won += scores[0] > scores[1]
        print(f"world {seed}: expander {scores[0]}, random {scores[1]}")
    print(f"the expander won {won} of {args.seeds}")


if __name__ == "__main__":
    main()
