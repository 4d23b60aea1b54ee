# SPDX-License-Identifier: GPL-2.0-or-later
"""From a corpus to queries: decision points, cells, prompts and targets. Uses scores' mathematics, no answer."""
