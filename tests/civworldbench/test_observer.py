# SPDX-License-Identifier: GPL-2.0-or-later
"""The privileged observer: its features and models by hand, what it may not see, how well it knows."""

from dataclasses import replace

import numpy as np
import pytest

import civworld
from civworld import corpus
from civworld.civworldbench.answering import fitting, traces
from civworld.civworldbench.answering.observer import Lessons, observer
from civworld.civworldbench.answering.predictors import answer_all, oracle
from civworld.civworldbench.asking import build, rules, trait
from civworld.civworldbench.asking.calibration import Calibration
from civworld.civworldbench.asking.scene import Scene
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.folders import sets
from civworld.cli import main
from civworld.events import Event

BELIEFS = (trait.NAME, rules.NAME)


# ---- by hand ---------------------------------------------------------------------------------------------------


def test_a_ridge_line_by_hand():
    """Standardised x is -1, 1 and y - mean is -2, 2: the weight is 4 / (2 + penalty)."""
    line = fitting.ridge(np.array([[0.0], [2.0]]), np.array([1.0, 5.0]), 2.0)
    assert [line(np.array([x])) for x in (0.0, 1.0, 2.0, 4.0)] == [2.0, 3.0, 4.0, 6.0]
    flat = fitting.ridge(np.array([[7.0], [7.0]]), np.array([1.0, 5.0]), 2.0)
    assert flat(np.array([9.0])) == 3.0


def test_softmax_gives_the_shares_of_each_class():
    """With a penalty near 0 and one feature of two values, the shares are the relative frequencies at each."""
    x = np.array([[0.0]] * 4 + [[1.0]] * 4)
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    shares = fitting.softmax(x, y, 2, 1e-6)
    assert shares(np.array([0.0])) == pytest.approx([0.75, 0.25], abs=1e-4)
    assert shares(np.array([1.0])) == pytest.approx([0.25, 0.75], abs=1e-4)


def test_softmax_learns_poisson_rates():
    """Counts of rates 0.2 and 1 over exposures: the bound lies where both are equally likely."""
    draw = np.random.default_rng(1)
    n = draw.uniform(2, 8, 20_000)
    y = draw.integers(0, 2, len(n))
    k = draw.poisson(np.where(y == 1, 1.0, 0.2) * n)
    shares = fitting.softmax(np.column_stack([k, n]), y, 2, 1.0)
    for count, exposure in ((0, 2.0), (1, 4.0), (3, 5.0)):
        odds = count * np.log(1.0 / 0.2) - (1.0 - 0.2) * exposure
        assert shares(np.array([count, exposure]))[1] == pytest.approx(1 / (1 + np.exp(-odds)), abs=0.03)


def test_growth_by_hand():
    """City 1: founded in turn 2, size 2 in turn 6, 3 in turn 9. City 2: founded in turn 4, size 1 up to turn 10."""
    kind = [("turn", "i4"), ("tile", "i4"), ("city", "i4"), ("city_size", "i4")]
    changes = [(1, 5, 0, 0), (1, 6, 0, 0), (2, 5, 1, 1), (4, 6, 2, 1), (6, 5, 1, 2), (7, 5, 1, 2), (9, 5, 1, 3)]
    one, two = traces.growth(np.array(changes, kind), 10)
    assert one == pytest.approx(np.log((1 + 0.5) / (4 + 6 + 1)))
    assert two == pytest.approx(np.log((1 + 0.5) / (3 + 1)))


def test_a_city_in_the_place_of_another_is_no_growth():
    kind = [("turn", "i4"), ("tile", "i4"), ("city", "i4"), ("city_size", "i4")]
    one, two = traces.growth(np.array([(1, 5, 1, 1), (4, 5, 2, 2)], kind), 6)
    assert (one, two) == (pytest.approx(np.log(0.5 / 4)), pytest.approx(np.log(0.5 / 3)))


def test_a_character_by_hand():
    """Two turns of a civilization with one city, which starts a war and founds a city."""
    records = np.array(
        [(3, 1, 4, 10, "Despotism"), (5, 1, 6, 12, "Monarchy")],
        [("population", "i8"), ("cities", "i8"), ("production", "i8"), ("territory", "i8"), ("government", "U9")],
    )
    names = ("units_built", "science", "tax", "trade_output", "science_output", "expected_income", "units",
             "settled_area")  # fmt: skip
    civs = np.array([(1, 60, 40, 7, 3, -2, 2, 4), (4, 40, 60, 8, 4, 6, 3, 5)], [(n, "i4") for n in names])
    log = [
        Event(2, "window", "war_started", player=0, other=1),
        Event(2, "window", "war_started", player=2, other=1),
        Event(2, "window", "city_founded", player=0),
        Event(2, "window", "city_founded", player=1),
    ]
    found = dict(zip(traces.CHARACTER, traces.character(records, civs, log, 0), strict=True))
    ratios = {
        "shields_per_citizen": (10, 8), "trade_per_citizen": (15, 8), "bulbs_per_citizen": (7, 8),
        "citizens_per_city": (8, 2), "tiles_per_city": (22, 2), "units_per_city": (5, 2),
        "worked_land_per_citizen": (9, 8), "units_per_shield": (3, 30), "foundings_per_shield": (1, 30),
    }  # fmt: skip
    assert found == pytest.approx(
        {
            **{name: np.log((a + 0.5) / b) for name, (a, b) in ratios.items()},
            "wars_started": np.log(2),
            "wars_suffered": 0,
            "recent_science": 0.5,
            "recent_tax": 0.5,
            "income_per_citizen": 0.5,
            "first_government": 0.5,
        }
    )


# ---- on played worlds ------------------------------------------------------------------------------------------


def suite_of(name, seed, worlds=3):
    """Mainlines of small worlds that differ in all three rules."""
    specs = [
        corpus.WorldSpec(
            f"{name}-{i}",
            civworld.WorldConfig(
                seed=seed + i, players=3, map_size=1, traits=(10, 150), disasters=(0, 10, 60)[i % 3],
                foodbox=(160, 60, 100)[i % 3], sciencebox=(60, 160, 100)[i % 3],
            ),
            "small", 31, (corpus.DecisionPoint(25, 10), corpus.DecisionPoint(31, 10)),
        )
        for i in range(worlds)
    ]  # fmt: skip
    return corpus.Suite(name, 1, tuple(specs), futures=0, pairs=0, operators=())


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of worlds to ask about and of worlds to learn from."""
    root = tmp_path_factory.mktemp("observer")
    for name, seed in (("asked", 70), ("practice", 80)):
        report = corpus.build(suite_of(name, seed), root / name, runner=corpus.SingleRunner())
        assert not report.failures
    return root / "asked", root / "practice"


class Altered(corpus.Corpus):
    """A corpus in which one world's hidden values are others: traits turned round, rules at the other end."""

    def __init__(self, root, world):
        super().__init__(root)
        self._world = world

    def hidden(self, world):
        found = super().hidden(world)
        if world != self._world:
            return found
        civs, knobs = found.civs.copy(), found.rules.copy()
        for name in trait.TRAITS:
            civs[name] = 160 - civs[name]
        for name in rules.RULES:
            knobs[name] = [500 if rules.classify(name, value) == "low" else 0 for value in knobs[name]]
        return replace(found, civs=civs, rules=knobs)


def asked_of(held):
    return build.query_set(held, tasks=BELIEFS, settings=("omni-id",))


def test_hidden_values_of_the_world_asked_change_no_answer(folders):
    """With lessons from elsewhere or from the other worlds; though they change what is true and what others learn."""
    asked, practice = folders
    plain, lessons = corpus.open(asked), Lessons.of(corpus.open(practice))
    queries = asked_of(plain)
    answers = {taught: answer_all(observer(plain, queries, taught), queries) for taught in (None, lessons)}
    for world in plain.worlds:
        altered = Altered(asked, world)
        again = asked_of(altered)
        mine = {name for name, query in queries.queries.items() if query.world == world}
        truth, other_truth = (answer_all(oracle(q), q) for q in (queries, again))
        assert {name for name in truth if truth[name] != other_truth[name]} == mine
        for taught, before in answers.items():
            after = answer_all(observer(altered, again, taught), again)
            assert all(after[name] == before[name] for name in mine)
            if taught is None:
                assert any(after[name] != before[name] for name in set(queries.queries) - mine)


def test_with_lessons_from_elsewhere_no_hidden_table_is_opened(folders, monkeypatch):
    asked, practice = folders
    held = corpus.open(asked)
    queries, lessons = asked_of(held), Lessons.of(corpus.open(practice))

    def refuse(self, world):
        raise AssertionError(f"hidden tables of {world} were opened")

    monkeypatch.setattr(corpus.Corpus, "hidden", refuse)
    assert len(answer_all(observer(held, queries, lessons), queries)) == len(queries.queries)


def test_what_comes_after_the_decision_point_changes_no_feature(folders):
    held = corpus.open(folders[0])
    world = held.worlds[0]
    scene = Scene(held, world, held.decision_points(world)[0], "omni-id")
    told = {name: getattr(held, name)(world) for name in ("records", "civs", "map_changes")}

    class Cut(corpus.Corpus):
        records, civs, map_changes = (lambda self, w, r=r: r[r["turn"] <= scene.turn] for r in told.values())

        def events(self, world):
            return tuple(e for e in super().events(world) if e.turn <= scene.turn)

    short = replace(scene, corpus=Cut(folders[0]))
    for civ, row in traces.characters(scene).items():
        assert np.array_equal(row, traces.characters(short)[civ])
    for name, row in traces.rules(scene).items():
        assert np.array_equal(row, traces.rules(short)[name])


def test_the_signs_of_research_and_growth_follow_the_rules(folders):
    held = corpus.open(folders[0])
    signs = []
    for world in held.worlds:
        found = traces.rules(Scene(held, world, held.decision_points(world)[-1], "omni-id"))
        signs.append((float(found["sciencebox"][0]), float(found["foodbox"][0])))
    cost, growth = zip(*signs, strict=True)
    assert np.exp(cost) == pytest.approx([18, 48, 30])  # 60, 160, 100 percent
    assert growth[0] < growth[2] < growth[1]  # foodbox 160, 100, 60


def test_base_rates_and_scales_come_from_practice_worlds(folders):
    asked, practice = (corpus.open(folder) for folder in folders)
    figures = Calibration.of(practice)
    scene = Scene(asked, asked.worlds[0], asked.decision_points(asked.worlds[0])[0], "omni-id")
    slots = [counts["disaster_struck/near/small"] for counts in figures.counts.values()]
    happened, cases = (sum(part) for part in zip(*slots, strict=True))
    assert cases == 3 * 2 * 3  # worlds, decision points, civilizations
    assert figures.rate(scene, "disaster_struck", 5) == (happened + 0.5) / (cases + 1)
    assert build.query_set(asked, figures, tasks=BELIEFS).scales == figures.scales


def test_the_command_line_takes_practice_worlds(folders, tmp_path):
    asked, practice = map(str, folders)
    own, other = str(tmp_path / "own"), str(tmp_path / "other")
    assert main(["queries", asked, "--out", own, "--no-references"]) == 0
    assert main(["queries", asked, "--out", other, "--no-references", "--practice", practice]) == 0
    scales = {folder: sets.load(folder).scales for folder in (own, other)}
    assert scales[other] == Calibration.of(corpus.open(practice)).scales != scales[own]


def test_mainlines_alone_keep_no_checkpoints(folders):
    held = corpus.open(folders[0])
    assert not (folders[0] / "images").exists()
    point = held.decision_points(held.worlds[0])[0]
    assert held.futures(held.worlds[0], point.turn) == ()
    assert held.checkpoint(held.worlds[0], point.turn).digest == held.digests(held.worlds[0])[point.turn]


@pytest.mark.slow
def test_the_observer_beats_chance_on_practice_worlds(tmp_path):
    """48 worlds, each answered by what the others taught. Chance is 1/2 for pairs and 1/3 for classes."""
    chosen = corpus.suite("tiny-practice")
    report = corpus.build(chosen, tmp_path / "c", worlds=slice(0, 48), runner=corpus.SingleRunner())
    assert not report.failures
    held = corpus.open(tmp_path / "c")
    queries = asked_of(held)
    found = evaluate(queries, answer_all(observer(held, queries), queries), "omni-id")
    assert found.raw["trait_gap60"] > 0.55
    assert found.raw["rules"] > 0.8
