# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans as text: the JSON schema, a strict reader, and refusals in words."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from civworld.errors import ArgumentError, CivworldError
from civworld.plan import Plan, stances
from civworld.world import World

MOST_CHARACTERS = 20_000
"""A longer text is refused unread."""


def schema() -> dict[str, Any]:
    """The JSON schema of a plan; `null` for the whole plan leaves what is in place."""
    name = {"type": "string", "minLength": 1}
    percent = {"type": "integer", "minimum": 0, "maximum": 100}
    plan = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "turns": {"type": "integer", "minimum": 1},
            "rates": {"anyOf": [{"type": "array", "items": percent, "minItems": 3, "maxItems": 3}, {"type": "null"}]},
            "research_goal": {"anyOf": [name, {"type": "null"}]},
            "government": {"anyOf": [name, {"type": "null"}]},
            "production": _pairs([name, {"type": "integer", "minimum": 1}]),
            "stance": _pairs([{"type": "integer", "minimum": 0}, {"enum": list(stances())}]),
            "garrison": {"type": "integer", "minimum": 0, "maximum": 100},
            "purchases": {"anyOf": [{"type": "array", "items": name, "maxItems": 16}, {"type": "null"}]},
            "reserve": {"type": "integer", "minimum": 0},
        },
    }
    return {"anyOf": [plan, {"type": "null"}]}


def _pairs(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "array", "prefixItems": parts, "minItems": 2, "maxItems": 2}}


def read_plan(text: str) -> Plan | None:
    """The plan that a text holds, which must be JSON and nothing else; a fence of three backticks around it is allowed.

    Raises:
        ArgumentError: it is no JSON, no plan, or names a field twice; says what is allowed.
    """
    if len(text) > MOST_CHARACTERS:
        raise ArgumentError(f"plan: {len(text)} characters, at most {MOST_CHARACTERS} are read")
    try:
        values = json.loads(_unfenced(text), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"plan: no JSON: {error}"[:300]) from None
    if values is None:
        return None
    if not isinstance(values, dict):
        raise ArgumentError(f"plan: a JSON object or null is needed; fields: {[f.name for f in fields(Plan)]}")
    try:
        return Plan.from_dict(values)
    except CivworldError as error:
        raise ArgumentError(str(error)[:300]) from None
    except (TypeError, ValueError, AttributeError) as error:  # shapes that no field of a plan can have
        raise ArgumentError(f"plan: {error}"[:300]) from None


def adopt(world: World, player: int, text: str) -> str | None:
    """Read a plan and set it; what was refused, in words, or None where it stands. Refused, the world is unchanged."""
    try:
        plan = read_plan(text)
        if plan is not None:
            world.set_plan(player, plan)
    except CivworldError as error:
        return str(error)
    return None


def plan_text(plan: Plan | None) -> str:
    """A plan as the text that `read_plan` reads, without the fields that say nothing."""
    if plan is None:
        return "null"
    silent = Plan().to_dict()
    return json.dumps({k: v for k, v in plan.to_dict().items() if k == "turns" or v != silent[k]})


def _unfenced(text: str) -> str:
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3]
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a field twice: {[name for name, _ in pairs]}")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
