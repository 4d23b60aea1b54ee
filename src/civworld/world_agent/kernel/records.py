# SPDX-License-Identifier: GPL-2.0-or-later
"""Execution records: one per operation and per rule firing, with what it read, wrote and was caused by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from civworld.world_agent.kernel.store import Write
from civworld.world_agent.kernel.values import plain, show

KINDS = (
    "capability",
    "done",
    "process",
    "then",
    "create",
    "alter",
    "retire",
    "define_type",
    "define_capability",
    "set_process",
    "schedule",
)
"""What a record is of; `done` and `then` are the delayed parts of a capability and of a process."""


class Record(NamedTuple):
    """One applied operation or rule firing, or one that came due and was refused.

    Attributes:
        index: place in the world's log, from 0.
        time: the unit in which it happened.
        actor: the entity that acted, '' when none did.
        rule: the capability, process, type or entity that it is about.
        kind: one of `KINDS`.
        params: arguments by name.
        reads: field paths read, each once, in order of first reading.
        writes: changed fields in order; equal values are not changes.
        cause: index of the record that triggered it, None when nothing did.
        reason: why it was refused; '' when it was applied.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which a log has no use for
    time: int
    actor: str
    rule: str
    kind: str
    params: Mapping[str, Any]
    reads: tuple[str, ...]
    writes: tuple[Write, ...]
    cause: int | None
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was applied."""
        return not self.reason

    def to_data(self) -> dict[str, Any]:
        """The record in JSON types."""
        return {
            "index": self.index,
            "time": self.time,
            "actor": self.actor,
            "rule": self.rule,
            "kind": self.kind,
            "params": {key: plain(value) for key, value in self.params.items()},
            "reads": list(self.reads),
            "writes": [[write.path, plain(write.old), plain(write.new)] for write in self.writes],
            "cause": self.cause,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        changes = ", ".join(f"{w.path} {show(w.old)} -> {show(w.new)}" for w in self.writes)
        who = f"{self.actor}: " if self.actor else ""
        why = f" (after {self.cause})" if self.cause is not None else ""
        tail = f" REFUSED {self.reason}" if self.reason else f" {changes}".rstrip()
        return f"#{self.index} t={self.time} {who}{self.kind} {self.rule}{why}{tail}"
