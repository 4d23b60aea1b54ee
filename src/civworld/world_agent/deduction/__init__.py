# SPDX-License-Identifier: GPL-2.0-or-later
"""The deduction track of World Agent: predict how a deterministic world evolves."""

from civworld.world_agent.deduction import mutants
from civworld.world_agent.deduction.agreement import disagreements, draw_timeline, idle
from civworld.world_agent.deduction.backend import WAIT, Backend, KernelBackend, changes
from civworld.world_agent.deduction.case import LOOKAHEAD, SEGMENTS, DeductionCase, load, names, read
from civworld.world_agent.deduction.difficulty import difficulty_text, measure_difficulty
from civworld.world_agent.deduction.disclosure import INFORMATION, MODES, disclosed, prompt
from civworld.world_agent.deduction.episode import (
    KINDS,
    Answered,
    Episode,
    Privileged,
    Query,
    Refer,
    Reference,
    Solver,
)
from civworld.world_agent.deduction.predictions import Prediction, parse
from civworld.world_agent.deduction.runner import DIFFERENCE, counterfactual, follow, play, questions
from civworld.world_agent.deduction.scoring import Tally, compare, compare_fired, mean, total
from civworld.world_agent.deduction.simulator import CarelessSimulator, RuleSimulator
from civworld.world_agent.deduction.solvers import (
    BASELINES,
    NothingChanges,
    Oracle,
    RepeatLast,
    ScriptedSolver,
    answer_text,
)
from civworld.world_agent.deduction.tasks import KernelTask, Task

__all__ = [
    "BASELINES",
    "DIFFERENCE",
    "INFORMATION",
    "KINDS",
    "LOOKAHEAD",
    "MODES",
    "SEGMENTS",
    "WAIT",
    "Answered",
    "Backend",
    "CarelessSimulator",
    "DeductionCase",
    "Episode",
    "KernelBackend",
    "KernelTask",
    "NothingChanges",
    "Oracle",
    "Prediction",
    "Privileged",
    "Query",
    "Refer",
    "Reference",
    "RepeatLast",
    "RuleSimulator",
    "ScriptedSolver",
    "Solver",
    "Tally",
    "Task",
    "answer_text",
    "changes",
    "compare",
    "compare_fired",
    "counterfactual",
    "difficulty_text",
    "disagreements",
    "disclosed",
    "draw_timeline",
    "follow",
    "idle",
    "load",
    "mean",
    "measure_difficulty",
    "mutants",
    "names",
    "parse",
    "play",
    "prompt",
    "questions",
    "read",
    "total",
]
