# SPDX-License-Identifier: GPL-2.0-or-later
"""A world in the engine's hands: whose call it is, what has begun and what is done, what is known of the moment.

`World` builds on it. Whoever adds a method there marks it with `whole_call`, reads by `_get`, and changes by `_do`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from civworld._engine import Engine, Space
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.course import Change, Course, Step
from civworld.errors import CivworldError, EngineError, LifecycleError
from civworld.events import Event
from civworld.timeline import Timeline

Method = TypeVar("Method", bound=Callable[..., Any])


def whole_call(method: Method) -> Method:
    """A method that no other thread comes between, of a world that no interrupt has left half-changed."""

    @functools.wraps(method)
    def call(world: HeldWorld, /, *args: Any, **kwargs: Any) -> Any:
        world._check_process()
        running = world._space.engine
        with running._lock:
            outer = caller_of(running)
            # plain assignments only, since a signal's exception may come wherever a call ends
            running.caller = world
            try:
                if outer is not world:
                    world._inside = False
                    world._settle()
                return method(world, *args, **kwargs)
            finally:
                running.caller = outer

    return cast(Method, call)


def caller_of(running: Engine) -> HeldWorld | None:
    """The world whose call this one is part of, as a report's is; the engine's lock must be held.

    Raises:
        LifecycleError: that world is in the hands of the engine, or half-changed.
    """
    caller: HeldWorld | None = running.caller
    if caller is not None and (caller._inside or caller._change is not None):
        raise LifecycleError(
            "another call is not over: a signal handler or a callback that interrupts it cannot use worlds; let it "
            "note what is to be done, or raise"
        )
    return caller


class HeldWorld:
    """The private side of a `World`: its memory, its course, and the way in which calls change them."""

    def _setup(self, config: WorldConfig, space: Space) -> None:
        self._config = config
        self._space = space
        self._pid = os.getpid()
        self._poisoned: str | None = None
        self._cache: dict[str, Any] = {}
        self._course = Course()
        self._change: Change | None = None
        self._inside = False  # whether the engine works on this world
        self._timeline: Timeline | None = None
        self._events: tuple[Event, ...] = ()  # as far as read on the present course

    @whole_call
    def _begin(self, start: Callable[..., None], *args: Any) -> None:
        with self._engine_call() as running:
            start(running, self._config, *args)

    def _stand_at(self, checkpoint: Checkpoint) -> None:
        self._config = checkpoint.config
        self._poisoned = None
        self._events = ()
        self._course = Course(checkpoint.steps)
        self._cache = {"turn": checkpoint.turn, "digest": checkpoint.digest, "checkpoint": checkpoint}

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise LifecycleError(
                f"this world belongs to process {self._pid}, this is {os.getpid()}: worlds do not survive a fork of "
                "the process. Start processes afresh (multiprocessing's context 'spawn', in vector environments and "
                'data loaders context="spawn" or multiprocessing_context="spawn") and hand them checkpoints, or use '
                "civworld.pool"
            )

    def _check_usable(self) -> None:
        self._check_process()
        if self._space.closed:
            raise LifecycleError("this world is closed")
        if self._poisoned:
            raise LifecycleError(f"the engine failed in this world ({self._poisoned}); restore a checkpoint first")

    @contextmanager
    def _engine_call(self, *, poisoned_ok: bool = False) -> Iterator[Engine]:
        """Mount this world for a block of engine calls; a fatal failure poisons it until it is restored.

        The engine's lock must be held where other threads may call.
        """
        if not poisoned_ok or self._space.closed:
            self._check_usable()
        # no lock here: an exception between two steps of a context manager would leave it locked for others
        outer, self._inside, running = self._inside, True, None
        try:
            running = self._space.mount()
            yield running
        except EngineError as error:
            error.seed = self._config.seed
            if running is not None:  # else nothing has touched the world
                self._cache.clear()
                self._poisoned = str(error)
                error.turn = running.info()["turn"]
            raise
        finally:
            self._inside = outer

    def _get(self, key: str, compute: Callable[[Engine], Any]) -> Any:
        """A value of the current moment, computed once."""
        if key in self._cache:
            self._check_usable()
        else:
            with self._engine_call() as running:
                self._cache[key] = compute(running)
        return self._cache[key]

    @property
    def _steps(self) -> tuple[Step, ...]:
        """Everything that was done to the world since it was made."""
        return self._course.steps

    # ---- changing ----------------------------------------------------------------------------------------

    def _do(self, step: Step, act: Callable[[Engine, list[int]], Any]) -> Any:
        """Have the engine do something, and write it down: both or neither, whatever comes between.

        Args:
            step: what to write down.
            act: calls the engine once, with the list that is to hold the status.
        """
        with self._engine_call() as running:
            change = Change(self._course.then(*step))
            self._change = change
            try:
                return act(running, change.done)
            finally:
                self._settle()

    def _settle(self) -> None:
        """Complete the change that was begun, or take it back. Whatever interrupts this, the next call does again."""
        change = self._change
        if change is None:
            return
        if change.done and not change.whole:
            assert change.back is not None
            self._go_to(change.back)
        elif change.done == [0]:
            self._course = change.course
            self._cache.clear()
        elif change.done and self._space.engine.is_failure(change.done[0]):
            self._cache.clear()
            self._poisoned = self._poisoned or "a signal came while it did"
        self._change = None

    def _go_to(self, checkpoint: Checkpoint) -> None:
        try:
            with self._engine_call(poisoned_ok=True):
                self._space.restore(checkpoint.image)
        except CivworldError:
            self._change = None  # it cannot be done; to try again is the caller's choice
            raise
        self._stand_at(checkpoint)
