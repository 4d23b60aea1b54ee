# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs Python programs that nobody vouches for, behind walls of the kernel; knows nothing of Freeciv."""

from __future__ import annotations

from civworld.sandbox.limits import FAILURES, Draws, Failure, Limits
from civworld.sandbox.running import check, request_of, result_of, run

__all__ = ["FAILURES", "Draws", "Failure", "Limits", "check", "request_of", "result_of", "run"]
