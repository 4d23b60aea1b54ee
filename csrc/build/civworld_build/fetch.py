# SPDX-License-Identifier: GPL-2.0-or-later
"""Gets the pinned source archives: a given path, the cache, or the Debian archive the host itself uses."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tomllib
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from civworld_build import PATCHES, BuildError, cache_dir, say

APT_HELPER = Path("/usr/lib/apt/apt-helper")


@dataclass(frozen=True)
class Archive:
    """One pinned source archive, as UPSTREAM names it."""

    name: str
    file: str
    length: int
    sha256: str
    pool: str
    unpacks_to: str
    apply: tuple[str, ...] = ()


def upstream() -> list[Archive]:
    """The archives that freeciv_patches/UPSTREAM pins."""
    with open(PATCHES / "UPSTREAM", "rb") as f:
        table = tomllib.load(f)
    return [Archive(name=name, **{**row, "apply": tuple(row.get("apply", ()))}) for name, row in table.items()]


def check(archive: Archive, path: Path) -> None:
    """Raise BuildError unless the file has the pinned length and sha256."""
    size = path.stat().st_size
    if size != archive.length:
        raise BuildError(
            f"{path}: {size} bytes, expected {archive.length}. Delete the file and build again, "
            f"or set CIVWORLD_FREECIV_SOURCE to a folder that holds the right {archive.file}."
        )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != archive.sha256:
        raise BuildError(
            f"{path}: sha256 {digest}, expected {archive.sha256}. This is not the pinned source: "
            "do not use it. Delete the file and build again."
        )


def mirrors() -> list[str]:
    """Addresses of the Debian archives this host is configured to use, most likely first."""
    try:
        out = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(SITE)\t$(RELEASE)", "Created-By: Packages"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    sites: dict[str, None] = {}
    for line in out.splitlines():
        site, _, _release = line.partition("\t")
        if site.rstrip("/").endswith("/debian"):
            sites.setdefault(site.rstrip("/"), None)
    return list(sites)


def download(archive: Archive, target: Path) -> None:
    """Fetch one archive from the first mirror that has it; apt's own transport first, plain HTTP second."""
    sites = mirrors()
    part = target.with_suffix(target.suffix + ".part")
    tried = []
    for site in sites:
        url = f"{site}/{archive.pool}/{urllib.parse.quote(archive.file)}"
        say(f"fetching {archive.file} ({archive.length / 1e6:.1f} MB)")
        part.unlink(missing_ok=True)
        if APT_HELPER.exists():
            done = subprocess.run(
                [str(APT_HELPER), "-o", "APT::Sandbox::User=root", "download-file", url, str(part)],
                capture_output=True,
                text=True,
            )
            if done.returncode == 0 and part.exists():
                break
            tried.append(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "apt-helper failed")
        try:
            with urllib.request.urlopen(url, timeout=120) as reply, open(part, "wb") as out:
                shutil.copyfileobj(reply, out)
            break
        except OSError as error:
            tried.append(str(error))
    else:
        detail = "; ".join(tried) if tried else "this host's apt configuration names no Debian archive"
        raise BuildError(
            f"cannot fetch {archive.file}: {detail}. Connect to the network, or put the file into a folder "
            f"and set CIVWORLD_FREECIV_SOURCE to that folder."
        )
    check(archive, part)
    os.replace(part, target)


def obtain() -> dict[str, Path]:
    """Paths of all pinned archives, verified; downloads what neither a given folder nor the cache holds."""
    given = os.environ.get("CIVWORLD_FREECIV_SOURCE")
    store = cache_dir() / "sources"
    found = {}
    for archive in upstream():
        path = store / archive.file
        if given and (Path(given) / archive.file).exists():
            path = Path(given) / archive.file
        elif not path.exists():
            store.mkdir(parents=True, exist_ok=True)
            download(archive, path)
        check(archive, path)
        found[archive.name] = path
    return found
