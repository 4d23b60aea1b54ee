# SPDX-License-Identifier: GPL-2.0-or-later
"""Verifying a corpus: every byte against the manifest, and a sample of worlds against the engine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from civworld._engine import build_info
from civworld.corpus.build import IMAGES, MANIFEST, PARTS, RECEIPTS, SUITE
from civworld.corpus.card import CARD
from civworld.corpus.reading import Corpus
from civworld.corpus.storage import checksum
from civworld.edits import Edit
from civworld.errors import CorpusMismatch
from civworld.world import World


@dataclass(frozen=True)
class Verdict:
    """What was checked and found.

    Attributes:
        files: number of files whose bytes were checked.
        replayed: ids of the worlds that were played again, each with a future and an arm of its last decision point.
        turns: turns whose digest was compared.
        problems: what is wrong, one sentence each; empty when all is well.
    """

    files: int
    replayed: tuple[str, ...]
    turns: int
    problems: tuple[str, ...]


def verify(out: str | os.PathLike[str], *, sample: int = 2) -> Verdict:
    """Check a corpus.

    Args:
        out: its folder.
        sample: how many worlds to play again, chosen by a hash of the manifest; 0 checks bytes alone.

    Raises:
        CorpusError: there is no corpus.
        CorpusMismatch: worlds were to be played again on another engine build than the corpus is of.
    """
    corpus = Corpus(out)
    if sample and corpus.build_id != build_info().build_id:
        raise CorpusMismatch(
            f"{corpus.root}: of engine build {corpus.build_id}, this is {build_info().build_id}: worlds can only be "
            "played again on the same build; sample=0 checks bytes alone",
            field="build_id",
        )
    problems = list(_wrong_bytes(corpus))
    chosen = _sample(corpus, sample) if not problems else ()
    turns = 0
    for world in chosen:
        compared, wrong = _replay(corpus, world)
        turns += compared
        problems += wrong
    return Verdict(len(corpus.files), chosen, turns, tuple(problems))


def _wrong_bytes(corpus: Corpus) -> list[str]:
    root, found = corpus.root, []
    for path, told in corpus.files.items():
        file = root / path
        if not file.exists():
            found.append(f"{path}: missing")
        elif file.stat().st_size != told["bytes"] or checksum(file.read_bytes()) != told["blake2b"]:
            found.append(f"{path}: its bytes are not those of the manifest")
    listed = {*corpus.files, MANIFEST, SUITE, CARD, *(f"{RECEIPTS}/{w}.json" for w in corpus.worlds)}
    for file in sorted(p.relative_to(root) for p in root.rglob("*") if p.is_file()):
        if str(file) not in listed and file.parts[0] not in (IMAGES, PARTS):
            found.append(f"{file}: not in the manifest")
    return found


def _sample(corpus: Corpus, count: int) -> tuple[str, ...]:
    seal = checksum((Path(corpus.root) / MANIFEST).read_bytes())
    order = sorted(corpus.worlds, key=lambda w: hashlib.blake2b(f"{seal} {w}".encode()).digest())
    return tuple(order[:count])


def _replay(corpus: Corpus, world: str) -> tuple[int, list[str]]:
    """Play a world again; turns compared, and the first turn that differs."""
    digests = corpus.digests(world)
    point = corpus.decision_points(world)[-1]
    compared = 0
    with World(corpus.definition().world(world).config) as live:
        for turn, expected in digests.items():
            if live.turn < turn:
                live.advance()
            compared += 1
            if live.digest() != expected:
                return compared, [f"world {world}, turn {turn}: recorded digest {expected}, replayed {live.digest()}"]
            if turn == point.turn:
                fork = live.fork()
    wrong = []
    with fork:
        start = fork.checkpoint()
        for name, expected, seed, edits in _branches(corpus, world, point.turn):
            fork.restore(start)
            if seed is not None:
                fork.reseed(seed)
            for edit in edits:
                fork.apply(edit)
            fork.advance(point.horizons[-1])
            compared += 1
            if fork.digest() != expected:
                what = f"recorded digest {expected}, replayed {fork.digest()}"
                wrong.append(f"world {world}, {name} from turn {point.turn}: {what}")
    return compared, wrong


def _branches(corpus: Corpus, world: str, t1: int) -> Iterator[tuple[str, str, int | None, list[Edit]]]:
    """One future and one real arm of a decision point: what it is, its last digest, its seed, its edits."""
    for future in corpus.futures(world, t1)[:1]:
        yield "future", future.digest, future.seed, []
    played = [cell for cell in corpus.arms(world, t1).values() if cell.real is not None]
    for cell in played[:1]:
        assert cell.real is not None
        told = corpus.hidden(world).edits
        mine = told[(told["t1"] == t1) & (told["operator"] == cell.operator) & (told["arm"] == "real")]
        yield (
            f"arm of {cell.operator}",
            cell.real.digest,
            None,
            [Edit.from_parts(*e) for e in json.loads(str(mine["edits"][0]))],
        )
