# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading what a model answered: strict JSON, and nothing that it says can raise.

An answer is one JSON object, optionally in a code fence: ``changes`` maps field paths to resulting values,
``fired`` lists rules, ``action`` names an action, ``plan`` lists actions. Unknown paths, repeated paths and
values of the wrong type are rejected one by one, count as false positives and are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from civworld.world_agent.deduction.backend import WAIT

KEYS = ("changes", "fired", "action", "plan")
MAX_ANSWER = 200_000
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A parsed answer.

    Attributes:
        changes: path -> value, only well-formed ones.
        rejected: how many predicted fields were rejected.
        reports: what was wrong, one line each.
        action: the chosen action; `WAIT` when none was named or the name is unknown.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)
    fired: frozenset[str] = frozenset()
    action: str = WAIT
    plan: tuple[str, ...] = ()
    rejected: int = 0
    reports: tuple[str, ...] = ()


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that repeated keys are seen."""


def parse(
    text: object,
    kind_of: Callable[[str], str | None],
    actions: Collection[str] = (),
    rules: Collection[str] = (),
) -> Prediction:
    """Reads an answer; an unreadable one predicts nothing and is reported."""
    reports: list[str] = []
    pairs = _object(text, reports)
    parts: dict[str, Any] = {}
    for key, value in pairs:
        if key not in KEYS or key in parts:
            reports.append(
                f"key {key[:40]!r}: {'repeated' if key in parts else 'unknown'}, known are {', '.join(KEYS)}"
            )
        else:
            parts[key] = value
    changes, rejected = _changes(parts.get("changes", _Pairs()), kind_of, reports)
    return Prediction(
        changes,
        frozenset(_names(parts.get("fired", []), "fired", rules, reports)),
        _action(parts.get("action", WAIT), actions, reports),
        tuple(_action(one, actions, reports) for one in _list(parts.get("plan", []), "plan", reports)),
        rejected,
        tuple(reports),
    )


def _object(text: object, reports: list[str]) -> _Pairs:
    if not isinstance(text, str) or len(text) > MAX_ANSWER:
        reports.append(f"answer: must be text of up to {MAX_ANSWER} characters")
        return _Pairs()
    try:
        data = json.loads(
            _unfenced(text.strip()),
            object_pairs_hook=_Pairs,
            parse_float=Decimal,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError, ArithmeticError) as error:
        reports.append(f"answer: not one JSON object ({type(error).__name__})")
        return _Pairs()
    if not isinstance(data, _Pairs):
        reports.append("answer: not a JSON object")
        return _Pairs()
    return data


def _unfenced(body: str) -> str:
    """What stands in a code fence, if the text is one; no pattern, which could try every line break again."""
    first, _, rest = body.partition("\n")
    if first.rstrip() in ("```", "```json") and rest.endswith("\n```"):
        return rest.removesuffix("\n```")
    return body


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _changes(found: Any, kind_of: Callable[[str], str | None], reports: list[str]) -> tuple[dict[str, Any], int]:
    if not isinstance(found, _Pairs):
        reports.append("changes: must be an object from path to value")
        return {}, 0
    changes: dict[str, Any] = {}
    rejected = 0
    for path, value in found:
        kind = kind_of(path)
        if kind is None:
            why = "unknown path"
        elif path in changes:
            why = "repeated path"
        elif not _fits(kind, path, value):
            why = f"a value of kind {kind} is asked for"
        else:
            changes[path] = value
            continue
        rejected += 1
        reports.append(f"changes {path[:60]!r}: {why}")
    return changes, rejected


def _fits(kind: str, path: str, value: Any) -> bool:
    """Whether a value can be of the kind; null means that a reference is empty, or an item or a field gone."""
    if value is None:
        return kind == "name" or kind.endswith("?") or path.count(".") > 1
    kind = kind.removesuffix("?")
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("text", "name"):
        return isinstance(value, str)
    if isinstance(value, str):
        return kind == "decimal" and _NUMBER.match(value) is not None
    return isinstance(value, (int, Decimal)) and not isinstance(value, bool)


def _list(found: Any, part: str, reports: list[str]) -> list[Any]:
    if isinstance(found, list) and not isinstance(found, _Pairs) and len(found) <= 1_000:
        return found
    reports.append(f"{part}: must be a list")
    return []


def _names(found: Any, part: str, known: Collection[str], reports: list[str]) -> list[str]:
    names = []
    for one in _list(found, part, reports):
        if isinstance(one, str):
            names.append(one)
            if one not in known:
                reports.append(f"{part} {one[:40]!r}: unknown")
        else:
            reports.append(f"{part}: must be a list of names")
    return names


def _action(found: Any, actions: Collection[str], reports: list[str]) -> str:
    if isinstance(found, str) and (found in actions or found == WAIT):
        return found
    reports.append(f"action {str(found)[:40]!r}: unknown, taken as {WAIT}")
    return WAIT
