# SPDX-License-Identifier: GPL-2.0-or-later
"""From a query to the text of an answer, and from a text to values. Uses queries; does not judge."""
