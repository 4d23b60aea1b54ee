# SPDX-License-Identifier: GPL-2.0-or-later
"""Ten programs that mean harm: what each does, what is to become of it inside, and a size at which it is harmless.

Their text is formatted with `secret` (a file), `target` (a file to write), `port` (that listens here), `parent` (a
process) and `n` (how much of it).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Hostile:
    """A program, the failures that it may end as, and its sizes inside and outside."""

    text: str
    ends: tuple[str, ...]
    inside: int = 0
    outside: int = 0


HOSTILE = {
    "network": Hostile(
        """
import socket
def simulate(seed):
    socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
""",
        ("forbidden",),
    ),
    "reads answers": Hostile(
        """
def simulate(seed):
    with open({secret!r}) as file:
        return {{"a": len(file.read())}}
""",
        ("crashed",),
    ),
    "reads the parent": Hostile(
        """
def simulate(seed):
    with open("/proc/{parent}/maps") as file:
        return {{"a": len(file.read())}}
""",
        ("crashed",),
    ),
    "fork bomb": Hostile(
        """
import os
def simulate(seed):
    for _ in range({n}):
        if os.fork() == 0 and {n} == 1:
            os._exit(0)
""",
        ("forbidden",),
        10**9,
        1,
    ),
    "10 GB": Hostile(
        """
def simulate(seed):
    return {{"a": len(bytearray({n}))}}
""",
        ("too_much_memory",),
        10 * 10**9,
        10**6,
    ),
    "endless loop": Hostile(
        """
def simulate(seed):
    k = 0
    while k < {n}:
        k += 1
""",
        ("timeout",),
        10**15,
        10,
    ),
    "1 GB of output": Hostile(
        """
import os
def simulate(seed):
    for _ in range({n}):
        os.write(1, b"x" * 10**6)
""",
        ("too_much_output",),
        1000,
        1,
    ),
    "writes outside": Hostile(
        """
def simulate(seed):
    with open({target!r}, "w") as file:
        file.write("here I was")
""",
        ("crashed",),
    ),
    "signals the parent": Hostile(
        """
import os, signal
def simulate(seed):
    for process in (os.getppid(), {parent}, -1):
        os.kill(process, signal.SIGURG)
        if {n}:
            break
""",
        ("forbidden",),
        0,
        1,
    ),
    "exploits pickle": Hostile(
        """
import os, pickle
class Payload:
    def __reduce__(self):
        return open, ({target!r}, "w")
def simulate(seed):
    data = pickle.dumps(Payload())
    for file in range(1, 64):
        try:
            os.write(file, data)
        except OSError:
            pass
    if {n}:
        pickle.loads(data)
        return
    os._exit(0)
""",
        ("bad_result",),
        0,
        1,
    ),
    "ptrace": Hostile(
        """
import ctypes, os
def simulate(seed):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0, 0, 0, 0) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")
""",
        ("forbidden",),
    ),
}
