# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores of forecasts: pure functions of arrays, without randomness of their own, input or output.

Outcomes come first, forecasts second. Undefined results are None, never 0, 1 or NaN.
"""

from civworld.civworldbench.scoring.accuracy import (
    PairAccuracy,
    accuracy_by_parameter,
    adjusted_accuracy,
    classification_accuracy,
    ranking_accuracy,
)
from civworld.civworldbench.scoring.brier import (
    brier_gain,
    brier_score,
    expected_brier_score,
    expected_calibration_error,
    multiclass_brier_gain,
    multiclass_brier_score,
)
from civworld.civworldbench.scoring.effect import ExpectedEffect, expected_effect, predicted_effect, realized_effect
from civworld.civworldbench.scoring.ensemble import (
    crps_ensemble,
    ensemble_quantiles,
    leave_one_out,
    leave_one_out_mean,
    leave_one_out_quantiles,
)
from civworld.civworldbench.scoring.index import LEVELS, completion, composite_index, level_completion
from civworld.civworldbench.scoring.intervention import (
    MIN_CELLS,
    Direction,
    Specificity,
    capture,
    capture_by_operator,
    direction,
    specificity,
)
from civworld.civworldbench.scoring.penalty import (
    MISSING_BRIER,
    MISSING_MULTICLASS_BRIER,
    penalised_effect,
    penalised_loss,
    penalised_score,
)
from civworld.civworldbench.scoring.pooled import pooled_permutation_test
from civworld.civworldbench.scoring.quantile import (
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
from civworld.civworldbench.scoring.resampling import (
    Correlation,
    Interval,
    paired_bootstrap,
    pearson_r,
    permutation_test,
    world_bootstrap,
    world_bootstraps,
)
from civworld.civworldbench.scoring.skill import FamilySkills, family_skills, quantity_score, world_skills
from civworld.civworldbench.scoring.tables import GroupScores, group_means, mean_score

__all__ = [
    "LEVELS",
    "MEDIAN",
    "MIN_CELLS",
    "MISSING_BRIER",
    "MISSING_MULTICLASS_BRIER",
    "TAUS",
    "Correlation",
    "Direction",
    "ExpectedEffect",
    "FamilySkills",
    "GroupScores",
    "Interval",
    "LossKind",
    "PairAccuracy",
    "Specificity",
    "absolute_error",
    "absolute_error_of_median",
    "accuracy_by_parameter",
    "adjusted_accuracy",
    "brier_gain",
    "brier_score",
    "capture",
    "capture_by_operator",
    "cell_loss",
    "classification_accuracy",
    "completion",
    "composite_index",
    "crps_ensemble",
    "crps_quantile",
    "direction",
    "ensemble_quantiles",
    "expected_brier_score",
    "expected_calibration_error",
    "expected_effect",
    "family_skills",
    "group_means",
    "leave_one_out",
    "leave_one_out_mean",
    "leave_one_out_quantiles",
    "level_completion",
    "mean_absolute_error",
    "mean_score",
    "multiclass_brier_gain",
    "multiclass_brier_score",
    "paired_bootstrap",
    "pearson_r",
    "penalised_effect",
    "penalised_loss",
    "penalised_score",
    "permutation_test",
    "pooled_permutation_test",
    "predicted_effect",
    "quantile_score",
    "quantity_score",
    "ranking_accuracy",
    "realized_effect",
    "signed_log",
    "specificity",
    "world_bootstrap",
    "world_bootstraps",
    "world_skills",
]
