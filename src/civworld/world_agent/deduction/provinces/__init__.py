# SPDX-License-Identifier: GPL-2.0-or-later
"""Provinces: deduction cases of a hundred to four hundred fields, drawn from a seed."""

from civworld.world_agent.deduction.provinces.build import Province, build
from civworld.world_agent.deduction.provinces.recipes import RECIPES, Recipe, recipe

__all__ = ["RECIPES", "Province", "Recipe", "build", "recipe"]
