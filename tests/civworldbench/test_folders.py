# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of the benchmark: whatever an answer holds comes back, and what cannot be read is refused by a sentence."""

import json

import pytest
from synthetic import query_set

from civworld.civworldbench.answering import predictors
from civworld.civworldbench.evaluating.metrics import METRICS
from civworld.civworldbench.folders import running, sets
from civworld.civworldbench.folders.answers import read_answers, write_answers
from civworld.civworldbench.folders.lines import read_json, read_lines
from civworld.cli import main
from civworld.errors import ArgumentError

SET = query_set(worlds=2)
ODD = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\x1dh\x1ei\rj\r\nk\tl\u00a0\U0001f30d"


def test_answers_with_every_mark_that_ends_a_line_somewhere_come_back(tmp_path):
    answers = {name: f"{ODD}{name}" for name in SET.queries}
    write_answers(tmp_path / "a.jsonl", answers)
    assert read_answers(tmp_path / "a.jsonl") == answers


def test_the_command_line_scores_answers_with_a_line_separator(tmp_path, capsys):
    sets.save(SET, tmp_path)
    (tmp_path / running.CEILINGS).write_text(json.dumps({"omni-id": dict.fromkeys(METRICS, 1.0)}))
    texts = predictors.answer_all(predictors.oracle(SET), SET)
    write_answers(
        tmp_path / "odd.jsonl",
        {name: text.replace('{"answers"', '{"why": "\u2028", "answers"') for name, text in texts.items()},
    )
    assert main(["score", str(tmp_path / "odd.jsonl"), "--queries", str(tmp_path), "--resamples", "5"]) == 0
    assert "100%" in capsys.readouterr().out


def test_the_mark_before_a_utf8_file_is_no_part_of_it(tmp_path):
    path = tmp_path / "marked.jsonl"
    path.write_text('{"id": "q", "answer": "x"}\r\n\r\n{"id": "r", "answer": "y"}', encoding="utf-8-sig")
    assert read_answers(path) == {"q": "x", "r": "y"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "utf-32"])
def test_other_encodings_are_refused_by_name(tmp_path, encoding):
    path = tmp_path / "other.jsonl"
    path.write_text('{"id": "q", "answer": "é"}\n', encoding=encoding)
    for read in (read_lines, read_json):
        with pytest.raises(ArgumentError, match="as UTF-8"):
            read(path)


def test_what_is_no_json_is_refused_with_its_place(tmp_path):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"id": 1}\n[1]\n')
    with pytest.raises(ArgumentError, match="line 2: list"):
        read_lines(path)
    path.write_text('{"id": 1}\n{"id"\n')
    with pytest.raises(ArgumentError, match="line 2"):
        read_lines(path)
