# SPDX-License-Identifier: GPL-2.0-or-later
"""World Agent: can a language model keep a world running, and deduce how it runs?

Rooms, lower ones first; each imports only from those before it:
`kernel` (discrete-time worlds as data), `maintenance` and `deduction` (one track each, strangers to each other).
"""
