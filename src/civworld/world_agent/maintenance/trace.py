# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs derive from a frozen trace: chains of effects, intervals, states in between."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from civworld.world_agent.kernel import Record, Write


class Interval(NamedTuple):
    """When an event happened: its first unit, its last unit, the index of its first record."""

    start: int
    end: int
    index: int  # type: ignore[assignment]  # hides tuple.index


class Trace:
    """A trace prefix up to a frozen boundary; memory grows with the number of records alone."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self._effects: dict[int, list[int]] = {}
        for record in records:
            if record.cause is not None and record.kind not in ("capability",):
                self._effects.setdefault(record.cause, []).append(record.index)

    def chain(self, index: int) -> list[Record]:
        """A record and everything it brought about by itself, capabilities triggered by others excluded."""
        found, queue = [], [index]
        while queue:
            one = queue.pop()
            found.append(self.records[one])
            queue += self._effects.get(one, ())
        return sorted((record for record in found if record.ok), key=lambda record: record.index)

    def chains(self, indexes: Iterable[int]) -> list[Record]:
        """The chains of several records together."""
        together = {record.index: record for index in indexes for record in self.chain(index)}
        return [together[index] for index in sorted(together)]

    def interval(self, indexes: Collection[int]) -> Interval:
        """From the first bound record to the last completion of any of them."""
        first = min(indexes)
        ends = [r.time for r in self.chains(indexes) if r.index in indexes or r.kind in ("done", "then")]
        return Interval(self.records[first].time, max(ends), first)


def states(
    before: Mapping[str, Mapping[str, Any]], records: Sequence[Record]
) -> Iterator[tuple[Record, Mapping[str, Mapping[str, Any]]]]:
    """Each record with the entities' fields as they were just before it."""
    now = {name: dict(row) for name, row in before.items()}
    for record in records:
        yield record, now
        for write in record.writes:
            _replay(now, write)


def _replay(now: dict[str, dict[str, Any]], write: Write) -> None:
    if not write.field:
        if write.new is None:
            now.pop(write.entity, None)
        else:
            now.setdefault(write.entity, {})
    elif write.entity in now:
        row = now[write.entity]
        row[write.field] = {**row.get(write.field, {}), write.key: write.new} if write.key else write.new
