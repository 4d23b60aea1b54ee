# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a page that shows a maintenance case as an inspect log has it: `show.py LOG.eval CASE PAGE.html`."""

from __future__ import annotations

import sys
from pathlib import Path

from civworld.integrations.inspect_maintenance import logged_session
from civworld.world_agent.maintenance import RuleJudge
from civworld.world_agent.page import page

if __name__ == "__main__":
    log, case, out = sys.argv[1:]
    Path(out).write_text(page(logged_session(log, case), RuleJudge()), encoding="utf-8")
    print(out)
