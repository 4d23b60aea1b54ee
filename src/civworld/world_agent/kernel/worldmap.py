# SPDX-License-Identifier: GPL-2.0-or-later
"""The map of a kernel world: named locations and undirected links with whole-number lengths."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.values import check_name


class WorldMap:
    """An immutable graph of locations; ``places`` maps each name to its one-line description.

    Raises:
        ArgumentError: places or links are malformed, or a link joins what is no place.
    """

    def __init__(self, places: Mapping[str, str] | None = None, links: Sequence[Sequence[Any]] = ()) -> None:
        if not isinstance(places or {}, Mapping) or not isinstance(links, (list, tuple)):
            raise ArgumentError("map: places must be a map from name to description, links a list")
        for link in links:
            if not isinstance(link, (list, tuple)) or len(link) != 3:
                raise ArgumentError(f"map: link {str(link)[:60]}: must be a list of place, place, length")
        self.places = {check_name("location", name): str(text) for name, text in (places or {}).items()}
        self.links = tuple((str(a), str(b), length) for a, b, length in links)
        self._near: dict[str, dict[str, int]] = {name: {} for name in self.places}
        for a, b, length in self.links:
            for end in (a, b):
                if end not in self.places:
                    raise UnknownNameError("location", end, self.places)
            if type(length) is not int or length < 1:
                raise ArgumentError(f"link {a}-{b}: length {length!r}, allowed are whole numbers from 1")
            self._near[a][b] = self._near[b][a] = length
        self._reach: dict[str, dict[str, tuple[int, str]]] = {}

    def linked(self, a: str, b: str) -> bool:
        """Whether a link joins the two locations directly."""
        self._known(a, b)
        return b in self._near[a]

    def distance(self, a: str, b: str) -> int:
        """The length of the shortest way; refused when there is none."""
        return self._way(a, b)[0]

    def next_hop(self, a: str, b: str) -> str:
        """The first location after ``a`` on the shortest way to ``b`` (``b`` itself when already there)."""
        return self._way(a, b)[1]

    def to_data(self) -> dict[str, Any]:
        """The map as JSON types, the form that the constructor and world specifications take."""
        return {"places": dict(self.places), "links": [list(link) for link in self.links]}

    def _known(self, *names: str) -> None:
        for name in names:
            if name not in self.places:
                raise RefusedError(str(UnknownNameError("location", name, self.places)))

    def _way(self, a: str, b: str) -> tuple[int, str]:
        self._known(a, b)
        if a not in self._reach:
            self._reach[a] = self._ways_from(a)
        if b not in self._reach[a]:
            raise RefusedError(f"no way from {a} to {b} on the map")
        return self._reach[a][b]

    def _ways_from(self, start: str) -> dict[str, tuple[int, str]]:
        """Dijkstra with ties broken by name, so that ways do not depend on the order of the links."""
        done: dict[str, tuple[int, str]] = {}
        heap = [(0, start, start)]
        while heap:
            length, place, first = heapq.heappop(heap)
            if place in done:
                continue
            done[place] = (length, first)
            for near, step in self._near[place].items():
                heapq.heappush(heap, (length + step, near, near if place == start else first))
        return done
