# SPDX-License-Identifier: GPL-2.0-or-later
"""What a missing or unparsable answer costs: never less than the reference, never left out silently.

Compute cell scores for the rows that have an answer, leave NaN in the others, and pass both with the mask.
Missing rankings and classes are wrong in `ranking_accuracy` and `classification_accuracy` themselves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import (
    LIMIT,
    FloatArray,
    answers,
    flags,
    floats,
    integers,
    number,
    rows_of,
    same_shape,
)
from civworld.civworldbench.scoring.tables import group_means

MISSING_BRIER = 1.0
"""Brier score of a missing answer to a yes/no question: the worst there is."""

MISSING_MULTICLASS_BRIER = 2.0
"""Multiclass Brier score of a missing distribution: the worst there is."""


def penalised_loss(loss: ArrayLike, loss_ref: ArrayLike, group: ArrayLike, missing: ArrayLike) -> FloatArray:
    """Gives cell losses in which missing answers are charged against the reference.

    With one key per world and family, a family that is missing as a whole has skill -1.

    Formula: loss_c = max(loss_ref_c, 2 mean of loss_ref over the cells of c's group) where missing.
    Range: [0, inf).
    Orientation: smaller is better.
    Properness: the charge does not depend on the forecast; answering the reference costs at most as much.
    Reference: this library's decision, in place of arXiv 2610.16450, appendix F.

    Args:
        loss: cell losses, shape (n,); not read where missing (may be NaN there).
        loss_ref: losses of the reference, shape (n,).
        group: integer keys over which the reference loss is averaged, shape (n,).
        missing: booleans, shape (n,).

    Returns:
        Losses without gaps, shape (n,).

    Example:
        >>> penalised_loss([0.5, 0.0, 0.0], [1.0, 1.0, 4.0], [0, 0, 0], [False, True, True]).tolist()
        [0.5, 4.0, 4.0]
    """
    where = "penalised_loss"
    reference = floats(where, "loss_ref", loss_ref, ndim=1, low=0)
    absent = flags(where, "missing", missing, reference.shape)
    given = floats(where, "loss", answers(where, "loss", loss, absent), ndim=1, low=0, high=LIMIT)
    keys = integers(where, "group", group)
    means = group_means(reference, keys)
    typical = means.score[np.searchsorted(means.group, keys)]
    return np.where(absent, np.maximum(reference, 2 * typical), given)


def penalised_score(score: ArrayLike, missing: ArrayLike, penalty: float) -> FloatArray:
    """Gives cell scores in which missing answers get a fixed value.

    Formula: penalty where missing, else the score.
    Range: that of the score, with the penalty.
    Orientation: that of the score.
    Properness: that of the score; the charge does not depend on the forecast.
    Reference: this library's decision: `MISSING_BRIER`, `MISSING_MULTICLASS_BRIER`.

    Args:
        score: cell scores, shape (n,); not read where missing (may be NaN there).
        missing: booleans, shape (n,).
        penalty: value of a missing cell.

    Returns:
        Scores without gaps, shape (n,).

    Example:
        >>> penalised_score([0.04, 0.0], [False, True], MISSING_BRIER).tolist()
        [0.04, 1.0]
    """
    where = "penalised_score"
    absent = flags(where, "missing", missing, rows_of(where, "score", score))
    given = floats(where, "score", answers(where, "score", score, absent), ndim=1)
    return np.where(absent, number(where, "penalty", penalty), given)


def penalised_effect(obs: ArrayLike, fct: ArrayLike, missing: ArrayLike) -> FloatArray:
    """Gives predicted effects in which a missing answer is the opposite of what happened.

    Its error is then 2 |d| and its direction wrong. Leave such cells out of Specificity.

    Formula: dhat_c = -d_c where missing.
    Range: all reals.
    Reference: this library's decision, in place of arXiv 2610.16450, appendix F.

    Args:
        obs: realized effects, shape (n,).
        fct: predicted effects, shape (n,); not read where missing (may be NaN there).
        missing: booleans, shape (n,).

    Returns:
        Predicted effects without gaps, shape (n,).

    Example:
        >>> penalised_effect([1.0, -2.0], [0.5, float("nan")], [False, True]).tolist()
        [0.5, 2.0]
    """
    where = "penalised_effect"
    realized = floats(where, "obs", obs, ndim=1)
    absent = flags(where, "missing", missing, realized.shape)
    predicted = answers(where, "fct", fct, absent)
    same_shape(where, obs=realized, fct=predicted)
    return np.where(absent, -realized, predicted)
