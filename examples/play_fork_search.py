# SPDX-License-Identifier: GPL-2.0-or-later
"""Look ahead by forking: try several plans in exact copies of the world, follow the best, against one fixed plan.

Usage: python examples/play_fork_search.py [--seeds 5] [--turns 60] [--replan 20]
"""

import argparse
from typing import Any

import civworld
from civworld.envs import FreecivEnv
from civworld.envs.baselines import expander

WEALTH = ("Marketplace", "Library", "Temple", "Coinage")
Plan = dict[str, Any]
PLANS: tuple[Plan, ...] = (
    {},
    {"cities": 6},
    {"reserve": 0},
    {"cities": 6, "reserve": 0},
    {"cities": 9, "buildings": WEALTH},
)


def follow(env: FreecivEnv, plan: Plan, turns: int) -> float:
    """Play turns by a plan; the score gained, and a little for what will score later."""
    gained = 0.0
    for _ in range(turns):
        _, reward, terminated, truncated, _ = env.step(expander(env.world.view(0), env.world.legal(0), **plan))
        gained += reward
        if terminated or truncated:
            break  # the last turn was played, or the nation is gone
    return gained + 0.1 * len(env.world.view(0).own_cities)


def best_plan(env: FreecivEnv, horizon: int) -> Plan:
    """The plan that does best over the horizon, each tried in a fork of its own."""
    tried = []
    for plan in PLANS:
        branch = env.fork()
        tried.append(follow(branch, plan, horizon))
        branch.close()
    return PLANS[tried.index(max(tried))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="number of worlds")
    parser.add_argument("--turns", type=int, default=60, help="turns of each")
    parser.add_argument("--replan", type=int, default=20, help="turns between searches")
    args = parser.parse_args()
    config, won = civworld.WorldConfig(players=3, map_size=1), 0
    env = FreecivEnv(config, turns=args.turns)
    for seed in range(args.seeds):
        scores = []
        for search in (True, False):
            env.reset(seed=seed)
            for turn in range(0, args.turns, args.replan):
                follow(env, best_plan(env, args.turns - turn) if search else {}, min(args.replan, args.turns - turn))
            scores.append(int(env.world.view(0).me["score"]))
        won += scores[0] > scores[1]
        print(f"world {seed}: search {scores[0]}, fixed plan {scores[1]}", flush=True)
    print(f"the search won {won} of {args.seeds}")


if __name__ == "__main__":
    main()
