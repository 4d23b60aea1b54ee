# SPDX-License-Identifier: GPL-2.0-or-later
"""One small world that has a bit of everything: a ferry, two quays, a tide, queues and a scripted actor."""

import copy

import pytest

from civworld.world_agent.kernel import KernelWorld

HARBOUR = {
    "map": {
        "places": {"north": "", "south": "", "isle": ""},
        "links": [["north", "isle", 2], ["isle", "south", 3]],
    },
    "types": {
        "ship": {"at": "loc", "cargo": "int", "berth": "ref quay", "fuel": "dec 2"},
        "quay": {"stock": "map int", "queue": "list ref ship", "open": "bool", "depth": "int"},
    },
    "entities": {
        "tern": {"type": "ship", "at": "north", "fuel": "9.00"},
        "skua": {"type": "ship", "at": "south", "berth": "pier"},
        "pier": {"type": "quay", "stock": {"grain": 40, "salt": 3}, "open": True, "depth": 5},
        "mole": {"type": "quay", "depth": 2, "stock": {"alarms": 0}},
    },
    "capabilities": [
        {
            "name": "sail",
            "actor": "ship",
            "params": {"to": "loc"},
            "when": ["actor.fuel >= 1"],
            "do": ["actor.fuel -= 0.25 * dist(actor.at, to)"],
            "after": "dist(actor.at, to)",
            "then": ["actor.at = to"],
        },
        {
            "name": "load",
            "actor": "ship",
            "params": {"quay": "ref quay", "kind": "str", "amount": "int"},
            "when": ["quay.stock[kind] >= amount"],
            "do": ["quay.stock[kind] -= amount", "actor.cargo += amount"],
        },
        {
            "name": "join",
            "actor": "ship",
            "params": {"quay": "ref quay"},
            "do": ["append(quay.queue, actor)"],
        },
    ],
    "processes": [
        {"name": "tide", "every": 3, "each": "q in quay", "do": ["q.depth = 7 - q.depth"]},
        {
            "name": "ground",
            "each": "q in quay",
            "on": "q.depth",
            "when": "q.depth < 3",
            "do": ["q.open = false"],
        },
        {
            "name": "lower",
            "on": ["ground"],
            "do": ["mole.stock.alarms = count(q for q in quay if not q.open)"],
        },
        {"name": "leak", "every": 2, "offset": 1, "when": "tern.cargo > 0", "do": ["tern.cargo -= 1"]},
    ],
    "schedule": [
        {
            "at": 2,
            "do": "load",
            "actor": "tern",
            "args": {"quay": "pier", "kind": "grain", "amount": 30},
            "every": 4,
        }
    ],
}


@pytest.fixture
def spec():
    return copy.deepcopy(HARBOUR)


@pytest.fixture
def world(spec):
    return KernelWorld(spec)
