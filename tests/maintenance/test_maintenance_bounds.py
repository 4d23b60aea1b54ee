# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input gets a typed refusal in bounded time: requests, rules, checkpoints, answers and scores."""

import contextlib
import gc
import hashlib
import json
import random
import time

import msgpack
import pytest
import zstandard

from civworld.errors import ArgumentError, CheckpointCorrupt, CivworldError, RefusedError
from civworld.world_agent.deduction import load as load_deduction
from civworld.world_agent.deduction import parse
from civworld.world_agent.kernel import KernelCheckpoint, KernelWorld
from civworld.world_agent.maintenance import (
    TOOLS,
    ModelJudge,
    RuleJudge,
    ScriptedModel,
    Session,
    load,
    run,
    score,
    solution,
)

CASE = load("lighthouse")
SECOND = 1.0


def timed(work):
    gc.collect()
    gc.disable()  # what is timed is the work, not the garbage of all tests before it
    try:
        start = time.process_time()
        result = work()
        taken = time.process_time() - start
    finally:
        gc.enable()
    assert taken < SECOND
    return result


def test_an_answer_of_line_breaks_is_read_at_once():
    for text in ("```json" + "\n" * 32_000 + "x", "```json" + "\n" * 190_000 + "x", "```" + " \n" * 90_000):
        assert timed(lambda text=text: parse(text, lambda path: None)).reports


def capability(**spec):
    return {"op": "define_capability", "capability": {"name": "do_it", **spec}}


def test_decimals_cannot_be_squared_into_slowness():
    world = KernelWorld({"types": {"t": {"x": "dec 2"}}, "entities": {"e": {"type": "t", "x": 9000000000}}})
    lets = {"a0": "e.x * e.x", **{f"a{n}": f"a{n - 1} * a{n - 1}" for n in range(1, 30)}}
    for last in ("floor(a29)", "a29 * 3", "a29 % 7"):
        twin = world.fork()
        twin.apply(capability(let={**lets, "z": last}))
        before = twin.digest()
        with pytest.raises(RefusedError):
            timed(lambda twin=twin: twin.trigger("do_it"))
        assert twin.digest() == before


def session_with(*requests):
    session = Session(CASE, "easy")
    for tool, args in requests:
        assert timed(lambda tool=tool, args=args: session.request(tool, args)) is not None
    return session


def process(name, **spec):
    return "set_process", {"process": {"name": name, **spec}}


def test_processes_that_trigger_each_other_over_units_stay_bounded():
    # what grows in one unit of time and over all is bounded, and scoring takes memory in proportion
    pairs = [
        process(f"p{n}", on="una.rest", each="x in person", after=1, then=["una.rest += 1", "finn.rest += 1"])
        for n in range(6)
    ]
    session = session_with(*pairs, ("alter_entity", {"entity": "una", "fields": {"rest": 9}}), ("wait", {"units": 11}))
    while not session.finished:
        if session.frozen:
            session.next_round()
        timed(session.freeze)
    assert session.world.record_count < 60_000
    result = score(session, RuleJudge())
    assert result.share(("E",)) == 0


def test_false_conditions_count_as_work():
    term = " + ".join(["una.rest"] * 60)
    rows = [process(f"p{n}", on="una.rest", when=[f"{term} < 0"] + [f"{term} < 1"] * 30) for n in range(40)]
    session = session_with(*rows, ("alter_entity", {"entity": "una", "fields": {"rest": 9}}))
    assert timed(lambda: session.request("wait", {"units": 11}))["ok"]


def test_whole_scans_of_whole_lists_count_as_work():
    world = KernelWorld({"types": {"t": {"l": "list int"}}, "entities": {"e": {"type": "t", "l": list(range(1000))}}})
    inside = " or ".join(["5000 in e.l"] * 60)
    world.apply(capability(when=[inside] * 40))
    with pytest.raises(RefusedError):
        timed(lambda: world.trigger("do_it"))


def test_requests_of_odd_names_and_depth_are_logged_and_charged():
    deep = [1]
    for _ in range(3_000):
        deep = [deep]
    session = Session(CASE, "easy", 10)
    for tool, args in ((10**5000, {}), ("get_entity", {"entity": deep}), (deep, deep), ("wait", {"units": 10**5000})):
        answer = timed(lambda tool=tool, args=args: session.request(tool, args))
        assert not answer["ok"] and answer["reason"]
    assert len(session.requests) == 4 and session.left == 6


@pytest.mark.parametrize("budget", [0, -1, 2.5, True, "60", 10**9])
def test_budgets_are_whole_numbers(budget):
    with pytest.raises(ArgumentError, match="budget"):
        Session(CASE, "easy", budget)


def test_a_process_that_is_set_runs():
    session = Session(CASE, "easy")
    answer = session.request("set_process", {"process": {"name": "p", "every": 1}, "active": False})
    assert not answer["ok"] and "active" in answer["reason"] and "p" not in session.world.processes()


def test_only_whole_sessions_in_order_are_scored():
    session = run(CASE, "easy", solution(CASE, "easy"))
    for boundaries in (session.boundaries[:1], [session.boundaries[n] for n in (1, 0, 2, 3)], []):
        twin = run(CASE, "easy", solution(CASE, "easy"))
        twin.boundaries = boundaries
        with pytest.raises(ArgumentError, match="boundaries"):
            score(twin, RuleJudge())


def test_keys_given_twice_in_a_judges_answer_are_reported():
    session = run(CASE, "easy", solution(CASE, "easy"))
    text = '{"events": {"flag": [1], "flag": [2]}, "events": {}}'
    result = score(session, ModelJudge(ScriptedModel([text] * CASE.rounds)))
    assert any("given twice" in line for line in result.rejected)


SPECS = {
    "a map of five": {"map": 5},
    "a map as a list": {"map": []},
    "a link of two": {"map": {"places": {"a": "x", "b": "y"}, "links": [["a", "b"]]}},
    "types as a list": {"types": []},
    "entities as text": {"entities": "x"},
    "an entity as a list": {"types": {"t": {}}, "entities": {"e": []}},
    "a process as text": {"processes": ["x"]},
    "a schedule without a time": {"schedule": [{"do": "x"}]},
    "a type in full-width digits": {"types": {"t": {"x": "dec \uff12"}}},
    "a process of nobody": {"processes": [{"name": "p", "every": 1, "actor": "nobody"}]},
}


@pytest.mark.parametrize("what", SPECS)
def test_a_world_that_cannot_be_is_refused(what):
    with pytest.raises(ArgumentError):
        KernelWorld(SPECS[what])


def test_a_forged_checkpoint_is_corrupt():
    data = KernelWorld({"types": {"t": {"x": "int"}}}).checkpoint().to_bytes()
    tree = msgpack.unpackb(zstandard.ZstdDecompressor().decompress(data[32:]), strict_map_key=False)
    for key, value in (("types", []), ("map", 5), ("rules", [[1]]), ("calendar", [1]), ("entities", {"a": 1})):
        body = zstandard.ZstdCompressor().compress(msgpack.packb({**tree, key: value}))
        with pytest.raises(CheckpointCorrupt):
            KernelCheckpoint.from_bytes(hashlib.sha256(body).digest() + body)


def junk(rng, depth=3):
    """A value of JSON, well-formed or odd."""
    kind = rng.randrange(9 if depth else 6)
    words = [
        "una",
        "heron.oil",
        "rest += 1",
        "x in person",
        "do",
        "name",
        "every",
        "\uff50",
        "",
        "a" * 300,
        "1 + " * 80,
    ]
    if kind < 3:
        return rng.choice(words)
    if kind < 5:
        return rng.choice([0, -1, 3, 10**30, 2.5, True, None, 10**400])
    if kind == 5:
        return rng.choice(words) + rng.choice(words)
    if kind == 6:
        return [junk(rng, depth - 1) for _ in range(rng.randrange(5))]
    keys = ["name", "do", "when", "then", "after", "every", "on", "each", "let", "params", "actor", "x", "entity"]
    return {rng.choice(keys): junk(rng, depth - 1) for _ in range(rng.randrange(6))}


def fuzz(count, seed):
    rng = random.Random(seed)
    session, spec = Session(CASE, "easy", 10_000), dict(load_deduction("harbour").spec)
    slowest = 0.0
    for _ in range(count):
        start = time.process_time()
        tool = rng.choice([*TOOLS, "unknown", junk(rng)])
        names = list(TOOLS[tool].params) if isinstance(tool, str) and tool in TOOLS else ["x"]
        args = {rng.choice([*names, "x"]): junk(rng) for _ in range(rng.randrange(4))}
        kind, before = rng.randrange(3), session.world.digest()
        if kind == 0 and tool != "wait":
            answer = session.request(tool, args)
            assert set(answer) >= {"ok", "left", "frozen"}
            assert answer["ok"] or session.world.digest() == before
        elif kind == 1:
            with contextlib.suppress(CivworldError):
                KernelWorld({**spec, rng.choice([*spec, "x"]): junk(rng)})
        else:
            text = json.dumps({"changes": junk(rng), "fired": junk(rng), "action": junk(rng)})
            parse(text[: rng.randrange(len(text) + 1)], lambda path: "number" if "a" in path else None)
        slowest = max(slowest, time.process_time() - start)
    assert slowest < SECOND, slowest


def test_fuzzed_requests_specifications_and_answers():
    fuzz(1_000, 1)


@pytest.mark.slow
def test_ten_thousand_fuzzed_requests_specifications_and_answers():
    fuzz(10_000, 2)
