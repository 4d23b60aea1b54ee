# SPDX-License-Identifier: GPL-2.0-or-later
"""A seat as a server of the Model Context Protocol: a few tools with short texts. Needs the extra `mcp`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from civworld import edits
from civworld.checkpoint import Checkpoint
from civworld.errors import ArgumentError, CivworldError
from civworld.extras import needs
from civworld.mcp.game import Game
from civworld.quantities import measure

INSTRUCTIONS = """You lead a civilization in a Freeciv world. You know what your civilization knows. Each turn: look \
(know), see what you may do (may), give orders (order), then end_turn. Or leave it to the built-in AI under a plan."""


def server(game: Game, player: int, *, experiments: bool = False) -> Any:
    """The tools of one seat.

    Args:
        game: the game that is played.
        player: whose seat.
        experiments: also offer checkpoints, forks and edits, which see and change the whole world.

    Returns:
        An `mcp.server.mcpserver.MCPServer`.
    """
    with needs("mcp", "a server of the Model Context Protocol"):
        import anyio.to_thread
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError

    made = MCPServer(f"civworld-player-{player}", instructions=INSTRUCTIONS, log_level="WARNING")

    def tool(function: Callable[..., Any]) -> None:
        @functools.wraps(function)
        async def called(*args: Any, **named: Any) -> str:
            call = functools.partial(function, *args, **named)
            try:
                return str(await anyio.to_thread.run_sync(call, abandon_on_cancel=True))
            except CivworldError as error:
                raise ToolError(str(error)) from None

        made.tool(structured_output=False)(called)

    for function in _seat_tools(game, player):
        tool(function)
    if experiments:
        for function in _experiment_tools(game):
            tool(function)
    return made


def _seat_tools(game: Game, player: int) -> list[Callable[..., str]]:
    def know(section: str = "summary", page: int = 1) -> str:
        """What you know. section: summary, cities, units or others (other civilizations)."""
        return game.know(player, section, page)

    def around(x: int, y: int, page: int = 1) -> str:
        """Known tiles within 4 of a place."""
        return game.around(player, x, y, page)

    def may(about: int = 0, kind: str = "", page: int = 1) -> str:
        """Orders that can be given now: text -> object for `order`. about: a unit's or city's id. kind: a command."""
        return game.may(player, about, kind, page)

    def why_not(order: dict[str, Any]) -> str:
        """Would this order be taken, and if not, why? Nothing happens."""
        return game.why_not(player, order)

    def order(orders: list[dict[str, Any]]) -> str:
        """Give orders, in this order. Example: {"command":"goto","unit":103,"tile":311}. Tells what came of each."""
        return "\n".join(game.order(player, orders))

    def plan(values: dict[str, Any] | None = None) -> str:
        """Let the built-in AI lead under a plan: turns, rates, research_goal, government, production, stance,
        garrison, purchases, reserve (all but turns optional). Without values: lead yourself again."""
        return game.plan(player, values)

    def end_turn() -> str:
        """End your turn; waits for the other players. Tells what happened."""
        return game.end_turn(player)

    def since(turn: int) -> str:
        """What happened after a turn."""
        return game.since(player, turn)

    return [know, around, may, why_not, order, plan, end_turn, since]


def _experiment_tools(game: Game) -> list[Callable[..., str]]:
    kept: dict[str, Checkpoint] = {}

    def named(name: str) -> Checkpoint:
        if name not in kept:
            raise ArgumentError(f"no checkpoint {name!r}; there are {sorted(kept)}")
        return kept[name]

    def checkpoint(name: str) -> str:
        """Keep the whole world as it is now under a name."""
        kept[name] = game.checkpoint()
        return f"{name}: turn {kept[name].turn}, digest {kept[name].digest}"

    def fork(name: str, to: str, turns: int, edit: dict[str, Any] | None = None) -> str:
        """Play a branch of a kept world for some turns, edited first if asked, and keep its end. The game goes on
        unchanged. Example of an edit: {"edit":"add_gold","player":0,"amount":300}."""
        with named(name).fork() as world:
            if edit is not None:
                world.apply(edits.Edit.from_dict(edit))
            world.advance(turns)
            kept[to] = world.checkpoint()
        return f"{to}: turn {kept[to].turn}, digest {kept[to].digest}"

    def compare(one: str, other: str) -> str:
        """Quantities of every civilization in two kept worlds, where they differ."""
        with named(one).fork() as a, named(other).fork() as b:
            first, second = ({int(m["player"]): m for m in measure(world.state())} for world in (a, b))
        lines = [
            f"player {p} {name}: {first[p][name]} -> {second[p][name]}"
            for p in sorted(first.keys() & second.keys())
            for name in first[p].dtype.names
            if first[p][name] != second[p][name]
        ]
        lines += [f"player {p} is in one of them alone" for p in sorted(first.keys() ^ second.keys())]
        return "\n".join(lines) or "no quantity differs"

    return [checkpoint, fork, compare]
