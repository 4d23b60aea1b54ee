# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules modules: each case's dynamics in plain Python, the second witness beside its specification."""
