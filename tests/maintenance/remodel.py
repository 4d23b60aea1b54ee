# SPDX-License-Identifier: GPL-2.0-or-later
"""The reference solution of the extreme tier in other words: the same deeds, differently modelled.

Types, fields, capabilities and parameters get other names; truth values become texts or numbers, whole numbers
decimals, locations text; one style has a single type for everything. Entities keep the names of the roster.
"""

import ast
from dataclasses import dataclass

from civworld.world_agent.maintenance import Call, ScriptedAgent, solution


@dataclass(frozen=True)
class Style:
    prefix: str
    on: object = True
    off: object = False
    truth: str = "bool"
    whole: str = "int"
    place: str = "loc"
    one_type: bool = False


STYLES = {
    "texts for truth values": Style("my", "on", "off", "str"),
    "numbers for truth values, decimals, text for places": Style("its", 1, 0, "int", "dec 1", "str"),
    "one type of thing": Style("a", one_type=True),
}


class Rewrite(ast.NodeTransformer):
    """Rewrites one effect or expression; knows which names are truth values."""

    def __init__(self, style, fields, params, bools):
        self.style, self.fields, self.params, self.bools = style, fields, params, bools

    def visit_Attribute(self, node):
        return ast.Attribute(self.visit(node.value), f"{self.style.prefix}_{node.attr}", node.ctx)

    def visit_Name(self, node):
        if node.id in ("true", "false") and self.style.truth != "bool":
            return ast.Constant(self.style.on if node.id == "true" else self.style.off)
        return ast.Name(f"{node.id}_" if node.id in self.params else node.id, node.ctx)

    def is_truth(self, node):
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        return name in self.bools

    def condition(self, node):
        """A node in the place of a condition."""
        if isinstance(node, ast.BoolOp):
            return ast.BoolOp(node.op, [self.condition(one) for one in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, self.condition(node.operand))
        if self.is_truth(node) and self.style.truth != "bool":
            return ast.Compare(self.visit(node), [ast.Eq()], [ast.Constant(self.style.on)])
        return self.visit(node)

    def visit_IfExp(self, node):
        return ast.IfExp(self.condition(node.test), self.visit(node.body), self.visit(node.orelse))

    def visit_Assign(self, node):
        target, value = node.targets[0], node.value
        plain = isinstance(value, (ast.Name, ast.Attribute, ast.Constant))
        if self.is_truth(target) and not plain and self.style.truth != "bool":
            value = ast.IfExp(self.condition(value), ast.Constant(self.style.on), ast.Constant(self.style.off))
        else:
            value = self.visit(value)
        return ast.Assign([self.visit(target)], value, lineno=1)


def field_type(text, style):
    if style.one_type and text.startswith(("ref", "list ref")):
        return text.split(" ")[0] + (" ref" if text.startswith("list") else " thing")
    words = text.split()
    if words[0] in ("ref", "list", "map"):
        return " ".join(f"{style.prefix}_{w}" if w not in ("ref", "list", "map", "int", "loc") else w for w in words)
    return {"bool": style.truth, "int": style.whole, "loc": style.place}.get(text, text)


def remodelled(case, style):
    """The agent, and the names of its capabilities by the reference's."""
    types = case.structures["types"]
    bools = {field for fields in types.values() for field, kind in fields.items() if kind == "bool"}
    agent = solution(case, "extreme")
    made = [[_call(one, case, style, types, bools) for one in calls] for calls in agent.rounds]
    return ScriptedAgent([[one for one in calls if one is not None] for calls in made])


def _call(call, case, style, types, bools):
    args = dict(call.args)
    if call.tool == "define_type":
        if style.one_type:
            if args["name"] != next(iter(types)):
                return None
            fields = {f: kind for one in types.values() for f, kind in one.items()}
            args = {"name": "thing", "fields": {f"{style.prefix}_{f}": field_type(k, style) for f, k in fields.items()}}
        else:
            fields = {f"{style.prefix}_{f}": field_type(k, style) for f, k in args["fields"].items()}
            args = {"name": f"{style.prefix}_{args['name']}", "fields": fields}
    elif call.tool == "create_entity":
        kinds = types[args["type"]]
        fields = {f: _value(args["fields"].get(f), kind, style) for f, kind in kinds.items()}
        args["fields"] = {f"{style.prefix}_{f}": v for f, v in fields.items() if v is not None}
        args["type"] = "thing" if style.one_type else f"{style.prefix}_{args['type']}"
    elif call.tool == "define_capability":
        args = {"capability": _capability(args["capability"], style, bools)}
    elif call.tool == "trigger":
        spec = case.capability(args["capability"])
        params = spec.get("params", {})
        args["capability"] = f"{style.prefix}_{spec['name']}"
        args["args"] = {f"{key}_": _value(v, params[key], style) for key, v in args["args"].items()}
    return Call(call.tool, args)


def _value(value, kind, style):
    if kind == "bool":
        return style.on if value else style.off
    return value


def _capability(spec, style, bools):
    params = spec.get("params", {})
    known = bools | {key for key, kind in params.items() if kind == "bool"}
    rewrite = Rewrite(style, None, params, known)

    def effect(text):
        return ast.unparse(ast.fix_missing_locations(rewrite.visit(ast.parse(text))))

    def value(text):
        return ast.unparse(ast.fix_missing_locations(rewrite.condition(ast.parse(str(text), mode="eval").body)))

    out = {"name": f"{style.prefix}_{spec['name']}", "about": spec["about"]}
    out["params"] = {f"{key}_": kind if kind == "int" else field_type(kind, style) for key, kind in params.items()}
    if "actor" in spec:
        out["actor"] = "thing" if style.one_type else f"{style.prefix}_{spec['actor']}"
    for key in ("do", "then"):
        if key in spec:
            out[key] = [effect(text) for text in spec[key]]
    if "when" in spec:
        out["when"] = [value(text) for text in spec["when"]]
    if "let" in spec:
        out["let"] = {key: value(text) for key, text in spec["let"].items()}
    if "after" in spec:
        out["after"] = value(spec["after"]) if isinstance(spec["after"], str) else spec["after"]
    return out
