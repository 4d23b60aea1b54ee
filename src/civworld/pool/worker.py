# SPDX-License-Identifier: GPL-2.0-or-later
"""One worker: its process, its life, and what travels to it and back."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle

from civworld._engine import Image, build_info, engine
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.errors import ArgumentError, CivworldError, EngineCrashed, EngineHang, LifecycleError
from civworld.world import World

READY = b"ready"
"""What a worker says once it can take jobs."""


class Worker:
    """A process and the pipe to it, seen from the parent.

    Attributes:
        job: index of the job that it is at and which try that is, None while it is idle.
        deadline: when the job's time is over, in seconds of the monotonic clock.
    """

    def __init__(self) -> None:
        self.job: tuple[int, int] | None = None
        self.source: Any = None
        self.deadline = float("inf")
        self.revive()

    def revive(self) -> None:
        """Start a process (again)."""
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True, name="civworld-worker")
        with _LOCK, _no_script():
            self.process.start()
        self._born = False
        theirs.close()

    def start(
        self, index: int, attempt: int, job: tuple[Callable[..., Any], Any], limit: float | None
    ) -> ArgumentError | None:
        """Hand a job over; a worker that died while idle is replaced first. The error if it cannot be sent."""
        try:
            packed = pack(job)
        except Exception as error:
            return ArgumentError(f"job {index}: it cannot be sent to a worker: {type(error).__name__}: {error}")
        if not self.process.is_alive():
            self.revive()
        self.job = (index, attempt)
        self.source = job[0] if job[1] is None else job[1]
        self.deadline = float("inf") if limit is None else time.monotonic() + limit
        try:
            self.pipe.send_bytes(packed)
        except OSError:
            self.process.join()
        return None

    def delivers(self) -> bool:
        """Whether what has come through the pipe is what becomes of the job, and not a new worker's greeting."""
        if not self._born:
            try:
                self._born = self.pipe.recv_bytes() == READY
            except (EOFError, OSError):
                return True
            return self.pipe.poll()
        return True

    def receive(self) -> Any:
        """The job's result, or the error that it or the death of the process amounts to."""
        try:
            kind, value = pickle.loads(self.pipe.recv_bytes())
        except (EOFError, OSError):
            self.process.join(10)
            return self._died()
        return value if kind == "result" else _Raised.unwrap(value)

    def give_up(self) -> EngineHang:
        """Kill a worker that is past its limit."""
        self.kill()
        return EngineHang("a job ran past the pool's time limit and its worker was killed", **self._where())

    def kill(self) -> None:
        """End the process now."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()

    def _where(self) -> dict[str, Any]:
        source = self.source
        seed = source.config.seed if isinstance(source, Checkpoint) else source.seed
        return {"seed": seed, "turn": 1 if isinstance(source, WorldConfig) else source.turn}

    def _died(self) -> EngineCrashed:
        code = self.process.exitcode
        if not self._born and code is not None and code >= 0:
            raise LifecycleError(
                f"a worker ended before it could take a job (exit status {code}); standard error may say why"
            )
        how = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit status {code}"
        where = self._where()
        return EngineCrashed(
            f"a worker died ({how}) while playing seed {where['seed']} from turn {where['turn']}", **where
        )


_LOCK = threading.Lock()


@contextmanager
def _no_script() -> Iterator[None]:
    """Have a fresh process begin without this one's script.

    It would import the script, which for a notebook or `python -` is impossible and without the usual guard starts
    workers of workers. What a worker needs of it travels by its code, see `pack`.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


class _Raised:
    """An exception on its way from a worker; errors of our own keep their attributes."""

    @staticmethod
    def wrap(error: Exception) -> bytes:
        error.add_note("".join(traceback.format_exception(error)).rstrip())
        try:
            return bytes(cloudpickle.dumps((error.__class__, error.args, error.__dict__)))
        except Exception:
            return pickle.dumps((RuntimeError, (f"{type(error).__name__}: {error}",), {}))

    @staticmethod
    def unwrap(data: bytes) -> Exception:
        cls, args, state = pickle.loads(data)
        error: Exception = cls.__new__(cls, *args)
        error.args = args
        error.__dict__.update(state)
        return error


def _serve(pipe: Connection) -> None:
    """A worker's life: jobs in, results out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    engine()
    pipe.send_bytes(READY)
    while True:
        try:
            data = pipe.recv_bytes()
        except (EOFError, OSError):
            return
        try:
            fn, source = _unpacked(data)
            # by code where needed, as in `pack`: what a notebook's function returns may be of a notebook's class
            reply = cloudpickle.dumps(("result", fn() if source is None else _on_a_world(fn, source)))
        except Exception as error:
            reply = pickle.dumps(("error", _Raised.wrap(error)))
        pipe.send_bytes(reply)


def _unpacked(data: bytes) -> Any:
    try:
        return pickle.loads(data)
    except CivworldError:
        raise
    except Exception as error:
        raise ArgumentError(
            f"a worker cannot load the job: {type(error).__name__}: {error}. What it needs must be importable in a "
            "fresh process: keep it in a module on the import path, or in the script or notebook itself"
        ) from error


def _end_with_parent() -> None:
    """A parent that was killed cannot end its workers: they end themselves, in the middle of a job too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_a_world(fn: Callable[[World], Any], source: Checkpoint | WorldConfig) -> Any:
    with World(source) if isinstance(source, WorldConfig) else World.from_checkpoint(source) as world:
        return fn(world)


# ---- worlds on their way ---------------------------------------------------------------------------------------


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles checkpoints as the name of a memory file of this process instead of their content.

    What fresh processes cannot import, of notebooks and scripts, is pickled by its code.
    """

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Checkpoint):
            return _attach, (value.header(), os.getpid(), value.image.fd())
        return super().reducer_override(value)


def pack(job: Any) -> bytes:
    """A job as bytes for a worker of this process."""
    out = io.BytesIO()
    _Pickler(out, protocol=5).dump(job)
    return out.getvalue()


def _attach(header: dict[str, Any], pid: int, fd: int) -> Checkpoint:
    """The checkpoint behind a memory file of the parent; its pages are shared, not copied."""
    if header["build_id"] != build_info().build_id:
        raise LifecycleError("the pool's workers run another engine build than their parent")
    own = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
    try:
        return Checkpoint._of(header, Image.from_fd(engine(), own))
    finally:
        os.close(own)
