# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits: changes to a world from outside its rules, each declaring what it changes."""

from civworld.edits.base import EDITS, Consequence, Edit
from civworld.edits.city import CitySize, GrowCity, RenameCity, TransferCity
from civworld.edits.diplomacy import GiveEmbassy, SetDiplomacy
from civworld.edits.map import HideMap, RevealMap
from civworld.edits.player import (
    AddBulbs,
    AddGold,
    KillPlayer,
    SetAttitude,
    SetGovernment,
    SetRates,
    SetTrait,
)
from civworld.edits.research import GrantAdvance, RevokeAdvance, SetResearch, SetTechGoal
from civworld.edits.unit import CreateUnit, RemoveUnit
from civworld.edits.world import SetRule

__all__ = [
    "EDITS",
    "AddBulbs",
    "AddGold",
    "CitySize",
    "Consequence",
    "CreateUnit",
    "Edit",
    "GiveEmbassy",
    "GrantAdvance",
    "GrowCity",
    "HideMap",
    "KillPlayer",
    "RemoveUnit",
    "RenameCity",
    "RevealMap",
    "RevokeAdvance",
    "SetAttitude",
    "SetDiplomacy",
    "SetGovernment",
    "SetRates",
    "SetResearch",
    "SetRule",
    "SetTechGoal",
    "SetTrait",
    "TransferCity",
]
