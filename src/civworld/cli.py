# SPDX-License-Identifier: GPL-2.0-or-later
"""The `civworld` command."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from civworld._engine import build_info
from civworld.checkpoint import read_header
from civworld.errors import CivworldError


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="civworld", description="Freeciv worlds inside the Python process.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build-info", help="which engine build this installation holds")
    checkpoint = commands.add_parser("checkpoint", help="look at checkpoint files")
    actions = checkpoint.add_subparsers(dest="action", required=True)
    info = actions.add_parser("info", help="print a file's header without loading its memory")
    info.add_argument("file")
    options = parser.parse_args(arguments)
    try:
        if options.command == "build-info":
            print(json.dumps(asdict(build_info()), indent=1))
        else:
            print(json.dumps(read_header(options.file), indent=1))
    except (CivworldError, OSError) as error:
        print(f"civworld: {error}", file=sys.stderr)
        return 1
    return 0
