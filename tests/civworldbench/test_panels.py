# SPDX-License-Identifier: GPL-2.0-or-later
"""External panels: correlations by hand, a test that permutes models and not rows, files that are no panels."""

import itertools
import json

import numpy as np
import pytest

from civworld.civworldbench import scoring
from civworld.civworldbench.folders.panels import read_panels
from civworld.civworldbench.reporting.panels import associate
from civworld.cli import main
from civworld.errors import ArgumentError

INDEX = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 35.0, "e": 50.0}
PANELS = {"one": {"a": 1.0, "b": 3.0, "c": 2.0, "d": 4.0}, "two": {"b": 70.0, "c": 75.0, "e": 90.0, "stranger": 1.0}}


def board():
    lines = {
        name: {
            "index": {"estimate": value},
            "settings": {"omni-id": {"completion": {"quantity": -value, "event": None}}},
        }
        for name, value in INDEX.items()
    }
    return {"forecasters": {**lines, "undefined": {"index": {"estimate": None}, "settings": {}}}}


def test_each_panel_is_what_numpy_says():
    found = associate(board(), PANELS, seed=1, n_permutations=200)
    for panel in found.panels:
        x = [INDEX[m] for m in panel.models]
        y = [PANELS[panel.name][m] for m in panel.models]
        assert panel.r == pytest.approx(np.corrcoef(x, y)[0, 1])
        assert panel.low <= panel.high
        for model, r in panel.without.items():
            rest = [k for k, m in enumerate(panel.models) if m != model]
            assert r == pytest.approx(np.corrcoef(np.array(x)[rest], np.array(y)[rest])[0, 1])
    assert found.panels[1].models == ("b", "c", "e")
    assert found.components["index"]["one"] == pytest.approx(found.panels[0].r)
    assert found.components["omni-id, quantity"]["one"] == pytest.approx(-found.panels[0].r)
    assert "omni-id, event" not in found.components


def test_the_pooled_test_permutes_models_in_all_panels_at_once():
    """Against all permutations of four models in two panels, counted by hand."""
    own = np.array([1.0, 2.0, 3.0, 5.0])
    model, panel = [0, 1, 2, 3] * 2, [0] * 4 + [1] * 4
    external = [2.0, 1.0, 3.0, 4.0, 1.0, 2.0, 4.0, 3.0]

    def pooled(scores):
        columns = [
            np.concatenate([(v - v.mean()) / v.std() for v in (np.array(c[:4]), np.array(c[4:]))])
            for c in (list(scores) * 2, external)
        ]
        return np.corrcoef(*columns)[0, 1]

    everything = [pooled(own[list(order)]) for order in itertools.permutations(range(4))]
    exact = np.mean([r >= pooled(own) - 1e-12 for r in everything])
    found = scoring.pooled_permutation_test(own, model, panel, external, np.random.default_rng(0), n_permutations=4000)
    assert found.r == pytest.approx(pooled(own))
    assert found.p_value == pytest.approx(exact, abs=0.03)


def test_copies_of_a_panel_are_no_further_evidence():
    rng = np.random.default_rng(3)
    own, external = rng.normal(size=6), rng.normal(size=6)
    model = list(range(6))
    p = [
        scoring.pooled_permutation_test(
            own, model * k, [j for j in range(k) for _ in model], np.tile(external, k), np.random.default_rng(1),
            n_permutations=500,
        ).p_value
        for k in (1, 5)
    ]  # fmt: skip
    assert p[0] == pytest.approx(p[1])


def test_a_panel_that_never_varies_says_nothing():
    found = scoring.pooled_permutation_test([1.0, 2.0], [0, 1], [0, 0], [3.0, 3.0], np.random.default_rng(0))
    assert (found.r, found.p_value, found.n_permutations) == (None, None, 0)
    with pytest.raises(ArgumentError, match="allowed: 0 to 1"):
        scoring.pooled_permutation_test([1.0, 2.0], [0, 2], [0, 0], [3.0, 4.0], np.random.default_rng(0))


def test_the_command_reads_a_board_and_a_csv(tmp_path, capsys):
    (tmp_path / "leaderboard.json").write_text(json.dumps(board()))
    rows = [f"{panel},{model},{score},somewhere" for panel, models in PANELS.items() for model, score in models.items()]
    (tmp_path / "panels.csv").write_text("panel,model,score,source\n" + "\n".join(rows) + "\n")
    assert read_panels(tmp_path / "panels.csv") == PANELS
    assert main(["panels", str(tmp_path / "leaderboard.json"), str(tmp_path / "panels.csv")]) == 0
    shown = capsys.readouterr().out
    assert "| one | 4 | +0.76 |" in shown
    assert "Pooled over panels" in shown
    assert "| omni-id, quantity | -0.76 |" in shown


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("panel,model\na,b\n", "no column score"),
        ("panel,model,score\na,b,much\n", "line 2"),
        ("panel,model,score\na,b,1\na,b,2\n", "stands twice"),
        ("panel,model,score\n,b,1\n", "line 2"),
        ("panel,model,score\n", "no row"),
    ],
)
def test_files_that_are_no_panels_are_refused(tmp_path, text, sentence):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(ArgumentError, match=sentence):
        read_panels(tmp_path / "p.csv")


def test_too_few_models_in_common_are_refused():
    with pytest.raises(ArgumentError, match="panel 'few'"):
        associate(board(), {"few": {"a": 1.0, "b": 2.0, "undefined": 3.0}}, seed=1)
