# SPDX-License-Identifier: GPL-2.0-or-later
"""Forecasters side by side, as tables and pictures. Uses evaluations; reads and writes no corpus."""
