# SPDX-License-Identifier: GPL-2.0-or-later
"""From answers to metrics and their ceilings. Uses queries and answers; compares nobody."""
