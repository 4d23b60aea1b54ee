# SPDX-License-Identifier: GPL-2.0-or-later
"""What a model is told about a Freeciv world's dynamics and the acting civilization's actions.

The engine's rules are C and no prompt can hold them. Open discloses the ruleset's numbers as the state view
has them, and a documented subset of the turn's rules as formulas over field paths, each of which a test
measures on played turns. Naming tells the same subset by name and in words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from civworld.state import StateView
from civworld.world_agent.deduction.backend import WAIT
from civworld.world_agent.deduction.freeciv.actions import action_table

INTRO = """Civilizations play a game of Freeciv; the unit of time is the turn. Every civilization is run by the
engine's own player, a deterministic program. Entities are player_N, city_N and unit_N; tiles and owners are
numbers. A city or unit that comes into being changes all its fields, one that goes leaves null in all of them;
new ones take the next free numbers."""


class TurnRule(NamedTuple):
    """One rule of the turn, in words without numbers and as a formula over fields before (x) and after (x')."""

    name: str
    about: str
    formula: str


RULES = (
    TurnRule(
        "granary",
        "a city stores its food surplus, grows when the granary is full and shrinks when it starves",
        "food_stock' = food_stock + food while that is from 0 to granary - 1; from granary on size' = size + 1 where "
        "the city may grow, below 0 size' = size - 1",
    ),
    TurnRule(
        "works",
        "a city stores its shield surplus and completes what it produces when it can pay for it, or when it was bought",
        "shield_stock' = shield_stock + shields, where a purchase first lifts shield_stock to production_cost, "
        "less production_cost once that is reached and the production is "
        "completed; a unit waits while the city is not larger than the unit's pop_cost",
    ),
    TurnRule(
        "treasury",
        "a treasury changes by its income, unless the civilization buys something or finds gold",
        "gold' = gold + income, less what is spent; citizens who change their work before it counts move income by a "
        "few gold",
    ),
    TurnRule(
        "research",
        "cities make bulbs, and enough of them complete the advance being researched",
        "bulbs' = bulbs + the cities' bulbs while that is below bulbs_cost; from then on techs' = techs + 1",
    ),
    TurnRule("history", "culture grows with what has been achieved", "culture' >= culture while no city is lost"),
    TurnRule(
        "players", "every civilization moves its units and chooses production, research and rates", "not disclosed"
    ),
)

_TABLES = {
    "terrains": ("movement_cost", "defense_bonus", "food", "shields", "trade", "irrigation_food", "mining_shields"),
    "unit_types": ("attack", "defense", "moves", "hp", "firepower", "cost", "pop_cost", "upkeep_food",
                   "upkeep_shields", "upkeep_gold"),
    "buildings": ("genus", "cost", "upkeep"),
    "governments": ("revolution",),
    "advances": ("requires_1", "requires_2", "cost"),
}  # fmt: skip


def disclosed(view: StateView, actor: int, information: str, mode: str) -> str:
    """The part of a prompt that tells rules and actions; in Naming it holds no number."""
    if mode == "m1":
        lines = _open_rules(view) if information == "open" else _named_rules()
    else:
        lines = _actions(view, actor, information == "open")
    return "\n".join(lines)


def ruleset_lines(view: StateView) -> Iterator[str]:
    """The ruleset's numbers as JSON lines, one record each, with names instead of numbers of advances."""
    yield "RULESET, before effects; moves of unit types are in fragments, cost in shields, advances' cost in bulbs"
    for table, fields in _TABLES.items():
        yield f"{table.upper()} (JSON lines)"
        for row in getattr(view.rules, table):
            values = {field: _value(view, field, row[field]) for field in fields}
            yield json.dumps({"name": row["name"].decode(), **values}, ensure_ascii=False)


def _value(view: StateView, field: str, value: Any) -> Any:
    if field.startswith("requires_"):
        return view.rules.name("advances", int(value)) if value >= 0 else None
    return value.decode() if isinstance(value, bytes) else value.tolist()


def _open_rules(view: StateView) -> Iterator[str]:
    yield "RULES (JSON lines; x' is the value after the turn)"
    yield from (json.dumps(rule._asdict()) for rule in RULES)
    yield ""
    yield from ruleset_lines(view)


def _named_rules() -> Iterator[str]:
    yield "RULES"
    yield from (f"- {rule.name}: {rule.about}" for rule in RULES)


def _actions(view: StateView, actor: int, opened: bool) -> Iterator[str]:
    nation = view.player(actor)["nation"].decode()
    yield (
        f"You decide for the {nation}: orders take effect immediately, plans are carried out by the engine's player. "
        "Hold as large a part as you can of the gold of all living civilizations. Keep a small sum in reserve and your "
        "cities in order."
    )
    yield ""
    yield from _named_rules()
    table = action_table(view, actor)
    yield ""
    if opened:
        yield "ACTION TABLE (JSON lines)"
        yield json.dumps({"action": WAIT})
        yield from (json.dumps({"action": name, "about": a.about, **a.to_data()}) for name, a in table.items())
    else:
        yield "ACTIONS"
        yield f"- {WAIT}: do nothing"
        yield from (f"- {name}: {action.about}" for name, action in table.items())
