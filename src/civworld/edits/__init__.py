# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits: changes to a world from outside its rules, each declaring what it changes."""

from civworld.edits.base import EDITS, Edit
from civworld.edits.city import RenameCity
from civworld.edits.player import AddBulbs, AddGold, SetAttitude, SetTrait
from civworld.edits.world import SetRule

__all__ = ["EDITS", "AddBulbs", "AddGold", "Edit", "RenameCity", "SetAttitude", "SetRule", "SetTrait"]
