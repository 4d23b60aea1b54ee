# SPDX-License-Identifier: GPL-2.0-or-later
"""Capabilities and processes: specifications as data, compiled once to closures.

A capability is what an actor may do, a process is what the world does by itself. Both have conditions,
effects, and optionally a delay after which further effects follow. The specification is kept beside the
compiled form, so a rule can be disclosed, compared and stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from civworld.errors import ArgumentError, UnknownNameError
from civworld.world_agent.kernel.effects import Effect, compile_effects
from civworld.world_agent.kernel.expr import Code, Scope, compile_expr, size, watched
from civworld.world_agent.kernel.store import Store
from civworld.world_agent.kernel.values import MAX_TEXT, Checker, FieldType, check_name, checker, is_text, parse_type

MAX_EFFECTS = 40
FIRING = 20
"""Steps that an evaluation costs beside those of its expressions."""
Each = tuple[str, str] | None


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRule:
    """One compiled capability or process.

    Attributes:
        spec: the specification it was compiled from, in JSON types.
        actor: the type that an actor must have, '' for any or none.
        each: variable and type of a process that fires once per entity, or None.
        every: period of a process, 0 when it is triggered only.
        steps: what one evaluation counts towards the bounds of work.
        on: triggers, as (entity, type, field) of a written field or ('', '', rule) of another rule.
    """

    name: str
    kind: str
    spec: Mapping[str, Any]
    params: Mapping[str, FieldType]
    checks: Mapping[str, Checker]
    lets: tuple[tuple[str, Code], ...]
    when: tuple[tuple[str, Code], ...]
    do: tuple[Effect, ...]
    after: Code | None
    then: tuple[Effect, ...]
    actor: str = ""
    each: tuple[str, str] | None = None
    every: int = 0
    offset: int = 0
    on: tuple[tuple[str, str, str], ...] = ()
    steps: int = FIRING


SHARED = {"name", "about", "let", "when", "do", "after", "then"}
ALLOWED = {
    "capability": SHARED | {"actor", "params"},
    "process": SHARED | {"actor", "each", "every", "offset", "on"},
}


def compile_rule(kind: str, spec: object, store: Store, known_rules: Sequence[str] = ()) -> CompiledRule:
    """Compiles a specification; raises ArgumentError or UnknownNameError and changes nothing."""
    if not isinstance(spec, Mapping):
        raise ArgumentError(f"{kind}: the specification must be a map")
    name = check_name(kind, spec.get("name"))
    for key in spec:
        if key not in ALLOWED[kind]:
            raise UnknownNameError(f"key of {kind} {name}", key, ALLOWED[kind])
    try:
        return _compile(kind, name, spec, store, known_rules)
    except ArgumentError as error:
        if isinstance(error, UnknownNameError):
            raise
        raise ArgumentError(f"{kind} {name}: {error}") from None


def _compile(kind: str, name: str, spec: Mapping[str, Any], store: Store, known: Sequence[str]) -> CompiledRule:
    store.watched = name
    scope, params = Scope(store), _params(spec.get("params", {}), store)
    for param, ftype in params.items():
        scope = scope.plus(param, ftype)
    actor = str(spec.get("actor", ""))
    if kind == "capability":
        if actor and actor not in store.schemas:
            raise UnknownNameError("type", actor, store.schemas)
        scope = scope.plus("actor", FieldType("ref", target=actor))
    elif actor:
        store.require(actor)
    each = _each(spec.get("each"), store)
    if each:
        scope = scope.plus(each[0], FieldType("ref", target=each[1]))
    lets, scope = _lets(spec.get("let", {}), scope)
    after = None if spec.get("after") is None else compile_expr(str(spec["after"]), scope).code
    if (after is None) != (not spec.get("then")):
        raise ArgumentError("'after' (a delay) and 'then' (delayed effects) go together")
    every, offset = _whole(spec, "every"), _whole(spec, "offset")
    on = tuple(_trigger(one, each, store, known) for one in _texts(spec.get("on", ())))
    if kind == "process" and not every and not on:
        raise ArgumentError("a process needs 'every' (a period) or 'on' (triggers)")
    return CompiledRule(
        name=name,
        kind=kind,
        spec=_clean(spec),
        params=params,
        checks={param: checker(ftype) for param, ftype in params.items()},
        lets=lets,
        when=tuple(
            (text, watched(compile_expr(text, scope).code, text, scope)) for text in _texts(spec.get("when", ()))
        ),
        do=compile_effects(_texts(spec.get("do", ())), scope),
        after=after,
        then=compile_effects(_texts(spec.get("then", ())), scope),
        actor=actor,
        each=each,
        every=every,
        offset=offset,
        on=on,
        steps=_steps(spec),
    )


def _steps(spec: Mapping[str, Any]) -> int:
    values = [*spec.get("let", {}).values(), *_texts(spec.get("when", ()))]
    effects = [*_texts(spec.get("do", ())), *_texts(spec.get("then", ()))]
    return FIRING + sum(map(size, values)) + sum(size(text, "exec") for text in effects)


def _clean(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a validated specification that shares nothing with the caller's."""
    out: dict[str, Any] = {}
    for key, value in spec.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            out[key] = {str(name): str(text) for name, text in value.items()}
        elif isinstance(value, (list, tuple)):
            out[key] = tuple(str(one) for one in value)
        else:
            out[key] = value if type(value) is int else _plain_text(key, value)
    return out


def _plain_text(key: str, value: object) -> str:
    text = str(value)
    if len(text) > MAX_TEXT or not is_text(text):
        raise ArgumentError(f"{key}: must be UTF-8 text of up to {MAX_TEXT} characters")
    return text


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    several = isinstance(value, Sequence) and len(value) <= MAX_EFFECTS
    if not several or not all(isinstance(one, str) for one in value):  # type: ignore[attr-defined]
        raise ArgumentError(f"must be a text or a list of up to {MAX_EFFECTS} texts")
    return tuple(value)  # type: ignore[arg-type]


def _whole(spec: Mapping[str, Any], key: str) -> int:
    value = spec.get(key, 0)
    least = 1 if key == "every" and key in spec else 0
    if type(value) is not int or not least <= value <= 1_000_000:
        raise ArgumentError(f"{key} {value!r}: allowed are whole numbers from 1 (offset from 0)")
    return value


def _params(value: object, store: Store) -> dict[str, FieldType]:
    if not isinstance(value, Mapping):
        raise ArgumentError("params: must be a map from name to type")
    params = {check_name("parameter", name): parse_type(text) for name, text in value.items()}
    for ftype in params.values():
        target = (ftype.item or ftype).target
        if target and target not in store.schemas:
            raise UnknownNameError("type", target, store.schemas)
    return params


def _each(value: object, store: Store) -> Each:
    if value is None:
        return None
    match value.split() if isinstance(value, str) else []:
        case [var, "in", kind]:
            if kind not in store.schemas:
                raise UnknownNameError("type", kind, store.schemas)
            return check_name("variable", var), kind
    raise ArgumentError(f"each {value!r}: must read NAME in TYPE")


def _lets(value: object, scope: Scope) -> tuple[tuple[tuple[str, Code], ...], Scope]:
    if not isinstance(value, Mapping) or len(value) > MAX_EFFECTS:
        raise ArgumentError(f"let: must be a map from name to expression, of up to {MAX_EFFECTS}")
    lets = []
    for name, text in value.items():
        compiled = compile_expr(text, scope)
        lets.append((check_name("variable", name), compiled.code))
        scope = scope.plus(name, compiled.ftype)
    return tuple(lets), scope


def _trigger(text: str, each: Each, store: Store, known: Sequence[str]) -> tuple[str, str, str]:
    """``entity.field``, ``variable.field`` of the process's own ``each``, ``rule`` or ``rule:done``."""
    head, dot, tail = text.partition(".")
    if not dot:
        if text.removesuffix(":done") not in known:
            raise UnknownNameError("rule in a trigger", text, known)
        return "", "", text
    if each is not None and head == each[0]:
        kind, entity = each[1], ""
    else:
        kind, entity = store.require(head), head
    if tail not in store.schemas[kind]:
        raise UnknownNameError(f"field of {kind}", tail, store.schemas[kind])
    return entity, kind, tail
