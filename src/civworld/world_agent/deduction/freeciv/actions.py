# SPDX-License-Identifier: GPL-2.0-or-later
"""What the acting civilization can do in a Freeciv world: lawful orders, and plans for the engine's own player.

An order is given as a human player would give it: the civilization is taken over, the order goes through the server's
own handler, and the engine's player moves on. A plan (`civworld.plan`) tells the engine's player what to aim at for
some turns. Both apply whole or are refused and change nothing; an order that the other side declines counts as refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from civworld.commands import Buy, CancelPact, Clause, Command, Propose
from civworld.errors import ArgumentError, CommandRefused, RefusedError
from civworld.plan import Plan
from civworld.state import StateView
from civworld.world import World
from civworld.world_agent.deduction.freeciv.fields import civilizations

SUMS = {"small": 20, "large": 80}
"""Gold that treaties move, by the word that names it in Naming."""
PLAN_TURNS = 8


class Action(Protocol):
    """One action of the acting civilization."""

    @property
    def about(self) -> str:
        """One qualitative line without numbers."""
        ...

    def to_data(self) -> dict[str, Any]:
        """What it does, as data, for Open."""
        ...

    def steps(self) -> list[list[Any]]:
        """The same as steps of a recipe (`civworld.replay`)."""
        ...

    def carry_out(self, world: World) -> None:
        """Does it now; raises RefusedError and changes nothing when the state does not allow it."""
        ...


@dataclass(frozen=True, slots=True)
class OrderAction:
    """A lawful order of the acting player."""

    about: str
    player: int
    command: Command

    def to_data(self) -> dict[str, Any]:
        """The order's name and fields."""
        return {"order": self.command.to_dict()}

    def steps(self) -> list[list[Any]]:
        """Taking over, the order, giving back."""
        return [["take_over", self.player], ["order", self.player, self.command.to_dict()], ["release", self.player]]

    def carry_out(self, world: World) -> None:
        """Gives the order; the engine's player moves on afterwards."""
        before = world.checkpoint()
        try:
            outcome = world.take_over(self.player).order(self.player, self.command)
            if outcome.result == "declined":
                raise CommandRefused(f"{self.command}: declined by the other side", reason="declined")
            world.release(self.player)
        except (RefusedError, ArgumentError) as error:
            world.restore(before)
            raise CommandRefused(str(error), reason=getattr(error, "reason", "")) from None


@dataclass(frozen=True, slots=True)
class PlanAction:
    """A plan for the engine's player of the acting civilization; None takes the present one away."""

    about: str
    player: int
    plan: Plan | None

    def to_data(self) -> dict[str, Any]:
        """The plan's fields."""
        return {"plan": self.plan and self.plan.to_dict()}

    def steps(self) -> list[list[Any]]:
        """Setting the plan."""
        return [["plan", self.player, self.plan and self.plan.to_dict()]]

    def carry_out(self, world: World) -> None:
        """Sets the plan."""
        try:
            world.set_plan(self.player, self.plan)
        except ArgumentError as error:
            raise CommandRefused(str(error), reason="") from None


def action_table(view: StateView, actor: int) -> Mapping[str, Action]:
    """The actor's actions by name, `WAIT` left out; fixed by the state at the start."""
    civs = civilizations(view)
    names = {int(civ["id"]): civ["nation"].decode() for civ in civs[civs["is_alive"]]}
    mine = names.pop(actor)
    table: dict[str, Action] = {
        name: PlanAction(f"the {mine} {about} for some turns", actor, plan)
        for name, (about, plan) in _plans(view).items()
    }
    table["plan_nothing"] = PlanAction(f"the {mine} give up their plan", actor, None)
    for city in view.cities[view.cities["owner"] == actor]:
        name = city["name"].decode()
        table[f"buy_in_{_slug(name)}"] = OrderAction(f"buy what {name} produces", actor, Buy(int(city["id"])))
    for other, nation in names.items():
        for name, (about, command) in _dealings(actor, other, nation):
            table[f"{name}_{_slug(nation)}"] = OrderAction(about, actor, command)
        war = Plan(turns=PLAN_TURNS, stance=((other, "war"),))
        table[f"plan_war_on_{_slug(nation)}"] = PlanAction(
            f"the {mine} make war on the {nation} for some turns", actor, war
        )
    return table


def _plans(view: StateView) -> dict[str, tuple[str, Plan]]:
    """Plans that concern nobody else, by name, with what the civilization does."""
    founders = [unit for unit in view.rules.unit_types if unit["pop_cost"] > 0]
    found = {
        "plan_taxes": ("raise taxes and buy nothing", Plan(turns=PLAN_TURNS, rates=(80, 0, 20), purchases=())),
        "plan_science": ("study", Plan(turns=PLAN_TURNS, rates=(20, 0, 80))),
        "plan_luxury": ("spend on luxury", Plan(turns=PLAN_TURNS, rates=(20, 60, 20))),
        "plan_garrisons": ("fill their cities with soldiers", Plan(turns=PLAN_TURNS, garrison=2)),
    }
    if founders:
        founder = min(founders, key=lambda unit: (int(unit["pop_cost"]), int(unit["cost"])))["name"].decode()
        found["plan_settling"] = ("make settlers", Plan(turns=PLAN_TURNS, production=((founder, 30),)))
    return found


def _dealings(actor: int, other: int, nation: str) -> Iterator[tuple[str, tuple[str, Command]]]:
    """Orders that concern another civilization."""
    for word, gold in SUMS.items():
        yield f"gift_{word}_to", (f"give the {nation} a {word} sum", Propose(other, (Clause(actor, "Gold", gold),)))
        yield f"ask_{word}_of", (f"ask the {nation} for a {word} sum", Propose(other, (Clause(other, "Gold", gold),)))
    yield "share_vision_with", (f"let the {nation} see what you see", Propose(other, (Clause(actor, "Vision"),)))
    yield "cancel_pact_with", (f"step back from the pact with the {nation}", CancelPact(other))


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name.lower())
