# SPDX-License-Identifier: GPL-2.0-or-later
"""Benchmark tasks: which queries a world gives, what answers them, how answers are scored."""
