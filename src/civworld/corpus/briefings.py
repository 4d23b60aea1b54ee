# SPDX-License-Identifier: GPL-2.0-or-later
"""What forecasters are told at each decision point, kept in parts so that any of them can be left out later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from civworld.corpus.schema import kept_events
from civworld.corpus.suites import DecisionPoint, WorldSpec
from civworld.errors import ArgumentError
from civworld.quantities import civ_ids
from civworld.report import Policy, Shown, briefing, policies
from civworld.state import StateView, TableView
from civworld.world import World

OMNI = -1
"""Viewer of briefings that tell everything about everyone."""

_NOTHING = Shown(history=False, narrative=False, policies=False)
# the parts of a briefing in its order, and what of a briefing each stands for; `frame` is the last frame alone
PARTS = {
    "frame": _NOTHING,
    "frames": Shown(narrative=False, policies=False),
    "narrative": Shown(history=False, policies=False),
    "policies": Shown(history=False, narrative=False),
    "future": Shown(history=False, narrative=False, policies=False, future=True),
}


@dataclass
class _Moment:
    """A decision point as the mainline came to it."""

    viewers: tuple[int, ...]
    policy: dict[int, Policy]


@dataclass
class Briefings:
    """The briefings of a world, made while its mainline is played.

    Args:
        spec: the world.
    """

    spec: WorldSpec
    _views: dict[tuple[int, int], TableView] = field(default_factory=dict)
    _moments: dict[int, _Moment] = field(default_factory=dict)

    def look(self, world: World) -> None:
        """Keep what briefings need of the turn that the world rests in."""
        turn = world.turn
        if any(turn in p.frames for p in self.spec.points):
            view = world.state()
            self._views[turn, OMNI] = view
            for player in civ_ids(view).tolist():
                self._views[turn, player] = world.view(player)
        if any(turn == p.turn for p in self.spec.points):
            self._moments[turn] = _Moment((OMNI, *_living(world.state())), policies(world.state()))

    def columns(self, world: World) -> dict[str, Any]:
        """The table `briefings`, from the events of the world at the end of its mainline."""
        rows = [
            (point.turn, viewer, part, text)
            for point in self.spec.points
            for viewer in self._moments[point.turn].viewers
            for part, text in self._parts(world, point, viewer).items()
        ]
        return dict(zip(("t1", "viewer", "part", "text"), map(list, zip(*rows, strict=True)), strict=True))

    def _parts(self, world: World, point: DecisionPoint, viewer: int) -> dict[str, str]:
        """Each part as the briefing with it is longer than the one without."""
        log = kept_events(world.events())
        future = [e for e in log if e.turn <= point.turn + point.horizons[-1]]
        views = [self._views[t, viewer] for t in point.frames if (t, viewer) in self._views]
        policy = self._moments[point.turn].policy
        texts = {
            part: briefing(
                views, log, policy=policy, ruleset=self.spec.config.ruleset, since=point.frames[0], shown=shown,
                future=future,
            )
            for part, shown in PARTS.items()
        }  # fmt: skip
        alone = texts["frame"]
        for part in ("narrative", "policies", "future"):
            assert texts[part].startswith(alone + "\n")
            texts[part] = texts[part][len(alone) + 1 :]
        return texts


def _living(view: StateView) -> list[int]:
    living = set(view.players["id"][view.players["is_alive"]].tolist())
    return [p for p in civ_ids(view).tolist() if p in living]


def compose(parts: dict[str, str], shown: Shown, notes: str = "") -> str:
    """The briefing that `civworld.report.briefing` gives for these switches, from its parts.

    Raises:
        ArgumentError: notes are asked for but not given.
    """
    if shown.notes and not notes:
        raise ArgumentError("briefing: shown.notes is set, but there are no notes")
    wanted = ["frames" if shown.history else "frame"]
    wanted += [part for part in ("narrative", "policies", "future") if getattr(shown, part)]
    told = [parts[part] for part in wanted]
    return "\n".join([f"== Study notes ==\n{notes.rstrip()}\n", *told] if shown.notes else told)
