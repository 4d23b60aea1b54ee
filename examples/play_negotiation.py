# SPDX-License-Identifier: GPL-2.0-or-later
"""Two agents meet, and negotiate: one proposes, the other answers by what it would get and give.

Usage: python examples/play_negotiation.py [--seed 0] [--turns 80]
"""

import argparse
from typing import Any

import civworld
from civworld.commands import AcceptTreaty, CancelTreaty, Clause, Propose
from civworld.envs.baselines import expander

WORTH = {"Gold": 0.06, "Embassy": 1, "Seamap": 0.5, "Map": 1, "Ceasefire": 2, "Peace": 2, "Vision": 1}


def offers(me: int, other: int, state: bytes) -> list[list[Clause]]:
    """What to propose, the best for oneself first: an embassy for nothing, then in exchange for gold."""
    end_war = [Clause(me, "Ceasefire" if state == b"War" else "Peace")] if state in (b"War", b"Cease-fire") else []
    embassy = Clause(other, "Embassy")
    return [[embassy, Clause(other, "Gold", 10)], [embassy, Clause(me, "Gold", 20)], [*end_war, Clause(me, "Embassy")]]


def worth(clauses: list[Clause], player: int) -> float:
    """What a treaty is worth to a player: what it gets less what it gives; pacts are good for both."""
    both = ("Ceasefire", "Peace")
    signs = [1 if c.giver != player or c.kind in both else -1 for c in clauses]
    amounts = [c.value if isinstance(c.value, int) and c.kind == "Gold" else 1 for c in clauses]
    return sum(s * n * WORTH[c.kind] for s, n, c in zip(signs, amounts, clauses, strict=True))


def result(info: dict[str, Any]) -> str:
    """How an order ended, or why it was refused."""
    return " ".join([outcome.result for outcome in info["outcomes"]] + [refused.reason for refused in info["refused"]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the world")
    parser.add_argument("--turns", type=int, default=80, help="turns to wait for the two to meet")
    args = parser.parse_args()
    env = civworld.parallel_env(civworld.WorldConfig(players=3, map_size=1), agents=2, turns=args.turns + 1)
    env.reset(seed=args.seed)
    while env.agents and env.view("player_0").player(1)["level"] == 0:
        env.step({a: expander(env.world.view(n), env.world.legal(n)) for n, a in enumerate(env.agents)})
    before = env.view("player_0").between(0, 1)
    print(f"turn {env.world.turn}: they have met; state {before['state'].decode()}, no embassy yet")
    for clauses in offers(0, 1, before["state"]):
        gain = worth(clauses, 1)
        *_, infos = env.step({"player_0": Propose(1, tuple(clauses)), "player_1": None})
        print(f"player 0 proposes {[tuple(c) for c in clauses]}: {result(infos['player_0'])}")
        *_, infos = env.step({"player_0": None, "player_1": AcceptTreaty(0) if gain > 0 else CancelTreaty(0)})
        print(f"player 1 finds it worth {gain:+g} and answers: {result(infos['player_1'])}")
    after = env.view("player_0").between(0, 1)
    print(f"turn {env.world.turn}: state {after['state'].decode()}, embassy {bool(after['has_real_embassy'])}")


if __name__ == "__main__":
    main()
