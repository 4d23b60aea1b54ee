# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of forecasts: pure functions of arrays, without randomness of their own, input or output.

Outcomes come first, forecasts second. Undefined results are None, never 0, 1 or NaN.
"""

from civworld.scoring.accuracy import (
    PairAccuracy,
    accuracy_by_parameter,
    adjusted_accuracy,
    classification_accuracy,
    ranking_accuracy,
)
from civworld.scoring.brier import (
    brier_gain,
    brier_score,
    expected_brier_score,
    expected_calibration_error,
    multiclass_brier_gain,
    multiclass_brier_score,
)
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
    "PairAccuracy",
    "absolute_error",
    "absolute_error_of_median",
    "accuracy_by_parameter",
    "adjusted_accuracy",
    "brier_gain",
    "brier_score",
    "cell_loss",
    "classification_accuracy",
    "crps_quantile",
    "expected_brier_score",
    "expected_calibration_error",
    "family_skills",
    "group_means",
    "mean_absolute_error",
    "mean_score",
    "multiclass_brier_gain",
    "multiclass_brier_score",
    "quantile_score",
    "quantity_score",
    "ranking_accuracy",
    "signed_log",
    "world_skills",
]
