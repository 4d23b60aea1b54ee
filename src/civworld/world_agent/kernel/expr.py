# SPDX-License-Identifier: GPL-2.0-or-later
"""The expression language of rules: text in, a closure over a store out.

The grammar is a small part of Python's expressions, read with `ast` and never executed as Python:
numbers, text, `true`, `false`, `none`, `now`; field paths (`tank.level`, `ship.berth.free` through a
reference, `port.stock.grain` or `port.stock[kind]` in a map, `line.queue[0]` in a list); `+ - * //  %`;
comparisons, `in`, `and`, `or`, `not`, `a if c else b`; the calls of `FUNCTIONS`; and the aggregates
`sum count any all min max first` over the living entities of one type, as in
`sum(w.sick for w in ward if w.open)`. Numbers with a point are decimals, never floats.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, DecimalException
from functools import lru_cache
from typing import Any, NamedTuple

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.store import Store
from civworld.world_agent.kernel.values import CONTEXT, LIMIT, FieldType

Env = dict[str, Any]
Code = Callable[[Store, Env], Any]
Two = Callable[[Any, Any], Any]

MAX_SOURCE = 1_000
MAX_DEPTH = 40
MAX_LOOPS = 2
FAULTS = (TypeError, ValueError, KeyError, IndexError, ArithmeticError, DecimalException, AttributeError)
"""What evaluating a well-formed expression on unfit values may raise; callers turn these into refusals."""

REF = FieldType("ref")
INT = FieldType("int")


class Compiled(NamedTuple):
    """A closure, the field type of its value where the compiler knows it, and the value if it is constant."""

    code: Code
    ftype: FieldType | None = None
    constant: Any = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What the names of an expression mean: a store for entities and types, and local variables."""

    store: Store
    names: Mapping[str, FieldType | None] = field(default_factory=dict)
    loops: int = 0

    def plus(self, name: str, ftype: FieldType | None) -> Scope:
        """The scope with one more local variable."""
        return replace(self, names={**self.names, name: ftype})

    def type_of(self, name: str) -> str | None:
        """The type of a living or retired entity."""
        return self.store.type_of.get(name) or self.store.retired.get(name)


class Path(NamedTuple):
    """A field path under compilation: who, which field, which key."""

    entity: Code
    static: str
    name: str
    ftype: FieldType
    key: Code | None

    @property
    def value_type(self) -> FieldType:
        """The type of the value that the path names."""
        if self.key is not None:
            assert self.ftype.item is not None
            return self.ftype.item
        return self.ftype


def parse(source: object, mode: str) -> ast.AST:
    """The syntax tree of a source text; raises ArgumentError when it has none."""
    if not isinstance(source, str) or not 0 < len(source) <= MAX_SOURCE:
        raise ArgumentError(f"expression {str(source)[:60]!r}: must be text of 1 to {MAX_SOURCE} characters")
    if not source.isascii() and not _QUOTED.sub("", source).isascii():
        raise ArgumentError(f"expression {source[:60]!r}: letters beyond ASCII may stand in quoted text only")
    return _parse(source, mode)


# Python's parser would take full-width letters for their plain forms, so that a name could be written two ways
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")


def size(source: str, mode: str = "eval") -> int:
    """How many steps an expression or effect is counted as: the nodes of its syntax tree."""
    return sum(1 for _ in ast.walk(parse(source, mode)))


@lru_cache(maxsize=4_096)
def _parse(source: str, mode: str) -> ast.AST:
    try:
        tree = ast.parse(source.strip(), mode=mode)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ArgumentError(f"expression {source[:80]!r}: cannot be read ({type(error).__name__})") from None
    if _depth(tree) > MAX_DEPTH:
        raise ArgumentError(f"expression {source[:80]!r}: nested deeper than {MAX_DEPTH}")
    return tree


def _depth(tree: ast.AST) -> int:
    deepest, level = 0, [tree]
    while level:
        deepest += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return deepest


def compile_expr(source: object, scope: Scope) -> Compiled:
    """Compiles one expression; raises ArgumentError or UnknownNameError when it means nothing here."""
    tree = parse(source, "eval")
    assert isinstance(tree, ast.Expression)
    return _compile(tree.body, scope)


@lru_cache(maxsize=4_096)
def numbers_in(source: str) -> tuple[Decimal, ...]:
    """Every number written in an expression or effect, in reading order."""
    nodes = [n for n in ast.walk(parse(source, "exec")) if isinstance(n, ast.Constant)]
    nodes.sort(key=lambda n: (n.lineno, n.col_offset))
    return tuple(Decimal(repr(n.value)) for n in nodes if type(n.value) in (int, float))


def _compile(node: ast.expr, scope: Scope) -> Compiled:
    handler = _NODES.get(type(node))
    if handler is None:
        raise ArgumentError(f"expression part {ast.unparse(node)[:60]!r}: not in the language")
    return handler(node, scope)


def _constant(node: ast.Constant, scope: Scope) -> Compiled:
    value: Any = node.value
    if type(value) is float:
        value = Decimal(repr(value))
    elif type(value) not in (int, str):
        raise ArgumentError(f"constant {value!r}: allowed are numbers, text, true, false and none")
    if isinstance(value, Decimal) and not value.is_finite():
        raise ArgumentError("constant out of range")
    return Compiled(lambda store, env: value, INT if type(value) is int else None, value)


_WORDS: dict[str, Any] = {"true": True, "false": False, "none": None}


def _name(node: ast.Name, scope: Scope) -> Compiled:
    name = node.id
    if name in scope.names:
        return Compiled(lambda store, env: env[name], scope.names[name])
    if name in _WORDS:
        word = _WORDS[name]
        return Compiled(lambda store, env: word)
    if name == "now":
        return Compiled(lambda store, env: store.time, INT)
    kind = scope.type_of(name)
    if kind is not None:
        return Compiled(lambda store, env: name, FieldType("ref", target=kind))
    if name in scope.store.map.places:
        return Compiled(lambda store, env: name, FieldType("loc"))
    known = [*scope.names, *scope.store.type_of, *scope.store.map.places]
    raise UnknownNameError("name in an expression", name, known)


def compile_path(node: ast.expr, scope: Scope) -> Path:
    """The field path that an attribute or subscript node names."""
    if isinstance(node, ast.Subscript):
        base = compile_path(node.value, scope)
        if base.key is not None or base.ftype.item is None:
            raise ArgumentError(f"path {ast.unparse(node)!r}: only list and map fields take a key")
        return base._replace(key=_compile(node.slice, scope).code)
    if not isinstance(node, ast.Attribute):
        raise ArgumentError(f"{ast.unparse(node)[:60]!r}: a field path such as entity.field is asked for")
    if isinstance(node.value, ast.Name):
        entity = _name(node.value, scope)
        static = "" if node.value.id in scope.names else node.value.id
    else:
        inner = compile_path(node.value, scope)
        if inner.ftype.kind == "map" and inner.key is None:
            key = node.attr
            return inner._replace(key=lambda store, env: key)
        entity, static = Compiled(_read(inner), inner.value_type), ""
    return _field_path(entity, static, node, scope)


def _field_path(entity: Compiled, static: str, node: ast.Attribute, scope: Scope) -> Path:
    target = entity.ftype.target if entity.ftype is not None and entity.ftype.kind == "ref" else ""
    if not target:
        raise ArgumentError(f"path {ast.unparse(node)!r}: {ast.unparse(node.value)} is not a typed reference")
    schema = scope.store.schemas.get(target, {})
    if node.attr not in schema:
        raise UnknownNameError(f"field of {target}", node.attr, schema)
    return Path(entity.code, static, node.attr, schema[node.attr], None)


def _read(path: Path) -> Code:
    """A closure that reads a path and logs the read."""
    entity, name, key = path.entity, path.name, path.key
    if key is not None:
        return _read_key(path, key)
    if path.static:
        who, text = path.static, f"{path.static}.{name}"

        def read_static(store: Store, env: Env) -> Any:
            store.reads.append(text)
            return store.fields[who][name]

        return read_static

    def read(store: Store, env: Env) -> Any:
        one = entity(store, env)
        store.reads.append(f"{one}.{name}")
        return store.fields[one][name]

    return read


def _read_key(path: Path, key: Code) -> Code:
    entity, name = path.entity, path.name

    def read_key(store: Store, env: Env) -> Any:
        one, at = entity(store, env), key(store, env)
        store.reads.append(f"{one}.{name}.{at}")
        return store.fields[one][name][at]

    return read_key


def _path_value(node: ast.expr, scope: Scope) -> Compiled:
    path = compile_path(node, scope)
    return Compiled(_read(path), path.value_type)


def _number(value: Any) -> Any:
    if type(value) is not int and type(value) is not Decimal:
        raise TypeError(f"a number is asked for, {str(value)[:40]!r} was found")
    return value


def _minus(value: Any) -> Any:
    return CONTEXT.minus(value) if type(value) is Decimal else -_number(value)


def _absolute(value: Any) -> Any:
    return _minus(value) if _number(value) < 0 else value


def _ranged(value: int) -> int:
    if not -LIMIT <= value <= LIMIT:
        raise OverflowError("out of range, integers lie within 63 bits")
    return value


def _product(a: int, b: int) -> int:
    return _ranged(a * b)


def _floor_div(a: Any, b: Any) -> Any:
    if type(a) is int and type(b) is int:
        return a // b
    return _rounded("ROUND_FLOOR")(CONTEXT.divide(_number(a), _number(b)))


def _modulo(a: Any, b: Any) -> Any:
    if type(a) is int and type(b) is int:
        return a % b
    return CONTEXT.subtract(a, CONTEXT.multiply(_floor_div(a, b), b))


def _exact(on_ints: Two, on_decimals: Two) -> Two:
    def run(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return on_ints(a, b)
        return on_decimals(_number(a), _number(b))

    return run


OPERATORS: dict[type[ast.operator], Two] = {
    ast.Add: _exact(operator.add, CONTEXT.add),
    ast.Sub: _exact(operator.sub, CONTEXT.subtract),
    ast.Mult: _exact(_product, CONTEXT.multiply),
    ast.FloorDiv: _floor_div,
    ast.Mod: _modulo,
}


def _binary(node: ast.BinOp, scope: Scope) -> Compiled:
    run = OPERATORS.get(type(node.op))
    if run is None:
        raise ArgumentError(f"operator in {ast.unparse(node)[:60]!r}: allowed are + - * // %")
    left, right = _compile(node.left, scope), _compile(node.right, scope)
    return Compiled(_joined(run, left, right))


def _joined(run: Two, left: Compiled, right: Compiled) -> Code:
    """A closure that applies a function to two values; a constant right side costs no call."""
    a, b, value = left.code, right.code, right.constant
    if value is not None:
        return lambda store, env: run(a(store, env), value)
    return lambda store, env: run(a(store, env), b(store, env))


def _unary(node: ast.UnaryOp, scope: Scope) -> Compiled:
    inner = _compile(node.operand, scope).code
    if isinstance(node.op, ast.Not):
        return Compiled(lambda store, env: not inner(store, env))
    if isinstance(node.op, ast.USub):
        return Compiled(lambda store, env: _minus(inner(store, env)))
    raise ArgumentError(f"operator in {ast.unparse(node)[:60]!r}: allowed are not and -")


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


def _compare(node: ast.Compare, scope: Scope) -> Compiled:
    if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        raise ArgumentError(f"comparison {ast.unparse(node)[:60]!r}: one of == != < <= > >= in, not chained")
    run = _COMPARE[type(node.ops[0])]
    if isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return _membership(run, _compile(node.left, scope), _compile(node.comparators[0], scope))
    return Compiled(_joined(run, _compile(node.left, scope), _compile(node.comparators[0], scope)))


def _membership(run: Two, item: Compiled, items: Compiled) -> Compiled:
    def inside(store: Store, env: Env) -> bool:
        one, several = item.code(store, env), items.code(store, env)
        store.spend(len(several))
        return bool(run(one, several))

    return Compiled(inside)


def watched(code: Code, node: ast.expr | str, scope: Scope) -> Code:
    """The same condition, noting which way it went where the store is watched (rule, text, outcome)."""
    seen, rule = scope.store.watch, scope.store.watched
    if seen is None:
        return code
    text = node if isinstance(node, str) else ast.unparse(node)
    seen.add((rule, text, None))

    def run(store: Store, env: Env) -> Any:
        value = code(store, env)
        seen.add((rule, text, bool(value)))
        return value

    return run


def _bool(node: ast.BoolOp, scope: Scope) -> Compiled:
    parts = [watched(_compile(value, scope).code, value, scope) for value in node.values]
    stop = isinstance(node.op, ast.Or)

    def run(store: Store, env: Env) -> bool:
        for part in parts:
            if bool(part(store, env)) is stop:
                return stop
        return not stop

    return Compiled(run)


def _if(node: ast.IfExp, scope: Scope) -> Compiled:
    test, yes, no = (_compile(part, scope) for part in (node.test, node.body, node.orelse))
    chosen = yes.ftype or no.ftype
    run, a, b = watched(test.code, node.test, scope), yes.code, no.code
    return Compiled(lambda store, env: a(store, env) if run(store, env) else b(store, env), chosen)


def _rounded(mode: str) -> Callable[[Any], int]:
    def run(value: Any) -> int:
        exact = Decimal(_number(value))
        if exact.adjusted() > 19:
            raise OverflowError("out of range, integers lie within 63 bits")
        return _ranged(int(exact.to_integral_value(mode, CONTEXT)))

    return run


def _place(value: Any) -> Any:
    if value is None:
        raise TypeError("a location is asked for, none was found")
    return value


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "min": (2, lambda store, a, b: min(_number(a), _number(b))),
    "max": (2, lambda store, a, b: max(_number(a), _number(b))),
    "clamp": (3, lambda store, v, low, high: min(max(_number(v), _number(low)), _number(high))),
    "abs": (1, lambda store, a: _absolute(a)),
    "floor": (1, lambda store, a: _rounded("ROUND_FLOOR")(a)),
    "ceil": (1, lambda store, a: _rounded("ROUND_CEILING")(a)),
    "round": (1, lambda store, a: _rounded("ROUND_HALF_EVEN")(a)),
    "len": (1, lambda store, a: len(a)),
    "dist": (2, lambda store, a, b: store.map.distance(_place(a), _place(b))),
    "next_hop": (2, lambda store, a, b: store.map.next_hop(_place(a), _place(b))),
    "linked": (2, lambda store, a, b: store.map.linked(_place(a), _place(b))),
}
"""Functions by name: how many arguments, and what they give; the store is always the first."""


def _call(node: ast.Call, scope: Scope) -> Compiled:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise ArgumentError(f"call {ast.unparse(node)[:60]!r}: not in the language")
    name = node.func.id
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        return _aggregate(name, node.args[0], scope)
    if name not in FUNCTIONS:
        raise UnknownNameError("function", name, [*FUNCTIONS, *AGGREGATES])
    count, run = FUNCTIONS[name]
    if len(node.args) != count:
        raise ArgumentError(f"function {name}: takes {count} arguments, found {len(node.args)}")
    codes = [_compile(arg, scope).code for arg in node.args]
    result = FieldType("loc") if name == "next_hop" else None
    return Compiled(lambda store, env: run(store, *[code(store, env) for code in codes]), result)


def _total(values: list[Any]) -> Any:
    out: Any = 0
    for value in values:
        out = OPERATORS[ast.Add](out, value)
    return out


AGGREGATES: dict[str, Callable[[list[Any]], Any]] = {
    "sum": _total,
    "count": len,
    "any": any,
    "all": all,
    "min": lambda values: min(map(_number, values), default=0),
    "max": lambda values: max(map(_number, values), default=0),
    "first": lambda values: values[0] if values else None,
}
"""Aggregates over the living entities of a type, in order of creation; min and max of none are 0."""


def _aggregate(name: str, node: ast.GeneratorExp, scope: Scope) -> Compiled:
    if name not in AGGREGATES:
        raise UnknownNameError("aggregate", name, AGGREGATES)
    match node.generators:
        case [ast.comprehension(target=ast.Name(id=var), iter=ast.Name(id=kind), ifs=ifs)]:
            pass
        case _:
            raise ArgumentError(f"aggregate {ast.unparse(node)[:60]!r}: must read VALUE for NAME in TYPE if TEST")
    if kind not in scope.store.schemas:
        raise UnknownNameError("type", kind, scope.store.schemas)
    if scope.loops >= MAX_LOOPS:
        raise ArgumentError(f"aggregate {ast.unparse(node)[:60]!r}: nested deeper than {MAX_LOOPS}")
    inner = replace(scope.plus(var, FieldType("ref", target=kind)), loops=scope.loops + 1)
    value = _compile(node.elt, inner)
    tests = [_compile(test, inner).code for test in ifs]
    run, code, steps = AGGREGATES[name], value.code, sum(1 for _ in ast.walk(node))

    def over(store: Store, env: Env) -> Any:
        local = env.copy()
        found = []
        store.spend(steps * len(store.members[kind]))
        for one in store.members[kind]:
            local[var] = one
            for test in tests:
                if not test(store, local):
                    break
            else:
                found.append(code(store, local))
        return run(found)

    return Compiled(over, value.ftype if name == "first" else None)


_NODES: dict[type[ast.expr], Callable[[Any, Scope], Compiled]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _path_value,
    ast.Subscript: _path_value,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool,
    ast.IfExp: _if,
    ast.Call: _call,
}


def refusal(error: BaseException) -> RefusedError:
    """A fault of evaluation as a refusal with a reason."""
    if isinstance(error, RefusedError):
        return error
    if isinstance(error, KeyError):
        return RefusedError(f"not found while evaluating: {error.args[0] if error.args else ''}")
    return RefusedError(f"cannot be evaluated: {type(error).__name__}: {error}")
