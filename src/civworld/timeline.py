# SPDX-License-Identifier: GPL-2.0-or-later
"""Timelines: every turn of a world, kept as the bytes that changed, each revisited exactly."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Self

import msgpack
import numpy as np
import numpy.typing as npt
import zstandard

from civworld._engine import PAGE, Image, build_info, engine
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.errors import ArgumentError, CheckpointCorrupt, CheckpointMismatch, CopyError, LifecycleError

MAGIC = b"civworld-timeline\n"
FORMAT = 1
_HASH = 16


@dataclass(frozen=True)
class _Entry:
    """Where one turn's record lies and what it restores to."""

    turn: int
    digest: str
    steps: tuple[Any, ...]
    at: int
    length: int


class Timeline:
    """The turns of one world as a chain of changed pages.

    Each record holds the pages that changed since the previous one, combined by exclusive or with what they
    were, and compressed: a turn rewrites megabytes of pages but few bytes in them. `timeline[turn]` walks the
    chain, so going forward turn by turn is cheap and jumping back replays the chain from its start.

    Args:
        path: file that records are written to as they come, so that memory stays bounded; None keeps the
            compressed records in memory.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._begin(io.BytesIO() if path is None else open(path, "w+b", buffering=0))  # noqa: SIM115

    def _begin(self, file: BinaryIO) -> None:
        self._file = file
        self._entries: list[_Entry] = []
        self._config: WorldConfig | None = None
        # images beside what tells whether they still hold: number of entries, index of the entry
        self._last: tuple[int, Image | None] = (0, None)
        self._near: tuple[int, Image] | None = None
        self._compressor = zstandard.ZstdCompressor(level=3)

    def __reduce__(self) -> NoReturn:
        raise CopyError(
            "a Timeline cannot be copied or pickled: take checkpoints, timeline[turn], or Timeline.load a file"
        )

    def __repr__(self) -> str:
        turns = f"turns {self.turns[0]}-{self.last}" if self._entries else "no turns"
        return f"<Timeline {turns}, {self.nbytes / 1e6:.1f} MB>"

    def open_for(self, what: str) -> Self:
        """This timeline.

        Raises:
            LifecycleError: it is closed.
        """
        if self._file.closed:
            raise LifecycleError(
                f"{what}: the timeline is closed; a world whose timeline is closed goes on as world.fork(), without one"
            )
        return self

    # ---- writing ---------------------------------------------------------------------------------------

    def record(self, checkpoint: Checkpoint) -> None:
        """Append a checkpoint; a turn that is already there cuts off what followed it (the world went back).

        An exception in the middle, a signal handler's too, leaves the timeline without this turn.

        Raises:
            LifecycleError: the timeline is closed, or was opened to be read.
        """
        with engine()._lock:
            if not self.open_for("record")._file.writable():
                raise LifecycleError("record: this timeline was loaded from a file, to be read")
            keep = sum(e.turn < checkpoint.turn for e in self._entries)
            if keep < len(self._entries):
                self._entries, self._near = self._entries[:keep], None
            base = self._last[1] if self._last[0] == keep else self._image_of(keep - 1) if keep else None
            header = {"turn": checkpoint.turn, "digest": checkpoint.digest, "steps": checkpoint.steps}
            self._append(header, *_delta(checkpoint.image, base), b"" if keep else _head(checkpoint))
            if not keep:
                self._config = checkpoint.config
            self._last = len(self._entries), checkpoint.image

    def _append(
        self, header: dict[str, Any], pages: npt.NDArray[np.uint32], change: npt.NDArray[np.uint8], head: bytes
    ) -> None:
        raw = pages.astype("<u4").tobytes() + change.tobytes()
        body = msgpack.packb(header | {"pages": len(pages), "body": self._compressor.compress(raw)})
        record = len(body).to_bytes(4, "little") + body + _checksum(body)
        at = self._entries[-1].at + self._entries[-1].length if self._entries else 0
        self._file.truncate(at)  # of a turn that is cut off, or was not written to its end
        self._file.seek(at)
        self._file.write(head + record)
        entry = _Entry(header["turn"], header["digest"], tuple(header["steps"]), at + len(head), len(record))
        self._entries.append(entry)

    # ---- reading ---------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Timeline:
        """Open a timeline file of this engine build; a record cut short by a crash ends the timeline before it.

        Trust matters here as for `Checkpoint.load`: the pages hold code addresses.

        Raises:
            CheckpointCorrupt: a byte differs from what was written.
            CheckpointMismatch: the file belongs to another engine build or format.
        """
        timeline = cls.__new__(cls)
        timeline._begin(open(path, "rb"))  # noqa: SIM115
        try:
            timeline._read_index(Path(path))
        except BaseException:
            timeline.close()
            raise
        return timeline

    def _read_index(self, path: Path) -> None:
        file, size = self._file, path.stat().st_size
        if file.read(len(MAGIC)) != MAGIC:
            raise CheckpointCorrupt(f"{path}: not a civworld timeline")
        head = msgpack.unpackb(_checked(file, path))
        for field, mine in (("format", FORMAT), ("build_id", build_info().build_id)):
            if head[field] != mine:
                raise CheckpointMismatch(f"{path}: {field} {head[field]}, this library has {mine}", field=field)
        self._config = WorldConfig.from_dict(head["config"])
        while (at := file.tell()) < size:
            length = int.from_bytes(file.read(4), "little")
            if at + 4 + length + _HASH > size:
                break
            file.seek(at)
            body = msgpack.unpackb(_checked(file, path))
            self._entries.append(_Entry(body["turn"], body["digest"], tuple(body["steps"]), at, file.tell() - at))

    @property
    def turns(self) -> list[int]:
        """The turns that can be revisited, ascending."""
        return [e.turn for e in self._entries]

    @property
    def last(self) -> int:
        """The latest turn that can be revisited, 0 when there is none."""
        return self._entries[-1].turn if self._entries else 0

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[int]:
        return iter(self.turns)

    @property
    def nbytes(self) -> int:
        """Bytes of all records, in memory or on disk."""
        return sum(e.length for e in self._entries)

    def __getitem__(self, turn: int) -> Checkpoint:
        """The checkpoint of an earlier turn, exactly.

        Raises:
            ArgumentError: that turn is not in the timeline.
            CheckpointCorrupt: a record on the way is damaged.
            LifecycleError: the timeline is closed.
        """
        with engine()._lock:
            numbers = self.open_for(f"timeline[{turn!r}]").turns
            if turn not in numbers:
                span = f"{numbers[0]}-{numbers[-1]}" if numbers else "none yet"
                raise ArgumentError(f"timeline[{turn!r}]: turns that can be revisited: {span}")
            assert self._config is not None
            entry = self._entries[numbers.index(turn)]
            image = self._image_of(numbers.index(turn))
            return Checkpoint(self._config, entry.turn, entry.digest, build_info().build_id, image, entry.steps)

    def _image_of(self, index: int) -> Image:
        start, image = 0, engine().pristine
        if self._near is not None and self._near[0] <= index:
            start, image = self._near[0] + 1, self._near[1]
        pages: dict[int, npt.NDArray[np.uint8]] = {}
        for i in range(start, index + 1):
            _apply(self._record(i), image if i else None, pages)
        if pages:
            order = np.array(sorted(pages), np.uint32)
            image = image.build(order, np.stack([pages[int(p)] for p in order]))
        self._near = (index, image)
        return image

    def _record(self, index: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
        entry = self._entries[index]
        self._file.seek(entry.at)
        body = msgpack.unpackb(_checked(self._file, "timeline"))
        n = body["pages"]
        raw = zstandard.ZstdDecompressor().decompress(body["body"], max_output_size=n * (PAGE + 4))
        return np.frombuffer(raw, "<u4", n), np.frombuffer(raw, np.uint8, offset=4 * n).reshape(n, PAGE)

    def close(self) -> None:
        """Close the file behind the timeline; harmless when done before."""
        with engine()._lock:
            self._file.close()


def _head(checkpoint: Checkpoint) -> bytes:
    """How a file begins."""
    head = {"format": FORMAT, "build_id": checkpoint.build_id, "config": checkpoint.config.to_dict()}
    packed: bytes = msgpack.packb(head)
    return MAGIC + len(packed).to_bytes(4, "little") + packed + _checksum(packed)


def _delta(image: Image, base: Image | None) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]:
    """Pages that differ from the base, and their exclusive or with what they were."""
    pages = image.diff(base)
    change = image.read(pages)
    if base is not None:
        change ^= base.read(pages)
    return pages, change


def _apply(
    record: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]],
    image: Image | None,
    pages: dict[int, npt.NDArray[np.uint8]],
) -> None:
    """Bring `pages` (page -> content that differs from `image`) one record further."""
    numbers, change = record
    missing = np.array([p for p in numbers.tolist() if p not in pages], np.uint32)
    if image is not None and len(missing):
        pages.update(zip(missing.tolist(), image.read(missing), strict=True))
    for page, bits in zip(numbers.tolist(), change, strict=True):
        pages[page] = pages[page] ^ bits if page in pages else bits


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_HASH).digest()


def _checked(file: BinaryIO, where: object) -> bytes:
    length = int.from_bytes(file.read(4), "little")
    data, seal = file.read(length), file.read(_HASH)
    if len(data) != length or seal != _checksum(data):
        raise CheckpointCorrupt(f"{where}: a record's checksum does not match")
    return data
