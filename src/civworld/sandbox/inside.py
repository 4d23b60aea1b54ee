# SPDX-License-Identifier: GPL-2.0-or-later
"""The script that runs in the sandbox: reads a request, gives up every right, runs the program, writes its draws.

It stands alone, with the standard library and numpy, and is also what runs in containers. Until the program starts
it is to be trusted; what comes out afterwards is not, and `running.result_of` reads it so.

Request on standard input: JSON with `program`, `seeds`, `names`, `memory`, `scratch` and `seconds` (0: as they are),
`filter` (a seccomp program in base64, or empty). Result on standard output: one JSON object,
`{"failed": name, "detail": text}`, or `{"draws": [[value, ...], ...], "unknown": n}` with a number or the name of a
failure for each seed and name.
"""

import base64
import ctypes
import errno
import json
import math
import os
import random
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER_MODE = 38, 22, 2
Value = float | str
"""A number, or why there is none."""
LARGEST = 1e50
REFUSALS = {
    errno.EPERM: "forbidden",
    errno.EACCES: "forbidden",
    errno.EROFS: "forbidden",
    errno.EFBIG: "too_much_output",
    errno.ENOSPC: "too_much_output",
}


class Failed(Exception):
    """The program failed as a whole: name and detail."""


def limit(memory: int, scratch: int, seconds: int) -> None:
    """Set limits that cannot be raised again: bytes of memory and of a file, seconds of the processor; no core file."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if scratch:
        resource.setrlimit(resource.RLIMIT_FSIZE, (scratch, scratch))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


class _Program(ctypes.Structure):
    _fields_ = (("count", ctypes.c_ushort), ("code", ctypes.c_char_p))


def close_door(code: bytes) -> None:
    """Allow this process, for good, the system calls alone that a filter allows."""
    libc = ctypes.CDLL(None, use_errno=True)
    rules = _Program(len(code) // 8, code)
    asked = ctypes.c_ulong
    if libc.prctl(NO_NEW_PRIVILEGES, asked(1), asked(0), asked(0), asked(0)):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(SET_SECCOMP, asked(FILTER_MODE), ctypes.byref(rules), asked(0), asked(0)):
        raise OSError(ctypes.get_errno(), "seccomp")


def value(draw: dict[Any, Any], name: str) -> Value:
    """The number that a draw has under a name, or why it has none."""
    if name not in draw:
        return "missing"
    found = draw[name]
    if isinstance(found, (bool, np.bool_)):
        return "wrong_type"
    if isinstance(found, np.ndarray) and found.ndim == 0:
        found = found.item()
    if not isinstance(found, (int, float, np.integer, np.floating)):
        return "wrong_type"
    if isinstance(found, int) and abs(found) > LARGEST:
        return "not_finite"
    number = float(found)
    return number if math.isfinite(number) and abs(number) <= LARGEST else "not_finite"


def draw(simulate: Callable[[int], Any], seed: int, names: list[str]) -> tuple[list[Value], int]:
    """One call of the program's function: a row of values, and how many names it made up."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    found = simulate(seed)
    if not isinstance(found, dict):
        raise Failed("wrong_shape", "simulate gave " + type(found).__name__ + ", a dictionary is needed")
    return [value(found, name) for name in names], len(set(found) - set(names))


def run(program: str, seeds: list[int], names: list[str]) -> dict[str, Any]:
    """All draws of a program."""
    module = types.ModuleType("program")
    sys.modules["program"] = module
    exec(compile(program, "program.py", "exec"), module.__dict__)
    simulate = getattr(module, "simulate", None)
    if not callable(simulate):
        raise Failed("no_program", "no function `simulate`")
    rows = [draw(simulate, seed, names) for seed in seeds]
    if draw(simulate, seeds[0], names)[0] != rows[0][0]:
        raise Failed("not_deterministic", "seed " + str(seeds[0]) + " gave two results")
    return {"draws": [row for row, _ in rows], "unknown": rows[0][1]}


def outcome(program: str, seeds: list[int], names: list[str]) -> dict[str, Any]:
    """The draws of a program, or the name of its failure."""
    try:
        return run(program, seeds, names)
    except Failed as failed:
        name, detail = failed.args
    except SyntaxError as error:
        name, detail = "no_program", str(error)
    except MemoryError:
        name, detail = "too_much_memory", "MemoryError"
    except OSError as error:
        name, detail = REFUSALS.get(error.errno or 0, "crashed"), str(error)
    except BaseException as error:  # whatever a program raises is its own failure
        name, detail = "crashed", type(error).__name__ + ": " + str(error)[:300]
    return {"failed": name, "detail": detail[:300]}


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.stdin.buffer.read())
    result = os.dup(1)
    os.dup2(2, 1)  # what the program prints counts as output, and never mixes with the result
    os.close(0)
    limit(request["memory"], request["scratch"], request["seconds"])
    if request["filter"]:
        close_door(base64.b64decode(request["filter"]))
    found = outcome(request["program"], request["seeds"], request["names"])
    with os.fdopen(result, "wb") as pipe:
        pipe.write(json.dumps(found).encode())


if __name__ == "__main__":
    main()
