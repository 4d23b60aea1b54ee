# SPDX-License-Identifier: GPL-2.0-or-later
"""Predict a Freeciv world: what a model reads, what baselines reach, what another action had changed."""

import argparse

from civworld.world_agent.deduction import Oracle, RepeatLast, changes, counterfactual, play
from civworld.world_agent.deduction.freeciv import FreecivTask


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    task = FreecivTask(interval=2, lookahead=8)
    text = task.prompt("naming", "m2")
    print(text[: text.index("STATE at time 0")])

    for name, solver in (("repeat last", RepeatLast()), ("oracle", Oracle())):
        episode = play(task, "open", "m1", solver)
        curve = [round(f1, 2) for f1 in episode.curve("segment")]
        print(f"{name}: F1 {episode.f1('segment'):.3f}, by segment {curve}")

    world = task.backend()
    before, past = world.public_state(), world.fork()
    world.advance(2)
    print("\ntwo turns change", len(changes(before, world.public_state())), "fields, among them:")
    for path, value in list(changes(before, world.public_state()).items())[:4]:
        print(f"  {path}: {before.get(path)} -> {value}")
    print("different after a gift:", counterfactual(past, world, "gift_small_to_japanese", [], 2))


if __name__ == "__main__":
    main()
