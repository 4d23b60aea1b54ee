# SPDX-License-Identifier: GPL-2.0-or-later
"""Property tests draw the same examples on every run and do not fail on a busy machine."""

from hypothesis import settings

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")
