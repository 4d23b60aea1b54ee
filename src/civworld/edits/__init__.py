# SPDX-License-Identifier: GPL-2.0-or-later
"""Edits: changes to a world from outside its rules, each declaring what it changes."""

from civworld.edits.base import EDITS, Edit
from civworld.edits.player import AddGold

__all__ = ["EDITS", "AddGold", "Edit"]
