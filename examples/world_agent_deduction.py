# SPDX-License-Identifier: GPL-2.0-or-later
"""Predict a small world: what a model reads, how an answer is scored, what another action had changed."""

import argparse

from civworld.world_agent.deduction import (
    KernelTask,
    Oracle,
    RepeatLast,
    ScriptedSolver,
    changes,
    counterfactual,
    disclosed,
    load,
    play,
)


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    case = load("harbour")
    print(disclosed(case, "naming", "m2"), "\n")
    print(disclosed(case, "open", "m1").splitlines()[9], "\n")

    guess = ScriptedSolver(['{"changes": {"sea.depth": 9, "sea.rising": false, "yard.stock": 12}}'] * 8)
    for name, solver in (("a guess", guess), ("repeat last", RepeatLast()), ("oracle", Oracle())):
        episode = play(KernelTask(case), "open", "m1", solver)
        print(
            f"{name}: F1 {episode.f1('segment'):.3f}, by segment",
            [round(f1, 2) for f1 in episode.curve("segment")],
        )

    world = case.backend()
    world.advance(6)
    before, past = world.public_state(), world.fork()
    world.advance(12)
    print("\nnothing done:", changes(before, world.public_state()))
    print("different after overtime:", counterfactual(past, world, "overtime", ["wait"], 6))


if __name__ == "__main__":
    main()
