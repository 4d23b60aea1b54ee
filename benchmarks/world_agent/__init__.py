# SPDX-License-Identifier: GPL-2.0-or-later
"""World Agent: scripted solvers and baselines over all cases, with tables and plots."""
