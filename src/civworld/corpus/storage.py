# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of a corpus: written whole or not at all, the same bytes whoever writes them, each with a checksum."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from civworld.durable import write_whole
from civworld.errors import CorpusCorrupt

_LEVEL = 6


def parquet_bytes(table: pa.Table) -> bytes:
    """An Arrow table as one Parquet file; equal tables give equal bytes in one version of Arrow."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=_LEVEL, row_group_size=2**20)
    return bytes(sink.getvalue().to_pybytes())


def read_parquet(data: bytes | Path) -> pa.Table:
    """The table in a Parquet file or in its bytes."""
    source = pa.BufferReader(data) if isinstance(data, bytes) else data
    return pq.ParquetFile(source).read()


def json_bytes(value: Any) -> bytes:
    """Plain values as readable JSON, always the same bytes for the same values."""
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()


def read_json(path: Path) -> Any:
    """What `json_bytes` wrote; CorpusCorrupt when it is not JSON."""
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise CorpusCorrupt(f"{path}: not JSON: {error}") from None


def checksum(data: bytes) -> str:
    """What the manifest says of a file's content: BLAKE2b, 32 hex digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write_file(path: Path, data: bytes, beside: Path | None = None) -> None:
    """Write a file so that a crash leaves the old content or the new one, never a part.

    Args:
        path: the file.
        data: its content.
        beside: folder of the same file system in which the file is made before it appears; its own if not given.
    """
    folder = path.parent if beside is None else beside
    path.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, data, beside=folder, mark=f"{_who()}.")


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files so that it is there with all of them or not at all; one that is there stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=path.name + ".", suffix=".part", dir=path.parent))
    try:
        os.chmod(temporary, 0o755)
        for name, data in files.items():
            write_file(temporary / name, data)
        try:
            os.rename(temporary, path)
        except OSError:
            if not path.is_dir():
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def drop_leftovers(folder: Path) -> None:
    """Remove what a killed writer left half-written in a folder."""
    for path in folder.glob("*.part"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def drop_orphans(folder: Path) -> None:
    """Remove half-written files in a folder whose writer, a process of this machine, is no more."""
    host, own = _who().rsplit("-", 1)
    for path in folder.glob("*.part"):
        writer, _, number = path.name.split(".")[-3].rpartition("-")
        if writer == host and number.isdecimal() and (number == own or not os.path.exists(f"/proc/{number}")):
            path.unlink(missing_ok=True)


def _who() -> str:
    """This process among those of all machines that may write here; it has no dot."""
    return f"{socket.gethostname().replace('.', '_')}-{os.getpid()}"
