# SPDX-License-Identifier: GPL-2.0-or-later
"""Validation of a case: specification, rules module and reference timeline must say the same.

Three checks: rule by rule the same numbers are written in both; run side by side, both have the same state
at every unit, without intervention and under seeded random actions; and without intervention the committed
timeline comes out.
"""

from __future__ import annotations

import ast
import importlib
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from types import ModuleType
from typing import Any

from civworld.errors import CivworldError, RefusedError
from civworld.world_agent.deduction.backend import WAIT, changes
from civworld.world_agent.deduction.case import Case, timeline
from civworld.world_agent.deduction.simulation import Simulation
from civworld.world_agent.kernel import numbers_in, show

TIMELINE_UNITS = 96
RANDOM_UNITS = 72
SEEDS = (1, 2, 3, 4)
TEXT_KEYS = ("when", "do", "then")


def module_of(case: Case) -> ModuleType:
    """The rules module of a case."""
    return importlib.import_module(f"civworld.world_agent.deduction.modules.{case.name}")


def source_of(case: Case) -> str:
    """The source text of the rules module."""
    return (resources.files("civworld.world_agent.deduction.modules") / f"{case.name}.py").read_text("utf-8")


def module_from(source: str, name: str = "rules") -> ModuleType:
    """A rules module from source text."""
    module = ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def disagreements(case: Case, source: str | None = None, golden: str | None = None) -> Iterator[str]:
    """Where specification, module and timeline differ; yields nothing for a valid case."""
    source = source_of(case) if source is None else source
    yield from _numbers(case, source)
    try:
        if draw_timeline(case) != (timeline(case.name) if golden is None else golden):
            yield "the timeline differs from the committed one"
        module = module_from(source, case.name)
        for seed in (None, *SEEDS):
            yield from _side_by_side(case, module, seed)
    except (CivworldError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        yield f"cannot be run: {type(error).__name__}: {error}"


def spec_numbers(rule: Mapping[str, Any]) -> Counter[Decimal]:
    """The numbers that one rule of the specification writes."""
    found: Counter[Decimal] = Counter()
    for key in ("every", "offset"):
        if key in rule:
            found[Decimal(rule[key])] += 1
    texts = [str(rule["after"])] if "after" in rule else []
    for key in TEXT_KEYS:
        value = rule.get(key, ())
        texts += [value] if isinstance(value, str) else list(value)
    texts += rule.get("let", {}).values()
    for text in texts:
        found.update(abs(number) for number in numbers_in(text))
    return found


@lru_cache(maxsize=64)
def module_numbers(source: str) -> dict[str, Counter[Decimal]]:
    """The numbers that each function of a rules module writes; `SCRIPT` counts as one more."""
    found: dict[str, Counter[Decimal]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = _constants(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == "SCRIPT" and node.value is not None:
                found["SCRIPT"] = _constants(node.value)
    return found


def _constants(tree: ast.AST) -> Counter[Decimal]:
    found: Counter[Decimal] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "D":
            found[Decimal(ast.literal_eval(node.args[0]))] += 1
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            found[Decimal(node.value)] += 1
    return found


def _numbers(case: Case, source: str) -> Iterator[str]:
    written = module_numbers(source)
    for rule in (*case.spec["processes"], *case.spec["capabilities"]):
        name, wanted = rule["name"], spec_numbers(rule)
        if name not in written:
            yield f"{name}: the module has no function of that name"
        elif written[name] != wanted:
            yield f"{name}: specification writes {_listed(wanted)}, module {_listed(written[name])}"
    script: Counter[Decimal] = Counter()
    for entry in case.spec.get("schedule", ()):
        script.update([Decimal(entry["at"]), Decimal(entry.get("every", 0))])
        script.update(Decimal(value) for value in entry.get("args", {}).values() if type(value) is int)
    if written.get("SCRIPT", Counter()) != script:
        found = _listed(written.get("SCRIPT", Counter()))
        yield f"SCRIPT: specification writes {_listed(script)}, module {found}"


def _listed(numbers: Counter[Decimal]) -> str:
    return " ".join(map(str, sorted(numbers.elements()))) or "none"


def _side_by_side(case: Case, module: ModuleType, seed: int | None) -> Iterator[str]:
    """Runs both, with random actions of the controlled actor when there is a seed; stops at a difference."""
    backend, twin = case.backend(), Simulation(case.spec, module)
    rng = None if seed is None else random.Random(seed)
    for _ in range(TIMELINE_UNITS if rng is None else RANDOM_UNITS):
        if rng is not None and rng.random() < 0.4:
            action = rng.choice(list(backend.actions()))
            if action != WAIT and _do(backend, action) != twin.act(
                case.menu[action]["do"], case.actor, case.menu[action].get("args", {})
            ):
                yield f"seed {seed}, t={backend.time}: only one of the two accepts action {action}"
                return
        backend.advance(1)
        twin.step()
        different = changes(backend.public_state(), twin.state())
        if different:
            path, value = next(iter(different.items()))
            found = show(backend.public_state().get(path))
            yield f"seed {seed}, t={backend.time}: {path}: specification {found}, module {show(value)}"
            return


def _do(backend: Any, action: str) -> bool:
    try:
        backend.apply(action)
    except RefusedError:
        return False
    return True


def draw_timeline(case: Case) -> str:
    """What happens without intervention, and then with the actions in turn, one line per unit, as text."""
    lines = [f"# {case.title}: what happens when {case.actor} does nothing"]
    lines += ["map " + " ".join(f"{a}-{b}:{n}" for a, b, n in case.spec["map"]["links"])] if "map" in case.spec else []
    lines += _history(case, ())
    lines += [f"# ... and when {case.actor} tries every action in turn", *_history(case, tuple(case.menu))]
    return "\n".join(lines) + "\n"


def _history(case: Case, turn: Sequence[str]) -> Iterator[str]:
    backend = case.backend()
    before: dict[str, Any] = {}
    for time in range(TIMELINE_UNITS + 1):
        action = turn[time // case.interval % len(turn)] if turn and time % case.interval == 0 else ""
        after = backend.public_state()
        changed = changes(before, after)
        if changed and not (turn and time == 0):
            yield f"t={time} {_pairs(changed)}"
        if action:
            yield f"t={time} {case.actor}: {action}{'' if _do(backend, action) else ' (refused)'}"
        before = after
        backend.advance(1)
    refused = [record for record in backend.world.events() if not record.ok]
    yield from (f"refused t={record.time} {record.rule}: {record.reason}" for record in refused)


def _pairs(fields: Mapping[str, Any]) -> str:
    return " ".join(f"{path}={show(value)}" for path, value in fields.items())
