# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a province from a recipe and a seed: a case file, its rules module, and a timeline.

Numbers, entities and actions are drawn; a draw whose world does not live (a rule that never fires, a condition that
goes one way only, an action that is never legal) is thrown away and the next is tried.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from civworld.errors import ArgumentError
from civworld.world_agent.deduction.agreement import draw_timeline, idle
from civworld.world_agent.deduction.case import FORM, DeductionCase, read
from civworld.world_agent.deduction.provinces.part import Field
from civworld.world_agent.deduction.provinces.recipes import Recipe, recipe
from civworld.world_agent.kernel import library

ATTEMPTS = 400
NAMES = (
    "alder ashby birch bourne calder carse dunmow eller fenby garth hawes ingle kelso larch marten neath oakham "
    "penrith quern rowan selby thorn ulver wick yarrow"
)
TASK = """
[task]
about = "Keep the province fed, quiet and solvent, and be held in esteem."
outcome = "steward.esteem + min(40, steward.purse // 2) - steward.debts"
[task.upkeep]
fed = "not any(t.grain < 3 for t in town)"
quiet = "count(t for t in town if t.unrest > 5) <= 1"
solvent = "steward.purse > 4"
"""
TASK_RULES = '''

def outcome(w: Simulation) -> Any:
    """How far the task is achieved, of a hundred."""
    return min(w.steward.purse // 2, 40) + w.steward.esteem - w.steward.debts


def upkeep(w: Simulation) -> dict[str, bool]:
    """What should hold at any time."""
    return {
        "fed": not any(t.grain < 3 for t in w.of("town")),
        "quiet": len([t for t in w.of("town") if t.unrest > 5]) <= 1,
        "solvent": w.steward.purse > 4,
    }
'''
HEAD = '''# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of {title} in plain Python; see `civworld.world_agent.deduction.simulation`."""

from typing import Any

from civworld.world_agent.deduction.simulation import Simulation, action, every

SCRIPT: list[tuple[Any, ...]] = {script}
'''


class Province(NamedTuple):
    """A built province: the texts of its case file and of its rules module."""

    name: str
    toml: str
    module: str

    def case(self) -> DeductionCase:
        """The case as it is read; its module and timeline lie nowhere yet."""
        return read(self.name, self.toml)

    def write(self, folder: Path) -> list[Path]:
        """Writes the case file, the module and the timeline into a folder and gives their paths."""
        timeline = draw_timeline(self.case())
        texts = {".toml": self.toml, ".py": self.module, ".timeline.txt": timeline}
        paths = [folder / f"{self.name}{suffix}" for suffix in texts]
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths


def build(kind: str, seed: int, name: str = "") -> Province:
    """The province of a kind and a seed, always the same one.

    Args:
        kind: a name of `RECIPES`.
        seed: what numbers, entities and actions are drawn from.
        name: the case's name, the kind's own without it.

    Raises:
        UnknownNameError: there is no such kind.
        ArgumentError: the seed is no whole number, the name is no case's name, or no draw lives.
    """
    plan = recipe(kind)
    if type(seed) is not int:
        raise ArgumentError(f"seed {seed!r}: must be a whole number")
    for attempt in range(ATTEMPTS):
        found = draw(plan, random.Random(f"{kind} {seed} {attempt}"), name or kind)
        if next(idle(found.case()), None) is None:
            return found
    raise ArgumentError(f"province {kind}, seed {seed}: none of {ATTEMPTS} draws lives")


def draw(plan: Recipe, rng: random.Random, name: str) -> Province:
    """One draw, living or not."""
    entities = dict(_entities(plan, rng))
    kinds = {one: row["type"] for one, row in entities.items()}
    sections = ["# SPDX-License-Identifier: GPL-2.0-or-later", _head(plan), "[types]"]
    numbers = {part.name: {key: rng.randint(*span) for key, span in part.numbers.items()} for part in plan.parts}
    types = {kind: {name: _type(form) for name, form in fields.items()} for kind, fields in _fields(plan).items()}
    sections += [f"{kind} = {_inline(fields)}" for kind, fields in types.items()]
    sections += ["\n[entities]", *(f"{one} = {_inline(row)}" for one, row in entities.items()), ""]
    for kind in ("processes", "capabilities"):
        sections += [_filled(getattr(part, kind), numbers[part.name]) for part in plan.parts if getattr(part, kind)]
    toml = "\n".join([*sections, "\n[menu]", *_menu(plan, kinds, rng), TASK])
    rules = "".join("\n\n" + _filled(part.rules, numbers[part.name]) + "\n" for part in plan.parts)
    data = library.parse(name, toml, FORM)
    script = [
        (one["at"], one["do"], one.get("actor", ""), one.get("args", {}), one.get("every", 0))
        for one in data.get("schedule", ())
    ]
    return Province(name, toml, HEAD.format(title=plan.title, script=_literal(script)) + rules + TASK_RULES)


def _head(plan: Recipe) -> str:
    lines = [f'title = "{plan.title}"', f'genre = "{plan.genre}"', 'actor = "steward"', f"interval = {plan.interval}"]
    return "\n".join([*lines, f"segments = {plan.segments}", f'intro = """\n{plan.intro}"""', ""])


def _type(form: Field) -> str:
    return form if isinstance(form, str) else form[0]


def _filled(text: str, numbers: dict[str, int]) -> str:
    return Template(text.strip()).substitute(numbers)


def _fields(plan: Recipe) -> dict[str, dict[str, Field]]:
    """Types with all fields that the parts give them."""
    found: dict[str, dict[str, Field]] = {}
    for part in plan.parts:
        for kind, fields in part.fields.items():
            found.setdefault(kind, {}).update(fields)
    return found


def _entities(plan: Recipe, rng: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    single = {kind for part in plan.parts for kind in part.single}
    made: dict[str, list[str]] = {}
    for kind, fields in _fields(plan).items():
        names = rng.sample(NAMES.split(), plan.counts.get(kind, 1))
        made[kind] = [kind] if kind in single else [one if kind == "town" else f"{kind}_{one}" for one in names]
        turns = {name: _turn(form, made, rng) for name, form in fields.items()}
        for place, one in enumerate(made[kind]):
            row = {name: _start(form, turns[name], place, rng) for name, form in fields.items()}
            yield one, {"type": kind, **{name: value for name, value in row.items() if value is not None}}


def _turn(form: Field, made: Mapping[str, list[str]], rng: random.Random) -> list[str]:
    """The entities that a reference goes round."""
    known = made[form.removeprefix("ref ")] if isinstance(form, str) and form.startswith("ref ") else []
    return rng.sample(known, len(known))


def _start(form: Field, turn: list[str], place: int, rng: random.Random) -> Any:
    if turn:
        return turn[place % len(turn)]
    match form:
        case (_, bool()):
            return rng.random() < 0.5
        case (_, (int(low), int(high))):
            return rng.randint(low, high)
    return None


def _menu(plan: Recipe, kinds: dict[str, str], rng: random.Random) -> Iterator[str]:
    for part in plan.parts:
        for name, (call, kind, about) in part.menu.items():
            capability, _, number = call.partition(" ")
            for one in rng.sample([one for one, found in kinds.items() if found == kind], plan.actions):
                args: dict[str, Any] = {kind: one} | ({"n": int(number)} if number else {})
                row = {"do": capability, "args": args, "about": f"{about} at {one.rpartition('_')[2]}"}
                yield f"{name}_{one.rpartition('_')[2]} = {_inline(row)}"


def _inline(row: dict[str, Any]) -> str:
    """An inline table of TOML."""
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in row.items()) + " }"


def _value(value: Any) -> str:
    return _inline(value) if isinstance(value, dict) else json.dumps(value)


def _literal(script: list[tuple[Any, ...]]) -> str:
    """The script as Python with double quotes."""
    return re.sub(r"'([a-z_]*)'", r'"\1"', repr(script))
