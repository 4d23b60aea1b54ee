# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of a corpus as they are declared: what one row is, and the columns in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# what corpora of all suites tell of, whatever is registered later: a change here makes other bytes of them, and with
# that a new version of every suite
AMOUNTS = (
    "treasury", "production", "cities", "population", "territory", "techs", "culture", "military_units",
    "enemies", "allies", "score",
)  # fmt: skip
"""The quantities that have a column, in order."""
KINDS = frozenset(
    {
        "city_founded", "city_captured", "city_transferred", "city_destroyed", "unit_lost", "unit_transferred",
        "hut_entered", "wonder_built", "wonder_lost", "advance_gained", "advance_lost",
        "revolution_started", "government_changed", "government_restored", "contact", "contact_undone", "war_started",
        "ceasefire", "armistice", "peace", "alliance", "pact_cancelled", "treaty", "embassy", "embassy_lost",
        "disaster", "civil_war", "player_joined", "player_died", "spaceship_started", "spaceship_launched",
        "spaceship_arrived", "spaceship_lost", "victory",
    }
)  # fmt: skip
"""The kinds of events that are told."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: its name.
        type: "text", "bool", "int32", "int64" or "uint32".
        doc: what it holds.
        source: the engine's table that it is a field of, empty for columns of the corpus' own.
    """

    name: str
    type: str
    doc: str
    source: str = ""


class Fields(NamedTuple):
    """A column for each field of an engine's table that is one number, flag or text, but for some."""

    table: str
    leave_out: tuple[str, ...] = ()


class Amounts(NamedTuple):
    """A column for each of `AMOUNTS`."""


class EventFields(NamedTuple):
    """A column for each field of an event."""


class Declared(NamedTuple):
    """One table, see `schema.Table`."""

    name: str
    doc: str
    columns: tuple[Column | Fields | Amounts | EventFields, ...]
    hidden: bool = False


WORLD = Column("world", "text", "id of the world")
TURN = Column("turn", "int32", "turn whose command window this is")
PLAYER = Column("player", "int32", "player number of the civilization")
T1 = Column("t1", "int32", "turn of the decision point that this starts from")
FUTURE = Column("future", "int32", "number of the future")
OPERATOR = Column("operator", "text", "name of the operator, empty for futures")
ARM = Column("arm", "text", "recheck (the mainline once more), real or placebo; future")
SEED = Column("seed", "int64", "what the world was re-seeded with, -1 if it was not")
# what `records` has already, under this or its quantity's name
IN_RECORDS = ("id", "nation", "is_alive", "is_barbarian", "barbarian_type", "team", "government", "gold", "cities",
               "territory", "production", "military_units", "techs", "culture", "score")  # fmt: skip
TRACK = (TURN, PLAYER, Column("is_alive", "bool", "whether the player is still in the game"))

EVENT = {
    "turn": "turn of the first command window that shows it",
    "stage": "part of the turn",
    "kind": "name of the kind",
    "player": "player it is about, -1 none",
    "other": "second player, -1 none",
    "city": "city id, 0 none",
    "unit": "unit id, 0 none",
    "tile": "tile index, -1 none",
    "number": "a number, -1 none",
    "cause": "why or how",
    "name": "a name",
    "former": "what was before",
}
"""Field of an event -> what its column holds."""

TABLES = (
    Declared(
        "worlds",
        "A world: what everyone may know about it.",
        (
            WORLD,
            Column("map_class", "text", "small, medium or large"),
            Column("ruleset", "text", "ruleset"),
            Column("difficulty", "text", "level of the built-in AI"),
            Column("players", "int32", "civilizations at the start"),
            Column("map_size", "int32", "thousands of tiles"),
            Column("xsize", "int32", "width of the map, tiles"),
            Column("ysize", "int32", "height of the map, tiles"),
            Column("topology", "int32", "shape of the map, see StateView.topology"),
            Column("teams", "int32", "civilizations per team, 1 = every civilization for itself"),
            Column("budget", "int32", "turns of play that are reported"),
            Column("last_turn", "int32", "last turn of the mainline"),
        ),
    ),
    Declared("points", "A decision point.", (WORLD, T1, Column("spacing", "int32", "turns between frames"))),
    Declared(
        "turns",
        "A turn of the mainline.",
        (
            WORLD,
            TURN,
            Column("year", "int32", "the game's year"),
            Column("digest", "text", "hash of the canonical game state"),
        ),
    ),
    Declared(
        "records",
        "A civilization in a turn of the mainline, living or dead; barbarians are none.",
        (
            WORLD,
            *TRACK,
            Column("nation", "text", "nation, rule name"),
            Column("team", "int32", "team number"),
            Column("government", "text", "government, rule name"),
            Amounts(),
        ),
    ),
    Declared(
        "civs",
        "The same civilization in the same turn: everything else the engine's table of players tells of it.",
        (
            WORLD,
            TURN,
            PLAYER,
            Column("color", "text", "colour on maps, #rrggbb"),
            Fields("players", IN_RECORDS),
        ),
    ),
    Declared(
        "pairs",
        "How one civilization stands to another in a turn of the mainline.",
        (WORLD, TURN, Fields("diplomacy")),
    ),
    Declared(
        "maps",
        "A tile whose looks changed since the turn before; in turn 1, every tile.",
        (
            WORLD,
            TURN,
            Column("tile", "int32", "tile index"),
            Column("terrain", "text", "terrain, rule name"),
            Column("owner", "int32", "player number of the owner, -1 none"),
            Column("city", "int32", "city id of the city on the tile, 0 none"),
            Column("city_owner", "int32", "player number of the city's owner, -1 without a city"),
            Column("city_size", "int32", "citizens, 0 without a city"),
        ),
    ),
    Declared(
        "briefings",
        "A part of what a forecaster is told at a decision point.",
        (
            WORLD,
            T1,
            Column("viewer", "int32", "player whose knowledge is told, -1 for everything about everyone"),
            Column(
                "part",
                "text",
                "frames (three moments), frame (the last of them alone), narrative, policies; future: what will "
                "happen, which only privileged forecasters may see",
            ),
            Column("text", "text", "the part itself"),
        ),
    ),
    Declared(
        "events",
        "Something that happened on the mainline; what a column means depends on the kind, see events.md. "
        "Kinds left out: achievement, gold_moved, purchase.",
        (WORLD, EventFields()),
    ),
    Declared(
        "futures",
        "A civilization in a turn of a future: the world re-seeded at a decision point and played on.",
        (
            WORLD,
            T1,
            FUTURE,
            Column("seed", "int64", "what the world was re-seeded with"),
            *TRACK,
            Column("government", "text", "government, rule name"),
            Amounts(),
        ),
    ),
    Declared(
        "future_events",
        "Something that happened in a future after its decision point.",
        (WORLD, T1, FUTURE, EventFields()),
    ),
    Declared(
        "cells",
        "An operator at a decision point: on whom it was tried, and what became of its edit.",
        (
            WORLD,
            T1,
            OPERATOR,
            Column("variant", "text", "form of the operator, empty if it is not eligible"),
            Column("eligible", "bool", "whether it could be used on a civilization here"),
            Column(
                "reason", "text", "why not: nobody (is eligible) or refused (the world refused an edit); else empty"
            ),
            Column("player", "int32", "player number of the civilization it is about, -1 none"),
            Column("other", "int32", "player number of a second civilization it changes, -1 none"),
            Column("targets", "text", "names of the quantities it is meant to move, JSON"),
            Column("expected", "text", "target -> 1 or -1 where the rules leave one direction, JSON"),
            Column("undone", "text", "edited fields that went back: field, turn, by whom, JSON"),
        ),
    ),
    Declared(
        "arms",
        "A civilization in a turn of an arm. Controls are not repeated: that of seed -1 is the mainline, that of "
        "another seed the future of that seed.",
        (WORLD, T1, OPERATOR, ARM, SEED, TURN, PLAYER, Amounts()),
    ),
    Declared(
        "branches",
        "A future or an arm: where it ended.",
        (
            WORLD,
            T1,
            OPERATOR,
            ARM,
            SEED,
            TURN,
            Column("digest", "text", "hash of the canonical game state there"),
        ),
    ),
    Declared(
        "hidden_civs",
        "Character and plans of a civilization in a turn of the mainline.",
        (WORLD, TURN, Fields("hidden_players")),
        hidden=True,
    ),
    Declared(
        "hidden_pairs",
        "What one civilization's AI thinks of another in a turn of the mainline.",
        (WORLD, TURN, Fields("hidden_pairs")),
        hidden=True,
    ),
    Declared(
        "hidden_edits",
        "The edits of an arm; some say what the edited field was before.",
        (
            WORLD,
            T1,
            OPERATOR,
            ARM,
            Column("edits", "text", "name and fields of each edit, JSON"),
            Column("refusal", "text", "what the world said when it refused an edit of the cell, else empty"),
        ),
        hidden=True,
    ),
    Declared(
        "hidden_rules",
        "World rules and seeds in a turn of the mainline.",
        (WORLD, TURN, Fields("hidden_world")),
        hidden=True,
    ),
)
"""Every table, in the order of the documentation."""
