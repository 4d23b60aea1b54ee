# SPDX-License-Identifier: GPL-2.0-or-later
"""CivWorldBench: what is asked about worlds, what answers it, how answers are scored and shown.

Its rooms, each of which may use those above it and never those below:

- `scoring`: scores as mathematics on arrays; knows nothing of worlds.
- `asking`: from a corpus to queries: decision points, cells, prompts, targets.
- `answering`: from a query to the text of an answer (references, oracle, observer), and back to values.
- `evaluating`: from answers to the metrics of a forecaster, and their ceilings.
- `reporting`: many forecasters side by side, as tables and pictures.
- `folders`: reading and writing all of this.
"""
