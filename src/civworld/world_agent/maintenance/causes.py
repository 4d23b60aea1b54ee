# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether one event caused another: the round is played again without what the first one brought about.

From the frozen boundary before the first event, the same requests are made again, and what the first event wrote on
the entity that carries the cause is taken back as soon as it is written. The second event depends on the first if it
is then refused, or brings about something else of what the contract asks of it, or takes another time. Reading a
field changes none of these, nor does writing it where the contract does not look.

A run whose events depend on everything would pass that, too. So an event that has nothing to do with the second is
taken back in the same way, and must make no difference (a placebo).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from civworld.errors import CivworldError
from civworld.world_agent.kernel import KernelWorld, Record, Write
from civworld.world_agent.maintenance.case import Event, ancestors
from civworld.world_agent.maintenance.patterns import step_of, write_meets
from civworld.world_agent.maintenance.session import LIMITS, Session
from civworld.world_agent.maintenance.tools import TOOLS
from civworld.world_agent.maintenance.trace import Trace

Key = tuple[int, str, str, str, str]


def _key(record: Record) -> Key:
    """What tells a record from others in two runs, whose indexes may differ."""
    return record.time, record.kind, record.rule, record.actor, str(record.params)


@dataclass(slots=True)
class Causes:
    """Answers about the causes of one finished session.

    Attributes:
        bound: event id -> indexes of the records that realize it.
        roles: entity of the case -> entity of the run.
    """

    session: Session
    trace: Trace
    bound: Mapping[str, Sequence[int]]
    roles: Mapping[str, str]

    def holds(self, first: Event, second: Event, carriers: Collection[str]) -> str:
        """Why the second event does not depend on the first, '' when it does.

        Args:
            first: the cause.
            second: the effect.
            carriers: entities of the case that carry the cause.
        """
        if not self._differs(first, second, carriers):
            return f"{second.id} is the same without what {first.id} brought about"
        placebo = self._placebo(second)
        if placebo is not None and self._differs(placebo, second, placebo.targets()):
            return f"{second.id} also depends on {placebo.id}, which has nothing to do with it"
        return ""

    def _placebo(self, second: Event) -> Event | None:
        """The last event before the second that neither leads to it nor shares an entity with it."""
        case, start = self.session.case, min(self.bound[second.id])
        near = {*ancestors(case, second.id), second.id}
        chosen = [
            event
            for event in case.events
            if event.id in self.bound
            and event.id not in near
            and max(self.bound[event.id]) < start
            and not event.circle() & second.circle()
        ]
        return max(chosen, key=lambda event: max(self.bound[event.id]), default=None)

    def _differs(self, first: Event, second: Event, carriers: Collection[str]) -> bool:
        entities = {self.roles.get(one, one) for one in carriers}
        undo = {_key(record) for record in self.trace.chains(self.bound[first.id])}

        def taken(record: Record) -> Sequence[Write]:
            return [w for w in record.writes if w.entity in entities] if _key(record) in undo else ()

        twin = Trace(self._again(first.round, second.round, taken))
        wanted = {_key(self.trace.records[index]) for index in self.bound[second.id]}
        again = [record.index for record in twin.records if record.ok and _key(record) in wanted]
        if len(again) != len(self.bound[second.id]):
            return True
        return self._signature(second, self.trace, self.bound[second.id]) != self._signature(second, twin, again)

    def _signature(self, event: Event, trace: Trace, indexes: Sequence[int]) -> list[Any]:
        """What an event did of what is asked: steps or values by field, and how long it took."""
        span = trace.interval(indexes)
        targets = {self.roles.get(one, one) for one in event.targets()}
        known = self._asked(event)
        steps = [
            (w.entity, w.field, w.key, step_of(w.old, w.new))
            for record in trace.chains(indexes)
            for w in record.writes
            if w.entity in targets and (w.entity, w.field) in known
        ]
        return [*steps, span.end - span.start]

    def _asked(self, event: Event) -> set[tuple[str, str]]:
        """The fields in which the event met its conditions."""
        loose = self.session.loose
        return {
            (write.entity, write.field)
            for record in self.trace.chains(self.bound[event.id])
            for write in record.writes
            if any(write_meets(pattern, write, self.roles, loose) for pattern in event.done)
        }

    def _again(self, first: int, last: int, undo: Any) -> Sequence[Record]:
        """The records of the session played again from the start of one round to the end of another."""
        session = self.session
        world = session.case.world(session.tier, LIMITS) if first == 1 else KernelWorld()
        if first > 1:
            world.restore(session.boundaries[first - 2].checkpoint)
        world.take_back(undo)
        for number in range(first, last + 1):
            end = session.boundaries[number - 1].end
            for request in session.requests:
                if request.round != number or not request.ok or TOOLS[request.tool].query:
                    continue
                if request.tool == "wait" and world.time + request.args["units"] > end:
                    continue
                try:
                    TOOLS[request.tool].run(world, dict(request.args))
                except CivworldError:
                    continue
            world.advance(end - world.time)
        return world.events()
