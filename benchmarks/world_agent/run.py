# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs scripted solvers and baselines over all World Agent cases; writes tables, data and plots.

`python benchmarks/world_agent/run.py` writes `results.json`, `results.md` and three plots to
`out/world_agent`. `--add FILE` (repeatable) includes rows of other runs, either in the same form as
results.json or as an inspect_ai log (`.eval`), so that models and baselines stand in one table. `--freeciv`
runs the baselines on a Freeciv world, too, which needs the engine; Freeciv rows have a table of their own.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import comparing
import plots
import speed
import tables
from solvers import DEDUCTION, MAINTENANCE

from civworld.world_agent import deduction, maintenance

SCRIPTED = {"harness": "script", "seed": 0, "fold": 0}
"""Where rows come from: what stood between solver and world, the seed it drew from, and which repetition it was."""


def run_maintenance(limit: int) -> list[dict[str, Any]]:
    """Every scripted solver on every maintenance case at every tier."""
    rows = []
    for name in maintenance.names()[:limit]:
        case = maintenance.load(name)
        for tier in maintenance.TIERS:
            for solver, make in MAINTENANCE.items():
                session = maintenance.run(case, tier, make(case, tier))
                result = maintenance.score(session, maintenance.RuleJudge())
                rows.append({"solver": solver, **SCRIPTED, **result.to_data()})
    return rows


def run_deduction(limit: int) -> list[dict[str, Any]]:
    """Every baseline on every deduction case in every setting."""
    rows = []
    for name in deduction.names()[:limit]:
        task = deduction.KernelTask(deduction.load(name))
        for information in deduction.INFORMATION:
            for mode in deduction.MODES:
                for solver, make in DEDUCTION.items():
                    episode = deduction.play(task, information, mode, make())
                    rows.append({"solver": solver, **SCRIPTED, **episode.to_data()})
    return rows


def run_freeciv() -> list[dict[str, Any]]:
    """Every baseline on one Freeciv world in every setting."""
    from civworld.world_agent.deduction.freeciv import FreecivTask

    return [
        {"solver": solver, **SCRIPTED, **deduction.play(FreecivTask(), information, mode, make()).to_data()}
        for information in deduction.INFORMATION
        for mode in deduction.MODES
        for solver, make in DEDUCTION.items()
    ]


def added(path: Path) -> dict[str, Any]:
    """The rows of another run by track."""
    if path.suffix == ".eval":
        from civworld.integrations.inspect_tasks import rows

        return dict(rows(path))
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def report(data: dict[str, Any]) -> str:
    """The Markdown report."""
    kernel, freeciv = tables.by_backend(data["deduction"])
    joint = {"maintenance": data["maintenance"], "deduction": kernel}
    parts = ["# World Agent: scripted solvers and baselines", "", "## Both tracks", "", comparing.joint_table(joint)]
    parts += ["", comparing.correlation_table(joint), "", "## Maintenance", ""]
    parts += [
        tables.maintenance_table(data["maintenance"]),
        "",
        "![](score_by_round.png)",
        "![](components.png)",
        "![](strengths.png)",
        "",
        "## Drop from the first easy to the last extreme round",
        "",
        comparing.drop_table(data["maintenance"]),
    ]
    parts += ["", "## Deduction", "", tables.deduction_table(kernel), "", "![](f1_by_horizon.png)"]
    parts += ["", tables.case_table(kernel), "", "## What Naming costs", "", comparing.gap_table(kernel)]
    if freeciv:
        parts += ["", "## Deduction on Freeciv", "", tables.deduction_table(freeciv), "", tables.case_table(freeciv)]
    parts += ["", "## Solvers paired over cases", "", comparing.paired_table(joint), "", "## Kernel", ""]
    return "\n".join([*parts, tables.table(["figure", "value"], data["speed"].items()), ""])


def main() -> None:
    """Runs everything and writes the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/world_agent"))
    parser.add_argument("--limit", type=int, default=1_000, help="only so many cases of each track")
    parser.add_argument("--skip-speed", action="store_true", help="leave the kernel's figures out")
    parser.add_argument("--add", type=Path, action="append", default=[], help="rows of other runs")
    parser.add_argument("--freeciv", action="store_true", help="include a Freeciv world")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    data: dict[str, Any] = {
        "maintenance": run_maintenance(options.limit),
        "deduction": run_deduction(options.limit),
        "speed": {} if options.skip_speed else speed.measure(),
    }
    if options.freeciv:
        data["deduction"] += run_freeciv()
    for path in options.add:
        for track, rows in added(path).items():
            if track in ("maintenance", "deduction"):
                data[track] += rows
    (options.out / "results.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    (options.out / "results.md").write_text(report(data), encoding="utf-8")
    kernel = tables.by_backend(data["deduction"])[0]
    plots.save(plots.score_by_round(data["maintenance"]), options.out / "score_by_round.png")
    plots.save(plots.component_heat(data["maintenance"]), options.out / "components.png")
    plots.save(plots.strength_heat(data["maintenance"]), options.out / "strengths.png")
    plots.save(plots.f1_by_horizon(kernel), options.out / "f1_by_horizon.png")
    print(report(data))


if __name__ == "__main__":
    main()
