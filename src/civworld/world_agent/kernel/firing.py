# SPDX-License-Identifier: GPL-2.0-or-later
"""How rules run: conditions, effects, delays, and the cascade of triggered processes.

One firing together with everything it triggers is one atomic operation. A cascade longer than
`MAX_CASCADE` firings is taken for a cycle and undone whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from civworld.errors import ArgumentError, RefusedError, UnknownNameError
from civworld.world_agent.kernel.expr import FAULTS, Env, refusal
from civworld.world_agent.kernel.records import Record
from civworld.world_agent.kernel.rules import CompiledRule
from civworld.world_agent.kernel.store import TOO_MUCH, WORK, Store, Write
from civworld.world_agent.kernel.values import LIMIT

MAX_CASCADE = 1_000
MAX_DELAY = 1_000_000
FAILURES = (RefusedError, *FAULTS)
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a world may do and remember, so that no rule can make it slow or large.

    Attributes:
        work: steps of one operation or of one unit of time (`Store.spend`); an evaluation takes 20 and one for each
            node of its expressions, an aggregate as many again for each entity.
        log: size of the log, counted as 10 for each record and one for each field that it read or wrote.
    """

    work: int = WORK
    log: int = 50_000_000


RECORD = 10


class Delayed(NamedTuple):
    """The delayed effects of a rule that has fired."""

    rule: CompiledRule
    env: Env
    actor: str
    cause: int


class Planned(NamedTuple):
    """A capability to be triggered later; ``every`` above 0 repeats it, up to ``until`` (0: without end)."""

    capability: str
    actor: str
    args: Mapping[str, Any]
    cause: int | None
    every: int = 0
    until: int = 0


class RuleEngine:
    """Rules over a store, with the log of records and the calendar of what comes due."""

    def __init__(self, store: Store, limits: Limits | None = None) -> None:
        self.store = store
        self.limits = limits or Limits()
        self.logged = 0
        self.on_record: Callable[[Record], None] | None = None
        self.records: list[Record] = []
        self.capabilities: dict[str, CompiledRule] = {}
        self.processes: dict[str, CompiledRule] = {}
        self.stopped: set[str] = set()
        self.calendar: dict[int, list[Delayed | Planned]] = {}
        self._added: list[int] = []
        self._periodic: list[CompiledRule] = []
        self._on_field: dict[str, list[tuple[int, CompiledRule, str, str]]] = {}
        self._on_rule: dict[str, list[tuple[int, CompiledRule]]] = {}

    def index_processes(self) -> None:
        """Rebuilds the tables that find the processes to run; call after any change of the processes."""
        active = [rule for name, rule in self.processes.items() if name not in self.stopped]
        self._periodic = [rule for rule in active if rule.every]
        self._on_field, self._on_rule = {}, {}
        for place, rule in enumerate(active):
            for entity, kind, name in rule.on:
                if kind:
                    self._on_field.setdefault(name, []).append((place, rule, entity, kind))
                else:
                    self._on_rule.setdefault(name, []).append((place, rule))

    def tick(self) -> None:
        """One unit of time: what the calendar has due, then the periodic processes in order of definition.

        A rule that comes when the unit's work is used up is refused once; a full log lets nothing happen any more.
        """
        store = self.store
        store.time += 1
        now = store.time
        self.begin()
        if self.logged >= self.limits.log:
            self.calendar.pop(now, None)
            return
        for entry in self.calendar.pop(now, ()):
            if isinstance(entry, Delayed):
                self._run_delayed(entry)
            else:
                self._run_planned(entry)
        for rule in self._periodic:
            if now % rule.every == rule.offset % rule.every:
                for env in self._bindings(rule):
                    self._run_process(rule, env)
                    if store.work < 0:
                        break

    def begin(self) -> None:
        """A new operation or unit begins, with all the work it may do."""
        self.store.work = self.limits.work

    def require_room(self) -> None:
        """Refuses when the log is full."""
        if self.logged >= self.limits.log:
            raise RefusedError(f"the log is full: it takes {self.limits.log} entries")

    def log(self, record: Record) -> Record:
        """Adds a record."""
        self.logged += _weight(record)
        self.records.append(record)
        if self.on_record is not None:
            self.on_record(record)
        return record

    def trigger(self, name: object, actor: str, args: object, cause: int | None) -> Record:
        """Starts a capability and runs its cascade; raises and changes nothing when it is refused."""
        mark = self.mark()
        try:
            rule, env = self._called(name, actor, args)
            self._require(rule, env)
            record = self._fire(rule, env, actor, cause, "capability")
            self.cascade(record, rule, env)
        except FAILURES as error:
            self.roll_back(mark)
            raise error if isinstance(error, ArgumentError) else refusal(error) from None
        self.commit()
        return record

    def _called(self, name: object, actor: str, args: object) -> tuple[CompiledRule, Env]:
        if not isinstance(name, str) or name not in self.capabilities:
            raise UnknownNameError("capability", name, self.capabilities)
        rule = self.capabilities[name]
        if actor:
            kind = self.store.require(actor)
            if rule.actor and kind != rule.actor:
                raise RefusedError(f"capability {name!r}: {actor} is a {kind}, only a {rule.actor} may do it")
        elif rule.actor:
            raise RefusedError(f"capability {name!r}: needs an actor of type {rule.actor}")
        if not isinstance(args, Mapping) or set(args) != set(rule.params):
            wanted = ", ".join(f"{key}: {ftype}" for key, ftype in rule.params.items()) or "none"
            raise RefusedError(f"capability {name!r}: arguments asked for are {wanted}")
        env: Env = {key: check(self.store, args[key]) for key, check in rule.checks.items()}
        env["actor"] = actor or None
        return rule, env

    def _require(self, rule: CompiledRule, env: Env) -> None:
        """Binds the rule's own variables and refuses when a condition does not hold."""
        self.store.spend(rule.steps)
        for name, code in rule.lets:
            env[name] = _bounded(rule, name, code(self.store, env))
        for text, code in rule.when:
            if not code(self.store, env):
                raise RefusedError(f"{rule.kind} {rule.name!r}: condition '{text}' does not hold")

    def _bindings(self, rule: CompiledRule) -> Iterator[Env]:
        if rule.each is None:
            yield {}
            return
        var, kind = rule.each
        for one in self.store.members[kind]:
            yield {var: one}

    def _run_process(self, rule: CompiledRule, env: Env) -> None:
        store = self.store
        mark = (len(self.records), len(store.undo), len(self._added))
        try:
            if self._holds(rule, env):
                record = self._fire(rule, env, rule.actor, None, "process")
                if self._on_field or self._on_rule or rule.after is not None:
                    self.cascade(record, rule, env)
        except FAILURES as error:
            self.roll_back(mark)
            self._refused(rule.name, "process", rule.actor, _shown(rule, env), None, error)
        store.undo.clear()
        store.reads.clear()
        self._added.clear()

    def _holds(self, rule: CompiledRule, env: Env) -> bool:
        store = self.store
        store.work -= rule.steps
        if store.work < 0:
            raise RefusedError(TOO_MUCH)
        for name, code in rule.lets:
            env[name] = _bounded(rule, name, code(store, env))
        for _, code in rule.when:
            if not code(store, env):
                store.reads.clear()
                return False
        return True

    def _fire(self, rule: CompiledRule, env: Env, actor: str, cause: int | None, kind: str) -> Record:
        """Runs the effects of a rule whose conditions hold and logs the record.

        The delay, if the rule has one, is computed before the effects and kept under the empty name.
        """
        store, writes, late = self.store, list[Write](), kind in ("done", "then")
        if rule.after is not None and not late:
            env[""] = rule.after(store, env)
        for effect in rule.then if late else rule.do:
            effect(store, env, writes)
        record = Record(
            len(self.records), store.time, actor, rule.name, kind, _shown(rule, env) if env else _NOTHING,
            tuple(dict.fromkeys(store.reads)), tuple(writes), cause,
        )  # fmt: skip
        store.reads.clear()
        self.require_room()
        return self.log(record)

    def cascade(self, first: Record, rule: CompiledRule | None = None, env: Env | None = None) -> None:
        """Runs every process that the record triggers, and those that they trigger, in order."""
        queue, fired = deque([(first, rule, env or {})]), 0
        while queue:
            record, source, bound = queue.popleft()
            if source is not None and source.after is not None and record.kind in ("capability", "process"):
                late = self._delay(record, source, bound)
                if late is not None:
                    queue.append((late, source, bound))
            for hit, local in self._triggered(record):
                if not self._holds(hit, local):
                    continue
                fired += 1
                if fired > MAX_CASCADE:
                    raise RefusedError(f"cyclic triggers: more than {MAX_CASCADE} firings from one operation")
                queue.append((self._fire(hit, local, hit.actor, record.index, "process"), hit, local))

    def _triggered(self, record: Record) -> list[tuple[CompiledRule, Env]]:
        """The triggered processes in order of definition, each binding once."""
        hits: dict[tuple[int, str], tuple[CompiledRule, Env]] = {}
        for write in record.writes:
            for place, rule, entity, kind in self._on_field.get(write.field, ()):
                if (entity and entity != write.entity) or kind != self.store.type_of.get(write.entity):
                    continue
                own = rule.each is not None and not entity
                envs = [{rule.each[0]: write.entity}] if own and rule.each else self._bindings(rule)
                for env in envs:
                    self.store.spend(1)
                    hits.setdefault((place, str(env)), (rule, env))
        label = record.rule + (":done" if record.kind in ("done", "then") else "")
        for place, rule in self._on_rule.get(label, ()):
            for env in self._bindings(rule):
                self.store.spend(1)
                hits.setdefault((place, str(env)), (rule, env))
        return [hits[key] for key in sorted(hits, key=lambda key: key[0])]

    def _delay(self, record: Record, rule: CompiledRule, env: Env) -> Record | None:
        """Puts the delayed effects of a firing into the calendar; runs them at once when the delay is 0."""
        delay = env.pop("")
        if type(delay) is not int or not 0 <= delay <= MAX_DELAY:
            raise RefusedError(f"{rule.kind} {rule.name!r}: delay {delay!r}, allowed are 0 to {MAX_DELAY}")
        if delay == 0:
            return self._fire(rule, env, record.actor, record.index, _late(rule))
        self.put(self.store.time + delay, Delayed(rule, env, record.actor, record.index))
        return None

    def put(self, time: int, entry: Delayed | Planned) -> None:
        """Adds an entry to the calendar, undone with the operation that added it."""
        self.calendar.setdefault(time, []).append(entry)
        self._added.append(time)

    def _run_delayed(self, entry: Delayed) -> None:
        mark, rule = self.mark(), entry.rule
        try:
            record = self._fire(rule, dict(entry.env), entry.actor, entry.cause, _late(rule))
            self.cascade(record)
        except FAILURES as error:
            self.roll_back(mark)
            self._refused(rule.name, _late(rule), entry.actor, _shown(rule, entry.env), entry.cause, error)
        self.commit()

    def _run_planned(self, entry: Planned) -> None:
        try:
            self.trigger(entry.capability, entry.actor, entry.args, entry.cause)
        except (RefusedError, UnknownNameError, ArgumentError) as error:
            self._refused(entry.capability, "capability", entry.actor, entry.args, entry.cause, error)
        due = self.store.time + entry.every
        if entry.every and (not entry.until or due <= entry.until):
            self.calendar.setdefault(due, []).append(entry)

    def _refused(
        self,
        rule: str,
        kind: str,
        actor: str,
        params: Mapping[str, Any],
        cause: int | None,
        why: BaseException,
    ) -> None:
        index, reason = len(self.records), str(refusal(why))
        if self.logged < self.limits.log:
            self.log(Record(index, self.store.time, actor, rule, kind, params, (), (), cause, reason))

    def mark(self) -> tuple[int, int, int]:
        """The point to which `roll_back` returns."""
        return len(self.records), len(self.store.undo), len(self._added)

    def roll_back(self, mark: tuple[int, int, int]) -> None:
        """Undoes records, field writes and calendar entries after the mark."""
        self.logged -= sum(map(_weight, self.records[mark[0] :]))
        del self.records[mark[0] :]
        self.store.roll_back(mark[1])
        self.store.reads.clear()
        while len(self._added) > mark[2]:
            time = self._added.pop()
            self.calendar[time].pop()
            if not self.calendar[time]:
                del self.calendar[time]

    def commit(self) -> None:
        """Forgets how to undo; what was done stays."""
        self.store.undo.clear()
        self.store.reads.clear()
        self._added.clear()


def _bounded(rule: CompiledRule, name: str, value: Any) -> Any:
    """A local value; integers stay within 63 bits, so that chains of products cannot explode."""
    if type(value) is int and not -LIMIT <= value <= LIMIT:
        raise RefusedError(f"{rule.kind} {rule.name!r}: {name} is out of range, integers lie within 63 bits")
    return value


def _weight(record: Record) -> int:
    return RECORD + len(record.reads) + len(record.writes)


def _late(rule: CompiledRule) -> str:
    return "done" if rule.kind == "capability" else "then"


def _shown(rule: CompiledRule, env: Env) -> Mapping[str, Any]:
    """The arguments and the bound entity of a firing, without the rule's own variables."""
    if rule.each is not None:
        return {rule.each[0]: env[rule.each[0]]}
    return {key: env[key] for key in rule.params}
