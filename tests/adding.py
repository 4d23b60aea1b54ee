# SPDX-License-Identifier: GPL-2.0-or-later
"""What CONTRIBUTING says has to be touched to add something, for tests that find one of the places forgotten."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENTRY = re.compile(r"^\*\*([^*]+)\*\* touches (\d+) files?:\n((?:- .+\n(?:  .+\n)*)+)", re.M)


def entries() -> dict[str, tuple[int, dict[str, str]]]:
    """What can be added -> how many files that touches, and each (or its folder) with what to do there."""
    found = {}
    for name, count, rows in ENTRY.findall((ROOT / "CONTRIBUTING.md").read_text()):
        places = re.findall(r"^- `([^`]+)`: ((?:.+\n)(?:  .+\n)*)", rows, re.M)
        found[name] = (int(count), {place: " ".join(what.split()) for place, what in places})
    return found


def forgotten(name: str) -> str:
    """The message of a test that found one of the places missing."""
    count, places = entries()[name]
    rows = "\n".join(f"  {place}: {what}" for place, what in places.items())
    files = f"{count} files" if count > 1 else "1 file"
    return f"{name} touches {files} (CONTRIBUTING.md); one of them was forgotten:\n{rows}"
