# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the query set of a corpus: every task, setting and decision point, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from civworld.civworldbench.asking import belief, event, intervene, quantity, rules, trait
from civworld.civworldbench.asking.anchors import Anchor
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.protocols import FREE
from civworld.civworldbench.asking.query import SETTINGS, Query, QuerySet
from civworld.civworldbench.asking.scene import Scene
from civworld.corpus import Corpus
from civworld.errors import ArgumentError, UnknownNameError

Maker = Callable[[Scene, Calibration], Iterator[tuple[Query, dict[str, Target]]]]

TASKS: Mapping[str, Maker] = MappingProxyType(
    {
        quantity.NAME: quantity.queries,
        event.NAME: event.queries,
        trait.NAME: trait.queries,
        rules.NAME: rules.queries,
        belief.NAME: belief.queries,
        intervene.NAME: intervene.queries,
    }
)
"""Every task by its versioned name: what it asks about a decision point."""

USUAL = tuple(name for name in TASKS if name != belief.NAME)
"""What is asked unless told: Trait and Rules in a prompt each."""
IN_ONE = tuple(name for name in TASKS if name not in (trait.NAME, rules.NAME))
"""The same cells with Trait and Rules in one prompt."""
STEPWISE = (quantity.NAME, intervene.NAME)
"""Tasks that protocols with intermediate cells are for."""

SUITE_SETTINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "tiny": ("omni-id", "ego"),
        "basic": ("omni-id", "ego"),
        "generalization": ("omni-ood",),
        "tiny-generalization": ("omni-ood",),
    }
)
"""Settings that a suite's worlds are asked in."""


def task_name(name: str) -> str:
    """The versioned name of a task that is named with or without its version.

    Raises:
        UnknownNameError: there is no such task.
    """
    found = next((task for task in TASKS if name in (task, task.rpartition("-")[0])), None)
    if found is None:
        raise UnknownNameError("task", name, TASKS)
    return found


def query_set(
    corpus: Corpus,
    calibration: Calibration | None = None,
    *,
    tasks: Sequence[str] = USUAL,
    settings: Sequence[str] | None = None,
    ablation: str = "",
    notes: str = "",
    anchors: Sequence[Anchor] | None = None,
    protocol: str = FREE,
) -> QuerySet:
    """All queries of a corpus with their targets.

    Args:
        corpus: a built corpus.
        calibration: figures of a disjoint corpus; None takes the corpus' own, each world's rates from the others.
        tasks: names of tasks; Intervene needs Quantity, whose answers are its controls.
        settings: None takes those of the suite.
        ablation: variant of the prompts.
        notes: study notes, for the ablation `study_notes`.
        anchors: ask about these decision points and operators alone; None asks about all.
        protocol: how queries are to be answered; others than `free` leave out tasks that ask for no quantities.

    Raises:
        UnknownNameError: no such task, setting, ablation or protocol.
        ArgumentError: a task and another that asks the same, or none that the protocol is for.
    """
    asked = tuple(task_name(name) for name in tasks)
    twice = [name for name in (trait.NAME, rules.NAME) if name in asked and belief.NAME in asked]
    if twice:
        raise ArgumentError(f"tasks {' and '.join(asked)}: {belief.NAME} asks what {' and '.join(twice)} asks")
    if protocol != FREE:
        asked = tuple(name for name in asked if name in STEPWISE)
    if not asked:
        raise ArgumentError(f"tasks {list(tasks)}: none of them is asked by protocol {protocol!r}, only {STEPWISE}")
    chosen = SUITE_SETTINGS.get(corpus.suite, SETTINGS[:1]) if settings is None else tuple(settings)
    figures = Calibration.of(corpus) if calibration is None else calibration
    pairs = _pairs(corpus, figures, asked, chosen, (ablation, notes, protocol))
    if anchors is not None:
        wanted = {(a.world, a.turn): a.operator for a in anchors if a.suite == corpus.suite}
        pairs = (p for p in pairs if _anchored(p[0], wanted))
    return QuerySet.of(pairs, figures.scales)


def _anchored(query: Query, wanted: Mapping[tuple[str, int], str]) -> bool:
    place = (query.world, query.turn)
    return place in wanted and query.operator in ("", wanted[place])


def _pairs(
    corpus: Corpus, figures: Calibration, tasks: Sequence[str], settings: Sequence[str], shown: tuple[str, str, str]
) -> Iterator[tuple[Query, dict[str, Target]]]:
    for setting in settings:
        for world in corpus.worlds:
            for point in corpus.decision_points(world):
                scene = Scene(corpus, world, point, setting, *shown)
                if len(scene.civs) > 0:
                    for name in tasks:
                        yield from TASKS[name](scene, figures)
