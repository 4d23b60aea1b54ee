# SPDX-License-Identifier: GPL-2.0-or-later
"""An environment that holds civworld's core alone: what a plain `pip install .` brings, and no extra."""

import importlib.metadata
import re
import subprocess
import sys
import venv
from pathlib import Path

import civworld

SOURCES = Path(civworld.__file__).parents[1]


def core() -> set[str]:
    """Names of the distributions that a plain installation brings, dependencies of dependencies included."""
    found: set[str] = set()
    wanted = ["civworld"]
    while wanted:
        name = wanted.pop()
        for line in importlib.metadata.requires(name) or ():
            requirement, _, marker = line.partition(";")
            named = re.match(r"[\w.-]+", requirement)
            if named and "extra" not in marker and named[0].lower() not in found and is_here(named[0]):
                found.add(named[0].lower())
                wanted.append(named[0])
    return found


def is_here(name: str) -> bool:
    """Whether a distribution is installed; one that is not was for another system."""
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def environment(folder: Path, *more: str) -> Path:
    """Make a virtual environment with links to the core's libraries and no others; the Python in it.

    Args:
        folder: where to make it.
        more: distributions to link besides.
    """
    venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
    site = next(folder.glob("lib/python*/site-packages"))
    for name in sorted(core() | set(more)):
        distribution = importlib.metadata.distribution(name)
        tops = {path.parts[0] for path in distribution.files or () if ".." not in path.parts}
        for top in tops - {"__pycache__"}:
            source = Path(str(distribution.locate_file(top)))
            if source.exists() and not (site / top).exists():
                (site / top).symlink_to(source)
    return folder / "bin" / "python"


def run(python: Path, code: str, *args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run code with the installation under test on the path, and nothing of this environment."""
    start = f"import sys; sys.path.append({str(SOURCES)!r})\n"
    return subprocess.run([str(python), "-I", "-c", start + code, *args], capture_output=True, text=True, env=env)


if __name__ == "__main__":
    print(environment(Path(sys.argv[1])))
