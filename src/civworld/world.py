# SPDX-License-Identifier: GPL-2.0-or-later
"""A live world: create, advance, look at, edit, checkpoint, restore, fork."""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Protocol, Self

from civworld import events
from civworld._engine import Engine, Image, Space, build_info, engine
from civworld.checkpoint import Checkpoint
from civworld.commands import RESULTS, Command, Legal, Outcome
from civworld.commands.legal import NAMES, Lore
from civworld.config import WorldConfig
from civworld.errors import (
    ArgumentError,
    CheckpointMismatch,
    CommandRefused,
    EditRefused,
    EngineError,
    LifecycleError,
    RefusedError,
    UnknownNameError,
)
from civworld.events import Event
from civworld.plan import Plan, Violation, violations
from civworld.state import StateView, Table
from civworld.timeline import Timeline
from civworld.view import PlayerView

# table, record id (a pair of ids in tables of pairs, 0 in tables of one), field
Place = tuple[str, int | tuple[int, int], str]


class Consequence(Protocol):
    """Places that may change as a consequence of an edit."""

    def covers(self, place: Place) -> bool:
        """Whether the place is one of those meant here."""


class Edit(Protocol):
    """What `World.apply` needs of an edit; `civworld.edits` holds them."""

    @property
    def name(self) -> str:
        """Name of the edit in its registry."""

    def call(self, before: StateView) -> tuple[Any, ...]:
        """Name of the engine function and its arguments, from the state before."""

    def expects(self, before: StateView) -> Mapping[Place, Any]:
        """(table, id, field) -> value after the edit."""

    def may_change(self, before: StateView) -> tuple[Consequence, ...]:
        """Places that may change as a consequence."""


class World:
    """One Freeciv world, resting in the command window of a turn whenever no call is running.

    A new world rests at turn 1. Worlds of one process share memory where they are equal; each call works on
    this world alone. Use as a context manager, or `close()` it, to give memory back early.

    Args:
        config: what to make the world from.
        history: keep every turn, see `timeline`.

    Raises:
        EngineFatal: the engine cannot make such a world (for example a map that has no room).
    """

    def __init__(self, config: WorldConfig, *, history: bool = False) -> None:
        if not isinstance(config, WorldConfig):
            raise ArgumentError(f"World({config!r}): a WorldConfig is needed")
        self._setup(config, Space(_booted(config.ruleset, config.fatal_assertions)))
        with self._engine_call() as running:
            for line in config.console_lines():
                running.call("cw_world_command", line.encode())
            _behave(running, config)
            running.call("cw_world_humans", sum(1 << player for player in config.humans))
            running.call("cw_world_start", int(config.rng == "keyed"))
        if history:
            self.timeline()

    def _setup(self, config: WorldConfig, space: Space) -> None:
        self._config = config
        self._space = space
        self._pid = os.getpid()
        self._poisoned: str | None = None
        self._cache: dict[str, Any] = {}
        self._past: tuple[Any, ...] = ()
        self._recent: list[Any] = []
        self._timeline: Timeline | None = None
        self._events: tuple[Event, ...] = ()  # as far as read on the present course

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> Self:
        """A new world that goes on from a checkpoint, independent of the one it was taken from."""
        world = cls.__new__(cls)
        world._setup(checkpoint.config, Space(checkpoint.image))
        world._stand_at(checkpoint)
        return world

    def _stand_at(self, checkpoint: Checkpoint) -> None:
        self._cache = {"turn": checkpoint.turn, "digest": checkpoint.digest, "checkpoint": checkpoint}
        self._events = ()
        self._past = checkpoint.steps
        self._recent = []

    # ---- life ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Give the world's memory back; harmless when done before."""
        if os.getpid() == self._pid:
            self._space.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._space.closed:
            return "<World closed>"
        c = self._config
        return f"<World {c.ruleset} seed={c.seed} players={c.players} turn={self.turn}>"

    @contextmanager
    def _engine_call(self, *, poisoned_ok: bool = False) -> Iterator[Engine]:
        """Mount this world for a block of engine calls; a fatal failure poisons it until it is restored."""
        if os.getpid() != self._pid:
            raise LifecycleError(
                f"this world belongs to process {self._pid}, not {os.getpid()}: pass a checkpoint or use civworld.pool"
            )
        if self._space.closed:
            raise LifecycleError("this world is closed")
        if self._poisoned and not poisoned_ok:
            raise LifecycleError(f"the engine failed in this world ({self._poisoned}); restore a checkpoint first")
        running = self._space.engine
        with running._lock:
            try:
                yield self._space.mount()
            except EngineError as error:
                self._cache.clear()
                self._poisoned = str(error)
                error.seed = self._config.seed
                error.turn = running.info()["turn"]
                raise

    def _get(self, key: str, compute: Any) -> Any:
        """A value of the current moment, computed once."""
        if key not in self._cache:
            with self._engine_call() as running:
                self._cache[key] = compute(running)
        elif self._space.closed or self._poisoned or os.getpid() != self._pid:
            with self._engine_call():
                pass
        return self._cache[key]

    # ---- looking -----------------------------------------------------------------------------------------

    @property
    def config(self) -> WorldConfig:
        """What the world was made from."""
        return self._config

    @property
    def turn(self) -> int:
        """The turn whose command window the world rests in."""
        return int(self._get("turn", lambda running: running.info()["turn"]))

    @property
    def over(self) -> bool:
        """Whether the engine's own end of the game was reached at some turn change; the world goes on anyway."""
        return bool(self._get("over", lambda running: running.info()["over"]))

    def state(self) -> StateView:
        """Everything about this moment, as read-only numpy tables; it stays as it is when the world moves on."""
        view: StateView = self._get("state", StateView.read)
        return view

    def view(self, player: int) -> PlayerView:
        """What one player knows of this moment under fog of war, as read-only numpy tables.

        Raises:
            ArgumentError: there is no such player.
        """
        if isinstance(player, bool) or not isinstance(player, int):
            raise ArgumentError(f"view({player!r}): the number of a player is needed")
        rules = self._get("rules", _rules)
        seen: PlayerView = self._get(f"view {player}", lambda running: PlayerView.read(running, player, rules))
        return seen

    def table(self, name: str) -> Table:
        """One table of `state()`, for those who need no more; a name as in `StateView.tables`.

        Raises:
            UnknownNameError: there is no such table.
        """
        if "state" in self._cache:
            return self.state().table(name)
        known = self._space.engine.tables
        if name not in known:
            raise UnknownNameError("table", name, known)
        rows: Table = self._get(f"table {name}", lambda running: running.records([name])[name])
        return rows

    def digest(self) -> str:
        """Hash of the canonical game state, 32 hex digits: equal digests, equal worlds.

        It covers all game and AI state and the random generator, and leaves out addresses, clocks and caches.
        """
        return str(self._get("digest", _digest))

    def events(self, since: int = 0) -> tuple[Event, ...]:
        """What happened after the command window of a turn opened, oldest first; by default everything.

        `events(since=t)` is what lies between the state views of turn `t` and of now. `civworld.events.kinds()`
        explains the kinds.
        """
        log: tuple[Event, ...] = self._get("events", self._read_events)
        return log if since <= 0 else events.since(log, since)

    def report(self, view: str | int = "omni", **options: Any) -> str:
        """This moment and how it came about, as text: frames, narrative of events, policies.

        The frames of earlier turns are there when the world keeps its history (see `timeline`).

        Args:
            view: "omni" for everything about everyone, or the number of a player for what that player knows.
            **options: of `civworld.report.briefing`, such as `shown`.
        """
        # a method for the user's convenience; the room of reports builds on this one, so it is found when needed
        report: str = importlib.import_module("civworld.report").world_report(self, self._timeline, view, **options)
        return report

    def _read_events(self, running: Engine) -> tuple[Event, ...]:
        self._events += events.read(running, len(self._events))
        return self._events

    # ---- time --------------------------------------------------------------------------------------------

    def advance(self, turns: int = 1) -> Self:
        """Play turns; the world then rests in the command window of the turn reached.

        Args:
            turns: how many, 0 or more.

        Raises:
            EngineFatal: the engine failed; restore a checkpoint to go on.
        EngineHang: a turn ran past its budget (`WorldConfig.turn_work`, `turn_seconds`).
        """
        if isinstance(turns, bool) or not isinstance(turns, int) or turns < 0:
            raise ArgumentError(f"advance({turns!r}): a whole number of turns, 0 or more, is needed")
        if self._timeline is None:
            return self._play(turns)
        for _ in range(turns):
            self._play(1)
            self._timeline.record(self.checkpoint())
        return self

    def _play(self, turns: int) -> Self:
        with self._engine_call() as running:
            if turns:
                self._cache.clear()
                running.advance(turns, self._config.turn_work, self._config.turn_seconds)
                self._log("advance", turns)
        return self

    def _log(self, *step: Any) -> None:
        """Remember what was done; neighbouring advances become one."""
        if step[0] == "advance":
            steps = self._steps
            if steps and steps[-1][0] == "advance":
                self._past = (*steps[:-1], ("advance", steps[-1][1] + step[1]))
                return
        self._recent.append(step)

    @property
    def _steps(self) -> tuple[Any, ...]:
        """Everything that was done to the world since it was made."""
        if self._recent:
            self._past = (*self._past, *self._recent)
            self._recent = []
        return self._past

    def reseed(self, seed: int) -> None:
        """Give the world another future: re-seed its random generator.

        Args:
            seed: 0..4294967295.
        """
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
            raise ArgumentError(f"reseed({seed!r}): a whole number from 0 to {2**32 - 1} is needed")
        with self._engine_call() as running:
            self._cache.clear()
            running.call("cw_world_reseed", seed)
            self._log("reseed", seed)

    # ---- checkpoints ---------------------------------------------------------------------------------------

    def checkpoint(self) -> Checkpoint:
        """The world at this moment as an immutable value."""
        held: Checkpoint = self._get("checkpoint", self._capture)
        return held

    def _capture(self, _: Engine) -> Checkpoint:
        image = self._space.capture()
        return Checkpoint(self._config, self.turn, self.digest(), build_info().build_id, image, self._steps)

    def restore(self, checkpoint: Checkpoint) -> Self:
        """Go back (or over) to a checkpoint, exactly; also cures a world whose engine failed.

        Raises:
            CheckpointMismatch: the checkpoint is of another engine build.
        """
        if checkpoint.build_id != build_info().build_id:
            raise CheckpointMismatch(
                f"checkpoint of build {checkpoint.build_id}, this engine is {build_info().build_id}",
                field="build_id",
            )
        with self._engine_call(poisoned_ok=True):
            self._space.restore(checkpoint.image)
        self._config = checkpoint.config
        self._poisoned = None
        self._stand_at(checkpoint)
        return self

    def timeline(self, path: str | os.PathLike[str] | None = None) -> Timeline:
        """Keep every turn from now on; the same timeline is returned until the world is closed.

        Args:
            path: file to write the turns to, so that memory stays bounded; None keeps them in memory.
        """
        if self._timeline is None:
            self._timeline = Timeline(path)
            self._timeline.record(self.checkpoint())
        return self._timeline

    def fork(self) -> Self:
        """An exact, independent copy of this world; it shares memory until either of the two moves on."""
        child = self.from_checkpoint(self.checkpoint())
        child._events = self._events  # read once for the past that they share
        return child

    # ---- orders --------------------------------------------------------------------------------------------

    def take_over(self, player: int) -> Self:
        """Let a player wait for orders instead of being run by the built-in AI; its turns end without waiting.

        Raises:
            CommandRefused: it is dead, no civilization, or taken over already; the world is unchanged.
            ArgumentError: there is no such player.
        """
        return self._control("take_over", player)

    def release(self, player: int) -> Self:
        """Give a player back to the built-in AI, which moves at once, as it does when a turn begins.

        Raises:
            CommandRefused: it is dead or run by the AI already; the world is unchanged.
            ArgumentError: there is no such player.
        """
        return self._control("release", player)

    def _control(self, step: str, player: int) -> Self:
        _player_number(step, player)
        with self._engine_call() as running:
            try:
                running.call("cw_control", player, int(step == "take_over"))
            except RefusedError as error:
                raise CommandRefused(f"{step}({player}): {error}", reason=error.reason) from None
            self._cache.clear()
            self._log(step, player)
        return self

    def taken_over(self, player: int) -> bool:
        """Whether a player waits for orders."""
        _player_number("taken_over", player)
        with self._engine_call() as running:
            return running.is_human(player)

    def order(self, player: int, command: Command) -> Outcome:
        """Carry out a lawful order of a player, through the server's own handler, as a human's would be.

        Args:
            player: number of a living player that was taken over.
            command: a value of `civworld.commands`.

        Raises:
            CommandRefused: the rules or the state do not allow it; `.reason` is the engine's, the world is unchanged.
            ArgumentError: a field is malformed, or a name or the player does not exist; the world is unchanged.
        """
        _player_number("order", player)
        if not isinstance(command, Command):
            raise ArgumentError(f"order({player}, {command!r}): a value of civworld.commands is needed")
        call = command.call()
        with self._engine_call() as running:
            try:
                result, unit, city, tile, target, value, text = running.order(player, *call)
            except RefusedError as error:
                raise CommandRefused(f"order {command!r} of player {player}: {error}", reason=error.reason) from None
            self._cache.clear()
            self._recent.append(("order", player, command.to_dict()))
        return Outcome(RESULTS[result], text, unit, city, tile, target, value)

    def legal(self, player: int) -> tuple[Legal, ...]:
        """What a player that was taken over may order now, by what that player knows; empty when dead or AI-run.

        Orders with free parameters are listed by their simplest members: treaties of one clause; not at all
        `Goto`, `Rally`, `Worklist`, names and options.

        Raises:
            ArgumentError: there is no such player.
        """
        rows = self._legal_rows(player)
        cities = self._get(f"known cities {player}", lambda running: running.known_cities(player))
        lore = Lore(self._get("rule names", lambda running: _rule_names(self._config.ruleset, running)), cities)
        return tuple(Legal(row, lore) for row in map(tuple, rows.tolist()))

    def count_legal(self, player: int) -> int:
        """How many orders `legal` lists, for those who need not see them."""
        return len(self._legal_rows(player))

    def _legal_rows(self, player: int) -> Any:
        _player_number("legal", player)
        return self._get(f"legal {player}", lambda running: running.legal(player))

    # ---- plans ---------------------------------------------------------------------------------------------

    def set_plan(self, player: int, plan: Plan | None) -> Self:
        """Have the built-in AI of a player carry out a plan from the next turn on, in place of the plan it has.

        Args:
            player: number of a living player that the built-in AI runs.
            plan: what to do; None takes the plan away, and the record of its violations with it.

        Raises:
            CommandRefused: the player is dead, no civilization or taken over, or there is no plan to take away.
            ArgumentError: there is no such player, or a name in the plan does not exist.
        """
        _player_number("set_plan", player)
        if not (plan is None or isinstance(plan, Plan)):
            raise ArgumentError(f"set_plan({player}, {plan!r}): a Plan or None is needed")
        numbers = None if plan is None else plan.numbers(self.state())
        with self._engine_call() as running:
            try:
                running.set_plan(player, numbers)
            except RefusedError as error:
                raise CommandRefused(f"set_plan({player}): {error}", reason=error.reason) from None
            self._cache.clear()
            self._log("plan", player, None if plan is None else plan.to_dict())
        return self

    def plan(self, player: int) -> Plan | None:
        """The plan that a player's AI carries out, with the turns left; None without one.

        Raises:
            ArgumentError: there is no such player.
        """
        _player_number("plan", player)
        with self._engine_call() as running:
            found = running.plan(player)
        return Plan.from_numbers(found, self.state())

    def violations(self, player: int) -> tuple[Violation, ...]:
        """Where the world differed from a player's plans when a command window opened: the last 512, oldest first.

        Raises:
            ArgumentError: there is no such player.
        """
        _player_number("violations", player)
        with self._engine_call() as running:
            notes = running.plan_notes(player)
        return violations(notes, self.state())

    # ---- edits ---------------------------------------------------------------------------------------------

    def apply(self, edit: Edit) -> Self:
        """Change the world from outside its rules, and verify that exactly what was declared has changed.

        Raises:
            EditRefused: the edit would do nothing or is not possible here; the world is unchanged.
            ArgumentError: the edit names something that does not exist; the world is unchanged.
        """
        before = self.state()
        try:
            expected, allowed = edit.expects(before), edit.may_change(before)
            function, *args = edit.call(before)
        except ArgumentError as error:
            raise ArgumentError(f"edit '{edit.name}': {error}") from None
        start = self.checkpoint()
        try:
            with self._engine_call() as running:
                self._cache.clear()
                running.call(function, *args)
            self._verify(edit, before, expected, allowed)
        except RefusedError as error:
            self.restore(start)
            raise EditRefused(str(error), reason=error.reason) from None
        except ArgumentError:
            self.restore(start)
            raise
        self._log("edit", edit.name, asdict(edit))  # type: ignore[call-overload]
        return self

    def _verify(
        self, edit: Edit, before: StateView, expected: Mapping[Place, Any], allowed: tuple[Consequence, ...]
    ) -> None:
        """Raise EditRefused unless all that was declared holds now, something changed, and nothing else did."""
        after = self.state()
        changes = {(table, row, field): new for table, row, field, _, new in before.changes(after)}
        if not changes:
            raise EditRefused(f"edit '{edit.name}' changes nothing here")
        for place, value in expected.items():
            found = changes[place] if place in changes else after.value(*place)
            if found != value:
                table, row, field = place
                raise EditRefused(
                    f"edit '{edit.name}': {table}[{row}].{field} should be {value!r} afterwards, found {found!r}"
                )
        stray = [p for p in changes if p not in expected and not any(c.covers(p) for c in allowed)]
        if stray:
            raise EditRefused(f"edit '{edit.name}' also changed {stray[:5]}, which it does not declare")

    # ---- other formats -----------------------------------------------------------------------------------------

    def export_savegame(self, path: str | os.PathLike[str]) -> None:
        """Write the engine's own text savegame: data only, safe to share, but reloading it is not exact.

        Args:
            path: file to write, uncompressed text in the engine's format.

        Raises:
            ArgumentError: the file cannot be written.
        """
        with self._engine_call() as running:
            running.call("cw_world_savegame", os.fspath(path).encode())

    @classmethod
    def from_savegame(cls, path: str | os.PathLike[str], config: WorldConfig) -> Self:
        """A new world from the engine's text savegame.

        The engine does not save everything it knows, so the world goes on from the same position but not
        along the same path; use checkpoints or recipes where it must.

        Args:
            path: a savegame file; only the engine's own format is read, nothing in it can run.
            config: supplies the ruleset and the budgets; the rest comes from the savegame.

        Raises:
            FileNotFoundError: there is no such file.
            CheckpointCorrupt: the engine cannot load it.
        """
        if not os.path.isfile(path):
            raise FileNotFoundError(f"{os.fspath(path)}: there is no such savegame")
        world = cls.__new__(cls)
        world._setup(config, Space(_booted(config.ruleset, config.fatal_assertions)))
        with world._engine_call() as running:
            _behave(running, config, traits=False)
            running.call("cw_world_load_savegame", os.path.abspath(path).encode(), int(config.rng == "keyed"))
            world._log("savegame", os.path.basename(path))
        return world


@functools.cache
def _rule_names(ruleset: str, running: Engine) -> dict[str, tuple[str, ...]]:
    """All names of a ruleset; the mounted world must be one of it."""
    return {name: running.rule_names(kind) for kind, name in enumerate(NAMES)}


def _player_number(what: str, player: object) -> None:
    if type(player) is not int or not 0 <= player < 2**31:
        raise ArgumentError(f"{what}: player {player!r}: a player number is needed")


@functools.cache
def _booted(ruleset: str, fatal_assertions: bool) -> Image:
    """The engine with a ruleset loaded and no game yet; every new world starts from this image."""
    space = Space(engine().pristine)
    with engine()._lock:
        space.mount().call("cw_world_boot", ruleset.encode(), int(fatal_assertions))
        image = space.capture()
    space.close()
    return image


def _behave(running: Engine, config: WorldConfig, *, traits: bool = True) -> None:
    """Tell a booted engine what differs from stock; a savegame has its own traits."""
    for name in config.patches:
        running.call("cw_world_behaviour", name.encode())
    for player, values in enumerate((traits and config.starting_traits()) or ()):
        for trait, value in enumerate(values):
            running.call("cw_world_trait", player, trait, value)


def _rules(running: Engine) -> dict[str, Table]:
    return running.records([name for name in running.tables if name.startswith("rules_")])


def _digest(running: Engine) -> str:
    return hashlib.blake2b(running.canonical(), digest_size=16).hexdigest()
