# SPDX-License-Identifier: GPL-2.0-or-later
"""A decision point as a forecaster meets it: who is in view, what is shown, how an answer must look."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.protocols import FREE, PROTOCOLS, intermediate
from civworld.civworldbench.asking.query import Cell, Query
from civworld.corpus import Corpus, DecisionPoint
from civworld.errors import UnknownNameError
from civworld.events import Event
from civworld.report import FULL, Shown
from civworld.report.nations import people

ABLATIONS: Mapping[str, Shown] = MappingProxyType(
    {
        "": FULL,
        "no_history": Shown(history=False),
        "no_narrative": Shown(narrative=False),
        "no_policies": Shown(policies=False),
        "study_notes": Shown(notes=True),
        "future_narrative": Shown(future=True),
    }
)
"""Variants of what is shown. The last one is privileged and measures how much knowing the events would help."""


@dataclass(frozen=True)
class Part:
    """What one task asks of a scene.

    Attributes:
        question: the words.
        cells: what is asked.
        targets: cell id -> what is the case.
    """

    question: str
    cells: Sequence[Cell]
    targets: dict[str, Target] = field(repr=False)


@dataclass(frozen=True)
class Scene:
    """One decision point in one setting.

    Attributes:
        corpus: where the world is recorded.
        world: its id.
        point: when.
        setting: `omni-id`, `ego` or `omni-ood`.
        ablation: a key of `ABLATIONS`.
        notes: study notes, for the ablation that shows them.
        protocol: a key of `PROTOCOLS`.
    """

    corpus: Corpus = field(repr=False)
    world: str
    point: DecisionPoint
    setting: str
    ablation: str = ""
    notes: str = field(default="", repr=False)
    protocol: str = FREE

    def __post_init__(self) -> None:
        if self.ablation not in ABLATIONS:
            raise UnknownNameError("ablation", self.ablation, ABLATIONS)
        if self.protocol not in PROTOCOLS:
            raise UnknownNameError("protocol", self.protocol, PROTOCOLS)

    @property
    def turn(self) -> int:
        """The decision point t1."""
        return int(self.point.turn)

    @property
    def steps(self) -> tuple[int, ...]:
        """Turns ahead of the intermediate cells; none where only the end is asked."""
        return intermediate(self.point.horizons) if PROTOCOLS[self.protocol].stepwise else ()

    @cached_property
    def living(self) -> tuple[int, ...]:
        """Numbers of the civilizations alive at t1."""
        rows = self.corpus.records(self.world)
        return tuple(int(p) for p in rows["player"][(rows["turn"] == self.turn) & rows["is_alive"]])

    @cached_property
    def viewer(self) -> int | None:
        """In the ego setting the civilization whose view it is: the living one of the lowest number."""
        return min(self.living) if self.setting == "ego" else None

    @cached_property
    def civs(self) -> tuple[int, ...]:
        """Living civilizations that may be asked about: all, or in the ego setting the viewer and its contacts."""
        if self.viewer is None:
            return self.living
        rows = self.corpus.pairs(self.world)
        met = (rows["turn"] == self.turn) & (rows["player"] == self.viewer) & (rows["state"] != "Never met")
        contacts = set(rows["other"][met].tolist())
        return tuple(p for p in self.living if p == self.viewer or p in contacts)

    def name(self, civ: int) -> str:
        """How prompts and answers call a civilization."""
        return f"c{civ}"

    @cached_property
    def nations(self) -> Mapping[int, str]:
        """Civilization -> name of its nation."""
        rows = self.corpus.records(self.world)
        rows = rows[rows["turn"] == self.turn]
        return {int(r["player"]): str(r["nation"]) for r in rows}

    def people(self, civ: int) -> str:
        """What the people of a civilization are called."""
        return people(self.nations[civ])

    def listed(self, civs: Sequence[int]) -> str:
        """Civilizations with the names that answers use: `the Zulus (c2), the Romans (c3)`."""
        return ", ".join(f"the {self.people(civ)} ({self.name(civ)})" for civ in civs)

    @cached_property
    def log(self) -> tuple[Event, ...]:
        """What happened up to t1."""
        return tuple(e for e in self.corpus.events(self.world) if e.turn <= self.turn)

    def id(self, task: str, *parts: str) -> str:
        """Id of a query about this scene."""
        tail = [self.ablation] if self.ablation else []
        tail += [self.protocol] if self.protocol != FREE else []
        return "/".join([self.world, f"t{self.turn}", self.setting, task, *parts, *tail])

    def opening(self) -> str:
        """What this is, who plays, what a turn is; the first lines of a prompt."""
        seen = (
            "everything that the game shows about all of them"
            if self.viewer is None
            else f"what one of them, the {self.people(self.viewer)}, knows under fog of war"
        )
        return (
            "# The world\n\n"
            "This is a question about a world of Freeciv, a strategy game in which civilizations found cities, "
            "discover advances, trade, negotiate and make war. Every civilization is played by a computer player; "
            "nobody else takes part. The game goes on in turns: in each, all civilizations give their orders, then "
            "cities grow and produce, advances are discovered, and the date moves on by some years. The report below "
            f"holds {seen}, up to turn {self.turn}, which is now."
        )

    def briefing(self, *, policies: bool = True) -> str:
        """What the forecaster sees of the world."""
        shown = ABLATIONS[self.ablation]
        return self.corpus.briefing(
            self.world,
            self.turn,
            "omni" if self.viewer is None else self.viewer,
            shown=shown if policies else replace(shown, policies=False),
            notes=self.notes,
        )

    def query(
        self,
        task: str,
        question: str,
        cells: Sequence[Cell],
        *parts: str,
        arm: str = "",
        control: str = "",
        operator: str = "",
        policies: bool = True,
    ) -> Query:
        """The query that shows the scene and asks the question."""
        told = PROTOCOLS[self.protocol].told(self.steps, self.point.horizons)
        question = f"{question}\n\n{told}" if told else question
        text = (
            f"{self.opening()}\n\n{self.briefing(policies=policies)}\n\n# Question\n\n"
            f"Answers call the civilizations by the names in brackets: {self.listed(self.civs)}.\n\n{question}\n"
        )
        query = Query(
            self.id(task, *parts),
            task,
            self.world,
            self.turn,
            self.setting,
            text,
            tuple(cells),
            arm=arm,
            control=control,
            ablation=self.ablation,
            operator=operator,
            protocol=self.protocol,
        )
        return _with_form(query)


def _with_form(query: Query) -> Query:
    """The query with the form of its answer at the end of the prompt."""
    rows = [(json.dumps(cell.id), cell.row.form(cell.options)) for cell in query.cells]
    return replace(query, prompt=f"{query.prompt}\n{PROTOCOLS[query.protocol].form(rows)}\n")
