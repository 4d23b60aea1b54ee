# SPDX-License-Identifier: GPL-2.0-or-later
"""What a model is told: the four settings' prompts and the queries' texts.

Open discloses rules (M1) or the action table (M2) in the rule language, machine-readable. Naming gives
names and one-line qualitative descriptions only. Paired conditions share dynamics and initial state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from civworld.errors import UnknownNameError
from civworld.world_agent.deduction.case import LOOKAHEAD, SEGMENTS, DeductionCase
from civworld.world_agent.kernel import Value

INFORMATION = ("open", "naming")
"""How much of the rules a solver is told."""
MODES = ("m1", "m2")
"""Kinds of tasks: foresee the world, or bring it to a goal."""

_LANGUAGE = """Time passes in whole units. In each unit, delayed effects and scheduled actions that are
due come first, then the rules with 'every' whose period divides the time (less 'offset'), in the
order listed. 'each' runs a rule for every entity of a type, in the order of the state. 'let' names
values, 'when' must hold, 'do' runs in order. 'after' delays the effects in 'then'. 'on' runs a rule
once the field was changed: after all effects of the rule that changed it, and those of rules set off before. A
delay is computed before the effects. Integers divide with floor (//). Decimal fields are rounded half-even after
every write. clamp(v, low, high) keeps v within bounds; dist(a, b) is the length of the shortest way on the map,
next_hop(a, b) the first place on it after a (ties by name), linked(a, b) whether a link joins them."""


def prompt(case: DeductionCase, information: str, mode: str) -> str:
    """The opening text of an episode."""
    told = disclosed(case, information, mode)
    end = protocol(mode, case.interval, LOOKAHEAD, segments=case.segments)
    return opening([case.title, case.intro], told, case.backend().public_state(), end)


def opening(head: Sequence[str], told: str, state: Mapping[str, Value], end: str) -> str:
    """An opening text from its parts, in the order common to all kinds of world."""
    return "\n".join([*head, "", told, "", "STATE at time 0", state_text(state), "", end])


def check_setting(information: str, mode: str) -> None:
    """Raises UnknownNameError unless both name a setting."""
    for kind, value, known in (("information", information, INFORMATION), ("mode", mode, MODES)):
        if value not in known:
            raise UnknownNameError(kind, value, known)


def disclosed(case: DeductionCase, information: str, mode: str) -> str:
    """The part of a prompt that tells rules and actions; in Naming it holds no number."""
    check_setting(information, mode)
    make = {("open", "m1"): _open_rules, ("naming", "m1"): _named_rules,
            ("open", "m2"): _open_actions, ("naming", "m2"): _named_actions}[information, mode]  # fmt: skip
    return "\n".join(make(case))


def _scheduled(case: DeductionCase) -> list[Mapping[str, Any]]:
    """The capabilities that others use on schedule."""
    names = {entry["do"] for entry in case.spec.get("schedule", ())}
    return [rule for rule in case.spec["capabilities"] if rule["name"] in names]


def _open_rules(case: DeductionCase) -> list[str]:
    lines = ["HOW RULES READ", _LANGUAGE, "", "RULES (JSON lines)", *map(_json, case.spec["processes"])]
    lines += ["", "SCHEDULED ACTIONS OF OTHERS (JSON lines)", *map(_json, case.spec.get("schedule", ()))]
    kinds = {name: row["type"] for name, row in case.spec["entities"].items()}
    types = ["", "TYPES", _json({"types": case.spec["types"], "entities": kinds})]
    return [*lines, *map(_json, _scheduled(case)), *_map(case), *types]


def _named_rules(case: DeductionCase) -> list[str]:
    return [*_processes(case), "", "OTHERS DO", *(f"- {r['name']}: {r['about']}" for r in _scheduled(case))]


def _open_actions(case: DeductionCase) -> list[str]:
    used = {entry["do"] for entry in case.menu.values()}
    lines = [
        *_goal(case),
        *_processes(case),
        "",
        "HOW ACTIONS READ",
        _LANGUAGE,
        "",
        "ACTION TABLE (JSON lines)",
    ]
    lines += ['{"action": "wait"}', *(_json({"action": name, **entry}) for name, entry in case.menu.items())]
    return [*lines, *(_json(r) for r in case.spec["capabilities"] if r["name"] in used), *_map(case)]


def _named_actions(case: DeductionCase) -> list[str]:
    lines = [*_goal(case), *_processes(case), "", "ACTIONS", "- wait: do nothing"]
    return [*lines, *(f"- {name}: {entry['about']}" for name, entry in case.menu.items())]


def _goal(case: DeductionCase) -> list[str]:
    return [f"You control {case.actor}. {case.task['about']}", ""]


def _processes(case: DeductionCase) -> list[str]:
    return ["RULES", *(f"- {rule['name']}: {rule['about']}" for rule in case.spec["processes"])]


def _map(case: DeductionCase) -> list[str]:
    return ["", "MAP", _json(case.spec["map"])] if "map" in case.spec else []


_COMMON = """Predict every field whose value at the end differs from its value at the start, with its
value at the end. Answer with one JSON object and nothing else. Numbers are numbers, names are text, an empty
reference, a list item or a field that is gone is null."""

_M1 = """TASK: nobody intervenes. You will be asked for {segments} successive segments of {interval} units;
you are not told what really happened. {common}
Format: {{"changes": {{"<path>": <value>, ...}}{fired}"""

_FIRED = """, "fired": ["<rule>", ...]}, where fired lists the rules
that fire at least once in the segment."""

_M2 = """TASK: every {interval} units you choose one action and predict what will have changed by the next
decision, from all causes; then you are told what did. {common}
Format: {{"action": "<name>", "changes": {{"<path>": <value>, ...}}}}
Sometimes you are asked for a plan of {steps} actions and the changes over the next {lookahead} units under
it: {{"plan": ["<name>", ...], "changes": {{...}}}}; the plan is not carried out.
Sometimes you are asked what would be different now had you acted otherwise:
{{"changes": {{"<path>": <value it would have now>, ...}}}}."""


def protocol(mode: str, interval: int, lookahead: int, fired: bool = True, segments: int = SEGMENTS) -> str:
    """How the episode runs and how to answer; ``fired`` asks for the rules that fire in M1."""
    form = _M1 if mode == "m1" else _M2
    steps = lookahead // interval
    return form.format(
        segments=segments,
        interval=interval,
        steps=steps,
        lookahead=lookahead,
        common=_COMMON,
        fired=_FIRED if fired else "}",
    )


def state_text(state: Mapping[str, Value]) -> str:
    """A state as JSON; decimals are written with all their places."""
    return "{" + ", ".join(f"{json.dumps(path)}: {_value(value)}" for path, value in state.items()) + "}"


def _value(value: Value) -> str:
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, default=str, ensure_ascii=False)
