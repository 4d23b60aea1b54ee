# SPDX-License-Identifier: GPL-2.0-or-later
"""Queries, answers and results on disk, and whole runs from folder to folder. Uses every other room."""
