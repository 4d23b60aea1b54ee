# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts the script, feeds it a program, and reads what comes back with suspicion."""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from civworld.errors import ArgumentError, SandboxUnavailable
from civworld.sandbox import inside, seccomp, walls
from civworld.sandbox.limits import FAILURES, MIB, NUMBER_FAILURES, Draws, Failure, Limits

GRACE = 2.0
"""Seconds beside a program's own, for Python and numpy to start."""
MANY = 1000
"""Names beside those asked for that are still counted."""
SHOWN = 300
"""Characters of what a program said that a failure repeats."""


@dataclass(frozen=True)
class _Ended:
    """How a process ended: what it wrote, and why it was stopped (empty when it ended itself)."""

    out: bytes
    err: bytes
    status: int
    stopped: str


def run(
    program: str, seeds: Sequence[int], names: Sequence[str], limits: Limits | None = None, *, unsafe: bool = False
) -> Draws | Failure:
    """Call a program's `simulate(seed)` once for each seed.

    Args:
        program: Python source; numpy is there, nothing else beside the standard library. Each call is to give a
            dictionary with a number for every name. Global generators of `random` and numpy are seeded before a call.
        seeds: one or more whole numbers from 0 on.
        names: what to take out of each dictionary.
        limits: None for the usual ones.
        unsafe: run it as an ordinary process of this user, with limits but without walls.

    Raises:
        SandboxUnavailable: this machine cannot wall the program in, and `unsafe` was not given.
        ArgumentError: no seed, or a negative one.
    """
    limits = limits or Limits()
    if not unsafe:
        check()
    return _run(program, seeds, names, limits, unsafe=unsafe)


def check() -> None:
    """Do nothing where walls stand.

    Raises:
        SandboxUnavailable: bubblewrap is missing, the kernel refuses namespaces, or a program could look out.
    """
    reason = _reason()
    if reason:
        raise SandboxUnavailable(f"programs cannot be run in isolation here: {reason}")


_PROBE = """
import os, socket
def simulate(seed):
    seen = os.path.exists({canary!r}) or os.getppid() == {pid}
    try:
        socket.socket()
        seen = True
    except PermissionError:
        pass
    return {{"seen": int(seen)}}
"""


@functools.cache
def _reason() -> str:
    """Why programs cannot be walled in; empty where they can. A program that tries to look out is asked."""
    if sys.platform != "linux":
        return f"the sandbox needs Linux, this is {sys.platform}"
    with tempfile.NamedTemporaryFile() as canary:
        text = _PROBE.format(canary=canary.name, pid=os.getpid())
        try:
            found = _run(text, [0], ["seen"], Limits(), unsafe=False)
        except SandboxUnavailable as error:
            return str(error)
    if isinstance(found, Failure):
        return f"a harmless program failed: {found.name}, {found.detail}"
    return "a program could look out" if found.values["seen"][0] else ""


def _run(program: str, seeds: Sequence[int], names: Sequence[str], limits: Limits, *, unsafe: bool) -> Draws | Failure:
    request = request_of(program, seeds, names, limits, filtered=sys.platform == "linux")
    with contextlib.ExitStack() as stack:
        if unsafe:
            (command, environment), where = walls.unwalled(), stack.enter_context(tempfile.TemporaryDirectory())
        else:
            (command, environment), where = walls.walled(limits), "/"
        ended = _process(command, environment, where, request, limits)
    if ended.stopped:
        return Failure(ended.stopped)
    if ended.status != 0 and not ended.out:
        said = ended.err.decode(errors="replace").strip()[-SHOWN:]
        killed = ended.status in (-signal.SIGXCPU, 128 + signal.SIGXCPU)
        return Failure("timeout" if killed else "crashed", f"status {ended.status}; {said}")
    return result_of(ended.out, len(seeds), names)


def request_of(
    program: str, seeds: Sequence[int], names: Sequence[str], limits: Limits, *, filtered: bool = True
) -> bytes:
    """What the script in the sandbox reads.

    Args:
        program: Python source.
        seeds: for each call.
        names: what to take out of each result.
        limits: what the process may use.
        filtered: also leave it the system calls alone that `seccomp` allows; needs Linux.
    """
    if not seeds or min(seeds) < 0:
        raise ArgumentError(f"seeds {list(seeds)}: one or more, from 0 on, are needed")
    rules = base64.b64encode(seccomp.rules()).decode() if filtered else ""
    asked = {"program": program, "seeds": list(seeds), "names": list(names), "filter": rules}
    most = {"memory": limits.memory * MIB, "scratch": limits.scratch * MIB, "seconds": limits.seconds}
    return json.dumps({**asked, **most}).encode()


def _process(
    command: Sequence[str], environment: Mapping[str, str], where: str, request: bytes, limits: Limits
) -> _Ended:
    """Run a command to its end, or to that of its time or output; it is dead when this returns."""
    with tempfile.TemporaryFile() as given:
        given.write(request)
        given.seek(0)
        process = subprocess.Popen(
            command, env=dict(environment), cwd=where, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    with process:
        try:
            out, err, stopped = _drain(process, limits)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return _Ended(out, err, process.returncode, stopped)


def _drain(process: subprocess.Popen[bytes], limits: Limits) -> tuple[bytes, bytes, str]:
    """Standard output and error until both end, and what ran out first."""
    assert process.stdout is not None
    assert process.stderr is not None
    held: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    end, stopped = time.monotonic() + limits.seconds + GRACE, ""
    with selectors.DefaultSelector() as ready:
        for pipe in held:
            ready.register(pipe, selectors.EVENT_READ, pipe)
        while ready.get_map() and not stopped:
            left = end - time.monotonic()
            for key, _ in ready.select(max(left, 0)):
                data = os.read(key.fd, 1 << 16)
                held[key.data].extend(data)
                if not data:
                    ready.unregister(key.fileobj)
            if sum(map(len, held.values())) > limits.output * MIB:
                stopped = "too_much_output"
            elif left <= 0:
                stopped = "timeout"
    if not stopped:
        try:
            process.wait(max(end - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            stopped = "timeout"
    return bytes(held[process.stdout]), bytes(held[process.stderr]), stopped


def result_of(data: bytes, seeds: int, names: Sequence[str]) -> Draws | Failure:
    """What a process wrote, as far as it is what the script writes; the process is not to be trusted.

    Args:
        data: its standard output.
        seeds: how many draws there are to be.
        names: in the order of a draw's values.
    """
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError):
        return Failure("bad_result", f"{len(data)} bytes that are no JSON")
    if not isinstance(found, dict):
        return Failure("bad_result", "no object")
    if "failed" in found:
        name, detail = found["failed"], found.get("detail")
        known = isinstance(name, str) and name in FAILURES
        return Failure(name, str(detail)[:SHOWN]) if known else Failure("bad_result", "an unknown failure")
    rows, unknown = _table(found.get("draws"), seeds, len(names)), found.get("unknown")
    if rows is None or not isinstance(unknown, int):
        return Failure("bad_result", "no table of draws")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    failures = {name: bad for name, column in columns.items() if (bad := _bad(column))}
    values = {name: np.array(column, np.float64) for name, column in columns.items() if name not in failures}
    return Draws(values, failures, min(max(unknown, 0), MANY))


def _table(rows: Any, count: int, width: int) -> list[list[Any]] | None:
    """The rows of a table of this size; None for anything else."""
    if not isinstance(rows, list) or len(rows) != count:
        return None
    return rows if all(isinstance(row, list) and len(row) == width for row in rows) else None


def _bad(column: Sequence[Any]) -> str:
    """The first failure among the values of one name; empty when all are numbers."""
    for value in column:
        if isinstance(value, str) and value in NUMBER_FAILURES:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return "wrong_type"
        if not abs(value) <= inside.LARGEST:
            return "not_finite"
    return ""
