# SPDX-License-Identifier: GPL-2.0-or-later
"""The system calls that a program may make, as a filter that the kernel runs: all others fail with EPERM.

No new process or thread, no signal to anyone, no socket, no mount, no tracing, no terminal: what is not named here is
refused, calls of future kernels too.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping
from types import MappingProxyType

from civworld.errors import SandboxUnavailable

X86_64: Mapping[str, int] = MappingProxyType(
    {
        "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
        "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
        "rt_sigreturn": 15, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "select": 23,
        "sched_yield": 24, "mremap": 25, "madvise": 28, "dup": 32, "dup2": 33, "nanosleep": 35, "getpid": 39,
        "exit": 60, "uname": 63, "fcntl": 72, "fsync": 74, "ftruncate": 77, "getcwd": 79, "rename": 82, "mkdir": 83,
        "rmdir": 84, "unlink": 87, "readlink": 89, "gettimeofday": 96, "getrusage": 98, "sysinfo": 99, "times": 100,
        "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "sigaltstack": 131, "gettid": 186, "time": 201,
        "futex": 202, "sched_getaffinity": 204, "getdents64": 217, "restart_syscall": 219, "clock_gettime": 228,
        "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "openat": 257, "mkdirat": 258,
        "newfstatat": 262, "unlinkat": 263, "renameat": 264, "readlinkat": 267, "faccessat": 269, "pselect6": 270,
        "ppoll": 271, "set_robust_list": 273, "dup3": 292, "renameat2": 316, "getrandom": 318, "statx": 332,
        "rseq": 334, "faccessat2": 439,
    }
)  # fmt: skip
AARCH64: Mapping[str, int] = MappingProxyType(
    {
        "getcwd": 17, "dup": 23, "dup3": 24, "fcntl": 25, "mkdirat": 34, "unlinkat": 35, "renameat": 38,
        "ftruncate": 46, "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61, "lseek": 62, "read": 63,
        "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68, "pselect6": 72, "ppoll": 73,
        "readlinkat": 78, "newfstatat": 79, "fstat": 80, "fsync": 82, "exit": 93, "exit_group": 94, "futex": 98,
        "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115,
        "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134,
        "rt_sigprocmask": 135, "rt_sigreturn": 139, "times": 153, "uname": 160, "getrusage": 165,
        "gettimeofday": 169, "getpid": 172, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177,
        "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215, "mremap": 216, "mmap": 222, "mprotect": 226,
        "madvise": 233, "renameat2": 276, "getrandom": 278, "statx": 291, "rseq": 293, "faccessat2": 439,
    }
)  # fmt: skip
MACHINES: Mapping[str, tuple[int, Mapping[str, int]]] = MappingProxyType(
    {"x86_64": (0xC000003E, X86_64), "aarch64": (0xC00000B7, AARCH64)}
)
"""Name of a machine -> how the kernel numbers it (AUDIT_ARCH_*), and its system calls."""

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
_NUMBER_AT, _MACHINE_AT = 0, 4  # in struct seccomp_data
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000


def rules(machine: str = "") -> bytes:
    """The filter as the kernel takes it, 8 bytes an instruction.

    Args:
        machine: a key of `MACHINES`; empty for this one.

    Raises:
        SandboxUnavailable: the calls of this machine are not known.
    """
    machine = machine or platform.machine()
    if machine not in MACHINES:
        raise SandboxUnavailable(f"system calls of {machine!r} are not known, only of {', '.join(MACHINES)}")
    audit, calls = MACHINES[machine]
    numbers = sorted(calls.values())
    code = [_line(_LOAD, _MACHINE_AT), _line(_EQUAL, audit, 1, 0), _line(_RETURN, _KILL), _line(_LOAD, _NUMBER_AT)]
    # each number jumps over those after it and over the refusal
    code += [_line(_EQUAL, number, len(numbers) - place, 0) for place, number in enumerate(numbers)]
    return b"".join([*code, _line(_RETURN, _ERRNO | errno.EPERM), _line(_RETURN, _ALLOW)])


def _line(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
