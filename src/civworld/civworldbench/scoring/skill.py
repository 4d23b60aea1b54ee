# SPDX-License-Identifier: GPL-2.0-or-later
"""Skill over a reference: per world and family, per world, and the aggregate over worlds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from civworld.civworldbench.scoring._check import LIMIT, FloatArray, IntArray, floats, integers, same_shape
from civworld.civworldbench.scoring.tables import GroupScores, group_means


@dataclass(frozen=True, eq=False)
class FamilySkills:
    """Skill per world and family, sorted by world, then family; undefined pairs have no row.

    Attributes:
        world: world keys, shape (g,).
        family: family keys, shape (g,).
        skill: clipped skill, shape (g,).
    """

    world: IntArray
    family: IntArray
    skill: FloatArray


def family_skills(loss: ArrayLike, loss_ref: ArrayLike, world: ArrayLike, family: ArrayLike) -> FamilySkills:
    """Gives the skill over the reference of each family in each world.

    Formula: S_wf = clip_[-1,1](1 - sum_c loss_c / sum_c loss_ref_c), sums over the cells of (w, f).
    Range: [-1, 1]; 1 for no loss, 0 for the reference's loss.
    Orientation: larger is better.
    Properness: asymptotically proper as a ratio of mean proper losses; a skill of few cells is not proper,
        and the clip hides differences below -1.
    Reference: arXiv 2610.16450, equation (2), left.

    Args:
        loss: cell losses of the forecaster, >= 0, shape (n,).
        loss_ref: losses of the reference on the same cells, >= 0, shape (n,).
        world: integer keys, shape (n,).
        family: integer keys, shape (n,).

    Returns:
        One row per (world, family) with a positive sum of reference losses; others are left out.

    Raises:
        ArgumentError: NaN, a negative loss, or different lengths.

    Example:
        >>> table = family_skills([1.0, 2.0, 5.0, 1.0], [2.0, 4.0, 1.0, 0.0], [0, 0, 0, 1], [0, 0, 1, 0])
        >>> table.world.tolist(), table.family.tolist(), table.skill.tolist()
        ([0, 0], [0, 1], [0.5, -1.0])
    """
    where = "family_skills"
    model = floats(where, "loss", loss, ndim=1, low=0, high=LIMIT)
    reference = floats(where, "loss_ref", loss_ref, ndim=1, low=0, high=LIMIT)
    worlds = integers(where, "world", world)
    families = integers(where, "family", family)
    same_shape(where, loss=model, loss_ref=reference, world=worlds, family=families)
    world_keys, w = np.unique(worlds, return_inverse=True)
    family_keys, f = np.unique(families, return_inverse=True)
    pair, n_pairs = w * family_keys.size + f, world_keys.size * family_keys.size
    total = np.bincount(pair, weights=model, minlength=n_pairs)
    total_ref = np.bincount(pair, weights=reference, minlength=n_pairs)
    defined = np.flatnonzero(total_ref > 0)
    with np.errstate(over="ignore"):
        skill = np.clip(1 - total[defined] / total_ref[defined], -1, 1)
    return FamilySkills(world_keys[defined // family_keys.size], family_keys[defined % family_keys.size], skill)


def world_skills(loss: ArrayLike, loss_ref: ArrayLike, world: ArrayLike, family: ArrayLike) -> GroupScores:
    """Gives the skill of each world, its families weighing equally.

    Formula: S_w = (1/|F_w|) sum_{f in F_w} S_wf, F_w the families with positive reference loss.
    Range: [-1, 1].
    Orientation: larger is better.
    Properness: as `family_skills`.
    Reference: arXiv 2610.16450, equation (2), inner sum on the right.

    Args:
        loss: cell losses of the forecaster, shape (n,).
        loss_ref: losses of the reference, shape (n,).
        world: integer keys, shape (n,).
        family: integer keys, shape (n,).

    Returns:
        One row per world with at least one family; `count` is |F_w|.

    Example:
        >>> scores = world_skills([1.0, 2.0, 5.0, 1.0], [2.0, 4.0, 1.0, 0.0], [0, 0, 0, 1], [0, 0, 1, 0])
        >>> scores.group.tolist(), scores.score.tolist(), scores.count.tolist()
        ([0], [-0.25], [2])
    """
    skills = family_skills(loss, loss_ref, world, family)
    return group_means(skills.skill, skills.world)


def quantity_score(loss: ArrayLike, loss_ref: ArrayLike, world: ArrayLike, family: ArrayLike) -> float | None:
    """Gives the aggregate skill over worlds, S_QNT.

    Formula: S = (1/|W|) sum_{w in W} (1/|F_w|) sum_{f in F_w} S_wf, W the worlds with a non-empty F_w.
    Range: [-1, 1]; oracle 1, reference 0.
    Orientation: larger is better.
    Properness: as `family_skills`.
    Reference: arXiv 2610.16450, equation (2).

    Args:
        loss: cell losses of the forecaster, shape (n,).
        loss_ref: losses of the reference, shape (n,).
        world: integer keys, shape (n,).
        family: integer keys, shape (n,).

    Returns:
        The score, or None when no world has a family with positive reference loss.

    Example:
        >>> quantity_score([1.0, 0.0, 3.0], [2.0, 1.0, 2.0], [0, 0, 1], [0, 1, 0])
        0.125
        >>> quantity_score([1.0], [0.0], [0], [0]) is None
        True
    """
    worlds = world_skills(loss, loss_ref, world, family)
    return float(worlds.score.mean()) if worlds.score.size else None
