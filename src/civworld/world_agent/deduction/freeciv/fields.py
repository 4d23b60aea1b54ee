# SPDX-License-Identifier: GPL-2.0-or-later
"""The field paths of a Freeciv world: chosen public fields of players, cities and units, as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from civworld.state import StateView, Table
from civworld.terms import agent_name


class PublicField(NamedTuple):
    """One field that paths can name.

    Attributes:
        column: the table's field.
        kind: ``number``, ``text`` or ``bool``.
    """

    column: str
    kind: str = "number"


FIELDS: dict[str, dict[str, PublicField]] = {
    "player": {
        "nation": PublicField("nation", "text"),
        "alive": PublicField("is_alive", "bool"),
        "government": PublicField("government", "text"),
        "gold": PublicField("gold"),
        "income": PublicField("expected_income"),
        "tax": PublicField("tax"),
        "luxury": PublicField("luxury"),
        "science": PublicField("science"),
        "cities": PublicField("cities"),
        "citizens": PublicField("citizens"),
        "territory": PublicField("territory"),
        "techs": PublicField("techs"),
        "researching": PublicField("researching", "text"),
        "bulbs": PublicField("bulbs"),
        "bulbs_cost": PublicField("bulbs_cost"),
        "culture": PublicField("culture"),
        "score": PublicField("score"),
    },
    "city": {
        "name": PublicField("name", "text"),
        "owner": PublicField("owner"),
        "tile": PublicField("tile"),
        "size": PublicField("size"),
        "disorder": PublicField("disorder", "bool"),
        "food": PublicField("food"),
        "food_stock": PublicField("food_stock"),
        "granary": PublicField("granary_size"),
        "shields": PublicField("shields"),
        "shield_stock": PublicField("shield_stock"),
        "production": PublicField("production", "text"),
        "production_cost": PublicField("production_cost"),
        "trade": PublicField("trade"),
    },
    "unit": {
        "owner": PublicField("owner"),
        "type": PublicField("type_name", "text"),
        "tile": PublicField("tile"),
        "hp": PublicField("hp"),
        "veteran": PublicField("veteran"),
        "activity": PublicField("activity", "text"),
    },
}
"""Kind of entity -> name in a path -> field. No hidden table, no seed, nothing that changes every turn by itself."""

STANCE = "stance"
"""``player_0.stance.player_1`` is how the first stands to the second."""

_PATH = re.compile(r"(player|city|unit)_(?:0|[1-9]\d{0,5})\.([a-z_]+)", re.ASCII)
_STANCE = re.compile(r"player_(0|[1-9]\d{0,2})\.stance\.player_(0|[1-9]\d{0,2})", re.ASCII)


def kind_of(path: str) -> str | None:
    """The kind of a field path, None when no such field can exist; any city or unit may be gone or yet to come."""
    pair = _STANCE.fullmatch(path)
    if pair:
        return "text?" if pair[1] != pair[2] else None
    found = _PATH.fullmatch(path)
    field = FIELDS[found[1]].get(found[2]) if found else None
    return f"{field.kind}?" if field else None


def civilizations(view: StateView) -> Table:
    """The players that are civilizations, living or dead."""
    civs: Table = view.players[~view.players["is_barbarian"]]
    return civs


def public_fields(view: StateView) -> dict[str, Any]:
    """Field path to value, in the order of players, cities and units by number."""
    civs = civilizations(view)
    out = dict(_rows("player", civs))
    known = set(civs["id"].tolist())
    for player, other, state in sorted(view.diplomacy[["player", "other", "state"]].tolist()):
        if player != other and {player, other} <= known:
            out[f"{agent_name(player)}.{STANCE}.{agent_name(other)}"] = state.decode()
    out.update(_rows("city", view.cities))
    out.update(_rows("unit", view.units))
    return out


def _rows(kind: str, table: Table) -> Iterator[tuple[str, Any]]:
    fields = FIELDS[kind]
    columns = [table[field.column].tolist() for field in fields.values()]
    for number, *values in sorted(zip(table["id"].tolist(), *columns, strict=True)):
        for name, value in zip(fields, values, strict=True):
            yield f"{kind}_{number}.{name}", value.decode() if isinstance(value, bytes) else value
