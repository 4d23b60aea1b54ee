# SPDX-License-Identifier: GPL-2.0-or-later
"""What a suite asks for and what a corpus holds, counted: worlds by class and ruleset, points, turns, arms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from civworld.corpus.reading import Corpus
from civworld.corpus.suites import Suite

ARMS = 4
"""Arms of an operator at a decision point: control, recheck, real and placebo."""


def planned(suite: Suite) -> dict[str, int | dict[str, int]]:
    """Counts of a suite, from its definition alone.

    Returns:
        `worlds`, `decision_points`, `state_records` (one a civilization and turn of the mainlines, turn 1 included),
        `futures`, `arms_at_most` (as many as there are where every point is eligible; pairs not counted), and counts of
        worlds by `map_class`, `ruleset`, `difficulty`, `teams` and `civilizations`.
    """
    points = [(world, point) for world in suite.worlds for point in world.points]
    each = min(1, len(suite.operators)) if suite.one_operator else len(suite.operators)
    return {
        "worlds": len(suite.worlds),
        "decision_points": len(points),
        "state_records": sum(world.last_turn * world.config.players for world in suite.worlds),
        "futures": suite.futures * len(points),
        "arms_at_most": ARMS * each * len(points),
        "map_class": _counted(world.map_class for world in suite.worlds),
        "ruleset": _counted(world.config.ruleset for world in suite.worlds),
        "difficulty": _counted(world.config.difficulty for world in suite.worlds),
        "teams": _counted("teams" if world.config.teams else "none" for world in suite.worlds),
        "civilizations": _counted(str(world.config.players) for world in suite.worlds),
    }


def held(corpus: Corpus) -> dict[str, int | dict[str, int]]:
    """Counts of a built corpus.

    Returns:
        `worlds`, `decision_points`, `state_records`, `events`, `eligible_points` (with an operator that is eligible),
        `arms` (four for each operator that was), and counts of `map_class`, `ruleset` and of eligible `operator`s.
    """
    points = [(world, point.turn) for world in corpus.worlds for point in corpus.decision_points(world)]
    eligible = {place: [n for n, a in corpus.arms(*place).items() if a.eligible] for place in points}
    infos = [corpus.world(world) for world in corpus.worlds]
    return {
        "worlds": len(infos),
        "decision_points": len(points),
        "state_records": sum(len(corpus.records(world)) for world in corpus.worlds),
        "events": sum(len(corpus.events(world)) for world in corpus.worlds),
        "eligible_points": sum(bool(names) for names in eligible.values()),
        "arms": ARMS * sum(map(len, eligible.values())),
        "map_class": _counted(info.map_class for info in infos),
        "ruleset": _counted(info.ruleset for info in infos),
        "operator": _counted(name for names in eligible.values() for name in names),
    }


def to_markdown(columns: Mapping[str, Mapping[str, int | dict[str, int]]]) -> str:
    """One table: a column per suite or corpus, a line per count."""
    keys: dict[tuple[str, str], None] = {}
    for found in columns.values():
        for name, value in found.items():
            parts = value if isinstance(value, dict) else {"": value}
            keys |= dict.fromkeys((name, part) for part in parts)
    lines = [f"| | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for name, part in sorted(keys, key=lambda key: list(dict.fromkeys(k for k, _ in keys)).index(key[0])):
        cells = [_cell(found.get(name), part) for found in columns.values()]
        lines.append(f"| {name.replace('_', ' ')}{f': {part}' if part else ''} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(value: int | dict[str, int] | None, part: str) -> str:
    if value is None:
        return "-"
    return f"{value.get(part, 0) if isinstance(value, dict) else value:,}"


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
