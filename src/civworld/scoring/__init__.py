# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of forecasts: pure functions of arrays, without randomness of their own, input or output.

Outcomes come first, forecasts second. Undefined results are None, never 0, 1 or NaN.
"""

from civworld.scoring.quantile import (
    MEDIAN,
    TAUS,
    LossKind,
    absolute_error,
    absolute_error_of_median,
    cell_loss,
    crps_quantile,
    mean_absolute_error,
    quantile_score,
    signed_log,
)
from civworld.scoring.skill import FamilySkills, family_skills, quantity_score, world_skills
from civworld.scoring.tables import GroupScores, group_means, mean_score

__all__ = [
    "MEDIAN",
    "TAUS",
    "FamilySkills",
    "GroupScores",
    "LossKind",
    "absolute_error",
    "absolute_error_of_median",
    "cell_loss",
    "crps_quantile",
    "family_skills",
    "group_means",
    "mean_absolute_error",
    "mean_score",
    "quantile_score",
    "quantity_score",
    "signed_log",
    "world_skills",
]
