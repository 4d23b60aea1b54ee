# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions: rounds, budget, frozen boundaries, and requests that no input can make raise."""

import random
from functools import partial

import pytest

from civworld.errors import LifecycleError, UnknownNameError
from civworld.world_agent.kernel import KernelCheckpoint, KernelWorld
from civworld.world_agent.maintenance import BUDGET, TOOLS, RuleJudge, Session, load, names, run, score, solution

CASE = load("mill_village")


def test_queries_do_not_extend_the_trace_or_change_the_world():
    session = Session(CASE, "easy")
    before = session.world.digest()
    args = {
        "get_type": {"type": "cart"},
        "get_entity": {"entity": "bess"},
        "get_capability": {"capability": "reap"},
    }
    queries = [name for name, tool in TOOLS.items() if tool.query]
    for name in queries:
        answer = session.request(name, args.get(name, {}))
        assert answer["ok"], (name, answer)
    assert session.world.digest() == before and session.left == BUDGET - len(queries)


def test_every_tool_has_a_schema_that_its_check_agrees_with():
    for tool in TOOLS.values():
        schema = tool.schema()
        assert tool.about and set(schema["required"]) <= set(schema["properties"])


def test_the_budget_freezes_the_round_and_nothing_can_repair_it():
    session = Session(CASE, "easy", budget=3)
    for _ in range(2):
        assert not session.request("get_status")["frozen"]
    assert session.request("get_status")["frozen"]
    assert session.world.time == CASE.units and len(session.boundaries) == 1
    before = session.world.digest()
    answer = session.request(
        "trigger", {"capability": "set_sluice", "actor": "cyn", "args": {"store": "mill", "open": True}}
    )
    assert not answer["ok"] and "froze" in answer["reason"] and session.world.digest() == before
    assert session.requests[-1].reason == answer["reason"]
    session.next_round()
    assert session.round == 2 and session.left == 3 and session.world.digest() == before


def test_boundaries_do_not_move_when_the_world_goes_on():
    session = run(CASE, "hard", solution(CASE, "hard"))
    first = session.boundaries[0]
    other = Session(CASE, "hard")
    agent = solution(CASE, "hard")
    agent.start_round(1, "")
    while (call := agent.next_call(None)) is not None:
        other.request(call.tool, call.args)
    same = other.freeze()
    assert same.checkpoint.to_bytes() == first.checkpoint.to_bytes()
    assert [b.last for b in session.boundaries] == sorted(b.last for b in session.boundaries)


def test_the_life_cycle_is_checked():
    session = Session(CASE, "easy")
    with pytest.raises(LifecycleError):
        session.next_round()
    session.freeze()
    with pytest.raises(LifecycleError):
        session.freeze()
    with pytest.raises(UnknownNameError):
        Session(CASE, "medium")
    with pytest.raises(UnknownNameError, match="mill_village"):
        load("mill_vilage")


BAD = [
    ("fly", {}),
    (None, {}),
    (3, None),
    ("trigger", None),
    ("trigger", []),
    ("trigger", "x"),
    ("trigger", {"capability": 3}),
    ("trigger", {"capability": "reap", "who": "ada"}),
    ("wait", {"units": 0}),
    ("wait", {"units": 99}),
    ("wait", {"units": True}),
    ("wait", {"units": 1.0}),
    ("get_records", {"since": -1}),
    ("get_entity", {"entity": "x"}),
    ("schedule", {"at": 0, "do": "reap"}),
    ("alter_entity", {"entity": "bess", "fields": {"load": float("nan")}}),
    ("alter_entity", {"entity": "bess", "fields": {"load": 2**80}}),
    ("create_entity", {"entity": "a" * 30_000, "type": "cart"}),
    ("define_capability", {"capability": {"name": "x", "do": ["bess.load = 9 ** 9"]}}),
    ("trigger", {"capability": {1, 2}}),
]


@pytest.mark.parametrize("tool, args", BAD, ids=lambda value: str(value)[:40])
def test_bad_requests_are_refused_recorded_and_change_nothing(tool, args):
    session = Session(CASE, "easy")
    before = session.world.digest()
    answer = session.request(tool, args)
    assert not answer["ok"] and answer["reason"] and session.world.digest() == before
    assert len(session.requests) == 1 and not session.requests[0].ok and session.left == BUDGET - 1


SURROGATE = "\ud800"
NAMES = [
    "ada",
    "bess",
    "mill",
    "reap",
    "drive",
    "cart",
    "person",
    "field",
    "ford",
    "x",
    "load",
    "",
    "A!",
    "now",
    None,
    SURROGATE,
]
TEXTS = [
    "bess.load += 1",
    "mill.fire = not mill.fire",
    "mill.grain = mill.grain // 0",
    "bess.at = ford",
    "((",
    "1",
    "ada.fed = sum(p.fed for p in person)",
    "a.b.c",
    "bess.load = bess.load * bess.load + 9",
    "x" * 2000,
]


def junk(rng, depth=0):
    kinds = [
        lambda: rng.choice(NAMES),
        lambda: rng.randrange(-3, 20),
        lambda: rng.choice([True, False, None]),
        lambda: rng.random() * 9,
        lambda: 10 ** rng.randrange(30),
        lambda: rng.choice(TEXTS),
    ]
    if depth < 3:
        kinds += [
            lambda: [junk(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {
                str(
                    rng.choice([*NAMES, "name", "do", "every", "on", "when", "actor", "params", "after", "then"])
                ): junk(rng, depth + 1)
                for _ in range(rng.randrange(5))
            },
        ]
    return rng.choice(kinds)()


def shaped(rng, tool):
    """Arguments of roughly the right shape, so that the fuzz reaches past the argument check."""
    out = {}
    for key, (kind, needed, _) in TOOLS[tool].params.items():
        if needed or rng.random() < 0.5:
            out[key] = {
                "string": lambda: rng.choice(NAMES[:9]),
                "integer": lambda: rng.randrange(14),
                "boolean": lambda: rng.random() < 0.5,
                "object": partial(shape_object, rng, key),
            }[kind]()
        if rng.random() < 0.05:
            out[key] = junk(rng)
    return out


def shape_object(rng, key):
    if key in ("capability", "process"):
        spec = {"name": f"r{rng.randrange(30)}", "do": rng.sample(TEXTS, 2)}
        spec |= rng.choice(
            [
                {},
                {"every": rng.randrange(4)},
                {"on": "bess.load"},
                {"after": None, "each": None, "about": 3},
                {"after": 2, "then": [rng.choice(TEXTS)]},
            ]
        )
        return spec
    if key == "args":
        return rng.choice([{"cart": "bess", "to": "ford"}, {"plot": "longfield", "n": rng.randrange(5)}, junk(rng)])
    return rng.choice([{"load": rng.randrange(9)}, {"at": "ford"}, {"a": "int", "b": "ref cart"}, junk(rng)])


def test_ten_thousand_fuzzed_requests():
    rng, tools = random.Random(8), list(TOOLS)
    session, accepted = Session(CASE, "easy", budget=400), 0
    for number in range(10_000):
        if session.frozen:
            session = Session(CASE, "easy", budget=400) if session.finished or number % 3 else session
            if session.frozen:
                session.next_round()
        tool = rng.choice(tools) if rng.random() < 0.97 else junk(rng)
        args = shaped(rng, tool) if isinstance(tool, str) and tool in TOOLS and rng.random() < 0.8 else junk(rng)
        before, time = session.world.digest(), session.world.time
        answer = session.request(tool, args)
        accepted += answer["ok"]
        if not answer["ok"] and not answer["frozen"]:
            assert isinstance(answer["reason"], str) and answer["reason"], (number, tool, args)
            assert session.world.digest() == before, (number, tool, args)
        if answer["ok"] and TOOLS[tool].query and not answer["frozen"]:
            assert session.world.digest() == before and session.world.time == time
        if number % 500 == 0:
            twin = KernelWorld()
            twin.restore(KernelCheckpoint.from_bytes(session.world.checkpoint().to_bytes()))
            assert twin.digest() == session.world.digest()
    assert 2_000 < accepted < 8_000


def test_a_fuzzed_session_can_still_be_scored():
    rng = random.Random(9)
    for name in names()[:3]:
        session = Session(load(name), "extreme", budget=20)
        while not session.finished:
            tool = rng.choice(list(TOOLS))
            session.request(tool, shaped(rng, tool))
            if session.frozen and not session.finished:
                session.next_round()
        result = score(session, RuleJudge())
        assert result.count(("E",))[0] == 0 and result.refused > 0
