# SPDX-License-Identifier: GPL-2.0-or-later
"""What the text reports share: records as plain values, names, short lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from civworld.report.nations import people
from civworld.state import Table, TableView
from civworld.view import PlayerView

UNKNOWN = "?"
# what a viewer may know of a player, see `level` of the players table of a PlayerView
CONTACT, EMBASSY, OWN = 1, 2, 3

Record = dict[str, Any]


def records(rows: Table) -> list[Record]:
    """The records of a table as dicts of plain values; bit fields become sets of the numbers whose bits are set."""
    names = rows.dtype.names or ()
    columns = [_column(rows[name], packed=rows.dtype[name].subdtype is not None) for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _column(column: Any, *, packed: bool) -> list[Any]:
    if column.dtype.kind == "S":
        return [value.decode() for value in column.tolist()]
    if packed and column.ndim == 2 and column.shape[1] > 3:
        return [_numbers(row) for row in column]
    values: list[Any] = column.tolist()
    return values


def _numbers(packed: Any) -> frozenset[int]:
    data = int.from_bytes(packed.tobytes(), "little")
    return frozenset(i for i in range(data.bit_length()) if data >> i & 1)


def civilizations(view: TableView) -> list[Record]:
    """Every civilization that the view's owner knows of, best score first; barbarians are none.

    Records of a state view get `level` OWN: everything about them is known.
    """
    found = [{"level": OWN, **p} for p in records(view.players) if not p["is_barbarian"]]
    known = [p for p in found if p["level"] >= CONTACT]
    return sorted(known, key=lambda p: (not p["is_alive"], -p["score"], p["id"]))


def lost_sight_of(view: TableView) -> list[Record]:
    """Civilizations that the view's owner has met and is out of contact with: it knows their names and no figures."""
    if not isinstance(view, PlayerView):
        return []
    rows = view.diplomacy[view.diplomacy["player"] == view.viewer]
    met = {int(d["other"]) for d in rows if d["state"] not in (b"", b"Never met")}
    return [p for p in records(view.players) if p["id"] in met and p["level"] < CONTACT and not p["is_barbarian"]]


def nations(view: TableView) -> dict[int, str]:
    """Player number -> nation, barbarians among them."""
    return {p["id"]: p["nation"] for p in records(view.players)}


def peoples(view: TableView) -> dict[int, str]:
    """Player number -> its people, as sentences call them: `Indonesians`."""
    return {player: people(nation) for player, nation in nations(view).items()}


def counted(items: Iterable[str]) -> str:
    """`3 Phalanx, 1 Workers`: how often each text occurs, most often first, equal ones by name."""
    tally: Mapping[str, int] = Counter(items)
    return ", ".join(f"{n} {name}" for name, n in sorted(tally.items(), key=lambda item: (-item[1], item[0])))


def named(thing: str) -> str:
    """A thing of the rules as lists name it: in quotes where its own name has a comma, as "Aqueduct, River" has."""
    return f'"{thing}"' if "," in thing else thing


def listed(items: Iterable[str], empty: str = "none") -> str:
    """The items separated by commas."""
    return ", ".join(items) or empty
