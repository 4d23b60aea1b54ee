# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers are read strictly: each malformed one fails under its documented name, and nothing is lost."""

import json
import random

import pytest
from synthetic import query_set

from civworld.civworldbench.answering.answers import parse
from civworld.civworldbench.asking.query import Cell, Query
from civworld.civworldbench.asking.reading import FAILURES
from civworld.civworldbench.evaluating import evaluate

QUERY = Query(
    "q",
    "quantity-v1",
    "w",
    60,
    "omni-id",
    "?",
    (
        Cell("q", "quantiles"),
        Cell("p", "probability"),
        Cell("d", "distribution", ("c0", "c1")),
        Cell("r", "ranking", ("c0", "c1", "c2")),
        Cell("k", "class", ("low", "high")),
    ),
)
GOOD = {"q": [1, 2, 3, 4.5, 1e9], "p": 0.25, "d": {"c0": 0.5, "c1": 0.5}, "r": ["c2", "c0", "c1"], "k": "low"}


def read(**cells):
    return parse(QUERY, json.dumps({"answers": GOOD | cells}))


def test_a_good_answer_is_read_whole():
    found = read()
    assert found.values == {**GOOD, "q": (1, 2, 3, 4.5, 1e9), "r": ("c2", "c0", "c1")}
    assert not found.failures
    assert not found.counts
    assert parse(QUERY, "```json\n" + json.dumps({"answers": GOOD}) + "\n```\n").values == found.values


@pytest.mark.parametrize(
    ("cell", "value", "failure"),
    [
        ("q", [1, 2, 3, 4], "wrong_type"),
        ("q", [1, 2, "3", 4, 5], "wrong_type"),
        ("q", [1, 2, True, 4, 5], "wrong_type"),
        ("q", [1, 2, None, 4, 5], "wrong_type"),
        ("q", "1,2,3,4,5", "wrong_type"),
        ("q", [5, 4, 3, 2, 1], "crossed"),
        ("q", [1, 2, float("nan"), 4, 5], "not_finite"),
        ("q", [1, 2, 3, 4, float("inf")], "not_finite"),
        ("q", [1, 2, 3, 4, 10**400], "not_finite"),
        ("p", 1.01, "out_of_range"),
        ("p", -0.01, "out_of_range"),
        ("p", "0.5", "wrong_type"),
        ("p", None, "wrong_type"),
        ("d", {"c0": 0.5, "c1": 0.6}, "not_a_distribution"),
        ("d", {"c0": 1.0}, "not_a_distribution"),
        ("d", {"c0": 0.5, "c1": 0.5, "c2": 0.0}, "not_a_distribution"),
        ("d", {"c0": 1.5, "c1": -0.5}, "out_of_range"),
        ("d", [0.5, 0.5], "wrong_type"),
        ("r", ["c0", "c1"], "not_a_ranking"),
        ("r", ["c0", "c1", "c1"], "not_a_ranking"),
        ("r", ["c0", "c1", 2], "wrong_type"),
        ("k", "normal", "unknown_option"),
        ("k", 1, "wrong_type"),
    ],
)
def test_each_malformed_cell_fails_alone(cell, value, failure):
    found = read(**{cell: value})
    assert found.failures == {cell: failure}
    assert found.counts == {failure: 1}
    assert set(found.values) == set(GOOD) - {cell}
    assert failure in FAILURES


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("", "not_json"),
        ("I think it will rain", "not_json"),
        ('{"answers": {"q": [1, 2', "not_json"),
        ("[1, 2, 3]", "not_json"),
        ("{} {}", "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"answers": ' + "9" * 5000 + "}", "not_json"),
        ("{}", "no_answers"),
        ('{"answers": [1]}', "no_answers"),
        ('{"answers": {}, "answers": {}}', "no_answers"),
    ],
)
def test_a_text_that_cannot_be_read_fails_every_cell(text, failure):
    found = parse(QUERY, text)
    assert found.values == {}
    assert found.failures == dict.fromkeys(GOOD, failure)
    assert found.counts[failure] == len(GOOD)


def test_keys_nobody_asked_for_are_counted_and_cost_nothing_else():
    found = parse(QUERY, json.dumps({"answers": GOOD | {"zz": 1}, "comment": "hello"}))
    assert set(found.values) == set(GOOD)
    assert found.counts == {"unknown_id": 1, "extra_key": 1}


def test_an_id_that_is_missing_is_not_filled_by_its_neighbour():
    given = {key: value for key, value in GOOD.items() if key != "q"}
    found = parse(QUERY, json.dumps({"answers": given}))
    assert found.failures == {"q": "missing"}


def test_a_cell_answered_twice_counts_as_neither():
    text = json.dumps({"answers": GOOD}).replace('"p": 0.25', '"p": 0.25, "p": 0.75')
    assert parse(QUERY, text).failures == {"p": "duplicate"}


def test_ten_thousand_damaged_answers_are_all_accounted_for():
    """Every cell of every damaged answer is either read or failed under a documented name."""
    draw = random.Random(20261130)
    queries = query_set(worlds=1)
    wanted = [q for q in queries.queries.values() if not q.arm]
    pieces = ["", "NaN", "Infinity", "-1", "1e999", '"7"', "null", "true", "[]", "{}", ",", '"', "\\u0000", "é", "1.5"]
    for number in range(10_000):
        query = draw.choice(wanted) if number % 2 else QUERY
        cells = {c.id: GOOD.get(c.id, draw.random()) for c in query.cells}
        text = json.dumps({"answers": cells})
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(text) + 1)
            match draw.randrange(4):
                case 0:
                    text = text[:at]
                case 1:
                    text = text[:at] + draw.choice(pieces) + text[at:]
                case 2:
                    text = text[:at] + text[at + draw.randint(1, 9) :]
                case 3:
                    text = text[:at] + draw.choice(pieces) + text[at + 3 :]
        found = parse(query, text)
        assert set(found.values) | set(found.failures) == set(cells), f"answer {number}: {text!r}"
        assert not set(found.values) & set(found.failures)
        assert set(found.counts) <= set(FAILURES)
        assert sum(found.counts.get(f, 0) for f in set(FAILURES) - {"extra_key", "unknown_id"}) == len(found.failures)


@pytest.mark.parametrize("value", [1e49, 1e51, 1e101, -1e299])
def test_numbers_of_any_size_are_scored_or_charged(value):
    queries = query_set(worlds=1)
    asked = {name: [c.id for c in query.cells if c.kind == "quantiles"] for name, query in queries.queries.items()}
    answers = {name: json.dumps({"answers": dict.fromkeys(cells, [value] * 5)}) for name, cells in asked.items()}
    found = evaluate.evaluate(queries, answers, "omni-id")
    assert found.raw["quantity"] == -1
    assert ("not_finite" in found.failures) == (abs(value) > 1e50)


def test_damaged_answers_to_a_whole_set_are_scored_without_an_exception():
    draw = random.Random(7)
    queries = query_set(worlds=2)
    for _ in range(30):
        answers = {
            name: '{"answers": {' + "".join(chr(draw.randint(32, 126)) for _ in range(60)) for name in queries.queries
        }
        found = evaluate.evaluate(queries, answers, "omni-id")
        assert found.coverage == 0
        assert found.raw["quantity"] == -1
