# SPDX-License-Identifier: GPL-2.0-or-later
"""Small changes to one witness of a case, each of which validation must notice.

Numbers are raised, comparisons shifted and turned round, operators exchanged, branches and conditions forced,
operands, effects and whole rules dropped; in the specification and in the rules module alike.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from civworld.world_agent.deduction.agreement import TEXT_KEYS
from civworld.world_agent.deduction.case import DeductionCase

_COMPARE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "append": "remove"}


def _alternatives(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may be changed to."""
    match node:
        case ast.Compare(ops=[op]):
            for other in _COMPARE.get(type(op), ()):
                yield "comparison", ast.Compare(node.left, [other()], node.comparators)
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            yield "operator", ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
        case ast.AugAssign() if type(node.op) in _ARITHMETIC:
            yield "operator", ast.AugAssign(node.target, _ARITHMETIC[type(node.op)](), node.value)
        case ast.IfExp():
            yield "branch yes", node.body
            yield "branch no", node.orelse
        case ast.BoolOp():
            yield "and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            for place in range(len(node.values)):
                rest = node.values[:place] + node.values[place + 1 :]
                yield "operand", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        case ast.UnaryOp(op=ast.Not()):
            yield "not", node.operand
        case ast.Constant() if type(node.value) is int:
            yield "number", ast.Constant(node.value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS:
            yield "function", ast.Call(ast.Name(_CALLS[name], ast.Load()), node.args, node.keywords)


class _Swap(ast.NodeTransformer):
    """Replaces the node at one place of the walk."""

    def __init__(self, target: ast.AST, other: ast.AST) -> None:
        self.target, self.other = target, other

    def visit(self, node: ast.AST) -> Any:
        """The other node at the place, the same elsewhere."""
        return self.other if node is self.target else self.generic_visit(node)


def _changed(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The texts of a tree with one node changed."""
    for number, node in enumerate(list(ast.walk(tree))):
        for kind in range(len(list(_alternatives(node)))):
            twin = copy.deepcopy(tree)
            found = list(ast.walk(twin))[number]
            what, other = list(_alternatives(found))[kind]
            yield what, ast.unparse(ast.fix_missing_locations(_Swap(found, other).visit(twin)))


def specifications(case: DeductionCase) -> Iterator[tuple[str, DeductionCase]]:
    """The case with one thing of its specification changed, the module left as it is; with what was changed."""
    for kind in ("processes", "capabilities"):
        for place, rule in enumerate(case.spec[kind]):
            for what, other in _rules(rule):
                rules = [*case.spec[kind][:place], other, *case.spec[kind][place + 1 :]]
                yield f"{rule['name']}: {what}", replace(case, spec={**case.spec, kind: rules})
    for name, text in (("outcome", case.task["outcome"]), *case.task["upkeep"].items()):
        for what, changed in _changed(ast.parse(text, mode="eval")):
            task = dict(case.task)
            if name == "outcome":
                task["outcome"] = changed
            else:
                task["upkeep"] = {**task["upkeep"], name: changed}
            yield f"task {name}: {what} {changed}", replace(case, task=task)


def _rules(rule: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in ("every", "offset"):
        if key in rule:
            yield f"{key} raised", {**rule, key: rule[key] + 1}
    for key in TEXT_KEYS:
        texts = [rule[key]] if isinstance(rule.get(key), str) else list(rule.get(key, ()))
        mode = "eval" if key == "when" else "exec"
        for place, text in enumerate(texts):
            if key != "then" or len(texts) > 1:
                yield f"{key} '{text}' dropped", {**rule, key: texts[:place] + texts[place + 1 :]}
            for what, changed in _changed(ast.parse(text, mode=mode)):
                yield f"{key}: {what} {changed}", {**rule, key: [*texts[:place], changed, *texts[place + 1 :]]}
    for name, text in rule.get("let", {}).items():
        for what, changed in _changed(ast.parse(text, mode="eval")):
            yield f"let: {what} {changed}", {**rule, "let": {**rule["let"], name: changed}}
    if "after" in rule:
        for what, changed in _changed(ast.parse(str(rule["after"]), mode="eval")):
            yield f"after: {what} {changed}", {**rule, "after": changed}


def modules(source: str) -> Iterator[tuple[str, str]]:
    """The module's text with one thing of one function changed, or with the function doing nothing."""
    tree = ast.parse(source)
    for place, function in enumerate(tree.body):
        if not isinstance(function, ast.FunctionDef):
            continue
        for what, text in (*_changed(function), *_decimals(function), ("stub", _stub(function))):
            body = [*tree.body[:place], *ast.parse(text).body, *tree.body[place + 1 :]]
            yield (
                f"{function.name}: {what} @{text_of_difference(ast.unparse(function), text)}",
                ast.unparse(ast.Module(body, [])),
            )


def text_of_difference(before: str, after: str) -> str:
    """The first line that differs, to tell a change by."""
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((new.strip() for old, new in lines if old != new), "end")


def _decimals(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Changed numbers of the form D("0.5")."""
    for number, node in enumerate(list(ast.walk(function))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "D":
            twin = copy.deepcopy(function)
            found: Any = list(ast.walk(twin))[number]
            value = Decimal(found.args[0].value)
            found.args[0].value = str(value + Decimal(1).scaleb(int(value.as_tuple().exponent)))
            yield "decimal", ast.unparse(twin)


def _stub(function: ast.FunctionDef) -> str:
    twin = copy.deepcopy(function)
    twin.body = [ast.Pass()]
    return ast.unparse(twin)
