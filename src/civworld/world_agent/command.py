# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `civworld world-agent`: check, play and describe cases, without a model and without a network."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

AGENTS = ("reference", "nothing", "filling")


def add_to(commands: Any) -> None:
    """Adds the command to the subparsers of `civworld`."""
    parser = commands.add_parser("world-agent", help="check and play cases of the World Agent benchmark")
    actions = parser.add_subparsers(dest="action", required=True)
    check = actions.add_parser("check", help="say everything that is wrong with a case, with line numbers")
    check.add_argument("case", metavar="FILE", help="the case's TOML file")
    check.add_argument("--mutants", type=int, default=20, metavar="N", help="changed witnesses to try (20)")
    check.set_defaults(run=_check)
    play = actions.add_parser("play", help="play a case without a model and print the scores")
    play.add_argument("case", metavar="CASE", help="a case's name or TOML file")
    play.add_argument("--tier", default="easy", help="easy, hard or extreme (maintenance)")
    play.add_argument("--agent", default="reference", choices=AGENTS, help="who plays (maintenance)")
    play.add_argument("--seed", type=int, default=0, help="seed of a filling")
    play.add_argument("--information", default="open", help="open or naming (deduction)")
    play.add_argument("--mode", default="m1", help="m1 or m2 (deduction)")
    play.add_argument("--baseline", default="oracle", help="who answers (deduction)")
    play.add_argument("--out", metavar="FILE", help="write a page that shows the run (maintenance)")
    play.set_defaults(run=_play)
    grow = actions.add_parser("grow", help="draw a new deduction case of a hundred to four hundred fields from a seed")
    grow.add_argument("kind", help="a kind of province: grain_valley, pit_towns, ...")
    grow.add_argument("--seed", type=int, required=True, help="what numbers, entities and actions are drawn from")
    grow.add_argument("--name", default="", help="the case's name, the kind without it")
    grow.add_argument("--out", required=True, metavar="FOLDER", help="where the case, its module and timeline go")
    grow.set_defaults(run=_grow)
    schema = actions.add_parser("schema", help="print the JSON Schema of case files")
    schema.add_argument("track", choices=("maintenance", "deduction"))
    schema.set_defaults(run=_schema)


def _check(options: argparse.Namespace) -> int:
    from civworld.world_agent.checking import check

    found = list(check(options.case, options.mutants))
    for line, text in found:
        print(f"{options.case}:{line}: {text}")
    print(f"{options.case}: {len(found) or 'nothing'} wrong")
    return 1 if found else 0


def _play(options: argparse.Namespace) -> int:
    from civworld.errors import UnknownNameError
    from civworld.world_agent import deduction, maintenance
    from civworld.world_agent.checking import track_of

    known = {*maintenance.names(), *deduction.names()}
    if not options.case.endswith(".toml") and options.case not in known:
        raise UnknownNameError("case", options.case, known)
    rounds = options.case in maintenance.names()
    if rounds or (options.case.endswith(".toml") and track_of(options.case) == "maintenance"):
        return _play_maintenance(options)
    task = deduction.KernelTask(deduction.load(options.case))
    if options.baseline not in deduction.BASELINES:
        raise UnknownNameError("baseline", options.baseline, deduction.BASELINES)
    solver = deduction.BASELINES[options.baseline]()
    print(json.dumps(deduction.play(task, options.information, options.mode, solver).to_data(), indent=1))
    return 0


def _play_maintenance(options: argparse.Namespace) -> int:
    from civworld.world_agent import maintenance

    case = maintenance.load(options.case)
    makers = {
        "reference": lambda: maintenance.solution(case, options.tier),
        "nothing": lambda: maintenance.do_nothing(case),
        "filling": lambda: maintenance.filling(case, options.tier, options.seed),
    }
    case.world(options.tier)
    session = maintenance.run(case, options.tier, makers[options.agent]())
    judge = maintenance.RuleJudge()
    print(json.dumps(maintenance.score(session, judge).to_data(), indent=1))
    if options.out:
        from civworld.world_agent.page import page

        Path(options.out).write_text(page(session, judge), encoding="utf-8")
        print(f"wrote {options.out}")
    return 0


def _grow(options: argparse.Namespace) -> int:
    from civworld.world_agent.deduction.provinces import build

    for path in build(options.kind, options.seed, options.name).write(Path(options.out)):
        print(f"wrote {path}")
    return 0


def _schema(options: argparse.Namespace) -> int:
    from civworld.world_agent.kernel.shapes import DIALECT

    if options.track == "maintenance":
        from civworld.world_agent.maintenance.case import FORM
    else:
        from civworld.world_agent.deduction.case import FORM
    print(json.dumps({"$schema": DIALECT, **FORM.schema()}, indent=1))
    return 0
