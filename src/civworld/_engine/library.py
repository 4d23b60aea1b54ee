# SPDX-License-Identifier: GPL-2.0-or-later
"""The binding itself: a process-wide engine, spaces (world memories) and images (frozen memories)."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import starmap
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from civworld._engine.build import FOLDER
from civworld._engine.native import fields_type, native, record_type, struct_values
from civworld.errors import (
    ArgumentError,
    CheckpointCorrupt,
    CivworldError,
    CopyError,
    EngineError,
    EngineFatal,
    EngineHang,
    LifecycleError,
    NoRoom,
    RefusedError,
)

PAGE = 4096
# bytes of stack below which a thread's calls run on a thread of our own, and how much that one has
_STACK_NEEDED, _STACK_MADE = 1 << 20, 8 << 20
_log = logging.getLogger("civworld.engine")
# the engine's levels: fatal, error, warning, normal, verbose, debug
_LEVELS = (logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG, logging.DEBUG)

# status -> exception class; one row per status of civworld.h, walked by a test
STATUS: dict[str, type[CivworldError]] = {
    "CW_REFUSED": RefusedError,
    "CW_EARGUMENT": ArgumentError,
    "CW_ELIFECYCLE": LifecycleError,
    "CW_ENOMEMORY": EngineFatal,
    "CW_EADDRESS": LifecycleError,
    "CW_EFATAL": EngineFatal,
    "CW_EHANG": EngineHang,
    "CW_ECORRUPT": CheckpointCorrupt,
    "CW_ENOROOM": NoRoom,
}


class Engine:
    """The one engine of this process.

    Every call takes the engine's lock and checks that the process is the one that opened it: after
    `os.fork` the memory is shared copy-on-write, but two processes must not both believe they own it.
    """

    def __init__(self) -> None:
        self._ffi: Any = native().ffi
        self._lib: Any = native().lib
        self._by_status = {getattr(self._lib, name): cls for name, cls in STATUS.items()}
        self._lock = threading.RLock()
        self.caller: Any = None  # the world whose call holds the lock
        self._thread = threading.local()
        self._roomy: ThreadPoolExecutor | None = None
        self._pid = os.getpid()
        self._log_buffer = self._ffi.new("char[]", 4096)
        self._log_length = self._ffi.new("size_t *")
        self._outcome = self._ffi.new("struct cw_outcome *")
        self._rooms: dict[str, Any] = {}  # function -> buffer that it fills
        self.call("cw_open", os.fsencode(FOLDER / "data"))
        self.tables = self._read_schema("cw_table")
        self.views = self._read_schema("cw_view")
        self.event_kinds = self._read_event_kinds()
        self.pristine = Image(self, self._lib.cw_image_pristine(), owned=False)

    def __reduce__(self) -> NoReturn:
        raise CopyError("the engine cannot be copied: every process has its own, civworld._engine.engine()")

    # ---- calls -------------------------------------------------------------------------------------

    def call(self, name: str, *args: Any, done: list[int] | None = None) -> None:
        """Run one C function; raise the class its status stands for, with the engine's own text.

        Args:
            name: the function.
            *args: its arguments.
            done: gets the status. No signal handler runs between the function's end and that, so whoever catches
                a handler's exception can tell whether the function has run.
        """
        if os.getpid() != self._pid:
            raise LifecycleError(
                f"this engine belongs to process {self._pid}, this is {os.getpid()}: it does not survive a fork of the "
                "process. Start processes afresh (multiprocessing's context 'spawn', in vector environments "
                'context="spawn") or use civworld.pool'
            )
        statuses: list[int] = [] if done is None else done
        with self._lock:
            function = getattr(self._lib, name)
            if self._stack_is_small():
                self._run_with_room(function, args, statuses)
            else:  # one step of the interpreter, not two: signal handlers run between steps
                statuses.extend(starmap(function, (args,)))
            self._drain_log()
            if statuses[-1] != 0:
                self._fail(name, statuses[-1])

    def _stack_is_small(self) -> bool:
        """Whether the calling thread was made with too small a stack for the engine, which calls itself deeply."""
        try:
            return bool(self._thread.small)
        except AttributeError:
            self._thread.small = self._lib.cw_stack_left() < _STACK_NEEDED
            return bool(self._thread.small)

    def _run_with_room(self, function: Any, args: tuple[Any, ...], statuses: list[int]) -> None:
        """Run a C function on a thread of our own with a large stack, and wait for it."""
        if self._roomy is None:
            self._roomy = ThreadPoolExecutor(1, "civworld-engine")
            usual = threading.stack_size(_STACK_MADE)
            try:
                self._roomy.submit(int).result()
            finally:
                threading.stack_size(usual)
        running, interrupt = self._roomy.submit(lambda: statuses.extend(starmap(function, (args,)))), None
        while not running.done():
            try:
                wait([running])
            except BaseException as error:  # a signal handler's: the function has to end first
                interrupt = error
        running.result()
        if interrupt is not None:
            raise interrupt

    def is_failure(self, status: int) -> bool:
        """Whether a status says that the engine failed in the mounted world."""
        return status != 0 and issubclass(self._by_status.get(status, EngineFatal), EngineError)

    def filled(self, name: str, item: str, room: int, before: tuple[Any, ...] = (), *after: Any) -> Any:
        """What a C function of (*before, buffer, room, needed, *after) gives: its bytes, in a buffer that grows.

        The buffer is used again: hold the engine's lock until the bytes are copied.

        Args:
            name: the function; it refuses while the room is short.
            item: C type of the buffer's items.
            room: items to try with first.
            before: arguments before the buffer.
            after: arguments behind `needed`.
        """
        ffi, needed = self._ffi, self._ffi.new("size_t *")
        while True:
            if len(self._rooms.get(name, ())) < room:
                self._rooms[name] = ffi.new(f"{item}[]", room)
            buffer = self._rooms[name]
            try:
                self.call(name, *before, buffer, len(buffer), needed, *after)
            except RefusedError:
                if needed[0] <= len(buffer):
                    raise  # refused for another reason than the size
                room = needed[0] + needed[0] // 4
                continue
            return ffi.buffer(buffer, needed[0] * ffi.sizeof(item))

    def _fail(self, name: str, status: int) -> None:
        text = self._ffi.string(self._lib.cw_last_error()).decode(errors="replace")
        where = self._ffi.string(self._lib.cw_last_error_where()).decode(errors="replace")
        cls = self._by_status.get(status, EngineFatal)
        if issubclass(cls, EngineFatal | EngineHang):
            raise cls(text or f"{name} failed with status {status}", where=where)
        raise cls(text or f"{name} failed with status {status}")

    def _drain_log(self) -> None:
        buf, n = self._log_buffer, self._log_length
        self._lib.cw_log_read(buf, 4096, n)
        if n[0] == 0:
            return
        text = self._ffi.buffer(buf, n[0])[:]
        while n[0] == 4096:
            self._lib.cw_log_read(buf, 4096, n)
            text += self._ffi.buffer(buf, n[0])[:]
        for line in text.decode(errors="replace").splitlines():
            level, _, message = line.partition(" ")
            number = int(level) if level.isdigit() else 3
            _log.log(_LEVELS[min(number, len(_LEVELS) - 1)], "%s", message)

    # ---- tables ------------------------------------------------------------------------------------

    def _read_schema(self, family: str) -> dict[str, tuple[int, np.dtype[Any], dict[str, str]]]:
        ffi, lib = self._ffi, self._lib
        found = {}
        for i in range(getattr(lib, f"{family}_count")()):
            name, fields = ffi.new("char **"), ffi.new("struct cw_field **")
            nfields, size = ffi.new("int *"), ffi.new("int *")
            self.call(f"{family}_schema", i, name, fields, nfields, size)
            dtype, docs = fields_type(fields[0], nfields[0], size[0])
            found[ffi.string(name[0]).decode()] = (i, dtype, docs)
        return found

    def records(self, names: Iterable[str]) -> dict[str, npt.NDArray[Any]]:
        """Records of the named tables of the mounted world, each a read-only structured array."""
        tables = [(name, *self.tables[name][:2]) for name in names]
        numbers = self._ffi.new("int[]", [number for _, number, _ in tables])
        rows = self._ffi.new("size_t[]", len(tables))
        found, at = {}, 0
        with self._lock:
            data = self.filled("cw_table_read", "uint8_t", 1 << 18, (numbers, len(tables)), rows)
            for i, (name, _, dtype) in enumerate(tables):
                end = at + rows[i] * dtype.itemsize
                # over bytes, so read-only for good; a copy each, so that keeping one table does not keep the others
                found[name] = _rows(data[at:end], dtype)
                at = -(-end // 16) * 16
        return found

    def view(self, name: str, viewer: int) -> npt.NDArray[Any]:
        """Records of one table as player `viewer` knows it, as a read-only structured array."""
        index, dtype, _ = self.views[name]
        used = self._ffi.new("size_t *")
        with self._lock:
            return _rows(self.filled("cw_view_read", "uint8_t", 1 << 16, (index, viewer), used)[: used[0]], dtype)

    def canonical(self) -> bytes:
        """The canonical bytes of the mounted world's game state."""
        with self._lock:
            return bytes(self.filled("cw_world_canonical", "uint8_t", 1 << 21))

    def info(self) -> dict[str, int]:
        """Turn, year, map size and seeds of the mounted world."""
        out = self._ffi.new("struct cw_world_info *")
        self.call("cw_world_info", out)
        return struct_values(out)

    def memory(self) -> dict[str, int]:
        """Counts of spaces, images, bases and their pages in this process."""
        out = self._ffi.new("struct cw_memory *")
        self.call("cw_memory", out)
        return struct_values(out)

    def advance(self, turns: int, work: int, seconds: float, done: list[int] | None = None) -> int:
        """Play turns in the mounted world within a budget for each; returns how many were finished."""
        finished = self._ffi.new("int *")
        self.call("cw_world_advance", turns, work, seconds, finished, done=done)
        return int(finished[0])

    def work(self) -> int:
        """Units of work that the last turn of any world took."""
        return int(self._lib.cw_world_work())

    # ---- events ------------------------------------------------------------------------------------

    def _read_event_kinds(self) -> list[tuple[str, str, str]]:
        ffi, kinds = self._ffi, list[tuple[str, str, str]]()
        texts = [ffi.new("char **") for _ in range(3)]
        while self._lib.cw_events_kind(len(kinds), *texts) == 0:
            name, doc, fields = (ffi.string(text[0]).decode() for text in texts)
            kinds.append((name, doc, fields))
        return kinds

    def events(self, first: int) -> npt.NDArray[Any]:
        """Records of the mounted world's events from number `first` on, as a structured array."""
        with self._lock:
            return _rows(self.filled("cw_events_read", "uint8_t", 1 << 16, (first,))[:], record_type("events"))

    def record_events(self, on: bool) -> None:
        """Turn recording of events on or off for all worlds of the process."""
        self.call("cw_events_record", int(on))

    # ---- orders ------------------------------------------------------------------------------------

    def order(
        self, player: int, name: str, numbers: tuple[int, ...], text: str, more: str, done: list[int] | None = None
    ) -> tuple[int, int, int, int, int, int, str]:
        """Carry out one order; its outcome's numbers (result, unit, city, tile, target, value) and text."""
        ffi, out = self._ffi, self._outcome
        args = ffi.new("int32_t[]", numbers) if numbers else ffi.NULL
        self.call("cw_order", player, name.encode(), args, len(numbers), text.encode(), more.encode(), out, done=done)
        said = ffi.string(self._lib.cw_order_text()).decode(errors="replace")
        return (out.result, out.unit, out.city, out.tile, out.target, out.value, said)

    # ---- plans -------------------------------------------------------------------------------------

    def set_plan(self, player: int, values: dict[str, Any] | None, done: list[int] | None = None) -> None:
        """Give a player a plan by the fields of the record "plan", lists from their start; None takes it away."""
        if values is None:
            self.call("cw_plan_set", player, self._ffi.NULL, done=done)
            return
        plan = np.zeros(1, record_type("plan"))
        for name, value in values.items():
            row = plan[name][0]
            plan[name][0] = [*value, *row[len(value) :]] if row.ndim else value
        self.call("cw_plan_set", player, self._ffi.from_buffer("uint8_t *", plan), done=done)

    def plan(self, player: int) -> dict[str, Any]:
        """The fields of a player's record "plan"; turns is 0 without one."""
        plan = np.zeros(1, record_type("plan"))
        self.call("cw_plan_get", player, self._ffi.from_buffer("uint8_t *", plan, require_writable=True))
        return {name: plan[name][0].tolist() for name in plan.dtype.names or ()}

    def plan_notes(self, player: int) -> npt.NDArray[Any]:
        """Where the mounted world differed from a player's plan, records "plan_notes"."""
        with self._lock:
            return _rows(self.filled("cw_plan_notes", "uint8_t", 1 << 12, (player,))[:], record_type("plan_notes"))

    def is_human(self, player: int) -> bool:
        """Whether a player of the mounted world waits for orders."""
        return bool(self._lib.cw_is_human(player))

    def legal(self, player: int) -> npt.NDArray[Any]:
        """What a player may order now, records "legal"."""
        with self._lock:
            return _rows(self.filled("cw_legal", "uint8_t", 1 << 14, (player,))[:], record_type("legal"))

    def known_cities(self, player: int) -> dict[int, str]:
        """City id -> name, of the cities that a player knows."""
        with self._lock:
            found = self.filled("cw_legal_cities", "uint8_t", 1 << 14, (player,))[:]
        rows = _rows(found, record_type("known_cities"))
        return {city: name.decode(errors="replace") for city, name in rows[["id", "name"]].tolist()}

    def rule_names(self, kind: str) -> tuple[str, ...]:
        """Rule names of the mounted world's ruleset, by number, of a kind among `words("rules")`."""
        names: list[str] = []
        while (name := self._lib.cw_rule_name(kind.encode(), len(names))) != self._ffi.NULL:
            names.append(self._ffi.string(name).decode())
        return tuple(names)

    # ---- score log ---------------------------------------------------------------------------------

    def score_log(self, on: bool) -> None:
        """Start or stop recording the engine's own score log."""
        self.call("cw_score_log", int(on))

    def read_score_log(self) -> tuple[list[str], npt.NDArray[np.int32]]:
        """Tag names, and recorded rows (turn, player, tag, value) since the last read, int32 (n, 4)."""
        with self._lock:
            rows = np.frombuffer(self.filled("cw_score_log_read", "int32_t", 1 << 16)[:], np.int32)
        names = [self._ffi.string(self._lib.cw_score_tag_name(i)).decode() for i in range(self._lib.cw_score_tags())]
        return names, rows.reshape(-1, 4)


class Image:
    """One frozen world memory; freed when the last Python reference goes."""

    def __init__(self, engine: Engine, pointer: Any, *, owned: bool = True) -> None:
        self.engine = engine
        self.pointer = pointer
        if owned:
            weakref.finalize(self, _release, engine, "cw_image_unref", pointer)

    def __copy__(self) -> Image:
        return self  # nothing of it can change

    def __deepcopy__(self, memo: dict[int, Any]) -> Image:
        return self

    def __reduce__(self) -> NoReturn:
        raise CopyError("an image alone cannot be pickled: pickle the checkpoint that holds it")

    def info(self) -> dict[str, int]:
        """Pages with content, pages stored apart, base id, live bytes."""
        out = self.engine._ffi.new("struct cw_image_info *")
        self.engine.call("cw_image_info", self.pointer, out)
        return struct_values(out)

    def diff(self, base: Image | None) -> npt.NDArray[np.uint32]:
        """Ascending indexes of the pages that differ from the base (None: from emptiness)."""
        engine = self.engine
        images = (self.pointer, base.pointer if base else engine._ffi.NULL)
        with engine._lock:
            return np.frombuffer(engine.filled("cw_image_diff", "uint32_t", 1 << 14, images)[:], np.uint32)

    def read(self, pages: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        """Contents of the named pages, uint8 (n, 4096)."""
        engine = self.engine
        out = np.empty((len(pages), PAGE), np.uint8)
        engine.call(
            "cw_image_read",
            self.pointer,
            engine._ffi.from_buffer("uint32_t *", np.ascontiguousarray(pages)),
            len(pages),
            engine._ffi.from_buffer("uint8_t *", out),
        )
        return out

    def build(self, pages: npt.NDArray[np.uint32], content: npt.NDArray[np.uint8]) -> Image:
        """A new image: this one with the named pages replaced."""
        engine = self.engine
        out = engine._ffi.new("cw_image **")
        engine.call(
            "cw_image_build",
            self.pointer,
            engine._ffi.from_buffer("uint32_t *", np.ascontiguousarray(pages, np.uint32)),
            len(pages),
            engine._ffi.from_buffer("uint8_t *", np.ascontiguousarray(content, np.uint8)),
            engine._ffi.NULL,
            0,
            out,
        )
        return Image(engine, out[0])

    @classmethod
    def assemble(cls, engine: Engine, pages: npt.NDArray[np.uint32], pieces: Iterable[npt.NDArray[np.uint8]]) -> Image:
        """An image of the named pages, whose content comes in pieces (uint8 (k, 4096)), and zeros elsewhere."""
        ffi = engine._ffi
        intake, out = ffi.new("cw_intake **"), ffi.new("cw_image **")
        engine.call("cw_image_begin", ffi.from_buffer("uint32_t *", pages), len(pages), intake)
        try:
            for piece in pieces:
                engine.call("cw_image_take", intake[0], ffi.from_buffer("uint8_t *", piece), len(piece))
        except BaseException:
            engine.call("cw_image_end", intake[0], ffi.NULL)
            raise
        engine.call("cw_image_end", intake[0], out)
        return cls(engine, out[0])

    def fd(self) -> int:
        """Descriptor of a memory file with the whole image; it lives as long as the image."""
        out = self.engine._ffi.new("int *")
        self.engine.call("cw_image_fd", self.pointer, out)
        return int(out[0])

    @classmethod
    def from_fd(cls, engine: Engine, fd: int) -> Image:
        """An image from another process's descriptor."""
        out = engine._ffi.new("cw_image **")
        engine.call("cw_image_from_fd", fd, out)
        return cls(engine, out[0])


class Space:
    """One world's memory; mounted on use, freed when closed or when the last reference goes."""

    def __init__(self, image: Image) -> None:
        self.engine = image.engine
        out = self.engine._ffi.new("cw_space **")
        self.engine.call("cw_space_new", image.pointer, out)
        self.pointer = out[0]
        self._free = weakref.finalize(self, _release, self.engine, "cw_space_free", self.pointer)

    def __reduce__(self) -> NoReturn:
        raise CopyError("a world's memory cannot be copied by itself: fork, copy or pickle the world")

    @property
    def closed(self) -> bool:
        """Whether the memory has been given back."""
        return not self._free.alive

    def close(self) -> None:
        """Give the memory back; harmless when done before."""
        self._free()

    def mount(self) -> Engine:
        """Make this the memory that engine calls work on, and return the engine."""
        self.engine.call("cw_space_mount", self.pointer)
        return self.engine

    def capture(self) -> Image:
        """An image of the memory as it is now."""
        out = self.engine._ffi.new("cw_image **")
        self.engine.call("cw_space_capture", self.pointer, out)
        return Image(self.engine, out[0])

    def restore(self, image: Image) -> None:
        """Put the memory back to an image."""
        self.engine.call("cw_space_restore", self.pointer, image.pointer)


def _rows(data: bytes, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Records over their bytes; none for no bytes, which numpy would refuse."""
    return np.frombuffer(data, dtype) if data else np.zeros(0, dtype)


def page_sums(content: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """A checksum of each page of content, uint8 (n, 4096) -> uint32 (n,)."""
    held, out = engine(), np.empty(len(content), np.uint32)
    ffi = held._ffi
    held._lib.cw_image_sums(ffi.from_buffer("uint8_t *", content), len(content), ffi.from_buffer("uint32_t *", out))
    return out


def _release(engine: Engine, name: str, pointer: Any) -> None:
    """Give C memory back, unless the process is a fork that never owned it."""
    if os.getpid() == engine._pid:
        with engine._lock:
            getattr(engine._lib, name)(pointer)


_opening = threading.RLock()
_opened: Engine | None = None


def engine() -> Engine:
    """The engine of this process, opened on first use."""
    global _opened
    if _opened is None:
        with _opening:
            _opened = _opened or Engine()
    return _opened
