# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans and advice: players that plan, what a position is worth, and advisers that fork."""

from civworld.advice.value import Judgement, Value, curve, judge, value

__all__ = ["Judgement", "Value", "curve", "judge", "value"]
