# SPDX-License-Identifier: GPL-2.0-or-later
"""Validation of a case: specification, rules module and reference timeline must say the same, of a world that lives.

- `disagreements`: rule by rule the same numbers are written in both witnesses; run side by side, both have the same
  state, outcome and upkeep at every unit (without intervention, under seeded random actions, and from drawn states);
  without intervention the committed timeline comes out.
- `idle`: rules that never fire, actions that are never legal, conditions that go one way only, processes that are
  refused, rules that set themselves off again and again.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

from civworld.errors import CivworldError, RefusedError
from civworld.world_agent.deduction.backend import WAIT, KernelBackend, changes
from civworld.world_agent.deduction.case import DeductionCase
from civworld.world_agent.deduction.simulation import Simulation
from civworld.world_agent.kernel import CONTEXT, KernelWorld, Record, numbers_in, show

TIMELINE_UNITS = 96
RANDOM_UNITS = 72
DRAWN_UNITS = 24
SEEDS = (1, 2, 3, 4)
DRAWN = 60
LIFE = tuple(range(1, 13))
"""Seeds of the runs in which every rule, action and branch must come up."""
TEXT_KEYS = ("when", "do", "then")


def module_from(source: str, name: str = "rules") -> ModuleType:
    """A rules module from source text. It is Python and runs as such: read only cases that you trust."""
    module = ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def disagreements(case: DeductionCase, source: str | None = None, golden: str | None = None) -> Iterator[str]:
    """Where specification, module and timeline differ; yields nothing for a valid case.

    Args:
        case: the case.
        source: text of the rules module, the case's own without it.
        golden: the timeline, the committed one without it.
    """
    source = case.module() if source is None else source
    try:
        module = module_from(source, case.name)
        Simulation(case.spec, module)
        yield from _numbers(case, source)
    except Exception as error:  # a module is any Python there is
        yield f"{case.name}: {type(error).__name__}: {error}"
        return
    with localcontext(CONTEXT):
        for seed in (None, *SEEDS):
            yield from _side_by_side(case, module, seed)
    yield from _timeline(case, golden)
    with localcontext(CONTEXT):
        for number, trial in enumerate(case.trials, 1):
            yield from _on_trial(case, module, number, trial)
        edges = edges_of(case)
        for seed in range(max(DRAWN, 2 * len(edges))):
            yield from _from_drawn(case, module, seed, edges[seed % len(edges)] if edges else None)


def _timeline(case: DeductionCase, golden: str | None) -> Iterator[str]:
    try:
        same = draw_timeline(case) == (case.timeline() if golden is None else golden)
    except CivworldError as error:
        yield f"{case.name}: {type(error).__name__}: {error}"
        return
    if not same:
        yield "the timeline differs from the committed one"


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
    return _numbers_of(texts, found)


def _numbers_of(texts: Sequence[str], found: Counter[Decimal] | None = None) -> Counter[Decimal]:
    found = Counter() if found is None else found
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


def _numbers(case: DeductionCase, source: str) -> Iterator[str]:
    written = module_numbers(source)
    asked = {rule["name"]: spec_numbers(rule) for rule in (*case.spec["processes"], *case.spec["capabilities"])}
    asked["outcome"] = _numbers_of([case.task["outcome"]])
    asked["upkeep"] = _numbers_of(list(case.task["upkeep"].values()))
    for name, wanted in asked.items():
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


def _side_by_side(case: DeductionCase, module: ModuleType, seed: int | None) -> Iterator[str]:
    """Runs both, with random actions of the controlled actor when there is a seed; stops at a difference."""
    rng = None if seed is None else random.Random(seed)
    units = TIMELINE_UNITS if rng is None else RANDOM_UNITS
    try:
        found = _compare(case, case.spec, module, rng, units)
    except Exception as error:
        found = f"cannot be run: {type(error).__name__}: {error}"
    if found:
        yield f"seed {seed}, {found}"


def _on_trial(case: DeductionCase, module: ModuleType, number: int, trial: Mapping[str, Any]) -> Iterator[str]:
    """The same from a beginning and with actions that the case's author has written down."""
    script = tuple(trial.get("actions", ()))
    spec = case.beginning(trial["entities"])
    found = _compare(case, spec, module, None, max(DRAWN_UNITS, len(script)), forgiving=True, script=script)
    if found:
        yield f"trial {number}, {found}"


def _from_drawn(case: DeductionCase, module: ModuleType, seed: int, edge: Edge | None) -> Iterator[str]:
    """The same from a drawn state; the run ends without a finding where the state itself makes rules impossible."""
    rng = random.Random(f"drawn {seed}")
    spec: Mapping[str, Any] = {**case.spec, "entities": drawn_entities(case.spec, rng)}
    script: tuple[str, ...] = ()
    if edge is not None:
        step = rng.choice(_steps(case, edge) or [Step(edge.rule, 0)])
        spec = _on_edge(case, spec, edge, step.change, rng)
        first = rng.choice([name for name, entry in case.menu.items() if entry["do"] == step.rule] or [""])
        script = (first,) if first else ()
    found = _compare(case, spec, module, rng, DRAWN_UNITS, forgiving=True, script=script)
    if found:
        yield f"drawn state {seed}, {found}"


def _compare(
    case: DeductionCase,
    spec: Mapping[str, Any],
    module: ModuleType,
    rng: random.Random | None,
    units: int,
    forgiving: bool = False,
    script: Sequence[str] = (),
) -> str:
    """The first difference between the two witnesses, '' when there is none; first come the actions of the script."""
    backend = KernelBackend(KernelWorld(spec), case.actor, case.menu, case.task)
    twin = Simulation(spec, module)
    found = _difference(backend, twin)
    if found:
        return f"t=0: {found}"
    for unit in range(units):
        mark, fault = backend.mark(), ""
        accepted = None
        try:
            action = WAIT
            if rng is not None and rng.random() < 0.4 and unit >= len(script):
                action = rng.choice(list(backend.actions()))
            action = script[unit] if unit < len(script) else action
            if action != WAIT:
                accepted = _do(backend, action)
                entry = case.menu[action]
                if accepted != twin.act(entry["do"], case.actor, entry.get("args", {})):
                    return f"t={backend.time}: only one of the two accepts action {action}"
            backend.advance(1)
            twin.step()
        except Exception as error:
            if not forgiving:
                raise
            fault = f"t={backend.time}: the module cannot be run: {type(error).__name__}: {error}"
            backend.advance(1) if twin.now == backend.time else None
        if forgiving and any(not one.ok and one.kind != "capability" for one in backend.world.events(mark)):
            return ""
        if fault:
            return fault
        found = _difference(backend, twin)
        if found:
            return f"t={backend.time}: {found}"
    return ""


def _difference(backend: KernelBackend, twin: Simulation) -> str:
    state = backend.public_state()
    different = changes(state, twin.state())
    if different:
        path, value = next(iter(different.items()))
        return f"{path}: specification {show(state.get(path))}, module {show(value)}"
    for what, one, other in (
        ("outcome", backend.outcome(), twin.outcome()),
        ("upkeep", backend.upkeep(), twin.upkeep()),
    ):
        if one != other:
            return f"{what}: specification {one}, module {other}"
    return ""


class Edge(NamedTuple):
    """A comparison at whose edge a drawn state is put: a field, and the expression that it is compared with.

    Attributes:
        rule: the rule that compares, '' for the task.
        entity: an entity, or a type of which any will do.
        variable: the name under which the expression knows the entity.
    """

    rule: str
    entity: str
    variable: str
    field: str
    other: str


def edges_of(case: DeductionCase) -> list[Edge]:
    """Every comparison of a field with something else, in rules and task."""
    found: list[Edge] = []
    own = {name: name for name in case.spec["entities"]}
    for rule in (*case.spec["processes"], *case.spec["capabilities"]):
        names = {"actor": case.actor} if rule in case.spec["capabilities"] else {}
        if "each" in rule:
            variable, _, kind = rule["each"].split()
            names[variable] = kind
        names |= {key: text.split()[-1] for key, text in rule.get("params", {}).items() if text.startswith("ref ")}
        texts = [str(rule.get("after", "0")), *rule.get("let", {}).values()]
        for key in TEXT_KEYS:
            texts += [rule[key]] if isinstance(rule.get(key), str) else list(rule.get(key, ()))
        found += [edge for text in texts for edge in _edges(rule["name"], text, {**own, **names})]
    for text in (case.task["outcome"], *case.task["upkeep"].values()):
        found += _edges("", text, own)
    return found


def _edges(rule: str, text: str, names: Mapping[str, str]) -> Iterator[Edge]:
    local = dict(names)
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.comprehension)
            and isinstance(node.target, ast.Name)
            and isinstance(node.iter, ast.Name)
        ):
            local[node.target.id] = node.iter.id
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare(left=ast.Attribute(value=ast.Name(id=name), attr=field), comparators=[other]):
                if name in local:
                    yield Edge(rule, local[name], name, field, ast.unparse(other))


class Step(NamedTuple):
    """A rule that changes a field by a number."""

    rule: str
    change: int


def _steps(case: DeductionCase, edge: Edge) -> list[Step]:
    """How the edge of a rule that waits for a change of its field can be stepped on; nothing for other rules."""
    rules = [*case.spec["processes"], *case.spec["capabilities"]]
    waits = next((rule.get("on", ()) for rule in rules if rule["name"] == edge.rule), ())
    if not any(one.endswith(f".{edge.field}") for one in ([waits] if isinstance(waits, str) else waits)):
        return []
    change = re.compile(rf"\w+\.{edge.field} ([+-])= (\d+)$")
    found = [(rule["name"], change.match(text)) for rule in rules for text in _effects(rule)]
    return [Step(name, int(match[1] + match[2])) for name, match in found if match]


def _effects(rule: Mapping[str, Any]) -> list[str]:
    """The effects of a rule, at once and delayed."""
    several = [rule.get(key, ()) for key in ("do", "then")]
    return [text for texts in several for text in ([texts] if isinstance(texts, str) else texts)]


def _on_edge(
    case: DeductionCase, spec: Mapping[str, Any], edge: Edge, change: int, rng: random.Random
) -> Mapping[str, Any]:
    """The specification with one field set to a step before what it is compared with, where that can be said now."""
    entities = dict(spec["entities"])
    chosen = rng.choice([name for name, row in entities.items() if edge.entity in (name, row["type"])] or [""])
    try:
        world = KernelWorld({key: spec[key] for key in ("map", "types", "entities") if key in spec})
        value = world.evaluate(re.sub(rf"\b{edge.variable}\b", chosen, edge.other))
        value = value - change if change else value
        entities[chosen] = {**entities[chosen], edge.field: value}
        KernelWorld({**{key: spec[key] for key in ("map", "types") if key in spec}, "entities": entities})
    except (CivworldError, KeyError, TypeError):
        return spec
    return {**spec, "entities": entities}


def drawn_entities(spec: Mapping[str, Any], rng: random.Random) -> dict[str, dict[str, Any]]:
    """The entities with about half of their numbers, truth values, references and locations drawn anew."""
    world = KernelWorld({key: spec[key] for key in ("map", "types", "entities") if key in spec})
    kinds, types, places = world.entities(), world.types(), [*spec.get("map", {}).get("places", {})]
    limits = sorted(
        {int(n) for rule in (*spec["processes"], *spec["capabilities"]) for n in spec_numbers(rule)} | {1, 5, 10}
    )
    out: dict[str, dict[str, Any]] = {}
    for name, row in spec["entities"].items():
        out[name] = dict(row)
        for field, kind in types[kinds[name]].items():
            # a reference to its own kind may close a circle, which no rule of the case would ever make
            if rng.random() < 0.5 and kind != f"ref {kinds[name]}":
                value = _drawn(kind.split(), world.entity(name)[field], kinds, places, limits, rng)
                if value is not None:
                    out[name][field] = value
    return out


def _drawn(
    kind: list[str], now: Any, kinds: Mapping[str, str], places: list[str], limits: list[int], rng: random.Random
) -> Any:
    match kind:
        case ["int"]:
            return max(0, rng.choice([now + rng.randint(-3, 3), rng.choice(limits) + rng.randint(-1, 1)]))
        case ["dec", places_]:
            step = Decimal(1).scaleb(-int(places_))
            return max(Decimal(0), now + step * rng.randint(-30, 30))
        case ["bool"]:
            return rng.random() < 0.5
        case ["ref", target] if now is not None:
            return rng.choice([name for name, found in kinds.items() if found == target])
        case ["loc"] if now is not None:
            return rng.choice(places)
    return None


def idle(case: DeductionCase) -> Iterator[str]:
    """What a case states but its world never does, in seeded runs with random legal and illegal actions."""
    watch: set[tuple[str, str, bool | None]] = set()
    fired: set[str] = set()
    accepted: set[str] = set()
    for seed in LIFE:
        backend = KernelBackend(KernelWorld(case.spec, watch=watch), case.actor, case.menu, case.task)
        rng = random.Random(f"life {seed}")
        for _ in range(TIMELINE_UNITS):
            if rng.random() < seed / len(LIFE):
                action = rng.choice(list(backend.actions()))
                if action != WAIT and _do(backend, action):
                    accepted.add(action)
            backend.advance(1)
        records = backend.world.events()
        fired |= {one.rule for one in records if one.ok and one.kind in ("process", "capability")}
        for one in records:
            if not one.ok and one.kind != "capability":
                yield f"{one.rule}: is refused at t={one.time} of run {seed}: {one.reason}"
                return
            if one.cause is not None and _goes_round(one, records):
                yield f"{one.rule}: sets itself off again and again, at t={one.time} of run {seed}"
                return
    for kind in ("processes", "capabilities"):
        yield from (f"{rule['name']}: never fires" for rule in case.spec[kind] if rule["name"] not in fired)
    yield from (f"menu.{action}: is never legal" for action in case.menu if action not in accepted)
    for rule, text in sorted({(rule, text) for rule, text, _ in watch}):
        for way in (True, False):
            if (rule, text, way) not in watch:
                yield f"{rule}: condition '{text}' is never {str(way).lower()}"


def _goes_round(record: Record, records: Sequence[Record]) -> bool:
    """Whether a rule of one unit of time caused itself in an earlier one, without an actor in between."""
    one, own = record, record.kind == "process"
    while own and one.cause is not None:
        one = records[one.cause]
        if one.rule == record.rule and one.kind == "process" and one.time < record.time:
            return one.params == record.params
    return False


def _do(backend: KernelBackend, action: str) -> bool:
    try:
        backend.apply(action)
    except RefusedError:
        return False
    return True


def draw_timeline(case: DeductionCase) -> str:
    """What happens without intervention, and then with the actions in turn, one line per unit, as text."""
    lines = [f"# {case.title}: what happens when {case.actor} does nothing"]
    lines += ["map " + " ".join(f"{a}-{b}:{n}" for a, b, n in case.spec["map"]["links"])] if "map" in case.spec else []
    lines += _history(case, ())
    lines += [f"# ... and when {case.actor} tries every action in turn", *_history(case, tuple(case.menu))]
    return "\n".join(lines) + "\n"


def _history(case: DeductionCase, turn: Sequence[str]) -> Iterator[str]:
    backend = case.backend()
    before: dict[str, Any] = {}
    pause = min(case.interval, max(1, TIMELINE_UNITS // max(1, len(turn))))  # so that every action has its turn
    for time in range(TIMELINE_UNITS + 1):
        action = turn[time // pause % len(turn)] if turn and time % pause == 0 else ""
        after = backend.public_state()
        changed = changes(before, after)
        if changed and not (turn and time == 0):
            yield f"t={time} {_pairs(changed)}"
        if action:
            yield f"t={time} {case.actor}: {action}{'' if _do(backend, action) else ' (refused)'}"
        before = after
        backend.advance(1)
    fired = Counter(record.rule for record in backend.world.events() if record.ok and record.kind == "process")
    yield "fired " + " ".join(f"{name}:{fired[name]}" for name in (rule["name"] for rule in case.spec["processes"]))
    refused = [record for record in backend.world.events() if not record.ok]
    yield from (f"refused t={record.time} {record.rule}: {record.reason}" for record in refused)


def _pairs(fields: Mapping[str, Any]) -> str:
    return " ".join(f"{path}={show(value)}" for path, value in fields.items())
