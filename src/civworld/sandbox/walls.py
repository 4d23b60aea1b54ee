# SPDX-License-Identifier: GPL-2.0-or-later
"""The command that starts the script behind walls: namespaces and a file system of its own, by bubblewrap."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from civworld.errors import SandboxUnavailable
from civworld.sandbox.limits import MIB, Limits

SCRIPT = Path(__file__).with_name("inside.py")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
"""Where the loader finds shared libraries; read-only inside, without the Python packages below."""
PACKAGES = ("site-packages", "dist-packages")
NOBODY = "65534"
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "LC_ALL": "C.UTF-8",
}
"""All that the script has of an environment, beside where numpy lies."""
FLAGS = ("-S", "-s", "-P")
"""Of the interpreter: no site packages, no folder of the script among modules."""


def _numpy() -> list[Path]:
    """numpy's own folders, and no other package's."""
    package = Path(np.__file__).resolve().parent
    libraries = package.with_name("numpy.libs")
    return [package, libraries] if libraries.exists() else [package]


def walled(limits: Limits) -> tuple[list[str], dict[str, str]]:
    """Command and environment that run the script behind walls.

    Raises:
        SandboxUnavailable: bubblewrap is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxUnavailable("bubblewrap (`bwrap`) is not installed; on Debian: apt-get install bubblewrap")
    python, base = Path(sys.executable).resolve(), sysconfig.get_path("stdlib")
    # everything is unshared: users, processes, network, mounts, host name, shared memory; no /proc, no /dev
    command = [program, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--uid", NOBODY, "--gid", NOBODY, "--hostname", "sandbox", "--cap-drop", "ALL"]
    command += ["--die-with-parent", "--new-session", "--clearenv"]
    shown = [folder for folder in (*LIBRARIES, base) if Path(folder).is_dir()]
    for folder in shown:
        link = Path(folder).is_symlink()
        command += ["--symlink", os.readlink(folder), folder] if link else ["--ro-bind", folder, folder]
    for hidden in _packages(shown):
        command += ["--tmpfs", str(hidden), "--remount-ro", str(hidden)]
    command += ["--ro-bind", str(python), "/python", "--ro-bind", str(SCRIPT), "/inside.py"]
    for part in _numpy():
        command += ["--ro-bind", str(part), f"/packages/{part.name}"]
    command += ["--size", str(limits.scratch * MIB), "--tmpfs", "/scratch", "--chdir", "/scratch", "--remount-ro", "/"]
    settings = {**ENVIRONMENT, "PYTHONPATH": "/packages", "PYTHONHOME": sys.base_prefix}
    settings["LD_LIBRARY_PATH"] = str(sysconfig.get_config_var("LIBDIR") or "")
    for name, value in settings.items():
        command += ["--setenv", name, value]
    return [*command, "--", "/python", *FLAGS, "/inside.py"], {}


def _packages(shown: Sequence[str]) -> list[Path]:
    """Folders of installed packages within folders that are shown; they are covered inside."""
    patterns = [pattern for name in PACKAGES for pattern in (name, f"*/{name}")]
    return sorted({path.resolve() for folder in shown for pattern in patterns for path in Path(folder).glob(pattern)})


def unwalled() -> tuple[list[str], dict[str, str]]:
    """Command and environment that run the script as an ordinary process."""
    return [sys.executable, *FLAGS, str(SCRIPT)], {**ENVIRONMENT, "PYTHONPATH": str(_numpy()[0].parent)}
