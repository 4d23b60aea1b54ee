# SPDX-License-Identifier: GPL-2.0-or-later
"""The metrics: for each, the cells it is computed from, its ends, and what its ceiling rests on.

A new metric is one row here and the function that makes its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from civworld.civworldbench import scoring
from civworld.civworldbench.asking.protocols import PROTOCOLS
from civworld.civworldbench.evaluating import cells
from civworld.civworldbench.evaluating.cells import Cells
from civworld.civworldbench.evaluating.tables import Table
from civworld.errors import UnknownNameError

CEILINGS = ("futures", "pairs", "observer", "definition")
"""What a ceiling rests on: re-seeded futures, paired rollouts, the privileged observer, or the definition (1)."""
VARIANTS = ("published", "all")
"""Cells that ceilings are measured on: those of the paper (Trait: pairs 60 or more apart; Direction: effects beyond
sigma), or all that are scored."""


@dataclass(frozen=True)
class Metric:
    """One figure of a forecaster.

    Attributes:
        name: as in tables and files.
        doc: what it says, for readers.
        table: makes the table that it is computed from.
        ceiling: one of `CEILINGS`.
        floor: score of the reference, after adjustment.
        chance: raw accuracy that is adjusted to 0; None for metrics that are no accuracies.
        in_index: whether the index counts it; others are reported beside.
        stepwise: whether it needs intermediate cells, which not every protocol asks for.
        published: metric on whose cells the published ceiling was measured, where these are not all cells.
    """

    name: str
    doc: str
    table: Callable[[Cells], Table]
    ceiling: str
    floor: float = 0.0
    chance: float | None = None
    in_index: bool = True
    published: str = ""
    stepwise: bool = False

    def limit(self, ceilings: Mapping[str, float | None], which: str) -> float | None:
        """Its ceiling among measured ones: `published`, or on `all` cells; None where it was not measured."""
        if which not in VARIANTS:
            raise UnknownNameError("ceilings", which, VARIANTS)
        name = self.published if which == "published" and self.published else self.name
        return ceilings.get(name)

    def adjusted(self, raw: float | None, ceiling: float | None) -> float | None:
        """The score as tables report it: accuracies are moved so that chance is 0."""
        if raw is None or self.chance is None:
            return raw
        return None if ceiling is None else scoring.adjusted_accuracy(raw, self.chance, ceiling)

    def completion(self, raw: float | None, ceiling: float | None) -> float | None:
        """Share of the way from floor to ceiling, None where either end is undefined."""
        score = self.adjusted(raw, ceiling)
        if score is None or ceiling is None:
            return None
        return scoring.completion(score, self.floor, ceiling)


_ROWS = (
    Metric("quantity", "skill over the trend", cells.loss_table, "futures"),
    Metric("event", "Brier gain over base rates and the leader of now", cells.gain_table, "futures"),
    Metric("trait", "pairs of civilizations in the right order", cells.ranking_table, "observer", chance=1 / 2,
           published="trait_gap60"),
    Metric(
        "trait_gap60", "the same, pairs 60 or more apart", cells.wide_ranking_table, "observer",
        chance=1 / 2, in_index=False,
    ),
    Metric("rules", "world rules in the right class", cells.class_table, "observer", chance=1 / 3),
    Metric("capture", "how much of an edit's effect is foreseen", cells.effect_table, "pairs", floor=-1.0),
    Metric(
        "capture_expected", "the same, against expected effects", cells.expected_effect_table, "pairs",
        floor=-1.0, in_index=False,
    ),
    Metric("direction", "effects with the right sign", cells.sign_table, "pairs", chance=1 / 2,
           published="direction_sigma"),
    Metric(
        "direction_sigma", "the same, effects beyond one sigma", cells.wide_sign_table, "pairs",
        chance=1 / 2, in_index=False,
    ),
    Metric("specificity", "silence under placebos", cells.shift_table, "definition"),
    Metric("process", "skill over the trend on the way", cells.way_table, "futures", in_index=False, stepwise=True),
    Metric("process_edits", "the same, after edits", cells.edited_way_table, "definition", in_index=False,
           stepwise=True),
    Metric("unsupported", "forecasts above the trend at the end, not above it on the way", cells.support_table,
           "futures", in_index=False, stepwise=True),
)  # fmt: skip

ALL: Mapping[str, Metric] = MappingProxyType({row.name: row for row in _ROWS})
"""Every metric by its name."""


def measured(protocol: str) -> dict[str, Metric]:
    """The metrics that a protocol's queries have cells for."""
    return {name: row for name, row in ALL.items() if PROTOCOLS[protocol].stepwise or not row.stepwise}


METRICS = tuple(row.name for row in _ROWS if row.in_index)
"""The seven that the index counts."""
