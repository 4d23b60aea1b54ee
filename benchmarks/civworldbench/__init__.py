# SPDX-License-Identifier: GPL-2.0-or-later
"""CivWorldBench end to end on a suite."""
