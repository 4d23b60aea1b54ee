# SPDX-License-Identifier: GPL-2.0-or-later
"""Adapters to other programs; each module names the extra that it needs."""
