# SPDX-License-Identifier: GPL-2.0-or-later
"""Anchors: few decision points that stand for all, at most one a world, each with one operator.

They are drawn by strata: suite, map class, turns reported, ruleset; within these by decision time and operator, so
that each takes its turn. A draw depends on the seed and the names of worlds alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from civworld.civworldbench.asking.intervene import OPERATORS
from civworld.corpus import Corpus
from civworld.errors import ArgumentError

SEED = 20260101
PUBLISHED = 190
"""How many anchors the published selection has: one decision point in ten of 1,900."""
SUBSET = 30
"""How many of them its most expensive studies used."""

Stratum = tuple[str, str, int, str]


@dataclass(frozen=True)
class Anchor:
    """A decision point that is asked about.

    Attributes:
        suite: suite of its corpus.
        world: id of its world.
        turn: t1.
        operator: the edit that Intervene asks about there; empty where none is eligible.
    """

    suite: str
    world: str
    turn: int
    operator: str


def select(corpora: Sequence[Corpus], count: int = PUBLISHED, *, seed: int = SEED) -> tuple[Anchor, ...]:
    """Anchors of one or more corpora, in the order of corpora and worlds.

    Each stratum gives its share of the worlds, largest remainders first.

    Args:
        corpora: built corpora of different suites.
        count: how many; `PUBLISHED` of the two large suites together.
        seed: another one gives another selection.

    Raises:
        ArgumentError: fewer worlds than anchors.
    """
    strata: dict[Stratum, list[tuple[int, str]]] = defaultdict(list)
    for place, corpus in enumerate(corpora):
        for world in corpus.worlds:
            info = corpus.world(world)
            strata[corpus.suite, info.map_class, info.budget, info.ruleset].append((place, world))
    total = sum(map(len, strata.values()))
    if not 1 <= count <= total:
        raise ArgumentError(f"anchors: {count} were asked for, one a world; there are {total} worlds")
    shares = _shares({stratum: len(worlds) for stratum, worlds in strata.items()}, count)
    times: Counter[int] = Counter()
    operators: Counter[str] = Counter()
    found: dict[tuple[int, str], Anchor] = {}
    for stratum in sorted(strata):
        drawn = sorted(strata[stratum], key=lambda item: _draw(seed, item[1]))[: shares[stratum]]
        for place, world in drawn:
            found[place, world] = _anchor(corpora[place], world, times, operators, seed)
    return tuple(found[key] for key in sorted(found))


def subset(anchors: Sequence[Anchor], count: int = SUBSET, *, seed: int = SEED) -> tuple[Anchor, ...]:
    """A few of the anchors, every operator and suite in turn.

    Raises:
        ArgumentError: fewer anchors than that.
    """
    if not 1 <= count <= len(anchors):
        raise ArgumentError(f"anchors: a subset of {count} was asked for; there are {len(anchors)} anchors")
    groups: dict[tuple[str, str], list[Anchor]] = defaultdict(list)
    for anchor in sorted(anchors, key=lambda a: _draw(seed, f"subset/{a.world}")):
        groups[anchor.operator, anchor.suite].append(anchor)
    taken = set(_in_turn([groups[key] for key in sorted(groups)], count))
    return tuple(anchor for anchor in anchors if anchor in taken)


def _in_turn(groups: Sequence[Sequence[Anchor]], count: int) -> Iterator[Anchor]:
    """The first of every group, then the second of every group, and so on."""
    deepest = max(map(len, groups))
    found = (group[k] for k in range(deepest) for group in groups if k < len(group))
    for _, anchor in zip(range(count), found, strict=False):
        yield anchor


def _shares(sizes: Mapping[Stratum, int], count: int) -> dict[Stratum, int]:
    """How many of each stratum: its share of the whole, rounded so that the sum is right."""
    total = sum(sizes.values())
    exact = {stratum: count * size / total for stratum, size in sizes.items()}
    shares = {stratum: int(value) for stratum, value in exact.items()}
    by_rest = sorted(exact, key=lambda s: (shares[s] - exact[s], s))
    for stratum in by_rest[: count - sum(shares.values())]:
        shares[stratum] += 1
    return shares


def _anchor(corpus: Corpus, world: str, times: Counter[int], operators: Counter[str], seed: int) -> Anchor:
    """The decision time that was drawn least so far, with the eligible operator that was."""
    points = corpus.decision_points(world)
    order = sorted(range(len(points)), key=lambda k: (times[k], _draw(seed, f"{world}/time/{k}")))
    turn = points[order[0]].turn
    times[order[0]] += 1
    arms = corpus.arms(world, turn)
    eligible = [name for name in OPERATORS if name in arms and arms[name].eligible]
    if not eligible:
        return Anchor(corpus.suite, world, turn, "")
    operator = min(eligible, key=lambda name: (operators[name], _draw(seed, f"{world}/{name}")))
    operators[operator] += 1
    return Anchor(corpus.suite, world, turn, operator)


def _draw(seed: int, what: str) -> bytes:
    return hashlib.sha256(f"{seed}/{what}".encode()).digest()
