# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are there whole or not at all, whenever a process dies."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, *, beside: Path | None = None, mark: str = "") -> None:
    """Write a file so that a crash leaves the old content or the new one, never a part.

    Args:
        path: the file; its folder exists.
        data: its content.
        beside: folder of the same file system in which the file is made before it appears; its own if not given.
        mark: what tells the unfinished file from those of others; it ends in `.part` in any case.

    Raises:
        OSError: the file cannot be written; what was there before still is.
    """
    fd, name = tempfile.mkstemp(prefix=f"{path.name}.{mark}", suffix=".part", dir=beside or path.parent)
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
