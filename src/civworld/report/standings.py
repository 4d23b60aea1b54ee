# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain-text tables: who stands where, and what an edit changed."""

from __future__ import annotations

from collections.abc import Sequence

from civworld import quantities
from civworld.state import StateView

SHOWN = ("score", "cities", "population", "territory", "techs", "production", "military_units", "treasury")


def _name(view: StateView, player: int) -> str:
    return bytes(view.player(player)["nation"]).decode()


def standings(view: StateView) -> str:
    """Every civilization with its main quantities, best score first; dead ones are marked.

    Args:
        view: the moment to show.
    """
    civs = quantities.civ_ids(view)
    values = {name: quantities.get(name)(view) for name in SHOWN}
    order = sorted(range(len(civs)), key=lambda i: (-values["score"][i], int(civs[i])))
    lines = [f"turn {view.turn}".ljust(18) + "".join(name.rjust(15) for name in SHOWN)]
    for i in order:
        alive = bool(view.player(int(civs[i]))["is_alive"])
        label = f"{civs[i]:>2} {_name(view, int(civs[i]))}{'' if alive else ' (dead)'}"
        lines.append(label[:18].ljust(18) + "".join(f"{values[name][i]:>15,}" for name in SHOWN))
    return "\n".join(lines)


def effect_table(control: StateView, arms: dict[str, StateView], shown: Sequence[str] = SHOWN) -> str:
    """Differences from the control, one line per arm and civilization that differs anywhere.

    Args:
        control: the unedited arm's last moment.
        arms: name -> the arm's view at the same turn.
        shown: names of the quantities to compare.
    """
    civs = quantities.civ_ids(control)
    base = {name: quantities.get(name)(control) for name in shown}
    lines = ["arm minus control".ljust(30) + "".join(name.rjust(15) for name in shown)]
    for arm, view in arms.items():
        delta = {name: quantities.get(name)(view) - base[name] for name in shown}
        moved = [i for i in range(len(civs)) if any(delta[name][i] for name in shown)]
        if not moved:
            lines.append(f"{arm:<12}no quantity of any civilization differs")
        for i in moved:
            label = f"{arm:<12}{civs[i]:>2} {_name(control, int(civs[i]))}"
            lines.append(label[:30].ljust(30) + "".join(f"{delta[name][i]:>+15,}" for name in shown))
    return "\n".join(lines)
