# SPDX-License-Identifier: GPL-2.0-or-later
"""A release of a small experiment with a model: its pages in a real browser, its Croissant metadata, its answers."""

import json

import pytest
from synthetic import query_set

from civworld.civworldbench.answering import predictors
from civworld.civworldbench.evaluating.each import judge
from civworld.civworldbench.evaluating.evaluate import evaluate
from civworld.civworldbench.folders import provenance, release, running, sets
from civworld.civworldbench.folders.answers import read_answers, write_answers

SET = query_set(worlds=3)


def poor(query):
    """An answer that lacks its last cell and claims certainty elsewhere."""
    values = json.loads(predictors.reference(SET)(query))["answers"]
    values.pop(query.cells[-1].id)
    return predictors.as_text(values)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A release as `civworld bench` and `release` leave it, of queries made of numbers alone."""
    root = tmp_path_factory.mktemp("released")
    where = root / "experiment" / "queries" / "omni-id" / "whole"
    sets.save(SET, where)
    (where / running.ANSWERS).mkdir()
    for name, predictor in (("floor", predictors.reference(SET)), ("futures", predictors.oracle(SET))):
        write_answers(where / running.ANSWERS / f"{name}.jsonl", predictors.answer_all(predictor, SET))
    models = root / "experiment" / "tables" / running.ANSWERS
    models.mkdir(parents=True)
    write_answers(models / "model.jsonl", predictors.answer_all(poor, SET))
    provenance.run_path(models / "model.jsonl").write_text('{"identity": "abc"}')
    return release.release(root / "experiment", root / "released", name="numbers")


def test_models_answers_and_their_runs_are_released(released):
    assert release.check(released) == []
    assert read_answers(released / "answers" / "model.jsonl") == predictors.answer_all(poor, SET)
    assert json.loads((released / "answers" / "model.run.json").read_text()) == {"identity": "abc"}
    told = json.loads((released / "provenance.json").read_text())["sets"]["omni-id-whole"]
    assert told["counts"]["quantity-v1"]["prompts"] == 3
    assert told["made_from"]["queries"] == provenance.file_digest(
        released / "sealed" / "omni-id" / "whole" / sets.QUERIES
    )


def test_croissant_metadata_validates_and_loads(released):
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed (extra dev)")
    dataset = croissant.Dataset(jsonld=str(released / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    rows = list(dataset.records("omni-id-whole"))
    assert [row["omni-id-whole/id"].decode() for row in rows] == list(SET.queries)
    assert [row["omni-id-whole/turn"] for row in rows] == [q.turn for q in SET.queries.values()]


def test_every_cell_is_judged_as_the_metrics_are():
    answers = predictors.answer_all(poor, SET)
    found = judge(SET, answers)
    whole = evaluate(SET, answers, "omni-id")
    assert len(found) == whole.asked
    assert sum(one.value is not None for one in found.values()) == whole.answered
    kinds = {(q.id, c.id): (c.kind, q.arm) for q in SET.queries.values() for c in q.cells}
    gains = [one.score for place, one in found.items() if kinds[place][0] in ("probability", "distribution")]
    assert sum(gains) / len(gains) == pytest.approx(whole.raw["event"])
    right = [one.score for place, one in found.items() if kinds[place][0] == "class"]
    assert sum(right) / len(right) == pytest.approx(whole.raw["rules"])
    best = judge(SET, predictors.answer_all(predictors.oracle(SET), SET))
    for place, one in best.items():
        kind, arm = kinds[place]
        if arm:
            assert one.score == pytest.approx(one.best)
        elif kind in ("quantiles", "ranking", "class"):
            assert one.score == 1


@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_shows_every_cell_in_a_browser(released, browser, width):
    index = released / "browse" / "index.html"
    page = browser.new_page(viewport={"width": width, "height": 900})
    noted = []
    page.on("console", lambda message: noted.append(message.text))
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith(index.parent.as_uri()) else noted.append(request.url)
    )
    page.goto(index.as_uri(), timeout=120_000)
    page.wait_for_function("point !== null", timeout=120_000)
    options = page.locator("#query option")
    asked = [q for q in SET.queries.values() if q.world == "w0"]
    assert options.count() == len(asked)
    for number, query in enumerate(asked):
        page.locator("#query").select_option(str(number))
        assert page.locator("#id").inner_text() == query.id
        assert page.locator("#cells section").count() == len(query.cells)
        assert page.locator("#cells tr.truth").count() == len(query.cells)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Quantity: a fan of each forecaster, the truth as the targets have it, and what is missing by name
    page.locator("#query").select_option("0")
    cell = asked[0].cells[-1]
    card = page.locator("#cells section").last
    assert card.locator("h2").inner_text().startswith(cell.id)
    assert card.locator("svg .fan").count() == 2 * 2  # the model has no answer there
    assert card.locator("tr.truth td").nth(1).inner_text() == str(int(SET.targets[asked[0].id][cell.id].number))
    assert card.locator("tr", has_text="model").inner_text().split() == [
        "model", "missing", f"{judge(SET, predictors.answer_all(poor, SET))[asked[0].id, cell.id].score:.3g}"
    ]  # fmt: skip
    assert card.locator("tr", has_text="futures").locator("td").last.inner_text() == "1"
    page.locator("summary").click()
    assert page.locator("#prompt").inner_text().strip() == asked[0].prompt
    # another decision point is loaded from disk
    page.locator("#point").select_option("2")
    page.wait_for_function("point.queries[0].id === 'w2/quantity'", timeout=60_000)
    assert page.locator("#id").inner_text() == "w2/quantity"
    assert not noted
    page.close()
