# SPDX-License-Identifier: GPL-2.0-or-later
"""`fbsim-v0`: the question templates of ForecastBench-Sim (arXiv 2606.18686), answered by the engine's records.

Twenty yes-or-no templates and six continuous ones, each asked once per decision point and horizon about
civilizations that a hash of the question chooses. Beside the world's own outcome each question has a dense truth:
how often it comes true in the re-seeded futures, where these reach its horizon.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from civworld.civworldbench.asking.borders import touch
from civworld.civworldbench.asking.kinds import Target
from civworld.civworldbench.asking.query import Cell, Query, QuerySet
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.asking.templates import TEMPLATES, Stretch, futures, leader, mainline
from civworld.corpus import Corpus
from civworld.events import select

NAME = "fbsim-v0"
HORIZONS = tuple(range(0, 211, 30))
CONTINUOUS = ("techs", "treasury", "population", "cities", "territory", "score")


@dataclass(frozen=True)
class Subject:
    """What a question is about: two civilizations, an advance and a government, for templates that name them."""

    a: int
    b: int
    advance: str
    government: str


@dataclass(frozen=True)
class Template:
    """A yes-or-no question.

    Attributes:
        doc: the question, with {a}, {b}, {advance}, {government} and {turn} to fill in.
        true: whether it came true on a stretch; None where the stretch cannot tell.
    """

    doc: str
    true: Callable[[Scene, Stretch, Subject], bool | None]


def _more(quantity: str) -> Callable[[Scene, Stretch, Subject], bool]:
    def true(scene: Scene, s: Stretch, about: Subject) -> bool:
        mine, theirs = (s.track.value(quantity, s.end, civ) for civ in (about.a, about.b))
        return mine > theirs

    return true


def _does(template: str) -> Callable[[Scene, Stretch, Subject], bool]:
    return lambda scene, s, about: TEMPLATES[template].happened(s, about.a)


def _learned(scene: Scene, s: Stretch, about: Subject) -> bool:
    return any(e.player == about.a and e.name == about.advance for e in s.kind("advance_gained"))


def _founded(scene: Scene, s: Stretch, about: Subject) -> bool:
    return s.by("city_founded", about.a)


def _first_wonder(scene: Scene, s: Stretch, about: Subject) -> bool:
    return [e.player for e in s.kind("wonder_built")][:1] == [about.a]


def _conquest(scene: Scene, s: Stretch, about: Subject) -> bool:
    return len(s.kind("city_captured")) > 0


def _border(scene: Scene, s: Stretch, about: Subject) -> bool | None:
    if s.seed is not None:
        return None
    world = scene.corpus.world(scene.world)
    return touch(world, scene.corpus.map_changes(scene.world), s.end, about.a, about.b)


TEMPLATE_TABLE: Mapping[str, Template] = MappingProxyType(
    {
        "more_techs": Template("know more advances than {b}", _more("techs")),
        "more_score": Template("have a higher score than {b}", _more("score")),
        "more_population": Template("have more citizens than {b}", _more("population")),
        "more_cities": Template("have more cities than {b}", _more("cities")),
        "more_territory": Template("own more tiles than {b}", _more("territory")),
        "more_treasury": Template("have more gold than {b}", _more("treasury")),
        "score_rank_1": Template(
            "have the highest score of all", lambda scene, s, x: leader(s, scene.living, s.end) == x.a
        ),
        "tech_discovered": Template("learn {advance} from now on, by then", _learned),
        "city_founded": Template("found a city from now on, by then", _founded),
        "treasury_zero": Template("have no gold", lambda scene, s, x: s.track.value("treasury", s.end, x.a) == 0),
        "border_contact": Template("own a tile next to a tile of {b}", _border),
        "any_city_conquered": Template("(any civilization) conquer a city from now on, by then", _conquest),
        "city_lost": Template("lose a city by force from now on, by then", _does("city_lost")),
        "anarchy": Template("be in anarchy", lambda scene, s, x: s.government(x.a) == "Anarchy"),
        "wonder_completed": Template("complete a great wonder from now on, by then", _does("wonder_completed")),
        "wonder_first": Template("be the next of all to complete a great wonder, by then", _first_wonder),
        "at_war_dyad": Template("be at war with {b}", lambda scene, s, x: s.state(x.a, x.b) == "War"),
        "at_war_any": Template("be at war with anyone", lambda scene, s, x: s.track.value("enemies", s.end, x.a) > 0),
        "alliance_dyad": Template("be allied with {b}", lambda scene, s, x: s.state(x.a, x.b) == "Alliance"),
        "government": Template("have {government}", lambda scene, s, x: s.government(x.a) == x.government),
    }
)


def queries(scene: Scene) -> Iterator[tuple[Query, dict[str, Target]]]:
    """One query a decision point with every template at every horizon that the world reaches."""
    last = scene.corpus.world(scene.world).last_turn
    cells, targets, lines = [], {}, []
    for horizon in (h for h in HORIZONS if scene.turn + h <= last):
        true = mainline(scene, horizon)
        others = futures(scene, horizon) if horizon <= max(scene.point.horizons) else ()
        for name, template in TEMPLATE_TABLE.items():
            about = _subject(scene, name, horizon)
            answer = template.true(scene, true, about)
            if answer is None:
                continue
            cell = Cell(f"{name}.h{horizon}", "probability", civ=about.a, subject=name, horizon=horizon)
            dense = [template.true(scene, other, about) for other in others]
            known = [float(value) for value in dense if value is not None]
            targets[cell.id] = Target(float(answer), expected=float(np.mean(known)) if known else None)
            cells.append(cell)
            lines.append(f"- {cell.id}: at turn {scene.turn + horizon}, will {_words(scene, template.doc, about)}?")
        for name in CONTINUOUS:
            civ = _subject(scene, name, horizon).a
            cell = Cell(f"{name}.h{horizon}", "quantiles", civ=civ, subject=name, horizon=horizon)
            outcomes = [float(other.track.value(name, other.end, civ)) for other in others]
            value = float(true.track.value(name, true.end, civ))
            now = float(true.track.value(name, scene.turn, civ))
            targets[cell.id] = Target(value, now, expected=float(np.mean(outcomes)) if outcomes else None)
            cells.append(cell)
            lines.append(f"- {cell.id}: {name} of {scene.name(civ)} at turn {scene.turn + horizon} (five quantiles).")
    yield scene.query(NAME, f"It is turn {scene.turn}.\n\n" + "\n".join(lines), cells), targets


def query_set(corpus: Corpus) -> QuerySet:
    """The queries of every decision point; a set of its own, scored by `civworldbench.evaluating.fbsim`."""
    scenes = (Scene(corpus, w, point, "omni-id") for w in corpus.worlds for point in corpus.decision_points(w))
    return QuerySet.of((pair for scene in scenes for pair in queries(scene)), {})


def _subject(scene: Scene, name: str, horizon: int) -> Subject:
    """The civilizations, advance and government that a question is about, by a hash of the question."""
    draw = np.random.default_rng(zlib.crc32(f"{scene.world}/{scene.turn}/{name}/{horizon}".encode()))
    a, *rest = (int(civ) for civ in draw.permutation(scene.living))
    known = scene.corpus.records(scene.world)
    governments = sorted(set(known["government"][known["turn"] <= scene.turn].tolist()))
    learned = [e for e in select(scene.corpus.events(scene.world), "advance_gained") if e.turn <= scene.turn]
    own = {e.name for e in learned if e.player == a}
    civs = scene.corpus.civs(scene.world)
    researching = civs["researching"][(civs["turn"] == scene.turn) & (civs["player"] == a)]
    unknown = sorted({e.name for e in learned} - own) or [str(researching[0])]
    return Subject(a, rest[0] if rest else a, str(draw.choice(unknown)), str(draw.choice(governments)))


def _words(scene: Scene, doc: str, about: Subject) -> str:
    names = {"a": scene.name(about.a), "b": scene.name(about.b)}
    text = doc.format(**names, advance=about.advance, government=about.government)
    return text.removeprefix("(any civilization) ") if text.startswith("(") else f"{names['a']} {text}"
