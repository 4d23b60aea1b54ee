# SPDX-License-Identifier: GPL-2.0-or-later
"""Operators with matched placebos, and the arms of an experiment.

>>> from civworld import arms
>>> trial = arms.run(checkpoint, "treasury_grant", turns=30, seeds=8)  # doctest: +SKIP
>>> trial.undone()  # doctest: +SKIP
>>> arms.plot(trial).savefig("effects.png")  # doctest: +SKIP
"""

# the order of these imports is the order of the registry
from civworld.arms import treasury, realm, character  # noqa: I001
from civworld.arms.operator import OPERATORS, Intervention, Operator, Reason, Told, get
from civworld.arms.play import PlayArm
from civworld.arms.experiment import plan_at, run
from civworld.arms.trial import Effect, Trial, Undone
from civworld.arms.picture import band, plot

__all__ = [
    "OPERATORS",
    "Effect",
    "Intervention",
    "Operator",
    "PlayArm",
    "Reason",
    "Told",
    "Trial",
    "Undone",
    "band",
    "character",
    "get",
    "plan_at",
    "plot",
    "realm",
    "run",
    "treasury",
]
