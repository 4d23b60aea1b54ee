# SPDX-License-Identifier: GPL-2.0-or-later
"""The expression language: what it computes, what it refuses, and that it is not Python."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel import KernelWorld, numbers_in
from civworld.world_agent.kernel.expr import Scope, compile_expr

VALUES = {
    "1 + 2 * 3 - 4": 3,
    "7 // 2": 3,
    "-7 // 2": -4,
    "7.5 // 2": 3,
    "-7.5 // 2": -4,
    "7.5 % 2": Decimal("1.5"),
    "0.1 + 0.2": Decimal("0.3"),
    "pier.depth": 5,
    "pier.stock.grain + pier.stock['salt']": 43,
    "skua.berth.depth": 5,
    "len(pier.queue)": 0,
    "tern.at == north and not mole.open": True,
    "tern.at != north or pier.depth < 3": False,
    "3 if pier.open else 4": 3,
    "clamp(12, 0, 10) + min(2, 3) + max(2, 3) + abs(-4)": 19,
    "floor(2.7) + ceil(2.2) + round(2.5)": 7,
    "dist(north, south)": 5,
    "next_hop(north, south)": "isle",
    "linked(north, south)": False,
    "sum(q.depth for q in quay)": 7,
    "count(q for q in quay if q.depth > 2)": 1,
    "any(q.open for q in quay) and not all(q.open for q in quay)": True,
    "max(q.depth for q in quay) - min(q.depth for q in quay)": 3,
    "first(q for q in quay if q.depth < 3)": "mole",
    "first(q for q in quay if q.depth < 0) == none": True,
    "now": 0,
}

NOT_IN_THE_LANGUAGE = [
    "__import__('os')", "pier.__class__", "().__class__", "lambda: 1", "[1]", "{1: 2}", "2 ** 9", "1 < 2 < 3",
    "f'{now}'", "pier.depth.x", "quay", "open('x')", "min(1, 2, 3)", "x := 3", "(q.depth for q in quay)",
    "sum([q for q in quay])", "pier.nothing", "nobody.depth", "1e999", "b'x'", "", "(" * 300, "-" * 900 + "1",
    "sum(q.depth for q in quay for r in quay)", "print(1)", "...", "tern.berth.queue.x",
]  # fmt: skip


def value(world, text):
    store = world._engine.store
    return compile_expr(text, Scope(store)).code(store, {})


@pytest.mark.parametrize("text", VALUES)
def test_values(world, text):
    found = value(world, text)
    assert found == VALUES[text] and type(found) is type(VALUES[text])


@pytest.mark.parametrize("text", NOT_IN_THE_LANGUAGE)
def test_not_in_the_language(world, text):
    with pytest.raises(ArgumentError):
        value(world, text)


def test_near_names_are_listed(world):
    with pytest.raises(UnknownNameError, match="depth"):
        value(world, "pier.deph")


@pytest.mark.parametrize(
    "effect", ["tern.cargo = 1 // 0", "tern.cargo = 'x' * 5", "tern.cargo = true", "tern.cargo = 0.5",
               "tern.cargo = 4611686018427387904 * 4", "pier.stock.coal += 1", "tern.at = pier",
               "tern.berth = skua", "pop(pier.queue)", "remove(pier.queue, tern)", "append(pier.queue, pier)",
               "tern.cargo = 1 if 'a' < 2 else 3", "tern.cargo = len(4)", "tern.berth.depth = 1"],
)  # fmt: skip
def test_effects_that_do_not_fit_are_refused_whole(world, effect):
    world.apply({"op": "define_capability", "capability": {"name": "try_it", "do": ["pier.depth = 9", effect]}})
    before = world.digest()
    with pytest.raises(RefusedError):
        world.trigger("try_it")
    assert world.digest() == before and world.state()["pier.depth"] == 5


def test_decimals_round_half_even_whatever_the_callers_context(spec):
    import decimal

    spec["entities"]["tern"]["fuel"] = Decimal("1.00")
    spec["processes"].append({"name": "burn", "every": 1, "do": ["tern.fuel = tern.fuel * 1.015 + -0.01"]})
    plain = KernelWorld(spec)
    plain.advance(40)
    with decimal.localcontext(prec=3, rounding=decimal.ROUND_UP):
        odd = KernelWorld(spec)
        odd.advance(40)
    assert odd.digest() == plain.digest()
    assert plain.state()["tern.fuel"].as_tuple().exponent == -2


def test_numbers_in_lists_every_literal():
    assert [str(n) for n in numbers_in("a.b = min(a.b + 2, 10) * 0.25 - sum(x.y for x in t if x.y > 3)")] == [
        "2", "10", "0.25", "3",
    ]  # fmt: skip


def test_nested_aggregates_and_chained_products_are_bounded(world):
    deep = "sum(sum(sum(r.depth for r in quay) for q in quay) for p in quay)"
    with pytest.raises(ArgumentError, match="nested deeper"):
        value(world, deep)
    lets = {"a": "9000000000 * 9000000000", "b": "a * a"}
    world.apply({"op": "define_capability", "capability": {"name": "explode", "let": lets}})
    with pytest.raises(RefusedError, match="out of range"):
        world.trigger("explode")


LEAVES = st.integers(-50, 50) | st.decimals(-9, 9, places=2, allow_nan=False)


@settings(deadline=None, derandomize=True)
@given(st.recursive(LEAVES, lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner), max_leaves=8))
def test_arithmetic_equals_exact_arithmetic(tree):
    def write(node):
        return f"({write(node[1])} {node[0]} {write(node[2])})" if isinstance(node, tuple) else f"({node})"

    def exact(node):
        if not isinstance(node, tuple):
            return Fraction(node)
        a, b = exact(node[1]), exact(node[2])
        return {"+": a + b, "-": a - b, "*": a * b}[node[0]]

    found = value(KernelWorld(), write(tree))
    assert Fraction(found) == exact(tree)
