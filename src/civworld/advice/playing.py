# SPDX-License-Identifier: GPL-2.0-or-later
"""Players that plan: every k turns they read their player's briefing and write or revise a plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from civworld.advice.adviser import advise
from civworld.advice.policies import policy
from civworld.advice.reading import adopt, plan_text, read_plan
from civworld.checks import whole
from civworld.errors import ArgumentError
from civworld.plan import Plan
from civworld.world import World

Actor = Callable[["Seat"], str]
"""What a seat shows -> the text of a plan, or `null` to leave what is in place."""
Adviser = Callable[["Seat"], str]
"""What a seat shows -> forecasts and advice, as text."""
TRIES = 3


@dataclass
class Seat:
    """What a planning player has before it, once.

    Attributes:
        world: the world, of which an honest player looks at `view` and `briefing` alone.
        player: whose seat it is.
        turns: until it is asked again.
        plan: what the AI carries out now.
        advice: what an adviser told, empty without one.
        draft: a plan to review, empty unless it is reviewed.
        refusals: what was told of the texts of this turn so far.
    """

    world: World
    player: int
    turns: int
    plan: Plan | None = None
    advice: str = ""
    draft: str = ""
    refusals: list[str] = field(default_factory=list)

    def briefing(self) -> str:
        """What the player knows, as `World.report` tells it, and where its plan was not kept."""
        since = self.world.turn - self.turns
        kept = [v for v in self.world.violations(self.player) if v.turn > since]
        notes = [f"plan not kept: turn {v.turn} {v.topic} {v.subject}: asked {v.asked}, found {v.found}" for v in kept]
        return "\n".join([self.world.report(view=self.player), *notes[-20:]])

    def prompt(self) -> str:
        """The text for a model: briefing, plan in place, draft, advice, refusals, and what is asked."""
        parts = {
            "Briefing": self.briefing(),
            "Plan in place": plan_text(self.plan),
            "Draft to review": self.draft,
            "Forecasts and advice": self.advice,
            "Refused": "\n".join(self.refusals),
        }
        told = "\n\n".join(f"# {name}\n{text}" for name, text in parts.items() if text)
        fields = ", ".join(Plan.__dataclass_fields__)
        return (
            f"{told}\n\n# Task\nYou lead player {self.player}. The built-in AI carries out your plan for {self.turns} "
            f"turns and chooses for itself wherever the plan is silent. Answer with one JSON object and nothing else; "
            f"its fields, all optional: {fields}. Answer null to leave the plan in place."
        )


def decide(seat: Seat, actor: Actor, tries: int = TRIES) -> str:
    """Ask an actor until its plan stands, telling refusals back; the text that stood, `null` after the last refusal."""
    for _ in range(tries):
        text = actor(seat)
        told = adopt(seat.world, seat.player, text)
        if told is None:
            return plan_text(read_plan(text))
        seat.refusals.append(told)
    return "null"


def consult(
    world: World, player: int, actor: Actor, turns: int, adviser: Adviser | None = None, draft: str = ""
) -> tuple[Seat, str]:
    """Ask an actor once, after its adviser if it has one: its seat, and the text that stood."""
    seat = Seat(world, player, turns, world.plan(player), draft=draft)
    seat.advice = adviser(seat) if adviser else ""
    return seat, decide(seat, actor)


@dataclass(frozen=True)
class Consultation:
    """One decision of a game: when, the plan that stood (`null`: what was in place), advice and refusals."""

    turn: int
    plan: str
    advice: str
    refusals: tuple[str, ...]
    score: int


def play_game(
    world: World, player: int, actor: Actor, turns: int, every: int = 10, adviser: Adviser | None = None
) -> list[Consultation]:
    """Play turns with an actor that is asked every so many turns, while its player lives.

    Args:
        world: the world, which goes on.
        player: whom the actor leads; a living player that the built-in AI runs.
        actor: who plans.
        turns: how many turns to play.
        every: turns between two consultations, 1 or more.
        adviser: who tells forecasts and advice before each plan.
    """
    every, last = whole("play_game: every", every, 1), world.turn + whole("play_game: turns", turns, 1)
    told = []
    while world.turn < last and world.state().player(player)["is_alive"]:
        score = int(world.state().player(player)["score"])
        seat, plan = consult(world, player, actor, min(every, last - world.turn), adviser)
        told.append(Consultation(world.turn, plan, seat.advice, tuple(seat.refusals), score))
        world.advance(seat.turns)
    if world.turn < last:
        world.advance(last - world.turn)
    return told


def scripted(name: str, seed: int = 0) -> Actor:
    """An actor that follows one of `policies.POLICIES`; what it draws depends on seed, turn and player alone.

    Where there is advice whose last line is a plan, it takes that plan.
    """
    chosen = policy(name)

    def act(seat: Seat) -> str:
        advised = seat.advice.rstrip().rpartition("\n")[2]
        try:
            if advised and (plan := read_plan(advised)) is not None:
                return plan_text(plan)
        except ArgumentError:
            pass  # words, not a plan
        draw = np.random.default_rng((seed, seat.world.turn, seat.player))
        return plan_text(chosen(seat.world.view(seat.player), draw, seat.turns))

    return act


def forking(
    budget: int = 32, turns: int = 20, *, knowledge: str = "true-world", seed: int = 1, least: float = 0.0
) -> Adviser:
    """An adviser, and an actor, that forks: tells the gains of the plans it tried, and in its last line the best.

    Args:
        budget: rollouts a consultation, 1 to 256.
        turns: how far each plays.
        knowledge: `true-world` (an upper bound) or `hidden-redrawn`; see `adviser.advise`.
        seed: where its seeds begin; consultations of different turns draw different ones.
        least: gain below which it leaves what is in place.
    """

    def tell(seat: Seat) -> str:
        found = advise(
            seat.world.checkpoint(), seat.player, turns, budget, knowledge=knowledge, seed=seed * 1000 + seat.world.turn
        )
        lines = [f"{t.gain:+.2f} +- {t.error:.2f}: {plan_text(t.plan)}" for t in found.tried]
        best = found.best.plan if found.best.gain > least else None
        head = f"expected score gained after {turns} turns ({knowledge}, {found.rollouts} rollouts):"
        return "\n".join([head, *lines, plan_text(best)])

    return tell


def last_line(adviser: Adviser) -> Actor:
    """A player that does what an adviser's last line says."""
    return lambda seat: adviser(seat).rstrip().rpartition("\n")[2]
