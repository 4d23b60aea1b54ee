# SPDX-License-Identifier: GPL-2.0-or-later
"""What a model is told before the first round of a maintenance episode."""

from __future__ import annotations

from civworld.errors import UnknownNameError
from civworld.world_agent.kernel.expr import AGGREGATES, FUNCTIONS
from civworld.world_agent.maintenance.case import TIERS, MaintenanceCase
from civworld.world_agent.maintenance.session import BUDGET
from civworld.world_agent.maintenance.tools import TOOLS, Tool

_SUPPLIED = {
    "easy": "The map, all types, entities and capabilities are there.",
    "hard": "The map, all types and entities are there; you define the capabilities.",
    "extreme": "Only the map is there; you define types, create entities and define capabilities.",
}

_TEXT = """You keep a world running while its story is told, in {rounds} rounds of {units} units of time.
{supplied}

For every round you read a piece of narrative. Make it happen in the world, including steps that the narrative
does not tell but that must have happened. An event counts when an actor triggers a capability whose effects
bring it about, in its own round and at a time that fits the narrative; setting fields from outside does not
count. One trigger is one event, and happens as often as it is told. Where one event causes another, let what the
second does depend on what the first brought about. Where the story does not say who acts or how much, choose.
Keep what the story forbids from happening. Entities bear the names that the story lists. A capability is about one
kind of deed and changes what has part in it.

You have {budget} requests a round, queries included. Time passes when you wait; what is left of the round
passes when you end it or run out of requests. Then the round freezes and cannot be repaired.

TOOLS
{tools}

RULES are data. A capability: {{"name", "about", "actor": a type, "params": {{name: type}}, "let": {{name:
expression}}, "when": [condition, ...], "do": [effect, ...], "after": delay, "then": [delayed effect, ...]}}.
A process has "every" (a period) or "on" (an entity.field or a rule), and optionally "each": "x in type".
Field types: int, dec N, str, bool, loc, ref, ref TYPE, list TYPE, map TYPE.
Effects: `x.field = expression`, `+=`, `-=`, append(x.list, item), remove(x.list, item), pop(x.list).
Expressions: numbers, 'text', true, false, none, now, actor, parameters, entities, locations, entity.field,
+ - * // %, comparisons, and, or, not, a if c else b; the functions {functions};
the aggregates {aggregates}, as in sum(x.load for x in cart if x.at == mill).
Example: {{"name": "haul", "actor": "person", "params": {{"cart": "ref cart", "to": "loc"}}, "after": 2,
"then": ["cart.at = to", "actor.at = to"]}}"""


def briefing(case: MaintenanceCase, tier: str, budget: int = BUDGET) -> str:
    """The opening text for a tier; the case itself is introduced with the first round's narrative.

    Raises:
        UnknownNameError: there is no such tier.
    """
    if tier not in TIERS:
        raise UnknownNameError("tier", tier, TIERS)
    tools = [f"- {name}({_signature(tool)}): {tool.about}" for name, tool in TOOLS.items()]
    return _TEXT.format(
        rounds=case.rounds,
        units=case.units,
        supplied=_SUPPLIED[tier],
        budget=budget,
        tools="\n".join(tools),
        functions=", ".join(FUNCTIONS),
        aggregates=", ".join(AGGREGATES),
    )


def _signature(tool: Tool) -> str:
    return ", ".join(key if needed else f"[{key}]" for key, (_, needed, _) in tool.params.items())
