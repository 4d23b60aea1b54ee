# SPDX-License-Identifier: GPL-2.0-or-later
"""A live world: create, advance, look at, edit, checkpoint, restore, fork."""

from __future__ import annotations

import functools
import hashlib
import os
from typing import Any, Self

from civworld import boot, checkpoint, events, report
from civworld._engine import Engine, Space, build_info, words
from civworld.checkpoint import Checkpoint
from civworld.checks import named, player_number, seed_within, whole
from civworld.commands import Command, Legal, Outcome, results
from civworld.commands.legal import Lore, Row
from civworld.config import RNGS, WorldConfig
from civworld.course import Change, Course
from civworld.display import html_image, html_page, html_text
from civworld.edits.base import Edit
from civworld.edits.verify import verify
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
from civworld.held import HeldWorld, caller_of, whole_call
from civworld.plan import Plan, Violation, violations
from civworld.state import StateView, Table, civilizations_html
from civworld.timeline import Timeline
from civworld.view import PlayerView

MAX_RESEED = 2**32 - 1
"""The largest seed of the engine's generator."""


class World(HeldWorld):
    """One Freeciv world, resting in the command window of a turn whenever no call is running.

    A new world rests at turn 1. Worlds of one process share memory where they are equal; each call works on
    this world alone. Use as a context manager, or `close()` it, to give memory back early.

    Threads may share a world: calls wait for one another. An exception of a signal handler, Ctrl-C's too, leaves a
    world and its recipe that agree: `advance` stops at the end of a turn, any other change is done or is not.
    `copy.copy`, `copy.deepcopy` and pickle give an exact, independent world as `fork` does, without a timeline.

    Args:
        config: what to make the world from.
        history: keep every turn, see `timeline`.

    Raises:
        ArgumentError: `config` is no WorldConfig.
        EngineFatal: the engine cannot make such a world (for example a map that has no room).
    """

    def __init__(self, config: WorldConfig, *, history: bool = False) -> None:
        if not isinstance(config, WorldConfig):
            raise ArgumentError(f"World({config!r}): a WorldConfig is needed")
        self._setup(config, Space(boot.booted(config)))
        self._begin(boot.start)
        if history:
            self.timeline()

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> Self:
        """A new world that goes on from a checkpoint, independent of the one it was taken from."""
        world = cls.__new__(cls)
        world._setup(checkpoint.config, Space(checkpoint.image))
        world._stand_at(checkpoint)
        return world

    # ---- life ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Give the world's memory back; harmless when done before.

        Raises:
            LifecycleError: called in the middle of a call of this world.
        """
        if os.getpid() != self._pid:
            return
        running = self._space.engine
        with running._lock:
            if caller_of(running) is self:
                raise LifecycleError("close: a call of this world is not over")
            self._change = None
            self._space.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __copy__(self) -> Self:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.fork()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_checkpoint, (self.checkpoint(),)

    def __repr__(self) -> str:
        c = self._config
        try:
            now = f"turn={self.turn}"
        except (LifecycleError, EngineError) as error:
            now = f"unusable: {error}"
        return f"<World {c.ruleset} seed={c.seed} players={c.players} {now}>"

    def _repr_html_(self) -> str:
        try:
            view = self.state()
        except (LifecycleError, EngineError):
            return html_text(repr(self))
        scale = max(4, min(10, 720 // view.xsize))
        return html_page(repr(self), html_image(report.map_pixels(view, scale), "map"), civilizations_html(view))

    # ---- looking -----------------------------------------------------------------------------------------

    @property
    def config(self) -> WorldConfig:
        """What the world was made from."""
        return self._config

    @property
    @whole_call
    def turn(self) -> int:
        """The turn whose command window the world rests in."""
        return int(self._get("turn", _turn))

    @property
    @whole_call
    def over(self) -> bool:
        """Whether the engine's own end of the game was reached at some turn change; the world goes on anyway."""
        return bool(self._get("over", lambda running: running.info()["over"]))

    @whole_call
    def state(self) -> StateView:
        """Everything about this moment, as read-only numpy tables; it stays as it is when the world moves on."""
        view: StateView = self._get("state", StateView.read)
        return view

    @whole_call
    def view(self, player: int) -> PlayerView:
        """What one player knows of this moment under fog of war, as read-only numpy tables.

        Raises:
            ArgumentError: there is no such player.
        """
        player = player_number("view", player)
        rules = self._get("rules", _rules)
        seen: PlayerView = self._get(f"view {player}", lambda running: PlayerView.read(running, player, rules))
        return seen

    @whole_call
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

    @whole_call
    def digest(self) -> str:
        """Hash of the canonical game state, 32 hex digits: equal digests, equal worlds.

        It covers all game and AI state and the random generator, and leaves out addresses, clocks and caches.
        """
        return str(self._get("digest", _digest))

    @whole_call
    def events(self, since: int = 0) -> tuple[Event, ...]:
        """What happened after the command window of a turn opened, oldest first; by default everything.

        `events(since=t)` is what lies between the state views of turn `t` and of now. `civworld.events.kinds()`
        explains the kinds.
        """
        log: tuple[Event, ...] = self._get("events", self._read_events)
        return log if since <= 0 else events.since(log, since)

    @whole_call
    def report(self, view: str | int = "omni", **options: Any) -> str:
        """This moment and how it came about, as text: frames, narrative of events, policies.

        The frames of earlier turns are there when the world keeps its history (see `timeline`).

        Args:
            view: "omni" for everything about everyone, or the number of a player for what that player knows.
            **options: of `civworld.report.briefing`, such as `shown`.
        """
        return report.world_report(self, self._timeline, view, **options)

    def _read_events(self, running: Engine) -> tuple[Event, ...]:
        self._events += events.read(running, len(self._events))
        return self._events

    # ---- time --------------------------------------------------------------------------------------------

    @whole_call
    def advance(self, turns: int = 1) -> Self:
        """Play turns; the world then rests in the command window of the turn reached.

        Args:
            turns: how many, 0 or more.

        Raises:
            EngineFatal: the engine failed; restore a checkpoint to go on.
            EngineHang: a turn ran past its budget (`WorldConfig.turn_work`, `turn_seconds`).
        """
        turns = whole("advance: turns", turns, 0)
        self._check_usable()
        for _ in range(turns):
            self._keep_turn()
            self._do(("advance", 1), self._advance)
        if turns:
            self._keep_turn()
        return self

    def _advance(self, running: Engine, done: list[int]) -> None:
        running.advance(1, self._config.turn_work, self._config.turn_seconds, done)

    def _keep_turn(self) -> None:
        """Have the timeline hold this turn; also a turn that an interrupt kept from it."""
        if self._timeline is not None and self._timeline.open_for("advance").last != self.turn:
            self._timeline.record(self.checkpoint())

    @whole_call
    def reseed(self, seed: int, rng: str | None = None) -> None:
        """Give the world another future: re-seed its random generator, or let another one draw from now on.

        Args:
            seed: 0..4294967295; a larger one stands for one in that range, see `civworld.checks.seed_within`.
            rng: `keyed` or `stock`, as in `WorldConfig`, for the future; None keeps the one that draws. The config
                goes on telling what the world began with.

        Raises:
            UnknownNameError: there is no such generator.
        """
        seed = seed_within("reseed: seed", seed, MAX_RESEED)
        step = ("reseed", seed) if rng is None else ("reseed", seed, named("rng", rng, RNGS))
        keyed = -1 if rng is None else int(rng == "keyed")
        self._do(step, lambda running, done: running.call("cw_world_reseed", seed, keyed, done=done))

    # ---- checkpoints ---------------------------------------------------------------------------------------

    @whole_call
    def checkpoint(self) -> Checkpoint:
        """The world at this moment as an immutable value."""
        held: Checkpoint = self._get("checkpoint", self._capture)
        return held

    def _capture(self, _: Engine) -> Checkpoint:
        image = self._space.capture()
        turn, digest = self._get("turn", _turn), self._get("digest", _digest)
        return Checkpoint(self._config, turn, digest, build_info().build_id, image, self._steps)

    @whole_call
    def restore(self, checkpoint: Checkpoint) -> Self:
        """Go back (or over) to a checkpoint, exactly; also cures a world whose engine failed.

        Raises:
            ArgumentError: this is no checkpoint.
            CheckpointMismatch: the checkpoint is of another engine build.
        """
        if not isinstance(checkpoint, Checkpoint):
            raise ArgumentError(f"restore({checkpoint!r}): a Checkpoint is needed")
        if checkpoint.build_id != build_info().build_id:
            raise CheckpointMismatch(
                f"checkpoint of build {checkpoint.build_id}, this engine is {build_info().build_id}",
                field="build_id",
            )
        # a restore that is interrupted is completed by the next call
        self._change = Change(self._course, back=checkpoint, whole=False, done=[0])
        self._settle()
        return self

    @whole_call
    def timeline(self, path: str | os.PathLike[str] | None = None) -> Timeline:
        """Keep every turn from now on; the same timeline is returned until the world is closed.

        Args:
            path: file to write the turns to, so that memory stays bounded; None keeps them in memory.
        """
        if self._timeline is None:
            self._timeline = Timeline(path)
            self._timeline.record(self.checkpoint())
        return self._timeline

    @whole_call
    def fork(self) -> Self:
        """An exact, independent copy of this world; it shares memory until either of the two moves on."""
        child = self.from_checkpoint(self.checkpoint())
        child._events = self._events  # read once for the past that they share
        return child

    # ---- orders --------------------------------------------------------------------------------------------

    @whole_call
    def take_over(self, player: int) -> Self:
        """Let a player wait for orders instead of being run by the built-in AI; its turns end without waiting.

        Raises:
            CommandRefused: it is dead, no civilization, or taken over already; the world is unchanged.
            ArgumentError: there is no such player.
        """
        return self._control("take_over", player)

    @whole_call
    def release(self, player: int) -> Self:
        """Give a player back to the built-in AI, which moves at once, as it does when a turn begins.

        Raises:
            CommandRefused: it is dead or run by the AI already; the world is unchanged.
            ArgumentError: there is no such player.
        """
        return self._control("release", player)

    def _control(self, step: str, player: int) -> Self:
        player = player_number(step, player)
        taken = int(step == "take_over")
        try:
            self._do((step, player), lambda running, done: running.call("cw_control", player, taken, done=done))
        except RefusedError as error:
            raise CommandRefused(f"{step}({player}): {error}", reason=error.reason) from None
        return self

    @whole_call
    def taken_over(self, player: int) -> bool:
        """Whether a player waits for orders."""
        player = player_number("taken_over", player)
        with self._engine_call() as running:
            return running.is_human(player)

    @whole_call
    def order(self, player: int, command: Command) -> Outcome:
        """Carry out a lawful order of a player, through the server's own handler, as a human's would be.

        Args:
            player: number of a living player that was taken over.
            command: a value of `civworld.commands`.

        Raises:
            CommandRefused: the rules or the state do not allow it; `.reason` is the engine's, the world is unchanged.
            ArgumentError: a field is malformed, or a name or the player does not exist; the world is unchanged.
        """
        player = player_number("order", player)
        if not isinstance(command, Command):
            raise ArgumentError(f"order({player}, {command!r}): a value of civworld.commands is needed")
        call, step = command.call(), ("order", player, command.to_dict())
        try:
            found = self._do(step, lambda running, done: running.order(player, *call, done=done))
        except RefusedError as error:
            raise CommandRefused(f"order {command!r} of player {player}: {error}", reason=error.reason) from None
        result, unit, city, tile, target, value, text = found
        return Outcome(results()[result], text, unit, city, tile, target, value)

    @whole_call
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
        return tuple(Legal(row, lore) for row in Row.of(rows))

    @whole_call
    def count_legal(self, player: int) -> int:
        """How many orders `legal` lists, for those who need not see them."""
        return len(self._legal_rows(player))

    def _legal_rows(self, player: int) -> Any:
        player = player_number("legal", player)
        return self._get(f"legal {player}", lambda running: running.legal(player))

    # ---- plans ---------------------------------------------------------------------------------------------

    @whole_call
    def set_plan(self, player: int, plan: Plan | None) -> Self:
        """Have the built-in AI of a player carry out a plan from the next turn on, in place of the plan it has.

        Args:
            player: number of a living player that the built-in AI runs.
            plan: what to do; None takes the plan away, and the record of its violations with it.

        Raises:
            CommandRefused: the player is dead, no civilization or taken over, or there is no plan to take away.
            ArgumentError: there is no such player, or a name in the plan does not exist.
        """
        player = player_number("set_plan", player)
        if not (plan is None or isinstance(plan, Plan)):
            raise ArgumentError(f"set_plan({player}, {plan!r}): a Plan or None is needed")
        numbers = None if plan is None else plan.numbers(self.state())
        step = ("plan", player, None if plan is None else plan.to_dict())
        try:
            self._do(step, lambda running, done: running.set_plan(player, numbers, done))
        except RefusedError as error:
            raise CommandRefused(f"set_plan({player}): {error}", reason=error.reason) from None
        return self

    @whole_call
    def plan(self, player: int) -> Plan | None:
        """The plan that a player's AI carries out, with the turns left; None without one.

        Raises:
            ArgumentError: there is no such player.
        """
        player = player_number("plan", player)
        with self._engine_call() as running:
            found = running.plan(player)
        return Plan.from_numbers(found, self.state())

    @whole_call
    def violations(self, player: int) -> tuple[Violation, ...]:
        """Where the world differed from a player's plans when a command window opened: the last 512, oldest first.

        Raises:
            ArgumentError: there is no such player.
        """
        player = player_number("violations", player)
        with self._engine_call() as running:
            notes = running.plan_notes(player)
        return violations(notes, self.state())

    # ---- edits ---------------------------------------------------------------------------------------------

    @whole_call
    def apply(self, edit: Edit) -> Self:
        """Change the world from outside its rules, and verify that exactly what was declared has changed.

        Raises:
            EditRefused: the edit would do nothing or is not possible here; the world is unchanged.
            ArgumentError: the edit names something that does not exist; the world is unchanged.
        """
        if not isinstance(edit, Edit):
            raise ArgumentError(f"apply({edit!r}): a value of civworld.edits is needed")
        before = self.state()
        try:
            expected, allowed = edit.expects(before), edit.may_change(before)
            function, *args = edit.call(before)
        except ArgumentError as error:
            raise ArgumentError(f"edit '{edit.name}': {error}") from None
        course = self._course.then("edit", *edit.parts())
        change = Change(course, back=self.checkpoint(), whole=False)
        try:
            with self._engine_call() as running:
                self._change = change
                running.call(function, *args, done=change.done)
                after = StateView.read(running)
            verify(edit, before, after, expected, allowed)
            change.whole = True
        except RefusedError as error:
            raise EditRefused(str(error), reason=error.reason) from None
        finally:
            self._settle()
        self._cache["state"] = after
        return self

    # ---- other formats -----------------------------------------------------------------------------------------

    @whole_call
    def export_savegame(self, path: str | os.PathLike[str]) -> None:
        """Write the engine's own text savegame: data only, safe to share, but reloading it is not exact.

        Args:
            path: file to write, uncompressed text in the engine's format.

        Raises:
            ArgumentError: the file cannot be written.
        """
        with self._engine_call() as running:
            running.call("cw_world_savegame", os.fsencode(path))

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
        world._setup(config, Space(boot.booted(config)))
        world._begin(boot.load_savegame, path)
        world._course = Course().then("savegame", os.path.basename(path))
        return world


@functools.cache
def _rule_names(ruleset: str, running: Engine) -> dict[str, tuple[str, ...]]:
    """All names of a ruleset; the mounted world must be one of it."""
    return {kind: running.rule_names(kind) for kind in words("rules")}


def _rules(running: Engine) -> dict[str, Table]:
    return running.records([name for name in running.tables if name.startswith("rules_")])


def _turn(running: Engine) -> int:
    return running.info()["turn"]


def _digest(running: Engine) -> str:
    return hashlib.blake2b(running.canonical(), digest_size=16).hexdigest()


checkpoint.worlds_are(World)
