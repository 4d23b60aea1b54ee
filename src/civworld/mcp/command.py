# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `civworld mcp`: one seat over standard input and output, or all seats over HTTP on this machine."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from civworld.config import WorldConfig
from civworld.errors import ArgumentError
from civworld.extras import needs
from civworld.mcp.game import Game
from civworld.mcp.tools import server
from civworld.world import World


def add_to(commands: Any) -> None:
    """Adds the command to the subparsers of `civworld`."""
    parser = commands.add_parser("mcp", help="let agents play by the Model Context Protocol")
    parser.add_argument("file", metavar="FILE", help="where the game is kept; an existing one goes on")
    parser.add_argument("--seats", default="0", metavar="N,N", help="players that agents lead (0)")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve on 127.0.0.1 (standard input and output)")
    parser.add_argument("--turns", type=int, metavar="N", help="the game is over when this turn begins")
    parser.add_argument("--seconds", type=float, metavar="S", help="how long a turn waits once a player has ended it")
    parser.add_argument("--experiments", action="store_true", help="also checkpoints, forks and edits of the world")
    new = parser.add_argument_group("a new game")
    new.add_argument("--seed", type=int, default=0, help="of the world (0)")
    new.add_argument("--players", type=int, default=4, help="civilizations (4)")
    new.add_argument("--map-size", type=int, default=2, help="thousands of tiles (2)")
    new.add_argument("--ruleset", default="civ2civ3", help="rules (civ2civ3)")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    game = opened(options)
    if options.http is None:
        if len(game.players) > 1:
            raise ArgumentError("mcp: standard input and output serve one seat; several need --http PORT")
        server(game, game.players[0], experiments=options.experiments).run("stdio")
    else:
        with needs("mcp", "civworld mcp --http"):
            import uvicorn

        for player in game.players:
            print(f"player {player}: http://127.0.0.1:{options.http}{path_of(player)}", file=sys.stderr, flush=True)
        uvicorn.run(
            application(game, experiments=options.experiments), host="127.0.0.1", port=options.http, log_level="warning"
        )
    game.close()
    return 0


def opened(options: argparse.Namespace) -> Game:
    """The game of a file, or a new one.

    Raises:
        ArgumentError: seats that are no numbers, or that the game cannot have.
    """
    try:
        seats = [int(word) for word in options.seats.split(",")]
    except ValueError:
        raise ArgumentError(f"mcp: --seats {options.seats!r}: numbers of players are needed, such as 0,1") from None
    rules = {"last_turn": options.turns, "seconds": options.seconds}
    if Path(options.file).exists():
        return Game.resume(options.file, seats, **rules)
    config = WorldConfig(seed=options.seed, players=options.players, map_size=options.map_size, ruleset=options.ruleset)
    return Game(World(config), seats, options.file, **rules)


def path_of(player: int) -> str:
    """Where a player's seat is served."""
    return f"/player/{player}/mcp"


def application(game: Game, *, experiments: bool = False) -> Any:
    """All seats as one ASGI application, each at `path_of(player)`."""
    with needs("mcp", "seats over HTTP"):
        from starlette.applications import Starlette

    apps = {
        player: server(game, player, experiments=experiments).streamable_http_app(streamable_http_path=path_of(player))
        for player in game.players
    }

    @contextlib.asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for app in apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    return Starlette(routes=[route for app in apps.values() for route in app.routes], lifespan=lifespan)
