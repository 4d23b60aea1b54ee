# SPDX-License-Identifier: GPL-2.0-or-later
"""Checkpoints: a world at one moment, as an immutable value that restores exactly, here or elsewhere."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import msgpack
import numpy as np
import numpy.typing as npt
import zstandard

from civworld._engine import PAGE, Image, build_info, engine
from civworld.config import WorldConfig
from civworld.errors import CheckpointCorrupt, CheckpointMismatch, LifecycleError

if TYPE_CHECKING:
    from civworld.world import World

MAGIC = b"civworld-checkpoint\n"
FORMAT = 1
_HASH_BYTES = 32
# fast enough that compressing is not what a save waits for; level 3 saves 3 % more
_LEVEL = 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A world frozen between two turns.

    Two checkpoints are equal when their digests are. Keep as many as you like: checkpoints of one world
    share the pages that did not change between them.

    Attributes:
        config: what the world was made from.
        turn: the turn whose command window it rests in.
        digest: hash of the canonical game state, 32 hex digits.
        build_id: the engine build whose memory this is; no other build can load it.
        image: the memory itself.
        steps: what was done since turn 1, see `civworld.recipe`.
    """

    config: WorldConfig
    turn: int
    digest: str
    build_id: str
    image: Image
    steps: tuple[Any, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Checkpoint) and (self.digest, self.turn) == (other.digest, other.turn)

    def __hash__(self) -> int:
        return hash((self.digest, self.turn))

    @overload
    def fork(self) -> World: ...

    @overload
    def fork(self, n: int) -> list[World]: ...

    def fork(self, n: int | None = None) -> World | list[World]:
        """A new world (or a list of n) going on from here, independent of all others."""
        from civworld.world import World

        if n is None:
            return World.from_checkpoint(self)
        return [World.from_checkpoint(self) for _ in range(n)]

    def header(self) -> dict[str, Any]:
        """Everything but the memory, as plain values."""
        return {
            "format": FORMAT,
            "build_id": self.build_id,
            "config": self.config.to_dict(),
            "turn": self.turn,
            "digest": self.digest,
            "steps": self.steps,
        }

    def to_bytes(self) -> bytes:
        """The checkpoint as bytes, as `save` writes them."""
        pages = self.image.diff(None)
        content = self.image.read(pages)
        header = msgpack.packb(
            self.header() | {"pages": len(pages), "page_bytes": PAGE, "page_checksums": _page_checksums(content)}
        )
        packer = zstandard.ZstdCompressor(level=_LEVEL, threads=-1)
        # in two pieces, since joining them first would copy tens of megabytes
        stream = packer.compressobj(size=pages.nbytes + content.nbytes)
        body = stream.compress(pages.astype("<u4").tobytes()) + stream.compress(content.data) + stream.flush()
        parts = [MAGIC, len(header).to_bytes(8, "little"), header, len(body).to_bytes(8, "little"), body]
        whole = b"".join(parts)
        return whole + hashlib.blake2b(whole, digest_size=_HASH_BYTES).digest()

    @classmethod
    def from_bytes(cls, data: bytes, where: object = "checkpoint bytes") -> Checkpoint:
        """The checkpoint that `to_bytes` wrote; `load` says what may be raised and whom to trust."""
        header, body = _open(data, where)
        mine = build_info().build_id
        if header["build_id"] != mine:
            raise CheckpointMismatch(
                f"{where}: build_id {header['build_id']}, this engine is {mine}: images load only in the same build",
                field="build_id",
            )
        n = header["pages"]
        try:
            raw = zstandard.ZstdDecompressor().decompress(body, max_output_size=n * (PAGE + 4))
        except zstandard.ZstdError as error:
            raise CheckpointCorrupt(f"{where}: {error}") from None
        pages = np.frombuffer(raw, "<u4", n).astype(np.uint32)
        content = np.frombuffer(raw, np.uint8, offset=4 * n).reshape(n, PAGE)
        if _page_checksums(content) != header["page_checksums"]:
            raise CheckpointCorrupt(f"{where}: the content of its pages does not match their checksums")
        return cls._of(header, engine().pristine.build(pages, content))

    @classmethod
    def _of(cls, header: dict[str, Any], image: Image) -> Checkpoint:
        config = WorldConfig.from_dict(header["config"])
        steps = tuple(tuple(step) for step in header["steps"])
        return cls(config, header["turn"], header["digest"], header["build_id"], image, steps)

    def __reduce__(self) -> tuple[Any, ...]:
        return Checkpoint.from_bytes, (self.to_bytes(),)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint to one file, atomically: a crash leaves the old file or the new one.

        The file holds machine addresses and is tied to this engine build; see `load` about trust.
        """
        _write_atomically(Path(path), self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Checkpoint:
        """Read a checkpoint file of this engine build.

        Load only files you trust: an image holds code addresses, so a crafted one can run code, like a
        pickle. Checksums detect damage, not malice. To share worlds with strangers use `civworld.recipe`
        (config and steps, exact to replay) or the text savegame of `World.export_savegame`.

        Raises:
            CheckpointCorrupt: the file is cut short or any byte differs from what was written.
            CheckpointMismatch: it belongs to another engine build or format; `.field` says which differs.
            FileNotFoundError: there is no such file.
        """
        return cls.from_bytes(Path(path).read_bytes(), path)


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The header of a checkpoint file, checked against damage, without loading its memory."""
    header, body = _open(Path(path).read_bytes(), path)
    del header["page_checksums"]
    return header | {"compressed_bytes": len(body)}


def _page_checksums(content: npt.NDArray[np.uint8]) -> bytes:
    """Adler-32 of each page, little-endian: tells which page is damaged where the whole's hash tells that one is."""
    view = np.ascontiguousarray(content).data.cast("B")
    sums = [zlib.adler32(view[i : i + PAGE]) for i in range(0, len(view), PAGE)]
    return np.array(sums, "<u4").tobytes()


def _open(data: bytes, where: object) -> tuple[dict[str, Any], bytes]:
    if len(data) < len(MAGIC) + 16 + _HASH_BYTES or not data.startswith(MAGIC):
        raise CheckpointCorrupt(f"{where}: not a civworld checkpoint, or cut short ({len(data)} bytes)")
    whole = memoryview(data)
    if hashlib.blake2b(whole[:-_HASH_BYTES], digest_size=_HASH_BYTES).digest() != data[-_HASH_BYTES:]:
        raise CheckpointCorrupt(f"{where}: the checksum of the whole does not match ({len(data)} bytes)")
    at = len(MAGIC)
    n = int.from_bytes(data[at : at + 8], "little")
    header = msgpack.unpackb(data[at + 8 : at + 8 + n])
    at += 8 + n
    size = int.from_bytes(data[at : at + 8], "little")
    if header["format"] != FORMAT:
        raise CheckpointMismatch(f"{where}: format {header['format']}, this library reads {FORMAT}", field="format")
    return header, data[at + 8 : at + 8 + size]


def _write_atomically(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        raise LifecycleError(f"{path}: the folder {path.parent} does not exist")
    fd, name = tempfile.mkstemp(prefix=path.name + ".", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
