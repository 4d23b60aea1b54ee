# SPDX-License-Identifier: GPL-2.0-or-later
"""What civworld costs, measured beside the stock server."""
