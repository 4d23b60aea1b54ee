# SPDX-License-Identifier: GPL-2.0-or-later
"""A language model plays: it reads what its player knows and the numbered orders, and answers with numbers.

Usage: python examples/play_language_agent.py [--turns 10] [--model module:function]
A model is a function from a prompt to an answer. Without one, a stand-in that needs no network picks by keywords.
"""

import argparse
import importlib
import re
from collections.abc import Callable

import gymnasium

import civworld

PROMPT = """You lead a civilization. What you know:
{known}
Orders you can give now:
{orders}
Answer with the numbers of at most {most} orders, best first, for example: 3, 17. Answer 0 to end your turn."""
LIKES = ("Found City", "produce Settlers", "work by itself", "Explorer.*: explore", "research Bronze Working")


def stand_in(prompt: str) -> str:
    """Answers with the first order of each kind it likes."""
    found = (re.search(rf"^(\d+)\. .*{like}", prompt, re.MULTILINE) for like in LIKES)
    return ", ".join(match[1] for match in found if match) or "0"


def numbers(answer: str, entries: int) -> list[int]:
    """The valid entries that an answer names, in its order."""
    return [n for n in map(int, re.findall(r"\d+", answer)) if 0 < n < entries]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=10, help="turns to play")
    parser.add_argument("--model", help="module:function from a prompt to an answer")
    args = parser.parse_args()
    model: Callable[[str], str] = stand_in
    if args.model:
        module, _, function = args.model.partition(":")
        model = getattr(importlib.import_module(module), function)
    config = civworld.WorldConfig(seed=3, players=3, map_size=1)
    env = gymnasium.make("civworld/Freeciv-v0", config=config, turns=args.turns, menu=200).unwrapped
    env.reset()
    over = False
    while not over:
        menu = env.menu()
        orders = "\n".join(f"{n}. {menu[n].text}" for n in range(1, len(menu)))
        chosen = numbers(model(PROMPT.format(known=env.text(), orders=orders, most=6)), len(menu))
        _, _, terminated, truncated, info = env.step([menu[n].command for n in chosen])
        over = terminated or truncated
        print(f"turn {info['turn']}: ordered {[menu[n].text for n in chosen]}, refused {info['refused']}")
    print(env.text())


if __name__ == "__main__":
    main()
