# SPDX-License-Identifier: GPL-2.0-or-later
"""Unpacks and patches the engine sources into a stamped tree; a failed tree is deleted, never half-used."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from civworld_build import PATCHES, BuildError, cache_dir, say
from civworld_build.fetch import Archive, obtain, upstream

# data folders that the embedded engine reads at run time (relative to the engine's data/)
RULESETS = ("civ2civ3", "classic", "civ1", "civ2", "multiplayer", "sandbox", "alien")
DATA = (*RULESETS, "nation", "default", "ruledit", "scenarios", "override")


def series() -> list[str]:
    """Names of our own patches in the order they are applied."""
    lines = (PATCHES / "series").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def stamp() -> str:
    """Hash of everything that determines the patched tree: the pinned archives, the series, the patches."""
    h = hashlib.sha256()
    h.update((PATCHES / "UPSTREAM").read_bytes())
    h.update((PATCHES / "series").read_bytes())
    for name in series():
        h.update((PATCHES / name).read_bytes())
    return h.hexdigest()[:16]


def _unpack(archive: Archive, path: Path, where: Path) -> None:
    with tarfile.open(path) as tar:
        # Python 3.11.2, Debian 12's, knows no filters yet; what is unpacked has passed its pinned sha256
        safety: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        tar.extractall(where, **safety)
    if not (where / archive.unpacks_to).is_dir():
        raise BuildError(f"{path}: does not hold the folder {archive.unpacks_to}")


def _apply(patch: Path, tree: Path) -> None:
    done = subprocess.run(
        ["patch", "-p1", "-F0", "--no-backup-if-mismatch", "-s", "-d", str(tree), "-i", str(patch)],
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise BuildError(f"patch {patch.name} does not apply:\n{done.stdout}{done.stderr}")


def patched_tree(*, stock: bool = False) -> Path:
    """Folder with the engine sources, unpacked and patched once per stamp.

    Args:
        stock: apply only the security fix and none of our own patches (for validation builds).
    """
    if shutil.which("patch") is None:
        raise BuildError("the program `patch` is missing: apt-get install patch")
    target = cache_dir() / "trees" / ("stock-" + _pin() if stock else stamp())
    if (target / ".complete").exists():
        return target
    paths = obtain()
    say("unpacking and patching the engine sources")
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="tree-", dir=target.parent))
    try:
        by_name = {a.name: a for a in upstream()}
        for name, path in paths.items():
            _unpack(by_name[name], path, work)
        tree = work / by_name["freeciv"].unpacks_to
        security = by_name["freeciv-security"]
        for name in security.apply:
            _apply(work / security.unpacks_to / "patches" / name, tree)
        if not stock:
            for name in series():
                _apply(PATCHES / name, tree)
        os.rename(tree, work / "freeciv")
        os.rename(work / by_name["lua"].unpacks_to, work / "lua")
        (work / ".complete").touch()
        shutil.rmtree(target, ignore_errors=True)
        os.rename(work, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def _pin() -> str:
    return hashlib.sha256((PATCHES / "UPSTREAM").read_bytes()).hexdigest()[:16]


def copy_data(tree: Path, target: Path) -> None:
    """Copy the rulesets, nations and scenarios that the engine reads into the package."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    source = tree / "freeciv" / "data"
    ignore = shutil.ignore_patterns("Makefile*", "*.am", "*.in", "*.png", "*.ogg")
    for name in DATA:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, ignore=ignore)
    for path in sorted(source.glob("*.serv")):
        shutil.copy(path, target)
    shutil.copy(tree / "freeciv" / "COPYING", target / "COPYING")
