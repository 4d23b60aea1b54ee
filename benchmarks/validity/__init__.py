# SPDX-License-Identifier: GPL-2.0-or-later
"""Studies of whether interventions mean what they say; run one with `python -m benchmarks.validity NAME`."""
