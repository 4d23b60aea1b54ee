# SPDX-License-Identifier: GPL-2.0-or-later
"""A briefing: all that a forecaster is given about a world up to one turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from civworld import events as event_log
from civworld.checkpoint import Checkpoint
from civworld.config import WorldConfig
from civworld.errors import ArgumentError, UnknownNameError
from civworld.events import Event
from civworld.report.frames import frame
from civworld.report.layout import peoples
from civworld.report.narrative import known_to, narrative
from civworld.report.policy import Policy, policies, policy_text
from civworld.state import StateView, TableView
from civworld.timeline import Timeline
from civworld.view import PlayerView

_OPTIONS = ("policy", "ruleset", "since", "shown", "notes", "future")  # of `briefing`, a test sees
LATE = 81  # first turn whose frames lie 40 turns apart
FAR, NEAR = 40, 20


@dataclass(frozen=True)
class Shown:
    """What a briefing holds; a switch per ablation.

    Attributes:
        history: the frames before the last one, and changes against them.
        narrative: what happened between the first frame's turn and the last.
        policies: what the civilizations are about to do.
        notes: study notes that the caller gives.
        future: what will happen after the last frame. Privileged: for upper bounds only.
    """

    history: bool = True
    narrative: bool = True
    policies: bool = True
    notes: bool = False
    future: bool = False


FULL = Shown()
"""Everything that a briefing can show."""


def spacing(turn: int) -> int:
    """Turns D between the frames of a briefing for a turn: 40, or 20 before turn 81."""
    return FAR if turn >= LATE else NEAR


def frame_turns(turn: int) -> tuple[int, ...]:
    """The turns of the frames for a turn: `turn - 2 D`, `turn - D`, `turn`; those before turn 1 are left out."""
    step = spacing(turn)
    return tuple(t for t in (turn - 2 * step, turn - step, turn) if t >= 1)


def briefing(
    views: Sequence[TableView],
    log: Iterable[Event],
    *,
    policy: Mapping[int, Policy] | None = None,
    ruleset: str = "",
    since: int | None = None,
    shown: Shown = FULL,
    notes: str = "",
    future: Iterable[Event] = (),
) -> str:
    """What a forecaster is given, as one text: frames, narrative, policies. Pure and deterministic.

    Args:
        views: the frames' moments, oldest first, all StateView or all PlayerView of one player.
        log: the world's events up to the last moment; later ones are left out. In a player's briefing only those
            that the player learns of are told.
        policy: `policies()` of the last moment; None takes them from a StateView, a PlayerView has none. A player's
            briefing tells the player's own alone.
        ruleset: name for the headers.
        since: the narrative tells what happened after this turn; the first view's turn when not given.
        shown: what to leave out or add.
        notes: study notes, printed first when `shown.notes`.
        future: events after the last moment, told when `shown.future`.

    Raises:
        ArgumentError: no views, views out of order or of several kinds or players, or notes that are asked for but
            not given.
    """
    viewer = _viewer(views)
    now, names = views[-1], peoples(views[-1])
    if shown.notes and not notes:
        raise ArgumentError("briefing: shown.notes is set, but there are no notes")
    parts = [_part("Study notes", notes)] if shown.notes else []
    frames = views if shown.history else views[-1:]
    for previous, view in zip((None, *frames[:-1]), frames, strict=True):
        earlier = views[: list(views).index(view)]
        parts.append(frame(view, ruleset=ruleset, previous=previous, earlier=earlier))
    if shown.narrative:
        past = [e for e in log if e.turn < now.turn or (e.turn == now.turn and e.stage != "window")]
        told = past if viewer is None else known_to(past, viewer)
        first = (views[0].turn if since is None else since) + 1
        text = narrative(told, names, first=first, last=now.turn)
        parts.append(_part(f"What happened from turn {first} to {now.turn}", text))
    if shown.policies:
        found = policies(now) if policy is None and isinstance(now, StateView) else policy
        if found is not None:
            own = None if viewer is None else (viewer,)
            parts.append(_part(f"Policies at turn {now.turn}", policy_text(found, own)))
    if shown.future:
        later = event_log.since(future, now.turn)
        parts.append(_part(f"What will happen after turn {now.turn}", narrative(later, names, first=now.turn)))
    return "\n".join(parts)


def _part(title: str, text: str) -> str:
    return f"== {title} ==\n{text.rstrip()}\n"


def _viewer(views: Sequence[TableView]) -> int | None:
    """Whose views these are, None for everything."""
    if not views:
        raise ArgumentError("briefing: no views given, at least one is needed")
    turns = [view.turn for view in views]
    if turns != sorted(set(turns)):
        raise ArgumentError(f"briefing: views of turns {turns}, oldest first and one per turn are needed")
    viewers = {view.viewer if isinstance(view, PlayerView) else None for view in views}
    if len(viewers) > 1:
        raise ArgumentError(f"briefing: views of several kinds ({sorted(map(str, viewers))}), all must be of one")
    return viewers.pop()


class History(Protocol):
    """Checkpoints by turn: a Timeline, or a mapping."""

    def __getitem__(self, turn: int, /) -> Checkpoint:
        """The checkpoint of that turn."""


class Live(Protocol):
    """What a report asks of a `World`, which builds on this room."""

    @property
    def config(self) -> WorldConfig:
        """What it was made from."""

    @property
    def turn(self) -> int:
        """The turn it rests in."""

    def state(self) -> StateView:
        """Everything."""

    def view(self, player: int) -> PlayerView:
        """What a player knows."""

    def events(self) -> tuple[Event, ...]:
        """What happened."""


def briefing_at(history: History, turn: int, view: str | int = "omni", **options: Any) -> str:
    """The briefing for a turn of a recorded world.

    Args:
        history: checkpoints of the turns that `frame_turns(turn)` names, such as a Timeline. A player that came into
            the world later has fewer frames.
        turn: the moment of the forecast.
        view: "omni", or the number of the player whose knowledge is told.
        **options: of `briefing`.
    """
    _known(options)
    views, turns = [], frame_turns(turn)
    for at in turns:
        with history[at].fork() as world:
            views += _looks(world, view, last=at == turn)
            if at == turn:
                log, state = world.events(), world.state()
                ruleset = world.config.ruleset
    defaults = {"ruleset": ruleset, "since": turns[0]}
    return briefing(views, log, policy=policies(state), **{**defaults, **options})


def world_report(world: Live, history: Timeline | None, view: str | int = "omni", **options: Any) -> str:
    """The briefing for a live world as it is now, with the earlier frames that its timeline holds.

    Args:
        world: the world.
        history: its timeline, if it keeps one.
        view: "omni", or the number of the player whose knowledge is told.
        **options: of `briefing`.

    Raises:
        UnknownNameError: there is no such option.
    """
    _known(options)
    turns = frame_turns(world.turn)
    views = []
    for at in turns[:-1]:
        if history is not None and at in history.turns:
            with history[at].fork() as then:
                views += _looks(then, view, last=False)
    views += _looks(world, view, last=True)
    defaults = {"ruleset": world.config.ruleset, "since": turns[0] if len(turns) > 1 else 0}
    return briefing(views, world.events(), policy=policies(world.state()), **{**defaults, **options})


def _known(options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in _OPTIONS:
            raise UnknownNameError("option of a report", name, ("view", *_OPTIONS))


def _looks(world: Live, view: str | int, *, last: bool) -> list[TableView]:
    """The view, if there is one: before a civil war its rebels are not yet players."""
    if view == "omni":
        return [world.state()]
    if isinstance(view, str):
        raise ArgumentError(f"report: view {view!r} does not exist, 'omni' or the number of a player is needed")
    return [world.view(view)] if last or view in world.state().players["id"] else []
