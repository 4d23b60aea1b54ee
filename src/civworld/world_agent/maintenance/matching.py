# SPDX-License-Identifier: GPL-2.0-or-later
"""Which records can stand for which events, and the largest one-to-one assignment of both.

A record realizes an event when it is a successful trigger, by the actor whom the story names (if it names one), whose
effects meet the event's conditions and are about that event: at most `STRAY` other entities of the story are
touched, and at most `SPARE` more fields of its targets than the conditions name. Else one trigger that does a bit of
everything would stand for anything.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from civworld.world_agent.kernel import Record, Write
from civworld.world_agent.maintenance.case import Event
from civworld.world_agent.maintenance.patterns import UNKNOWN, met, writes_meet
from civworld.world_agent.maintenance.trace import Trace

STRAY = 2
SPARE = 4


def fault(
    event: Event,
    triggers: Sequence[Record],
    trace: Trace,
    roles: Mapping[str, str],
    loose: bool,
    story: Collection[str],
) -> str:
    """Why triggers, by the effects of their chains together, do not realize an event; '' when they do.

    Args:
        event: the event.
        triggers: records of triggers.
        trace: the trace that they are part of.
        roles: entity of the case -> entity of the run, for those that have other names.
        loose: whether the model built the types itself.
        story: the case's entities.
    """
    for record in triggers:
        if record.kind != "capability":
            return f"record {record.index} is a {record.kind}, not a trigger"
        if not record.ok:
            return f"record {record.index} was refused"
        if not event.open and event.by and record.actor != roles.get(event.by, event.by):
            return f"record {record.index} is by {record.actor or 'nobody'}, the story says {event.by}"
    writes = [write for one in trace.chains(record.index for record in triggers) for write in one.writes]
    missing = writes_meet(event.done, writes, roles, loose)
    if missing:
        return f"effects do not include {', '.join(map(str, missing))}"
    return _excess(event, triggers, writes, roles, story)


def _excess(
    event: Event, triggers: Sequence[Record], writes: Sequence[Write], roles: Mapping[str, str], story: Collection[str]
) -> str:
    near = {roles.get(one, one) for one in event.circle()} | {record.actor for record in triggers}
    others = {write.entity for write in writes} & ({roles.get(one, one) for one in story} - near)
    if len(others) > STRAY:
        return f"effects also change {', '.join(sorted(others))}, which have no part in it"
    targets = {roles.get(one, one) for one in event.targets()}
    fields = {(write.entity, write.field) for write in writes if write.entity in targets}
    if len(fields) > len(event.done) + SPARE:
        return f"effects change {len(fields)} fields of {', '.join(sorted(targets))}"
    return ""


def fields_of(
    event: Event, writes: Sequence[Write], roles: Mapping[str, str], loose: bool
) -> dict[tuple[str, str], set[tuple[str, str, Any]]]:
    """The run's fields in which an event's conditions were met, with the value that says true, by the case's."""
    found: dict[tuple[str, str], set[tuple[str, str, Any]]] = {}
    for pattern, write in met(event.done, writes, roles, loose):
        on: dict[Any, Any] = {True: write.new, False: write.old}
        value = on[pattern.value] if isinstance(pattern.value, bool) else UNKNOWN
        found.setdefault(pattern.name, set()).add((write.entity, write.field, _hashable(value)))
    return found


def _hashable(value: Any) -> Any:
    return value if isinstance(value, Hashable) else UNKNOWN
