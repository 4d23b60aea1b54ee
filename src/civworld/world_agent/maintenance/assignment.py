# SPDX-License-Identifier: GPL-2.0-or-later
"""The largest one-to-one assignment of items to things that they could have."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)
Thing = TypeVar("Thing", bound=Hashable)


def assign(wishes: Mapping[Item, Sequence[tuple[int, Thing]]]) -> dict[Item, Thing]:
    """Gives as many items as possible a thing of their own.

    Args:
        wishes: for each item the things that it could have, each with how much it is liked.

    Returns:
        Item to thing. First the pairs that are liked most are joined, earlier ones first; then augmenting paths serve
        those who went away empty, for as long as more can be served.
    """
    owner: dict[Thing, Item] = {}
    pairs = [
        (-liked, place, item, thing) for item, things in wishes.items() for place, (liked, thing) in enumerate(things)
    ]
    served: set[Item] = set()
    for _, _, item, thing in sorted(pairs, key=lambda pair: pair[:2]):
        if item not in served and thing not in owner:
            owner[thing] = item
            served.add(item)
    for item in wishes:
        if item not in served:
            _augment(item, wishes, owner)
    return {item: thing for thing, item in owner.items()}


def _augment(root: Item, wishes: Mapping[Item, Sequence[tuple[int, Thing]]], owner: dict[Thing, Item]) -> None:
    """Finds a chain of exchanges that serves one more item, in breadth, and carries it out."""
    came: dict[Thing, Item] = {}
    queue = [root]
    for one in queue:
        for _, thing in wishes[one]:
            if thing in came:
                continue
            came[thing] = one
            if thing in owner:
                queue.append(owner[thing])
                continue
            _exchange(thing, root, came, owner)
            return


def _exchange(free: Thing, root: Item, came: Mapping[Thing, Item], owner: dict[Thing, Item]) -> None:
    while True:
        taker = came[free]
        left = next((thing for thing, held in owner.items() if held == taker), None)
        owner[free] = taker
        if taker == root or left is None:
            return
        free = left
