# SPDX-License-Identifier: GPL-2.0-or-later
"""What a query is: a prompt, the cells it asks for, and where it stands. Targets are kept apart from it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from civworld.errors import ArgumentError, UnknownNameError
from civworld.scoring import TAUS

Kind = Literal["quantiles", "probability", "distribution", "ranking", "class"]
KINDS: tuple[Kind, ...] = ("quantiles", "probability", "distribution", "ranking", "class")
SETTINGS = ("omni-id", "ego", "omni-ood")
ARMS = ("", "real", "placebo")


@dataclass(frozen=True)
class Target:
    """What is true of a cell, and what it is compared with.

    Attributes:
        value: outcome (quantiles), 0 or 1 (probability), the option that came true (distribution, class), or one
            hidden value per option (ranking).
        reference: the reference's forecast: trend (quantiles), base rate (probability), current leader
            (distribution); None for beliefs.
        expected: mean effect over paired rollouts, in units of sigma, of an edited branch; None elsewhere.
        standard_error: that of `expected`.
    """

    value: float | str | tuple[float, ...]
    reference: float | str | None = None
    expected: float | None = None
    standard_error: float | None = None

    @property
    def number(self) -> float:
        """The value of a cell that asks for a number."""
        return _number("value", self.value)

    @property
    def baseline(self) -> float:
        """The reference's number."""
        return _number("reference", self.reference)


@dataclass(frozen=True)
class Cell:
    """One thing that a query asks for, and what its score depends on.

    Attributes:
        id: name of the cell in the answer, unique within its query.
        kind: `quantiles` (five numbers at levels .1 .25 .5 .75 .9, not descending), `probability` (0..1),
            `distribution` (option -> probability, sum 1), `ranking` (all options, highest first) or `class` (one
            of the options).
        options: what a distribution, ranking or class may name; empty for the other kinds.
        civ: number of the civilization asked about, -1 for none.
        subject: quantity, event template, trait, rule or operator that is asked about.
        horizon: turns ahead, 0 for beliefs about now.
    """

    id: str
    kind: Kind
    options: tuple[str, ...] = ()
    civ: int = -1
    subject: str = ""
    horizon: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError("kind of cell", self.kind, KINDS)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of this cell's answer."""
        number = {"type": "number"}
        share = {"type": "number", "minimum": 0, "maximum": 1}
        names = {"type": "string", "enum": list(self.options)}
        count = len(self.options)
        if self.kind == "quantiles":
            return {"type": "array", "items": number, "minItems": len(TAUS), "maxItems": len(TAUS)}
        if self.kind == "probability":
            return share
        if self.kind == "distribution":
            return _record({name: share for name in self.options})
        if self.kind == "ranking":
            return {"type": "array", "items": names, "minItems": count, "maxItems": count}
        return names


@dataclass(frozen=True)
class Query:
    """A question to a forecaster. It holds nothing that the forecaster may not see.

    Attributes:
        id: unique within a query set.
        task: versioned name of the task, for example `quantity-v0`.
        world: id of the world in its corpus.
        turn: the decision point t1.
        setting: `omni-id`, `ego` or `omni-ood`.
        prompt: the text to answer.
        cells: what is asked, in the order of the prompt.
        arm: `real` or `placebo` for a query about an edited branch, else empty.
        control: id of the query whose answer is this one's control, else empty.
        ablation: what was left out of or added to the prompt, empty for nothing.
        operator: name of the edit's operator for an edited branch, else empty.
    """

    id: str
    task: str
    world: str
    turn: int
    setting: str
    prompt: str
    cells: tuple[Cell, ...]
    arm: str = ""
    control: str = ""
    ablation: str = ""
    operator: str = ""

    def __post_init__(self) -> None:
        if self.setting not in SETTINGS:
            raise UnknownNameError("setting", self.setting, SETTINGS)
        if self.arm not in ARMS:
            raise UnknownNameError("arm", self.arm, ARMS)
        ids = [cell.id for cell in self.cells]
        if not ids or len(set(ids)) != len(ids):
            raise ArgumentError(f"query {self.id}: cells {ids}: one or more with different ids are needed")

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the whole answer: an object with one member, `answers`."""
        return _record({"answers": _record({cell.id: cell.schema() for cell in self.cells})})


@dataclass(frozen=True)
class QuerySet:
    """Queries with their targets, in a fixed order.

    Attributes:
        queries: id -> query.
        targets: id -> cell id -> what happened or is the case.
        scales: quantity -> sigma, the typical change over one horizon in the calibration worlds.
    """

    queries: Mapping[str, Query]
    targets: Mapping[str, Mapping[str, Target]] = field(repr=False)
    scales: Mapping[str, float]

    def __post_init__(self) -> None:
        for name, query in self.queries.items():
            found, wanted = set(self.targets.get(name, ())), {cell.id for cell in query.cells}
            if found != wanted:
                raise ArgumentError(f"query {name}: targets for {sorted(found)}, needed for {sorted(wanted)}")
            if query.control and query.control not in self.queries:
                raise ArgumentError(f"query {name}: its control {query.control} is not in the set")

    @classmethod
    def of(cls, pairs: Iterable[tuple[Query, Mapping[str, Target]]], scales: Mapping[str, float]) -> QuerySet:
        """A set from (query, targets) pairs.

        Raises:
            ArgumentError: an id occurs twice, or targets do not fit their cells.
        """
        queries: dict[str, Query] = {}
        targets: dict[str, Mapping[str, Target]] = {}
        for query, target in pairs:
            if query.id in queries:
                raise ArgumentError(f"query id {query.id} occurs twice")
            queries[query.id], targets[query.id] = query, target
        return cls(queries, targets, dict(scales))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write `queries.jsonl` (what a forecaster gets), `targets.jsonl` and `scales.json`, apart."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        rows = [asdict(query) | {"schema": query.schema()} for query in self.queries.values()]
        _write_lines(where / "queries.jsonl", rows)
        answers = [
            {"id": name, "targets": {cell: asdict(target) for cell, target in cells.items()}}
            for name, cells in self.targets.items()
        ]
        _write_lines(where / "targets.jsonl", answers)
        _write(where / "scales.json", json.dumps(dict(self.scales), indent=1, sort_keys=True) + "\n")

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> QuerySet:
        """The set that `save` wrote.

        Raises:
            FileNotFoundError: one of the three files is missing.
            ArgumentError: the files do not belong together.
        """
        where = Path(folder)
        queries = [_query(row) for row in read_lines(where / "queries.jsonl")]
        targets = {row["id"]: _targets(row["targets"]) for row in read_lines(where / "targets.jsonl")}
        scales = json.loads((where / "scales.json").read_text(encoding="utf-8"))
        return cls.of(((query, targets.get(query.id, {})) for query in queries), scales)


def read_lines(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Rows of a file with one JSON object a line.

    Raises:
        ArgumentError: a line is no JSON object; the message names it.
    """
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {error}") from None
        if not isinstance(row, dict):
            raise ArgumentError(f"{os.fspath(path)}, line {number}: {type(row).__name__}, a JSON object is needed")
        rows.append(row)
    return rows


def _number(what: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentError(f"target with {what} {value!r}: a number is needed")
    return float(value)


def _record(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _query(row: dict[str, Any]) -> Query:
    values = {key: value for key, value in row.items() if key != "schema"}
    cells = tuple(Cell(**{**cell, "options": tuple(cell["options"])}) for cell in values.pop("cells"))
    return Query(**values, cells=cells)


def _targets(row: dict[str, dict[str, Any]]) -> dict[str, Target]:
    return {cell: Target(**_tuples(values)) for cell, values in row.items()}


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    _write(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _write(path: Path, text: str) -> None:
    part = path.with_suffix(path.suffix + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
