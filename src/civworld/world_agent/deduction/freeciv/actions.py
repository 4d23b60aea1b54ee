# SPDX-License-Identifier: GPL-2.0-or-later
"""What the acting civilization can do in a Freeciv world.

The table holds what `World.apply` can do for a civilization: treasury transfers. An action is anything with
a description, its data, and a way to carry it out on a world, so a lawful order of a player becomes an action
by implementing `Action`, and joins by one more entry in `action_table`; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from civworld.edits import AddGold, Edit
from civworld.errors import ArgumentError, EditRefused, RefusedError
from civworld.state import StateView
from civworld.world import World
from civworld.world_agent.deduction.freeciv.fields import civilizations

SUMS = {"small": 20, "large": 80}
"""Gold that changes hands, by the word that names it in Naming."""


class Action(Protocol):
    """One action of the acting civilization."""

    @property
    def about(self) -> str:
        """One qualitative line without numbers."""
        ...

    def to_data(self) -> dict[str, Any]:
        """What it does, as data, for Open."""
        ...

    def carry_out(self, world: World) -> None:
        """Does it now; raises RefusedError and changes nothing when the state does not allow it."""
        ...


@dataclass(frozen=True, slots=True)
class EditAction:
    """One or more edits that apply all or not at all."""

    about: str
    edits: tuple[Edit, ...]

    def to_data(self) -> dict[str, Any]:
        """The edits by name with their arguments."""
        return {"edits": [{"edit": edit.name, **asdict(edit)} for edit in self.edits]}  # type: ignore[call-overload]

    def carry_out(self, world: World) -> None:
        """Applies the edits in order."""
        before = world.checkpoint()
        try:
            for edit in self.edits:
                world.apply(edit)
        except (RefusedError, ArgumentError) as error:
            world.restore(before)
            raise EditRefused(str(error)) from None


def action_table(view: StateView, actor: int) -> Mapping[str, Action]:
    """The actor's actions by name, `WAIT` left out; fixed by the state at the start."""
    civs = civilizations(view)
    names = {int(civ["id"]): civ["nation"].decode() for civ in civs[civs["is_alive"]]}
    mine = names.pop(actor)
    table: dict[str, Action] = {}
    for other, nation in names.items():
        for word, gold in SUMS.items():
            slug = nation.lower().replace(" ", "_")
            table[f"gift_{word}_to_{slug}"] = EditAction(
                f"the {mine} treasury gives the {nation} treasury a {word} sum", _transfer(actor, other, gold)
            )
            table[f"tribute_{word}_from_{slug}"] = EditAction(
                f"the {nation} treasury gives the {mine} treasury a {word} sum", _transfer(other, actor, gold)
            )
    return table


def _transfer(giver: int, taker: int, gold: int) -> tuple[Edit, ...]:
    return AddGold(giver, -gold), AddGold(taker, gold)
