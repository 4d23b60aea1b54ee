# SPDX-License-Identifier: GPL-2.0-or-later
"""Effects of rules: `path = value`, `path += value`, `path -= value`, and list edits.

`append(ward.queue, patient)` adds at the end, `remove(ward.queue, patient)` takes the first equal item
out, `pop(ward.queue)` takes the first item out. Effects run in order, later ones see earlier writes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.expr import OPERATORS, Compiled, Env, Path, Scope, compile_expr, compile_path, parse
from civworld.world_agent.kernel.store import Store, Write
from civworld.world_agent.kernel.values import checker

Effect = Callable[[Store, Env, list[Write]], None]


def compile_effects(sources: object, scope: Scope) -> tuple[Effect, ...]:
    """Compiles a list of effect texts; raises ArgumentError or UnknownNameError."""
    if isinstance(sources, str) or not isinstance(sources, Sequence):
        raise ArgumentError("effects: must be a list of texts such as 'tank.level += 2'")
    return tuple(compile_effect(source, scope) for source in sources)


def compile_effect(source: object, scope: Scope) -> Effect:
    """Compiles one effect."""
    tree = parse(source, "exec")
    assert isinstance(tree, ast.Module)
    match tree.body:
        case [ast.Assign(targets=[target], value=value)]:
            return _assign(compile_path(target, scope), _value(value, scope).code)
        case [ast.AugAssign(target=target, op=op, value=value)] if type(op) in OPERATORS:
            old = compile_expr(ast.unparse(target), scope).code
            step, run = _value(value, scope).code, OPERATORS[type(op)]
            return _assign(compile_path(target, scope), lambda s, e: run(old(s, e), step(s, e)))
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name), args=[target, *rest], keywords=[]))]:
            return _list_edit(name, compile_path(target, scope), [_value(one, scope) for one in rest])
    raise ArgumentError(f"effect {source!r}: allowed are path = value, path += value and list edits")


def _value(node: ast.expr, scope: Scope) -> Compiled:
    return compile_expr(ast.unparse(node), scope)


def _assign(path: Path, value: Callable[[Store, Env], Any]) -> Effect:
    entity, name, key, check = path.entity, path.name, path.key, checker(path.value_type)
    if key is not None and path.ftype.kind == "list":
        raise ArgumentError(f"effect on {name}: list items are not assigned, use append, remove or pop")
    if key is None:

        def run(store: Store, env: Env, writes: list[Write]) -> None:
            store.write(entity(store, env), name, check(store, value(store, env)), writes)

        return run

    whole = checker(path.ftype)

    def run_key(store: Store, env: Env, writes: list[Write]) -> None:
        one, at, new = entity(store, env), key(store, env), check(store, value(store, env))
        whole(store, {at: new})
        store.write_key(one, name, at, new, writes)

    return run_key


def _append(items: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    return (*items, value)


def _remove(items: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if value not in items:
        raise RefusedError(f"remove: {value!r} is not in the list")
    place = items.index(value)
    return items[:place] + items[place + 1 :]


def _pop(items: tuple[Any, ...]) -> tuple[Any, ...]:
    if not items:
        raise RefusedError("pop: the list is empty")
    return items[1:]


LIST_EDITS: dict[str, tuple[int, Callable[..., tuple[Any, ...]]]] = {
    "append": (1, _append),
    "remove": (1, _remove),
    "pop": (0, _pop),
}


def _list_edit(name: str, path: Path, values: list[Compiled]) -> Effect:
    if name not in LIST_EDITS:
        raise UnknownNameError("list edit", name, LIST_EDITS)
    count, edit = LIST_EDITS[name]
    if path.ftype.kind != "list" or path.key is not None or len(values) != count:
        raise ArgumentError(f"{name}: takes a list field and {count} value(s)")
    entity, field, check = path.entity, path.name, checker(path.ftype)
    codes = [value.code for value in values]

    def run(store: Store, env: Env, writes: list[Write]) -> None:
        one = entity(store, env)
        store.reads.append(f"{one}.{field}")
        new = edit(store.fields[one][field], *[code(store, env) for code in codes])
        store.write(one, field, check(store, new), writes)

    return run
