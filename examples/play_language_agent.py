# SPDX-License-Identifier: GPL-2.0-or-later
"""A language model plays: it reads what its player knows and the numbered orders, and answers with numbers.

Usage: python examples/play_language_agent.py [--turns 10] [--model module:function | --url URL --model NAME]
A model is a function from a prompt to an answer, or a name at a server of chat completions, such as
https://api.openai.com/v1 (key in OPENAI_API_KEY) or one of your own. Without one, a stand-in picks by keywords.
"""

import argparse
import importlib
import json
import os
import re
import urllib.request

import civworld

PROMPT = """You lead a civilization. What you know:
{known}
Orders you can give now:
{orders}
Answer with the numbers of at most {most} orders, best first, for example: 3, 17. Answer 0 to end your turn."""
LIKES = ("Found City", "Workers.*: work by", "(?:Explorer|Diplomat).*: explore", "Settlers.*: move", "War.*: Fortify")
BUILDS = ("Warriors", "Settlers", "Settlers", "Workers", "Temple", "Library")


def stand_in(prompt: str) -> str:
    """For each unit the first thing it likes; something new for cities and scholars every few turns."""
    turn = int(re.findall(r"== Turn (\d+)", prompt)[0])
    new = (f"produce {BUILDS[turn // 3 % len(BUILDS)]}$", "research towards") if turn % 3 == 1 else ("buy for",)
    chosen: dict[str, list[str]] = {}  # whom -> numbers of the orders it likes best for them
    for like in (*LIKES, *new):
        found: dict[str, list[str]] = {}
        for number, whom in re.findall(rf"^(\d+)\. (?=.*{like})(.+ \d+(?=:)|research)", prompt, re.MULTILINE):
            found.setdefault(whom, []).append(number)
        chosen = found | chosen
    return ", ".join(numbers[turn // 3 % len(numbers)] for numbers in chosen.values())


def ask(url: str, model: str, prompt: str) -> str:
    """The answer of a model behind the protocol of chat completions, which most providers and servers speak."""
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": prompt}]}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", body, headers), timeout=600) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10, help="turns to play")
    parser.add_argument("--model", help="module:function from a prompt to an answer; with --url the name of a model")
    parser.add_argument("--url", help="address of a server of chat completions, up to /v1")
    args = parser.parse_args()
    model = stand_in
    if args.url:
        model = lambda prompt: ask(args.url, args.model, prompt)  # noqa: E731
    elif args.model:
        module, _, function = args.model.partition(":")
        model = getattr(importlib.import_module(module), function)
    config = civworld.WorldConfig(seed=3, players=3, map_size=1)
    env = civworld.envs.FreecivEnv(config, turns=args.turns, menu=400)
    env.reset()
    over = False
    while not over:
        menu = env.menu()
        orders = "\n".join(f"{n}. {menu[n].text}" for n in range(1, len(menu)))
        answer = model(PROMPT.format(known=env.text(), orders=orders, most=9))
        chosen = [n for n in map(int, re.findall(r"\d+", answer)) if 0 < n < len(menu)][:9]
        _, _, terminated, truncated, info = env.step([menu[n].command for n in chosen])
        over = terminated or truncated
        print(f"turn {info['turn']}: ordered {[menu[n].text for n in chosen]}, refused {info['refused']}")
    print(env.text())


if __name__ == "__main__":
    main()
