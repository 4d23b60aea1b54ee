# SPDX-License-Identifier: GPL-2.0-or-later
"""`intervene-v0`: forecast quantities again after an edit, and after its placebo; the control is `quantity-v0`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from civworld.civworldbench import scoring
from civworld.civworldbench.asking import quantity
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.forecasts import is_log, sigma
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.scene import Scene
from civworld.corpus import ArmSet, Track

NAME = "intervene-v0"
ARMS = ("real", "placebo")


def queries(scene: Scene, calibration: Calibration) -> Iterator[tuple[Query, dict[str, Target]]]:
    """Two queries, edit and placebo, for each operator that the decision point is eligible for.

    In the ego setting an operator counts only when everyone it concerns is in view.
    """
    for operator, arms in sorted(scene.corpus.arms(scene.world, scene.turn).items()):
        if not arms.eligible or not set(concerned(arms)) <= set(scene.civs):
            continue
        cells = [
            quantity.cell(scene, civ, name, h)
            for civ in concerned(arms)
            for name in arms.targets
            for h in scene.point.horizons
        ]
        for arm in ARMS:
            yield _query(scene, operator, arms, arm, cells), _targets(scene, arms, arm, cells, calibration)


def concerned(arms: ArmSet) -> tuple[int, ...]:
    """The civilizations that an operator is about: its player, and the other one where it changes two."""
    return (arms.player,) if arms.other < 0 else (arms.player, arms.other)


def pairs(arms: ArmSet, arm: str) -> tuple[tuple[Track, Track], ...]:
    """(control, edited) under each common seed; none for placebos, which are played in the world's own future."""
    return arms.pairs if arm == "real" else ()


def _query(scene: Scene, operator: str, arms: ArmSet, arm: str, cells: list[Cell]) -> Query:
    near, far = scene.point.horizons
    names = tuple(dict.fromkeys(c.subject for c in cells))
    question = (
        f"It is turn {scene.turn}. Suppose that at this moment, before anything else happens, the following change "
        f"is made from outside the game, and that the world then goes on by itself:\n\n"
        f"{describe(scene, arms, arm)}\n\n"
        f"Forecast these quantities at turn {scene.turn + near} (h{near}) and at turn {scene.turn + far} (h{far}), as "
        f"quantiles at levels 0.1, 0.25, 0.5, 0.75 and 0.9.\n\n{quantity.definitions(names)}"
    )
    control = scene.id(quantity.NAME)
    return scene.query(NAME, question, cells, operator, arm, arm=arm, control=control, operator=operator)


def _targets(
    scene: Scene, arms: ArmSet, arm: str, cells: Sequence[Cell], calibration: Calibration
) -> dict[str, Target]:
    played = arms.real if arm == "real" else arms.placebo
    track = arms.control if played is None else played  # a placebo that the world refuses changes nothing
    found = {}
    for c in cells:
        value = quantity.outcome(track, c, scene.turn)
        both = [[quantity.outcome(t, c, scene.turn) for t in pair] for pair in pairs(arms, arm)]
        if len(both) < 2:
            found[c.id] = Target(value)
            continue
        control, edited = ([pair[k] for pair in both] for k in (0, 1))
        scale, log = [sigma(c.subject, calibration.scales)], [is_log(c.subject)]
        mean = scoring.expected_effect([edited], [control], scale, log)
        found[c.id] = Target(value, expected=float(mean.mean[0]), standard_error=float(mean.standard_error[0]))
    return found


# ---- the edit in words ---------------------------------------------------------------------------------------
#
# Told from what is public: a description never states the value of a trait, an attitude or a world rule.


def describe(scene: Scene, arms: ArmSet, arm: str) -> str:
    """What a reader is told about the edit."""
    return _WORDS[arms.operator](scene, arms, arm == "placebo")


Words = Callable[[Scene, ArmSet, bool], str]


def _who(scene: Scene, civ: int) -> str:
    return f"{scene.nations[civ]} ({scene.name(civ)})"


def _now(scene: Scene, civ: int, field: str) -> int:
    rows = scene.corpus.civs(scene.world)
    return int(rows[field][(rows["turn"] == scene.turn) & (rows["player"] == civ)][0])


def _grant(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    treasury = int(scene.corpus.track(scene.world).value("treasury", scene.turn, arms.player))
    return f"The {_who(scene, arms.player)} receive {1 if placebo else max(300, treasury)} gold."


def _drain(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    return f"The {_who(scene, arms.player)} lose {'1 gold' if placebo else 'four fifths of their gold'}."


def _research(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    missing = _now(scene, arms.player, "bulbs_cost") - _now(scene, arms.player, "bulbs")
    gain = "1 bulb" if placebo else f"the {missing} bulbs still missing"
    return f"The {_who(scene, arms.player)} receive {gain} for the advance they are researching."


def _oblivion(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    loss = "1 bulb" if placebo else f"all {_now(scene, arms.player, 'bulbs')} bulbs gathered"
    return f"The {_who(scene, arms.player)} lose {loss} for the advance they are researching."


def _renamed(scene: Scene, arms: ArmSet) -> str:
    return f"One city of the {_who(scene, arms.player)} gets another name."


def _growth(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    if placebo:
        return _renamed(scene, arms)
    return f"Three cities of the {_who(scene, arms.player)} that are smaller than size 6 grow by 3 citizens each."


def _transfer(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    if placebo:
        return _renamed(scene, arms)
    giver, taker = _who(scene, arms.player), _who(scene, arms.other)
    return f"The {giver} hand over to the {taker} the city that lies nearest to these, their capital aside."


def _access(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    if placebo:
        return f"The {_who(scene, arms.player)} are taught an advance that they know already."
    edits = scene.corpus.hidden(scene.world).edits
    mine = (edits["t1"] == scene.turn) & (edits["operator"] == arms.operator) & (edits["arm"] == "real")
    names = [fields["advance"] for _, fields in json.loads(str(edits["edits"][mine][0]))]
    return f"The {_who(scene, arms.player)} are given the advance {' and '.join(names)}, whatever it builds on."


def _reveal(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    if placebo:
        return f"The {_who(scene, arms.player)} are shown their own land, which they know."
    return f"The {_who(scene, arms.player)} are shown all the land of the nearest neighbour they do not know wholly."


def _trait(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    trait, end = arms.variant.rsplit("_", 1)
    if placebo:
        return f"The trait '{trait}' of the {_who(scene, arms.player)} rises by 1 on a scale to 250."
    return (
        f"The trait '{trait}' of the {_who(scene, arms.player)} becomes very {'strong' if end == 'high' else 'weak'}."
    )


def _attitude(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    pair = f"the attitude of the {_who(scene, arms.other)} towards the {_who(scene, arms.player)}"
    if placebo:
        return f"By one part in a thousand {pair} changes."
    return f"At once {pair} becomes {'complete friendship' if arms.variant == 'love' else 'utter hatred'}."


def _disasters(scene: Scene, arms: ArmSet, placebo: bool) -> str:
    if placebo:
        return "The rate of disasters changes by one part in a thousand."
    return "Disasters become ten times as frequent." if arms.variant == "more" else "Disasters no longer happen."


_WORDS: Mapping[str, Words] = MappingProxyType(
    {
        "treasury_grant": _grant,
        "treasury_drain": _drain,
        "research_grant": _research,
        "research_loss": _oblivion,
        "city_growth": _growth,
        "city_transfer": _transfer,
        "government_access": _access,
        "map_reveal": _reveal,
        "trait_shift": _trait,
        "attitude_shift": _attitude,
        "disaster_rate": _disasters,
    }
)
