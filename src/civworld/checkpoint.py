# SPDX-License-Identifier: GPL-2.0-or-later
"""Checkpoints: a world at one moment, as an immutable value that restores exactly, here or elsewhere."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import msgpack
import numpy as np
import numpy.typing as npt
import zstandard

from civworld._engine import PAGE, Image, build_info, engine, page_sums
from civworld.checks import whole
from civworld.config import WorldConfig
from civworld.durable import write_whole
from civworld.errors import CheckpointCorrupt, CheckpointMismatch, LifecycleError

if TYPE_CHECKING:
    from civworld.world import World

_world: type[World]


def worlds_are(world: type[World]) -> None:
    """Name the class of worlds that checkpoints fork into; it builds on this module, so it says so itself."""
    global _world
    _world = world


MAGIC = b"civworld-checkpoint\n"
FORMAT = 2
_HASH_BYTES = 32
# fast enough that compressing is not what a save waits for; level 3 saves 3 % more
_LEVEL = 1
# pages compressed together: enough for the level's window, few enough to stay in a core's cache
_BATCH = 512


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

    def __repr__(self) -> str:
        return f"<Checkpoint {self.config.ruleset} seed={self.config.seed} turn={self.turn} digest={self.digest[:8]}>"

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
        if n is None:
            return _world.from_checkpoint(self)
        return [_world.from_checkpoint(self) for _ in range(whole("fork: n", n, 0))]

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
        batches = [pages[i : i + _BATCH] for i in range(0, len(pages), _BATCH)]
        with _threads() as threads:
            sums, frames = zip(*threads.map(self._pack_batch, batches), strict=True)
        body = [zstandard.compress(pages.astype("<u4").tobytes(), _LEVEL), *frames]
        lengths = [len(frame) for frame in body]
        layout = {
            "pages": len(pages),
            "page_bytes": PAGE,
            "page_checksums": b"".join(sums),
            "frames": lengths,
        }
        header = msgpack.packb(self.header() | layout)
        size = sum(lengths).to_bytes(8, "little")
        whole = b"".join([MAGIC, len(header).to_bytes(8, "little"), header, size, *body])
        return whole + hashlib.blake2b(whole, digest_size=_HASH_BYTES).digest()

    def _pack_batch(self, pages: npt.NDArray[np.uint32]) -> tuple[bytes, bytes]:
        content = self.image.read(pages)
        return page_sums(content).astype("<u4").tobytes(), zstandard.compress(content.data, _LEVEL)

    @classmethod
    def from_bytes(cls, data: bytes, where: object = "checkpoint bytes") -> Checkpoint:
        """The checkpoint that `to_bytes` wrote; `load` says whom to trust.

        Raises:
            CheckpointCorrupt: the bytes are not what was written.
            CheckpointMismatch: they are of another engine build.
        """
        header, body = _open(data, where)
        mine = build_info().build_id
        if header["build_id"] != mine:
            raise CheckpointMismatch(
                f"{where}: build_id {header['build_id']}, this engine is {mine}: images load only in the same build",
                field="build_id",
            )
        try:
            image = _assemble(header, body)
        except (zstandard.ZstdError, ValueError, CheckpointCorrupt) as error:
            raise CheckpointCorrupt(f"{where}: {error}") from None
        return cls._of(header, image)

    @classmethod
    def _of(cls, header: dict[str, Any], image: Image) -> Checkpoint:
        config = WorldConfig.from_dict(header["config"])
        steps = tuple(tuple(step) for step in header["steps"])
        return cls(config, header["turn"], header["digest"], header["build_id"], image, steps)

    def __reduce__(self) -> tuple[Any, ...]:
        return Checkpoint.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> Checkpoint:
        return self  # nothing of it can change

    def __deepcopy__(self, memo: dict[int, Any]) -> Checkpoint:
        return self

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
    for detail in ("page_checksums", "frames"):
        del header[detail]
    return header | {"compressed_bytes": len(body)}


def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(4, len(os.sched_getaffinity(0))))


def _assemble(header: dict[str, Any], body: memoryview) -> Image:
    """The image whose pages are in the body; CheckpointCorrupt when a page does not match its checksum."""
    ends = np.cumsum([0, *header["frames"]]).tolist()
    frames = [body[start:end] for start, end in itertools.pairwise(ends)]
    pages = np.frombuffer(_unpack(frames[0]), "<u4").astype(np.uint32)
    sums = np.frombuffer(header["page_checksums"], "<u4")
    if not len(pages) == len(sums) == header["pages"]:
        raise CheckpointCorrupt(f"{len(pages)} pages with {len(sums)} checksums, not {header['pages']}")
    with _threads() as threads:
        return Image.assemble(engine(), pages, _checked(threads.map(_unpack, frames[1:]), sums))


def _unpack(frame: memoryview) -> bytes:
    return zstandard.decompress(frame)


def _checked(batches: Iterator[bytes], sums: npt.NDArray[np.uint32]) -> Iterator[npt.NDArray[np.uint8]]:
    """The batches as pages; a page's own checksum tells which is damaged where the whole's tells that one is."""
    done = 0
    for batch in batches:
        content = np.frombuffer(batch, np.uint8).reshape(-1, PAGE)
        wrong = np.flatnonzero(page_sums(content) != sums[done : done + len(content)])
        if len(wrong):
            raise CheckpointCorrupt(f"page {done + wrong[0]} of {len(sums)} does not match its checksum")
        yield content
        done += len(content)


def _open(data: bytes, where: object) -> tuple[dict[str, Any], memoryview]:
    if len(data) < len(MAGIC) + 16 + _HASH_BYTES or not data.startswith(MAGIC):
        raise CheckpointCorrupt(f"{where}: not a civworld checkpoint, or cut short ({len(data)} bytes)")
    whole = memoryview(data)
    if hashlib.blake2b(whole[:-_HASH_BYTES], digest_size=_HASH_BYTES).digest() != data[-_HASH_BYTES:]:
        raise CheckpointCorrupt(f"{where}: the checksum of the whole does not match ({len(data)} bytes)")
    at = len(MAGIC)
    n = int.from_bytes(data[at : at + 8], "little")
    header = msgpack.unpackb(whole[at + 8 : at + 8 + n])
    at += 8 + n
    size = int.from_bytes(data[at : at + 8], "little")
    if header["format"] != FORMAT:
        raise CheckpointMismatch(f"{where}: format {header['format']}, this library reads {FORMAT}", field="format")
    return header, whole[at + 8 : at + 8 + size]


def _write_atomically(path: Path, data: bytes) -> None:
    if not path.parent.is_dir():
        raise LifecycleError(f"{path}: the folder {path.parent} does not exist")
    write_whole(path, data)
