# SPDX-License-Identifier: GPL-2.0-or-later
"""What an environment's step costs beside the engine's own turn."""
