# SPDX-License-Identifier: GPL-2.0-or-later
"""Agreement of judges: the scripted reader reads prompts alone, and the figures are what they say."""

import sys
from pathlib import Path

import pytest

from civworld.world_agent.maintenance import TIERS, ModelJudge, RuleJudge, load, run, score, solution

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "world_agent"))
import judging
import reading


@pytest.mark.parametrize("tier", TIERS)
def test_the_scripted_reader_finds_a_perfect_run_perfect(tier):
    case = load("lighthouse")
    result = score(run(case, tier, solution(case, tier)), ModelJudge(reading.PromptReader()))
    assert (result.completion, result.relation) == (1, 1)


def test_agreement_counts_worked_numbers():
    found = judging.Agreement(both=40, neither=20, first=10, second=30)
    assert found.items == 100 and found.share == 0.6
    assert found.kappa == pytest.approx((0.6 - 0.5) / (1 - 0.5))
    assert judging.Agreement().share is None and judging.Agreement(both=3).kappa is None


def test_judges_agree_on_mutated_runs_and_runs_lose_items():
    found = judging.agreement(judging.mutated_runs(6), RuleJudge(), ModelJudge(reading.PromptReader()))
    assert found["all"].items > 150 and found["all"].neither > 5
    assert found["all"].share > 0.9
    again = judging.agreement(judging.mutated_runs(6), RuleJudge(), ModelJudge(reading.PromptReader()))
    assert again == found
