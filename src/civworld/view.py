# SPDX-License-Identifier: GPL-2.0-or-later
"""What one player knows of a world at one moment, as read-only numpy tables.

The engine keeps for each player a map of its own: tiles as last seen, cities as last seen, who is in sight now.
`csrc/view/` copies from it what the engine's server would have told that player, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from civworld.state import Field, Table, TableSource, TableView, describe_fields, fields_of


class PlayerView(TableView):
    """What one player knows under fog of war, see `TableView`. It has no hidden tables.

    What is the player's own is known in full. Of the rest:

    Attributes:
        viewer: number of the player whose view this is.
        players: every player; how much is known depends on `level` (0 who this is, 1 contact, 2 embassy, 3 own).
        cities: own cities in full (`full`), others as last seen, `age` turns ago.
        units: own units in full (`full`), others while they are in sight.
        tiles: every tile, in the order of tile indexes; `known` is 0 never seen, 1 seen before, 2 in sight.
        diplomacy: one record per ordered pair of players, blank between players of whom the viewer knows nothing.
        research: one record per player or team, blank without an embassy.
        wonders: every great wonder of the ruleset; its city only where the viewer has seen it stand.
        treaties: the clauses of treaties on the table between the viewer and others.

    A value that the viewer does not know is -1, empty text, False or zero bits.
    """

    __slots__ = ("viewer",)

    viewer: int

    def __init__(self, tables: Mapping[str, Table], info: Mapping[str, int], viewer: int) -> None:
        super().__init__(tables, info)
        object.__setattr__(self, "viewer", viewer)

    def __reduce__(self) -> tuple[Any, ...]:
        return (PlayerView, (self._tables, self._info, self.viewer))

    def __eq__(self, other: object) -> bool:
        equal = super().__eq__(other)
        return equal if equal is NotImplemented or not equal else self.viewer == other.viewer  # type: ignore[attr-defined]

    __hash__ = TableView.__hash__

    @classmethod
    def read(cls, source: TableSource, viewer: int, rules: Mapping[str, Table]) -> PlayerView:
        """What the player of that number knows of the source's world, now.

        Args:
            source: whose world.
            viewer: number of the player.
            rules: the ruleset's tables, under their full names.

        Raises:
            ArgumentError: there is no such player.
        """
        known = {name: source.view(name, viewer) for name in source.views}
        return cls(known | dict(rules), source.info(), viewer)

    @property
    def me(self) -> Any:
        """The viewer's own record of `players`."""
        return self.player(self.viewer)

    @property
    def treaties(self) -> Table:
        """One record per clause of the treaties on the table between the viewer and others."""
        return self.table("treaties")

    @property
    def own_cities(self) -> Table:
        """The viewer's cities."""
        rows: Table = self.cities[self.cities["full"]]
        return rows

    @property
    def own_units(self) -> Table:
        """The viewer's units."""
        rows: Table = self.units[self.units["full"]]
        return rows

    @classmethod
    def fields(cls, table: str) -> list[Field]:
        """Fields of a table with their types and meanings.

        Raises:
            UnknownNameError: there is no such table in a player view.
        """
        from civworld._engine import engine

        schema = {name: rows for name, rows in engine().tables.items() if name.startswith("rules_")}
        return fields_of(schema | engine().views, table)

    @classmethod
    def describe(cls, table: str) -> str:
        """The fields of a table as readable text, one line each."""
        return describe_fields(cls.fields(table))
