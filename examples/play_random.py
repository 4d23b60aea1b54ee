# SPDX-License-Identifier: GPL-2.0-or-later
"""Agents that choose at random from what is legal, by the action mask alone, as in any PettingZoo environment.

Usage: python examples/play_random.py [--turns 20] [--seed 1] [--picture map.png]
"""

import argparse

import numpy as np

import civworld
from civworld.extras import needs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20, help="turns to play")
    parser.add_argument("--seed", type=int, default=1, help="the world")
    parser.add_argument("--picture", help="file to draw the map to")
    args = parser.parse_args()
    config = civworld.WorldConfig(players=3, map_size=1)
    env = civworld.parallel_env(config, agents=2, turns=args.turns, orders_per_turn=8, render_mode="rgb_array")
    observations, _ = env.reset(seed=args.seed)
    total = dict.fromkeys(env.agents, 0.0)
    for agent in env.agents:
        env.action_space(agent).seed(args.seed)
    while env.agents:
        actions = {a: env.action_space(a).sample(observations[a]["action_mask"]) for a in env.agents}
        chosen = {a: env.menu(a)[n].text if n else "end of turn" for a, n in actions.items()}
        observations, rewards, _, _, infos = env.step(actions)
        for agent, reward in rewards.items():
            total[agent] += reward
            refused = "".join(f" (refused: {r.reason})" for r in infos[agent]["refused"])
            print(f"turn {infos[agent]['turn']} {agent}: {chosen[agent]}{refused}")
    print(f"score gained: {total}")
    if args.picture:
        with needs("plot", "--picture"):
            from matplotlib.image import imsave

        imsave(args.picture, np.asarray(env.render()))


if __name__ == "__main__":
    main()
