# SPDX-License-Identifier: GPL-2.0-or-later
"""The maintenance track of World Agent: keep a narrated world running, round by round, through tools."""

from civworld.world_agent.maintenance.agents import (
    Agent,
    Call,
    ScriptedAgent,
    Step,
    do_nothing,
    plan_of,
    run,
    solution,
    violations,
)
from civworld.world_agent.maintenance.briefing import briefing
from civworld.world_agent.maintenance.case import RELATIONS, TIERS, MaintenanceCase, load, names, read
from civworld.world_agent.maintenance.contracts import Contract, Structure, contract, structures
from civworld.world_agent.maintenance.fillings import filling
from civworld.world_agent.maintenance.judges import (
    Judge,
    Model,
    ModelJudge,
    RuleJudge,
    ScriptedModel,
    Verdict,
    judge_prompt,
)
from civworld.world_agent.maintenance.scores import COMPONENTS, Item, Result, score
from civworld.world_agent.maintenance.session import BUDGET, Boundary, Request, Session
from civworld.world_agent.maintenance.told import Told, told, untold
from civworld.world_agent.maintenance.tools import TOOLS, Tool

__all__ = [
    "BUDGET",
    "COMPONENTS",
    "RELATIONS",
    "TIERS",
    "TOOLS",
    "Agent",
    "Boundary",
    "Call",
    "Contract",
    "Item",
    "Judge",
    "MaintenanceCase",
    "Model",
    "ModelJudge",
    "Request",
    "Result",
    "RuleJudge",
    "ScriptedAgent",
    "ScriptedModel",
    "Session",
    "Step",
    "Structure",
    "Told",
    "Tool",
    "Verdict",
    "briefing",
    "contract",
    "do_nothing",
    "filling",
    "judge_prompt",
    "load",
    "names",
    "plan_of",
    "read",
    "run",
    "score",
    "solution",
    "structures",
    "told",
    "untold",
    "violations",
]
