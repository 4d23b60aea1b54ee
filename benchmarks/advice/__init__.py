# SPDX-License-Identifier: GPL-2.0-or-later
"""Studies of plans and advice: is `civworld.advice.value` calibrated, and what is an adviser that forks worth?"""
