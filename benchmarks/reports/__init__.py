# SPDX-License-Identifier: GPL-2.0-or-later
"""How long reports are."""
