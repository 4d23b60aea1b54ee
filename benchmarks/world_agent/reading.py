# SPDX-License-Identifier: GPL-2.0-or-later
"""A scripted reader in a model's place: it reads a judge's prompt, and nothing else, and answers as a model would.

It shares no code with the rule judge. It goes through the events in order and takes for each the first record that
does what the event's completion says; it tells capabilities by the words that they share with their description.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

Json = dict[str, Any]
OFF = ("", "off", "no", "none", "false", "0", "closed", "shut", "idle", "not", "never", "unset")


class PromptReader:
    """Answers judges' prompts."""

    def generate(self, prompt: str) -> str:
        """The bindings as JSON."""
        asked = _section(prompt, "CONTRACT")[0]
        world = _section(prompt, "STRUCTURES OF THE WORLD")[0]
        records = {row["index"]: row for row in _section(prompt, "RECORDS")}
        loose = "The model built the types itself" in prompt
        events: dict[str, list[int]] = {}
        for event in asked["events"]:
            taken = {index for indexes in events.values() for index in indexes}
            for row in records.values():
                if row["index"] not in taken and _realizes(event, row, records, loose):
                    events[event["id"]] = [row["index"]]
                    break
        return json.dumps({"events": events, "structures": _names(asked["structures"], world), "violations": {}})


def _section(prompt: str, head: str) -> list[Json]:
    """The JSON lines under a heading."""
    lines = prompt.split(f"\n{head}\n", 1)[1].split("\n\n", 1)[0].splitlines()
    return [json.loads(line, parse_float=Decimal) for line in lines]


def _realizes(event: Json, row: Json, records: Mapping[int, Json], loose: bool) -> bool:
    if row["kind"] != "capability" or row["reason"] or (event["actor"] and row["actor"] != event["actor"]):
        return False
    writes = list(_writes(row["index"], records))
    used: set[str] = set()
    for text in event["completion"]:
        path = next((path for path, old, new in writes if path not in used and _does(text, path, old, new, loose)), "")
        if not path:
            return False
        used.add(path)
    return True


def _writes(index: int, records: Mapping[int, Json]) -> Iterator[tuple[str, Any, Any]]:
    """The writes of a record and of all that it caused, other triggers apart."""
    row = records[index]
    if row["reason"]:
        return
    yield from ((path, old, new) for path, old, new in row["writes"])
    for other in records.values():
        if other["cause"] == index and other["kind"] != "capability":
            yield from _writes(other["index"], records)


def _does(text: str, path: str, old: Any, new: Any, loose: bool) -> bool:
    """Whether a write does what one line of a completion says."""
    wanted, sign, *rest = text.split(" ", 2)
    if not loose:
        return path == wanted and _changes(sign, rest[0] if rest else "", old, new, loose)
    entity = wanted.split(".")[0]
    if path.split(".")[0] == entity and "." in path:
        return _changes(sign, rest[0] if rest else "", old, new, loose)
    mirrored = sign == "=" and rest and path.split(".")[0] == rest[0]
    return bool(mirrored and (new == entity or (isinstance(new, list) and entity in new)))


def _changes(sign: str, value: str, old: Any, new: Any, loose: bool) -> bool:
    if sign == "~":
        return True
    if sign in "+-":
        step = _step(old, new)
        if step is None:
            return False
        step = step if sign == "+" else -step
        return step == Decimal(value) if value else step > 0
    if value in ("true", "false"):
        if loose and not isinstance(new, bool):
            return (str(new).lower() not in OFF) is (value == "true")
        return loose or new is (value == "true")
    if isinstance(new, list):
        new = new[-1] if new else None
    return not isinstance(new, bool) and (new is None if value == "none" else _same(new, value))


def _step(old: Any, new: Any) -> Decimal | None:
    if isinstance(old, list) and isinstance(new, list):
        old, new = len(old), len(new)
    numbers = (_number(one) for one in (new, old) if not isinstance(one, bool))
    known = [one for one in numbers if one is not None]
    return known[0] - known[1] if len(known) == 2 else None


def _number(value: Any) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _same(found: Any, wanted: str) -> bool:
    return str(found) == wanted or (_number(found) is not None and _number(found) == _number(wanted))


def _names(asked: Sequence[Json], world: Json) -> dict[str, str]:
    """Entities and types by their names where the world has them, capabilities by their words."""
    found: dict[str, str] = {}
    tables = {"entity": world["kinds"], "type": world["types"]}
    left = dict(world["capabilities"])
    for row in asked:
        name = row["id"].partition(":")[2]
        if row["kind"] != "capability":
            if name in tables[row["kind"]]:
                found[row["id"]] = name
            continue
        wanted = _words(f"{name} {row['what']}")
        alike = {one: len(wanted & _words(f"{one} {spec.get('about', '')}")) for one, spec in left.items()}
        best = max(alike, key=lambda one: alike[one], default="")
        if best and alike[best]:
            found[row["id"]] = best
            del left[best]
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower().replace("_", " ")))
