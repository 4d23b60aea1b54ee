# SPDX-License-Identifier: GPL-2.0-or-later
"""Agents at the table: real clients of the protocol's own SDK, over standard input and output and over HTTP."""

import asyncio
import contextlib
import json
import random
import socket
import subprocess
import sys
import time

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

import civworld
from civworld import edits
from civworld.mcp import Game
from civworld.mcp.tools import server
from helpers import SMALL, played

WORDS = ["--seed", "3", "--players", "3", "--map-size", "1"]


def at_the_table(path, *more):
    return StdioServerParameters(command=sys.executable, args=["-m", "civworld", "mcp", str(path), *WORDS, *more])


async def say(client, tool, **arguments):
    """What a tool answers; refusals start with "Error"."""
    answer = await client.call_tool(tool, arguments)
    text = "\n".join(part.text for part in answer.content)
    return f"Error: {text}" if answer.is_error else text


async def settle(client):
    """Found a city with every settler that stands where one may be founded."""
    found = [line for line in (await say(client, "may", kind="unit_action")).splitlines() if "Found City" in line]
    orders = [json.loads(line.split(" -> ")[1]) for line in found]
    return await say(client, "order", orders=orders[:1]) if orders else ""


def test_a_client_plays_fifty_turns_is_killed_and_goes_on(tmp_path):
    path = tmp_path / "game.cwz"

    async def play(turns):
        async with Client(at_the_table(path)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {"know", "around", "may", "why_not", "order", "plan", "end_turn", "since"}
            begun = await say(client, "know")
            said = await settle(client)
            for _ in range(turns):
                told = await say(client, "end_turn")
            return begun, said, told

    begun, said, told = asyncio.run(play(50))
    assert begun.startswith("turn 1,") and said.startswith("done") and told.startswith("turn 51 begins")
    with contextlib.suppress(BaseExceptionGroup, MCPError):
        asyncio.run(killed(path))
    again, _, told = asyncio.run(play(1))
    assert again.startswith("turn 54,") and told.startswith("turn 55 begins")
    recipe = civworld.recipe(civworld.Checkpoint.load(path))
    assert [step[0] for step in recipe["steps"]].count("order") >= 1
    with civworld.replay(json.loads(json.dumps(recipe))) as world:
        assert world.turn == 55


async def killed(path):
    """Play three turns; then the server is killed while a turn is being ended."""
    async with Client(at_the_table(path)) as client:
        for _ in range(3):
            await say(client, "end_turn")
        asyncio.get_running_loop().call_later(0.01, lambda: subprocess.run(["pkill", "-9", "-f", f"mcp {path}"]))
        await client.call_tool("know", {}, read_timeout_seconds=10)
        await asyncio.sleep(2)


@pytest.fixture
def served(tmp_path):
    """Two seats over HTTP: their addresses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "civworld", "mcp", str(tmp_path / "game.cwz"), *WORDS, "--seats", "0,1", "--http",
             str(port), "--turns", "12"]  # fmt: skip
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as running:
        addresses = [running.stderr.readline().split()[-1] for _ in range(2)]
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield addresses
        running.terminate()


def test_two_clients_play_two_players_of_one_world(served):
    async def play(address, player, turns):
        async with Client(address) as client:
            known = await say(client, "know")
            told = [await say(client, "end_turn") for _ in range(turns)]
            return known, told, await say(client, "end_turn")

    async def both():
        return await asyncio.gather(*(play(address, player, 11) for player, address in enumerate(served)))

    (one, first, last), (other, second, _) = asyncio.run(both())
    assert "(player 0)" in one and "(player 1)" in other
    assert [t.splitlines()[0] for t in first] == [t.splitlines()[0] for t in second]
    assert first[-1].startswith("turn 12 begins") and first[-1].endswith("the game is over")
    assert last.startswith("Error") and last.endswith("the game is over, turn 12")


def seat(world, **options):
    return Game(world, [0], **options)


def everything(game):
    """All that the tools of a seat say without changing anything."""
    said = [game.know(0, name) for name in ("summary", "cities", "units", "others")]
    return [*said, game.around(0, 10, 10), *(game.may(0, page=n) for n in range(1, 4)), game.since(0, 0)]


def test_nothing_that_a_player_does_not_know_reaches_it():
    """What is hidden changes, the answers do not; what is known changes, and they do."""
    start = played(SMALL, 41).fork().take_over(0).checkpoint()
    view = start.fork().view(0)
    strangers = view.players["id"][(view.players["level"] == 0) & (view.players["id"] > 0)].tolist()
    assert strangers, "somebody has not been met"
    before = everything(seat(start.fork()))
    for stranger in strangers:
        for edit in (edits.AddGold(stranger, 500), edits.SetTrait(stranger, "aggressive", 200)):
            assert everything(seat(start.fork().apply(edit))) == before
    assert everything(seat(start.fork().apply(edits.AddGold(0, 500)))) != before


def arguments(rng, units):
    """A call that makes sense, or hardly any."""
    number = lambda: rng.choice([0, 1, -1, 7, 10**9, 2**70, rng.choice(units)])  # noqa: E731
    text = lambda: rng.choice(["", "cities", "units", "summary", "Ω\0", "x" * 5000, "goto", "explore"])  # noqa: E731
    thing = lambda: rng.choice([number(), text(), None, [], {}, 1.5, True])  # noqa: E731
    order = lambda: rng.choice([  # noqa: E731
        {"command": rng.choice(["explore", "sentry", "stop", "auto_worker"]), "unit": rng.choice(units)},
        {"command": "goto", "unit": rng.choice(units), "tile": number()},
        {"command": "rates", "tax": number(), "luxury": 0, "science": 60}, {text(): thing()}, {"command": thing()},
    ])  # fmt: skip
    return rng.choice([
        ("know", {"section": text(), "page": number()}), ("around", {"x": number(), "y": number()}),
        ("may", {"about": number(), "kind": text(), "page": number()}), ("why_not", {"order": order()}),
        ("order", {"orders": [order() for _ in range(rng.randrange(3))]}), ("since", {"turn": number()}),
        ("plan", {"values": rng.choice([None, {"turns": number()}, {text(): thing()}, {"turns": 3, text(): thing()}])}),
        (text(), {text(): thing()}), (rng.choice(["know", "order", "end_turn"]), {text(): thing()}),
    ])  # fmt: skip


def fuzz(seed, calls):
    """Random calls through the protocol; every one is answered, and the game replays."""
    with civworld.World(civworld.WorldConfig(seed=3, players=3, map_size=1)) as world:
        game, rng, refused = seat(world), random.Random(seed), 0
        units = world.state().units["id"].tolist()

        async def play():
            nonlocal refused
            async with Client(server(game, 0)) as client:
                for n in range(calls):
                    tool, values = ("end_turn", {}) if n % 50 == 49 else arguments(rng, units)
                    try:
                        refused += (await client.call_tool(tool, values)).is_error
                    except MCPError:
                        refused += 1  # not even a call of the protocol

        asyncio.run(play())
        recipe = civworld.recipe(world)
    civworld.replay(recipe).close()
    return refused


def test_fuzzed_calls_are_answered_and_the_game_replays():
    assert 50 < fuzz(1, 300) < 290


@pytest.mark.slow
def test_ten_thousand_fuzzed_calls():
    assert sum(fuzz(seed, 1000) for seed in range(10)) > 1000


def test_turns_wait_for_the_slow_only_so_long(tmp_path):
    world = civworld.World(civworld.WorldConfig(seed=3, players=3, map_size=1))
    game = Game(world, [0, 1], seconds=0.2)
    start = time.monotonic()
    assert game.end_turn(0).startswith("turn 2 begins")
    assert 0.2 <= time.monotonic() - start < 5
    with pytest.raises(civworld.ArgumentError, match="no seat"):
        game.know(2, "summary")
    with pytest.raises(civworld.ArgumentError, match="none twice"):
        Game(world, [0, 0])


def test_a_plan_is_carried_out_told_of_and_taken_back():
    game = seat(civworld.World(civworld.WorldConfig(seed=3, players=3, map_size=1)))
    before = game.checkpoint()
    with pytest.raises(civworld.UnknownNameError):
        game.plan(0, {"turns": 5, "government": "Utopia"})
    assert game.checkpoint() == before, "a plan that is refused changes nothing"
    assert "for 5 turns" in game.plan(0, {"turns": 5, "research_goal": "Bronze Working"})
    assert game.order(0, [{"command": "research", "tech": "Pottery"}])[0].startswith("refused")
    assert "for 7 turns" in game.plan(0, {"turns": 7, "research_goal": "Bronze Working"}), "a plan may be revised"
    game.end_turn(0)
    assert "Bronze Working" in game.know(0, "summary")
    assert game.plan(0, None) == "you give the orders again"


def test_experimenters_fork_the_world_without_touching_the_game():
    game = seat(civworld.World(civworld.WorldConfig(seed=3, players=3, map_size=1)))

    async def play():
        async with Client(server(game, 0, experiments=True)) as client:
            before = game.checkpoint()
            await say(client, "checkpoint", name="now")
            await say(client, "fork", name="now", to="a", turns=2)
            await say(
                client, "fork", name="now", to="b", turns=2, edit={"edit": "add_gold", "player": 0, "amount": 300}
            )
            assert game.checkpoint() == before
            return await say(client, "compare", one="a", other="a"), await say(client, "compare", one="a", other="b")

    same, gift = asyncio.run(play())
    assert same == "no quantity differs" and "player 0 treasury: 50 -> 350" in gift
